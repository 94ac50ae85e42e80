"""What curation answers."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID

from apps.curation.models import ProposalState
from apps.memory.results import ItemView
from memory_platform.model import Change, Kind


@dataclass(frozen=True, slots=True)
class Ground:
    """A memory a proposal rests on."""

    item_id: UUID
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposal as people see it. `task` says in words what they are asked, `present` is the line it is about, `made`
    the one it made.

    The texts are empty once all it rests on is forgotten. `evidence` is what the reader may read of it.
    """

    id: UUID
    task: str
    section: str
    change: Change
    text: str
    present: str
    made: str
    kind: Kind
    confidence: float
    said_on: date
    state: ProposalState
    reason: str
    comment: str
    proposed_by: str
    decided_by: str
    decided_at: datetime | None
    can_be_undone: bool
    version: int
    item_ids: tuple[UUID, ...]
    evidence: tuple[Ground, ...]
    created_at: datetime


class QueueKind(StrEnum):
    """What kind of thing waits in the review queue."""

    PROPOSAL = "proposal"
    """A proposal to change the curated memory."""
    HELD = "held"
    """A memory that the gate, or somebody, holds."""
    CONTRADICTION = "contradiction"
    """Two memories of which one must be wrong."""
    REPLACEMENT = "replacement"
    """A memory that another has probably replaced."""
    ERASURE = "erasure"
    """An erasure that a second person has to agree to."""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """Something that waits for somebody: `task` asks, `texts` are what is asked about, `verbs` answer it.

    `id` is the proposal's, the memory's, the link's or the erasure's; `items` are what it is asked about or rests on,
    `samples` a few of the texts that an erasure would take.
    """

    id: UUID
    kind: QueueKind
    at: datetime
    task: str
    texts: tuple[str, ...]
    items: tuple[ItemView, ...]
    verbs: tuple[str, ...]
    user_id: str | None
    proposal: ProposalView | None = None
    samples: tuple[str, ...] = ()

    @property
    def memory_ids(self) -> tuple[UUID, ...]:
        return tuple(item.id for item in self.items)


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of the curated memory, and the memories it rests on."""

    id: UUID
    section: str
    kind: Kind
    text: str
    said_on: date
    item_ids: tuple[UUID, ...]
    decision: int | None
    added_by: str
    added_at: datetime


@dataclass(frozen=True, slots=True)
class CuratedView:
    """MEMORY.md as it stands: the text, its lines, how many there may be, and how many too many there are."""

    text: str
    tokens: int
    lines: tuple[LineView, ...]
    limit: int
    changes: int
    changed_at: datetime | None

    @property
    def entries(self) -> int:
        return len(self.lines)

    @property
    def over(self) -> int:
        """How many are to go: the signal to prune."""
        return max(0, len(self.lines) - self.limit)


@dataclass(frozen=True, slots=True)
class CommitView:
    """A commit of the repository: the files it changed, and what it changed in MEMORY.md, by lines."""

    id: str
    at: datetime
    by: str
    message: str
    signed: bool
    files: tuple[str, ...]
    diff: str


@dataclass(frozen=True, slots=True)
class Sorted:
    """What a run did: facts it looked at, proposals it made, and what became of them by itself.

    Beside those it `proposed`, `known` were made before and stand as they are, and `supported` nearly say what an open
    one does, which rests on their memories, too. `refused` are proposals of a model that its evidence does not say;
    `waiting` are for the next batch. Of the facts in no proposal and behind no line `unasserted` are questions, wishes
    and hypotheses, `passed_over` those that a model named nowhere. What is to be written has `letters_worded`, the
    memories it rests on `letters_read`.
    """

    facts: int = 0
    proposed: int = 0
    known: int = 0
    supported: int = 0
    refused: int = 0
    promoted: int = 0
    rejected: int = 0
    merged: int = 0
    queued: int = 0
    waiting: int = 0
    unasserted: int = 0
    passed_over: int = 0
    letters_read: int = 0
    letters_worded: int = 0
    by: str = ""
    degraded: str = ""
