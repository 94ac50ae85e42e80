"""What is asked of curation."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from apps.curation.models import ProposalState


class ReviewDecision(StrEnum):
    """What somebody decides."""

    APPROVE = "approve"
    """As it stands."""
    EDIT = "edit"
    """In other words, or another section."""
    REJECT = "reject"
    """Not."""
    UNDO = "undo"
    """The last decision is taken back."""


class ProposalOrder(StrEnum):
    """How a list of proposals is sorted; ties by id."""

    OLDEST = "oldest"
    """What waits longest first."""
    DECIDED = "decided"
    """The last decision first, and only what has one."""


@dataclass(frozen=True, slots=True)
class ProposalFilter:
    """None is no filter; without states those that nobody decided (in the order DECIDED: that somebody did), or those
    that `ids` name.
    """

    states: tuple[ProposalState, ...] | None = None
    section: str | None = None
    kind: str | None = None
    ids: tuple[UUID, ...] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """`version` is the one of the proposal that was looked at. `text` and `section` are for EDIT; `as_decision` gives
    what is approved the next number and a record; `comment` is why.
    """

    verdict: ReviewDecision
    version: int
    text: str | None = None
    section: str | None = None
    comment: str = ""
    as_decision: bool = False


@dataclass(frozen=True, slots=True)
class GivenNumbers:
    """The last numbers that a change of the lines and a decision got; none is given twice."""

    changes: int = 0
    decisions: int = 0


NO_NUMBERS: Final = GivenNumbers()


@dataclass(frozen=True, slots=True)
class RestoredEntry:
    """A line as the repository tells it, with the changes it came and went with."""

    id: UUID
    section: str
    kind: str
    text: str
    said_on: date
    items: tuple[UUID, ...]
    decision: int | None
    replaces: UUID | None
    added: int
    added_at: datetime
    added_by: str
    removed: int | None
    removed_at: datetime | None
    removed_by: str
    removal: str
