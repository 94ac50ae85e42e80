"""Observing a given text: what a host is about to compact away is said in the session first, then it is learnt from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.api.flows.waiting import awaited
from apps.core import scope
from apps.core.scope import Scope
from apps.memory import selectors as memory
from apps.resources import services as resources
from apps.resources.services import IngestLine
from memory_platform.errors import Invalid
from memory_platform.model import Fact, Observation, Role, Visibility
from memory_platform.text.redaction import redact
from memory_platform.text.segments import Segment, segments

MOST_SEGMENTS: Final = 500


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text of a session. `role` is whose words they are where no line says so (`Assistant: …`)."""

    session_id: str
    content: str
    user_id: str | None = None
    role: Role = Role.USER
    occurred_at: datetime | None = None
    visibility: Visibility = Visibility.PRIVATE


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


def observe(given: GivenText, *, within: Scope, seconds: float) -> ObservedText:
    """Keep the text as messages of the session, and wait at most `seconds` until they are learnt from.

    The same text again is kept once, and tells what was learnt since. Called without an open scope. Raises Invalid.
    """
    parts = segments(given.content)
    if not 1 <= len(parts) <= MOST_SEGMENTS:
        raise Invalid(f"The text has 1 to {MOST_SEGMENTS} parts; send it in several.", field="text")
    with scope.enter(within):
        stored = [result.resource_id for result in resources.ingest(_lines(given, parts)) if result.resource_id]
    learnt = _learnt(stored, within=within, seconds=seconds)
    told = zip(stored, parts, strict=True)
    return ObservedText(given.session_id, tuple(_told(given, each, part, learnt) for each, part in told))


def _lines(given: GivenText, parts: list[Segment]) -> list[IngestLine]:
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


def _learnt(resource_ids: list[UUID], *, within: Scope, seconds: float) -> Mapping[UUID, Observation]:
    """By message, what was learnt when all was, or the time is over."""

    def look() -> Mapping[UUID, Observation]:
        with scope.enter(within):
            return memory.observations_of(resource_ids)

    return awaited(look, lambda learnt: len(learnt) == len(resource_ids), seconds=seconds)


def _told(given: GivenText, resource_id: UUID, part: Segment, learnt: Mapping[UUID, Observation]) -> ObservedSegment:
    seen = learnt.get(resource_id, Observation(resource_id))
    pending = resource_id not in learnt
    return ObservedSegment(
        resource_id, redact(part.text).text, part.role or given.role, pending, seen.narrative, seen.facts
    )
