"""What follows from new resources: their episode documents, journal lines, and the jobs that learn from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TypeVar
from uuid import UUID

from apps.index import services as index
from apps.index.services import NewDocument
from apps.jobs import services as jobs
from apps.jobs.services import NewJob
from memory_platform.lifecycle.belief import believed_from
from memory_platform.model import Audience, JournalLine, Role, Unit
from memory_platform.retrieval.cues import cues
from memory_platform.text.terms import indexed_text

# Long enough to fill a model's batch, short enough that a lost worker repeats little.
RESOURCES_PER_JOB = 64
DOCUMENTS_PER_JOB = 64

T = TypeVar("T")

_ROLE_NAMES = frozenset(role.value for role in Role)


@dataclass(frozen=True, slots=True)
class Episode:
    """A stored resource as the index and the journal need it; `text` is free of secrets."""

    resource_id: UUID
    session_id: UUID
    ordinal: int
    audience: Audience
    speaker: str | None
    text: str
    said_at: datetime
    role: Role | None = None
    redacted: tuple[str, ...] = ()


def publish(episodes: Sequence[Episode], *, now: datetime) -> list[UUID]:
    """Index the episodes for keyword search and enqueue embedding and observation; returns the job ids.

    Episodes come ordered by session. One session is observed by one job at a time.
    """
    documents = index.put([document(episode, heard_at=now) for episode in episodes])
    observing = [
        job
        for session_id, members in groupby(episodes, key=lambda episode: episode.session_id)
        for job in observing_jobs(session_id, [episode.resource_id for episode in members])
    ]
    embedding = [
        NewJob("index.embed", {"documents": [str(document) for document in chunk]})
        for chunk in _chunks(documents, DOCUMENTS_PER_JOB)
    ]
    return jobs.enqueue_many([*observing, *embedding])


def observing_jobs(session_id: UUID, resource_ids: Sequence[UUID]) -> list[NewJob]:
    """What distils messages of one session; those that were distilled cost nothing."""
    return [
        NewJob("memory.observe", {"resources": [str(resource_id) for resource_id in chunk]}, str(session_id))
        for chunk in _chunks(resource_ids, RESOURCES_PER_JOB)
    ]


def redaction_lines(episodes: Iterable[Episode]) -> list[JournalLine]:
    """One line a resource that held secrets, naming their kinds."""
    return [
        JournalLine("resource.redacted", "resource", episode.resource_id, {"kinds": sorted(set(episode.redacted))})
        for episode in episodes
        if episode.redacted
    ]


def _named_speaker(speaker: str | None) -> str | None:
    """None for a mere role: nobody searches for "assistant", and no fact is about one."""
    return None if speaker is None or speaker.lower() in _ROLE_NAMES else speaker


def document(episode: Episode, *, heard_at: datetime, hidden: bool = False) -> NewDocument:
    """How an episode is indexed that reached us at `heard_at`; `hidden`: it is forgotten."""
    return NewDocument(
        unit=Unit.EPISODE,
        unit_id=episode.resource_id,
        text=indexed_text(episode.text, speaker=_named_speaker(episode.speaker), said_at=episode.said_at),
        audience=episode.audience,
        session_id=episode.session_id,
        ordinal=episode.ordinal,
        event_time=episode.said_at,
        recorded_at=believed_from(said_at=episode.said_at, heard_at=heard_at),
        hidden=hidden,
        cues=cues(episode.text, speaker=episode.speaker, role=episode.role),
    )


def _chunks(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
