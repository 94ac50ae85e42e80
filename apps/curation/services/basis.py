"""What reflection and triage look at: shared memories as facts, and the lines that stand with what they rest on."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.core import scope
from apps.curation.models import CuratedEntry, Proposal, ProposalState
from apps.curation.services import lines
from apps.memory import commons
from apps.memory import selectors as memory
from apps.memory.results import ItemState, ItemView
from apps.tenants import selectors as tenants
from memory_platform.model import NO_SLOT, Change, CuratedFact, CuratedLine, Kind, ProposalDraft, in_context


def facts(item_ids: Sequence[UUID]) -> tuple[CuratedFact, ...]:
    """Those of the memories that stand, are shared and belong to no user."""
    found = memory.hydrate(item_ids)
    heard = memory.said_by_users(list(found))
    known = [found[one] for one in item_ids if one in found]
    kept = [one for one in known if commons.is_common(one) and commons.stands(one)]
    return tuple(_fact(one, is_said_by_user=one.id in heard) for one in kept)


def present() -> tuple[CuratedLine, ...]:
    """The lines that stand, with what became of the memories they rest on."""
    entries = lines.present()
    rests = resting(entries)
    ids = list({item_id for own in rests.values() for item_id in own})
    items, states = memory.hydrate(ids), memory.item_states(ids)
    taken: dict[UUID, list[UUID]] = {}
    for one in memory.replacements(ids):
        taken.setdefault(one.replaced_id, []).append(one.by)
    return tuple(_line(entry, rests[entry.id], items, states, taken) for entry in entries)


def resting(entries: Iterable[CuratedEntry]) -> dict[UUID, tuple[UUID, ...]]:
    """The memories each line rests on: its own, and those of proposals merged into it."""
    rests = {entry.id: list(entry.items) for entry in entries}
    merged = Proposal.objects.filter(
        tenant_id=scope.current().tenant_id, state=ProposalState.MERGED, target_id__in=list(rests)
    )
    for target_id, items in merged.order_by("id").values_list("target_id", "items"):
        if target_id is not None:
            rests[target_id] += items
    return {entry_id: tuple(dict.fromkeys(own)) for entry_id, own in rests.items()}


def draft(row: Proposal) -> ProposalDraft:
    """A stored proposal as stages see it."""
    return ProposalDraft(
        change=Change(row.change),
        section=row.section,
        text=row.text,
        kind=Kind(row.kind),
        item_ids=tuple(row.items),
        confidence=row.confidence,
        said_on=row.said_on,
        line_id=row.target_id,
        acts=row.acts,
        is_said_by_user=row.is_said_by_user,
        is_negated=row.is_negated,
    )


def _fact(item: ItemView, *, is_said_by_user: bool) -> CuratedFact:
    return CuratedFact(
        id=item.id,
        text=in_context(item.text, item.lead_in),
        kind=item.kind,
        category=item.category,
        confidence=item.confidence,
        said_on=_day(item.said_at),
        slot=item.slot,
        mood=item.mood,
        is_negated=item.is_negated,
        is_said_by_user=is_said_by_user,
        language=item.language,
        heard=max(1, len(item.sources)),
    )


def _line(
    entry: CuratedEntry,
    item_ids: tuple[UUID, ...],
    items: Mapping[UUID, ItemView],
    states: Mapping[UUID, ItemState],
    taken: Mapping[UUID, Sequence[UUID]],
) -> CuratedLine:
    """Of a line that rests on nothing this database knows, nothing is over."""
    current = [items[one] for one in item_ids if one in items and commons.stands(items[one])]
    over = [one for one in item_ids if one in items and _is_over(items[one], states[one])]
    return CuratedLine(
        id=entry.id,
        section=entry.section,
        text=entry.text,
        said_on=entry.said_on,
        item_ids=item_ids,
        confidence=max((one.confidence for one in current), default=1.0),
        slot=current[0].slot if current else NO_SLOT,
        is_negated=any(one.is_negated for one in current),
        is_over=bool(over) and not current,
        successors=tuple(by for one in over for by in taken.get(one, ())),
    )


def _is_over(item: ItemView, state: ItemState) -> bool:
    """Superseded, or no longer true; what is only faded, or in doubt, is not."""
    return state.is_over or item.retracted_at is not None or item.valid_until is not None


def _day(at: datetime) -> date:
    zone = ZoneInfo(tenants.policy(scope.current().tenant_id).time_zone)
    return at.astimezone(zone).date()
