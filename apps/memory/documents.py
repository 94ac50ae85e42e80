"""What the search index holds of an item."""

from apps.index.services import NewDocument, Period
from apps.memory.models import Item
from memory_platform.consolidation.dedup import Reinforcement
from memory_platform.model import Audience, Status, Unit, Verdict, Visibility, in_context

MERGED = "merged"
FRESHER_WORDING = Reinforcement.FRESHER_WORDING.value
"""Why a wording is superseded that another one stands for."""
CONDENSED = "condensed"
"""The verdict's reason of an insight."""


def is_hidden(item: Item) -> bool:
    """Held items wait for review and forgotten ones stay away."""
    return item.verdict == Verdict.HOLD or item.status == Status.DELETED


def is_archived(item: Item) -> bool:
    """It answers who asks for what is archived, or for the past."""
    return item.status == Status.ARCHIVED


def has_document(item: Item) -> bool:
    """A merged wording is found through the item it was merged into; what is packed away leaves the index."""
    return item.status_reason != MERGED and item.cold_at is None


def is_comparable(item: Item) -> bool:
    """An insight tells what others said: no claim repeats, replaces or contradicts it."""
    return item.verdict_reason != CONDENSED


def document(item: Item) -> NewDocument:
    return NewDocument(
        unit=Unit.ITEM,
        unit_id=item.id,
        text=in_context(item.text, item.lead_in),
        audience=Audience(item.agent_id, item.user_id, Visibility(item.visibility)),
        session_id=item.session_id,
        event_time=item.event_time,
        recorded_at=item.recorded_at,
        retracted_at=item.retracted_at,
        valid_from=item.valid_from,
        valid_until=item.valid_until,
        kind=item.kind,
        category=item.category,
        service=item.service,
        entities=tuple(item.entity_names),
        hidden=is_hidden(item),
        archived=is_archived(item),
    )


def period(item: Item) -> Period:
    return Period(item.id, item.valid_from, item.valid_until, item.recorded_at, item.retracted_at)
