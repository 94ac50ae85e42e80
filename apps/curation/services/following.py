"""What was forgotten leaves the curated memory and the queue; about what no longer holds nobody is asked."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import QuerySet

from apps.core import scope
from apps.curation.models import CuratedEntry, Proposal, Removal
from apps.curation.services import basis, deciding, lines
from apps.curation.services.lines import Amendment
from apps.memory import selectors as memory
from apps.memory.results import ItemState
from memory_platform.model import Change


def follow(item_ids: Sequence[UUID]) -> int:
    """Take away lines all of whose memories are forgotten, and open proposals all of whose memories are over; how many.

    A line whose memories were replaced stays until somebody, or a reflection, replaces it. Needs an open scope.
    """
    states = memory.item_states(item_ids)
    over = {one for one, state in states.items() if state.is_over}
    if not over:
        return 0
    gone = {one for one in over if states[one].is_forgotten}
    if not gone and not _resting_on(over).exists():
        return 0
    file = lines.lock()
    entries = [entry for entry in lines.present() if _rests_on(entry, gone)] if gone else []
    if entries:
        amendment = Amendment(file, lines.RULES)
        for entry in entries:
            amendment.remove(entry, Removal.FORGOTTEN)
        amendment.close()
    withdrawn = [(row, reason) for row in _open(over) if (reason := _why_over(row)) is not None]
    for row, reason in withdrawn:
        deciding.withdraw(row, reason)
    return len(entries) + len(withdrawn)


def _why_over(row: Proposal) -> str | None:
    """Why nobody need be asked any more; None: they need. That a line go is proposed because its memories are over."""
    states = memory.item_states(row.items).values()
    if _are_forgotten(states):
        return deciding.FORGOTTEN
    is_over = bool(states) and row.change != Change.REMOVE and all(state.is_over for state in states)
    return deciding.OUTDATED if is_over else None


def _are_forgotten(states: Collection[ItemState]) -> bool:
    """Whether there was something it rested on, and all of it is forgotten."""
    return bool(states) and all(state.is_forgotten for state in states)


def _rests_on(entry: CuratedEntry, gone: set[UUID]) -> bool:
    rests = basis.resting([entry])[entry.id]
    return bool(gone.intersection(rests)) and _are_forgotten(memory.item_states(rests).values())


def _open(over: set[UUID]) -> list[Proposal]:
    return list(_resting_on(over).select_for_update().order_by("id"))


def _resting_on(over: set[UUID]) -> "QuerySet[Proposal]":
    """Open proposals that rest on one of them."""
    return Proposal.objects.filter(
        tenant_id=scope.current().tenant_id, state__in=deciding.OPEN, items__overlap=list(over)
    )
