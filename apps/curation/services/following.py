"""What was forgotten leaves the curated memory and the queue, whoever decided on it."""

from collections.abc import Sequence
from uuid import UUID

from apps.core import scope
from apps.curation.models import CuratedEntry, Proposal, Removal
from apps.curation.services import basis, deciding, lines
from apps.curation.services.lines import Amendment
from apps.memory import selectors as memory


def follow(item_ids: Sequence[UUID]) -> int:
    """Take away lines and open proposals all of whose memories are forgotten; how many. Needs an open scope."""
    gone = {one for one, state in memory.item_states(item_ids).items() if state.is_forgotten}
    if not gone:
        return 0
    file = lines.lock()
    entries = [entry for entry in lines.present() if _rests_on(entry, gone)]
    amendment = Amendment(file, lines.RULES) if entries else None
    for entry in entries:
        if amendment is not None:
            amendment.remove(entry, Removal.FORGOTTEN)
    if amendment is not None:
        amendment.close()
    rows = [row for row in _open(gone) if forgotten(row.items)]
    for row in rows:
        deciding.forget(row)
    return len(entries) + len(rows)


def forgotten(item_ids: Sequence[UUID]) -> bool:
    """Whether there was something it rested on, and all of it is forgotten."""
    states = memory.item_states(item_ids)
    return bool(states) and all(state.is_forgotten for state in states.values())


def _rests_on(entry: CuratedEntry, gone: set[UUID]) -> bool:
    rests = basis.resting([entry])[entry.id]
    return bool(gone.intersection(rests)) and forgotten(rests)


def _open(gone: set[UUID]) -> list[Proposal]:
    rows = Proposal.objects.select_for_update().filter(
        tenant_id=scope.current().tenant_id, state__in=deciding.OPEN, items__overlap=list(gone)
    )
    return list(rows.order_by("id"))
