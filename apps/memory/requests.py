"""What callers ask of memory."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from memory_platform.model import FiledBy, Kind, Sentiment, Status, Strength, Verdict, Visibility

MAXIMUM_TEXT_CHARACTERS = 8_000
REJECTION_WEEKS, MAXIMUM_WEEKS = 12, 104
"""How many weeks of rejections are counted unless asked otherwise, and at most."""


@dataclass(frozen=True, slots=True)
class CarriedState:
    """How an item stood where it was exported, as far as it does so again.

    `confirmed_at` is when somebody vouched for it last, `recorded_at` since when it was believed; `is_reviewed`: it had
    waited, and somebody let it in. `filed_by` None: whoever imports it says where it belongs.
    """

    protected: bool = False
    confirmed_at: datetime | None = None
    recorded_at: datetime | None = None
    filed_by: FiledBy | None = None
    is_held: bool = False
    is_reviewed: bool = False
    status: Status = Status.ACTIVE
    status_reason: str = ""


NOTHING_CARRIED: Final = CarriedState()


class FormerReason(StrEnum):
    """Why another item took an item's place; a merged wording is none of these, for it holds with the other."""

    UPDATED = "updated"
    CORRECTED = "corrected"
    CONTRADICTED = "contradicted"
    FRESHER_WORDING = "fresher_wording"
    SETTLED = "settled"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Former:
    """It is no news but history: where it was exported another item took its place, `by` (None: that is not here).

    `valid_until` is until when it was true since then, `retracted_at` when it turned out that it never was;
    `resource_ids` are the messages it was learnt from.
    """

    by: UUID | None
    reason: FormerReason
    valid_until: datetime | None
    retracted_at: datetime | None
    resource_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Condensed:
    """It is an insight, which tells of these items."""

    item_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class NewMemory:
    """An explicit fact. What is None is taken from the text by rules; `occurred_at` is when it was said."""

    text: str
    lead_in: str | None = None
    kind: Kind | None = None
    category: str | None = None
    service: str | None = None
    confidence: float | None = None
    strength: Strength | None = None
    entities: tuple[str, ...] | None = None
    user_id: str | None = None
    session_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    external_id: str | None = None
    carried: CarriedState = NOTHING_CARRIED
    purpose: Former | Condensed | None = None


@dataclass(frozen=True, slots=True)
class SeenItem:
    """An item in the version somebody looked at: what they ask for holds for that one only."""

    id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """What to forget: items by id, everything of a user, or what a query found (its items and episodes).

    By user takes the user's episodes along; by query takes `episode_ids` and the episodes its items rest on, and is
    `truncated` where more than these may answer it, which the answer tells.
    """

    item_ids: tuple[UUID, ...] = ()
    user_id: str | None = None
    episode_ids: tuple[UUID, ...] = ()
    by_query: bool = False
    truncated: bool = False
    dry_run: bool = False
    reason: str = ""
    seen: tuple[SeenItem, ...] = ()


class ItemOrder(StrEnum):
    """How a list of items is sorted; ties by id."""

    NEWEST = "newest"
    """The latest first."""
    OLDEST = "oldest"
    """The earliest first."""
    MOST_CONFIDENT = "most_confident"
    """The surest first, as they are now."""
    MOST_USED = "most_used"
    """Those that answered most often first."""
    WEIGHTIEST = "weightiest"
    """Rules first, then preferences, then by what they weigh now."""


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items to list. None is no filter; an empty tuple lets nothing pass.

    Held, archived, superseded and deleted ones are listed when asked for. `as_of`: believed and true at that moment.
    `id_part`: some characters of an id in a row, by which people name what they are shown; it finds a merged wording,
    too, which no list holds.
    """

    kinds: tuple[Kind, ...] | None = None
    categories: tuple[str, ...] | None = None
    services: tuple[str, ...] | None = None
    agent_id: UUID | None = None
    session_id: str | None = None
    entity: str | None = None
    statuses: tuple[Status, ...] | None = (Status.ACTIVE, Status.STALE)
    verdicts: tuple[Verdict, ...] | None = (Verdict.ALLOW,)
    sentiments: tuple[Sentiment, ...] | None = None
    minimum_confidence: float | None = None
    visibility: Visibility | None = None
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    ids: tuple[UUID, ...] | None = None
    id_part: str | None = None


@dataclass(frozen=True, slots=True)
class RejectionFilter:
    """Which rejections to list, from `since` up to but without `until`; None is no filter.

    `session_id` is the caller's, `turn` a number within a session.
    """

    session_id: str | None = None
    turn: int | None = None
    stage: str | None = None
    reason: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ItemUses:
    """How often recalls returned an item (`recalled`), and that or outputs that used it (`accessed`), since the last
    count. Accesses raise its confidence.
    """

    item_id: UUID
    recalled: int = 0
    accessed: int = 0
    last_accessed_at: datetime | None = None
