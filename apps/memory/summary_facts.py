"""Items as whoever sums them up sees them: a category's, an entity's, those of an insight."""

from zoneinfo import ZoneInfo

from apps.memory.models import Item
from apps.memory.results import ItemView
from memory_platform.model import Slot, SummaryFact, in_context


def summary_fact(
    item: Item | ItemView, zone: ZoneInfo, *, is_new: bool = False, is_doubted: bool = False
) -> SummaryFact:
    """What an item says, and on which of the tenant's days; what is denied is about its subject, but is no state."""
    return SummaryFact(
        text=in_context(item.text, item.lead_in),
        said_on=item.said_at.astimezone(zone).date(),
        slot=Slot(item.slot.subject) if item.is_negated else item.slot,
        language=item.language,
        is_new=is_new,
        is_doubted=is_doubted,
    )
