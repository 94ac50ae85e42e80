"""What summaries answer."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.memory.results import ItemView
from memory_platform.model import Visibility


@dataclass(frozen=True, slots=True)
class SummaryListing:
    """That there is something to summarise: how many items stand in the category, which version was written when.

    `version` 0 and no time: none was written yet.
    """

    category: str
    user_id: str | None
    visibility: Visibility
    items: int
    version: int
    updated_at: datetime | None


@dataclass(frozen=True, slots=True)
class SummaryVersionView:
    """A version of a summary: what it says, who wrote it, and the items it rests on."""

    number: int
    at: datetime
    writer: str
    degraded: str
    text: str
    item_ids: tuple[UUID, ...]
    diff: str


@dataclass(frozen=True, slots=True)
class SummaryView:
    """The summary as it stands. `is_current`: it rests on exactly what stands now; otherwise a job is to write it anew.
    `sources` are the items it rests on, the last said first.

    `version` 0: it was arranged for this reader, because none is written yet, or the written one rests on something
    that was forgotten since.
    """

    category: str
    user_id: str | None
    visibility: Visibility
    text: str
    version: int
    writer: str
    updated_at: datetime
    is_current: bool
    sources: tuple[ItemView, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What a run did: summaries that got a new version, those that stood as they were, and drafts of a model that were
    not believed.
    """

    written: int = 0
    unchanged: int = 0
    refused: int = 0
