"""Curation: the curated memory, proposals to change it, and all that waits for a reviewer."""

import re
from datetime import date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, Field

from apps.api.admission import Admission, secrets_in
from apps.api.contract import LARGEST, Answer, ForUser, Input, Json, Name, Paged, PageOf, Text, queried
from apps.api.descriptions import ARGUMENTS
from apps.api.memories.contract import Memory
from apps.core.paging import MAXIMUM_PAGE_SIZE
from apps.curation import requests
from apps.curation.models import ProposalState
from apps.curation.projecting import LoggedLine
from apps.curation.requests import RestoredEntry
from apps.curation.results import QueueKind
from memory_platform.consolidation.gating import LONGEST
from memory_platform.model import Change, Kind

MOST_RESTORED: Final = 20_000
HIGHEST_NUMBER: Final = 10**9
"""Of a change or a decision that is restored: there is room for those that follow."""
MOST_CODES: Final = 200
_CODE: Final = r"^[\w.:/@+-]*$"

Line = Annotated[str, Field(min_length=1, max_length=LONGEST, description="The words, in one line.")]


class ProposalFilter(Input):
    states: tuple[ProposalState, ...] | None = Field(
        default=None,
        max_length=len(ProposalState),
        description="Default: what nobody decided, that is waiting and queued; by decisions: what was decided.",
    )
    section: Name | None = Field(default=None, description="The section of MEMORY.md it would stand in.")
    kind: Kind | None = Field(default=None, description="Of this kind.")
    ids: tuple[UUID, ...] | None = Field(
        default=None,
        max_length=MAXIMUM_PAGE_SIZE,
        description="These alone, whatever became of them unless states are named.",
    )

    def as_filter(self) -> requests.ProposalFilter:
        kind = None if self.kind is None else self.kind.value
        return requests.ProposalFilter(self.states, self.section, kind, self.ids)


class ProposalsInput(ProposalFilter, Paged):
    """The query string of a list of proposals."""

    model_config = queried(states="state", ids="id")

    order_by: requests.ProposalOrder = Field(default=requests.ProposalOrder.OLDEST, description=ARGUMENTS["order_by"])


class QueueFilter(ForUser):
    kinds: tuple[QueueKind, ...] = Field(
        default=tuple(QueueKind), max_length=len(QueueKind), description="Default: all of them."
    )


class QueueInput(QueueFilter, PageOf):
    """The query string of the queue."""

    model_config = queried(kinds="kind")


class DecisionInput(Input):
    """What somebody decides on a proposal, on the `version` they looked at."""

    decision: requests.ReviewDecision
    version: int = Field(
        ge=1, description="The proposal's, as it was looked at; another one is a conflict.", le=LARGEST
    )
    text: Line | None = Field(default=None, description="Of EDIT: better words.")
    section: Name | None = Field(default=None, description="Of EDIT: another category.")
    comment: Text = Field(default="", description="Why.")
    as_decision: bool = Field(default=False, description="Give it the next decision's number, and a record.")

    def as_decision_made(self) -> requests.Decision:
        return requests.Decision(
            verdict=self.decision,
            version=self.version,
            text=self.text,
            section=self.section,
            comment=self.comment,
            as_decision=self.as_decision,
        )


Number = Annotated[int, Field(ge=1, le=HIGHEST_NUMBER)]
Given = Annotated[int, Field(ge=0, le=HIGHEST_NUMBER)]


def _codes(data: Any) -> Any:
    """Numbers, ids and codes by name, or lists of them: what is said has no place in the log, which is never erased."""
    told = list(data.values()) if isinstance(data, dict) else None
    if told is None or len(told) > MOST_CODES or not all(map(_is_code, data)):
        raise ValueError("Not what the log holds.")
    flat = [one for each in told for one in (each if isinstance(each, list) else [each])]
    if len(flat) > MOST_CODES or not all(isinstance(one, int | float | None) or _is_code(one) for one in flat):
        raise ValueError("Not what the log holds.")
    return data


def _is_code(value: object) -> bool:
    if not isinstance(value, str) or len(value) > 128 or re.fullmatch(_CODE, value) is None:
        return False
    return not secrets_in(value)


class RestoredLineInput(Input):
    """A line as the repository's history tells it."""

    id: UUID
    section: Annotated[Name, Admission.CODE] = Field(pattern=r"^[\w-]{1,64}$", description="The section it stands in.")
    kind: Kind
    text: Line
    said_on: date = Field(description="The day it was said on.")
    items: tuple[UUID, ...] = Field(default=(), max_length=1_000, description="The memories it rests on.")
    decision: Number | None = Field(
        default=None, description="The number of the change that was decided; absent: none."
    )
    replaces: UUID | None = None
    added: Number = Field(description="The number of the change that added it.")
    added_at: AwareDatetime = Field(description="When that was.")
    added_by: str = Field(min_length=1, max_length=128, description="Who added it.")
    removed: Number | None = Field(default=None, description="The number of the change that removed it.")
    removed_at: AwareDatetime | None = Field(default=None, description="When that was.")
    removed_by: str = Field(default="", max_length=128, description="Who removed it.")
    removal: Annotated[str, Admission.CODE] = Field(
        default="", max_length=9, description="How it went, as a code; empty: it stands."
    )

    def as_entry(self) -> RestoredEntry:
        return RestoredEntry(**{**self.model_dump(), "kind": self.kind.value})


class LogLineInput(Input):
    """A line of the operations log: ids, counts and codes."""

    id: UUID
    at: AwareDatetime = Field(description="When it happened.")
    operation: Annotated[str, Admission.CODE] = Field(
        min_length=1, max_length=64, pattern=_CODE, description="What was done, as a code."
    )
    actor: Annotated[str, Admission.CODE] = Field(max_length=64, pattern=_CODE, description="Who did it, as a code.")
    subject: Annotated[str, Admission.CODE] = Field(
        default="", max_length=32, pattern=_CODE, description="What kind of thing it was done to."
    )
    subject_id: UUID | None = None
    data: Annotated[Json, AfterValidator(_codes)] = Field(
        default_factory=dict, description="Numbers, ids and codes by name, or lists of them."
    )

    def as_line(self) -> LoggedLine:
        return LoggedLine(**self.model_dump())


class RestoreCuratedInput(Input):
    """What a clone tells (`memory curated restore` reads it): every line there ever was, the log, and the numbers that
    were given.

    A longer log comes first, in parts that have no entries; the repository is made once the entries are there.
    """

    entries: tuple[RestoredLineInput, ...] = Field(
        max_length=MOST_RESTORED, description="The lines of MEMORY.md, those that were removed included."
    )
    log: tuple[LogLineInput, ...] = Field(
        default=(), max_length=MOST_RESTORED, description="The operations log's lines."
    )
    changes: Given = Field(default=0, description="The last number that a change got, erased ones among them.")
    decisions: Given = Field(default=0, description="The last number that a decision got, erased ones among them.")


class Ground(Answer):
    """A memory a proposal rests on."""

    item_id: UUID
    text: str
    said_at: datetime


class Proposal(Answer):
    """A change of the curated memory that was proposed."""

    id: UUID
    task: str = Field(description="What is asked, in words.")
    section: str
    change: Change = Field(description="What it would do to the lines.")
    text: str = Field(description="Empty of a removal, and once all it rests on is forgotten.")
    present: str = Field(description="The line it replaces, removes or was merged with.")
    made: str = Field(description="The line it made, in the words that were approved.")
    kind: Kind
    confidence: float
    said_on: date
    state: ProposalState
    reason: str = Field(description="Reason code of its state.")
    comment: str = Field(description="What who decided said to it; empty: nothing.")
    proposed_by: str = Field(description="Which model and prompt proposed it, or rules.")
    decided_by: str = Field(description="Who decided it, such as agent:scribe, member:7 or rules; empty: nobody.")
    decided_at: datetime | None
    can_be_undone: bool = Field(description="It was decided, and neither its line nor all it rests on is gone since.")
    version: int = Field(description="Grows with every decision: name the one you looked at.")
    item_ids: list[UUID]
    evidence: list[Ground] = Field(description="What those memories say, as far as every agent may know it.")
    created_at: datetime


class QueueEntry(Answer):
    """Something that waits for somebody."""

    id: UUID = Field(description="The proposal's, the memory's, the erasure's, or that of the link between two.")
    kind: QueueKind = Field(description="What kind of thing it is.")
    at: datetime = Field(description="Since when it waits.")
    task: str = Field(description="What is asked, in words.")
    texts: list[str] = Field(description="What it is asked about: what was there before comes first.")
    memory_ids: list[UUID] = Field(description="The memories it is about or rests on, by their ids.")
    memories: list[Memory] = Field(
        validation_alias="items",
        description="These memories, with their sources, and the versions that were looked at.",
    )
    verbs: list[str] = Field(description="The verbs that answer it.")
    user_id: str | None
    proposal: Proposal | None = Field(description="The proposal itself; null: it is something else.")
    samples: list[str] = Field(description="Of an erasure: a few of the texts that it would take, the newest first.")


class CuratedLine(Answer):
    """A line of MEMORY.md."""

    id: UUID
    section: str
    kind: Kind
    text: str
    said_on: date
    item_ids: list[UUID]
    decision: int | None = Field(description="The number of its record.")
    added_by: str = Field(description="Who added it, such as agent:scribe, member:7 or rules.")
    added_at: datetime = Field(description="When it was added.")


class CuratedMemory(Answer):
    """What every agent of the tenant is told first."""

    text: str = Field(description="MEMORY.md.")
    tokens: int
    entries: int = Field(description="How many lines it has.")
    limit: int = Field(description="Lines there are to be at most.")
    over: int = Field(description="How many too many: the signal to prune.")
    changes: int = Field(description="The number of the last change.")
    changed_at: datetime | None = Field(description="When it changed last; null: it never did.")
    lines: list[CuratedLine] = Field(description="Its lines, in the order they came.")


class CuratedCommit(Answer):
    """A commit of the repository."""

    id: str = Field(description="The commit's hash.")
    at: datetime = Field(description="The commit's time.")
    by: str = Field(description="Who made the change, such as agent:scribe, member:7 or system.")
    message: str = Field(description="The commit's message.")
    signed: bool = Field(description="Its signature is this deployment's.")
    files: list[str] = Field(description="What it changed; a day's log is a commit, too.")
    diff: str = Field(description="What it changed in MEMORY.md: lines with + and -.")


class CuratedHistoryInput(Paged):
    """The query string of the history."""


class CuratedRepository(Answer):
    """How the repository stands to the lines. `commit` is null before there is one."""

    commit: str | None = Field(description="The hash of the last commit; null before there is one.")
    commits: int = Field(description="How many commits there are.")
    drifted: bool = Field(description="It is not what the lines make; what is only late is no drift.")
    behind: int = Field(description="Commits that are still to come.")
    signed: int = Field(description="Commits whose signature is this deployment's.")
    public_key: str = Field(description="Ed25519, in base64: what the signatures of a clone are checked with.")
