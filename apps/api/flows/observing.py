"""Observing a given text: what a host is about to compact away is said in the session first, then it is learnt from."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.api.flows.waiting import wait_until
from apps.core import scope
from apps.core.scope import Scope
from apps.memory import selectors as memory
from apps.memory import services as memory_services
from apps.resources import services as resources
from apps.resources.services import IngestLine, LineResult, LineStatus
from memory_platform.errors import Invalid
from memory_platform.model import Fact, Observation, Role, Visibility
from memory_platform.text.segments import Segment, segments

MOST_SEGMENTS: Final = 500


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text of a session. `role` is whose words they are where no line says so (`Assistant: …`).

    `content` is free of secrets: one that is cut in two is not seen in either part.
    """

    session_id: str
    content: str
    user_id: str | None = None
    role: Role = Role.USER
    occurred_at: datetime | None = None
    visibility: Visibility = Visibility.PRIVATE


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text that is said in the session: its parts, the message each is kept as, and how many of them are new."""

    given: GivenText
    parts: tuple[Segment, ...]
    resource_ids: tuple[UUID, ...]
    accepted: int


@dataclass(frozen=True, slots=True)
class ObservedSegment:
    """A part of the text, the message it is kept as, and what it says; `pending`: not learnt from yet."""

    resource_id: UUID
    text: str
    role: Role
    pending: bool
    narrative: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class ObservedText:
    session_id: str
    segments: tuple[ObservedSegment, ...]

    @property
    def pending(self) -> int:
        return sum(segment.pending for segment in self.segments)


def parted(given: GivenText) -> tuple[Segment, ...]:
    """The messages it is to be kept as. Raises Invalid for none or too many."""
    parts = tuple(segments(given.content))
    if not 1 <= len(parts) <= MOST_SEGMENTS:
        raise Invalid(f"The text has 1 to {MOST_SEGMENTS} parts; send it in several.", field="text")
    return parts


def keep(given: GivenText, parts: tuple[Segment, ...], *, within: Scope) -> KeptText:
    """Keep the parts as messages of the session, the same text once: all of them or, where one is refused, none.

    When that makes the session, the one the user was in before ends, and is learnt from at once. Called without an open
    scope. Raises Invalid.
    """
    with scope.enter(within):
        opened = resources.open_session(given.session_id, user_id=given.user_id, since=given.occurred_at)
        results = resources.ingest(_lines(given, parts), into=opened)
        _require_all(results)
        if opened.predecessor is not None:
            memory_services.flush(opened.predecessor)
    resource_ids = tuple(result.resource_id for result in results if result.resource_id)
    accepted = sum(result.status is LineStatus.ACCEPTED for result in results)
    return KeptText(given, parts, resource_ids, accepted)


def learn(kept: KeptText, *, within: Scope, seconds: float) -> ObservedText:
    """Wait at most `seconds` until all of it is learnt from, and tell what was. Called without an open scope."""
    learnt = _learnt(kept.resource_ids, within=within, seconds=seconds)
    told = zip(kept.resource_ids, kept.parts, strict=True)
    return ObservedText(kept.given.session_id, tuple(_told(kept.given, each, part, learnt) for each, part in told))


def _require_all(results: Sequence[LineResult]) -> None:
    for result in results:
        if result.resource_id is None:
            raise Invalid(result.error or "The text is refused.", field=result.field)


def _lines(given: GivenText, parts: tuple[Segment, ...]) -> list[IngestLine]:
    """Named after the whole text: a part that two texts share is said in both."""
    name = hashlib.sha256(given.content.encode()).hexdigest()[:32]
    return [
        IngestLine(
            external_id=f"observed:{name}:{number}",
            session_id=given.session_id,
            content=part.text,
            content_at=given.occurred_at,
            role=part.role or given.role,
            user_id=given.user_id,
            visibility=given.visibility,
        )
        for number, part in enumerate(parts, start=1)
    ]


def _learnt(resource_ids: tuple[UUID, ...], *, within: Scope, seconds: float) -> Mapping[UUID, Observation]:
    """By message, what was learnt when all was, or the waiting is over."""

    def is_learnt() -> bool:
        with scope.enter(within):
            return memory.count_observed(resource_ids) == len(resource_ids)

    wait_until(is_learnt, seconds=seconds)
    with scope.enter(within):
        return memory.observations_of(resource_ids)


def _told(given: GivenText, resource_id: UUID, part: Segment, learnt: Mapping[UUID, Observation]) -> ObservedSegment:
    seen = learnt.get(resource_id, Observation(resource_id))
    pending = resource_id not in learnt
    return ObservedSegment(resource_id, part.text, part.role or given.role, pending, seen.narrative, seen.facts)
