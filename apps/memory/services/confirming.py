"""Vouching for an item, and taking that back with all that followed from it."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from apps.core import clock
from apps.memory import selectors
from apps.memory.models import Item, ItemVersion
from apps.memory.requests import SeenItem
from apps.memory.results import ItemView
from apps.memory.selectors.hydrating import confidence_of
from apps.memory.services import audience as audiences
from apps.memory.services import feedback, settling
from apps.memory.services.changes import Changes, parsed
from apps.memory.services.closing import Closing, close
from apps.memory.services.finding import readable, refuse_changed, refuse_other_users, refuse_past, writable
from apps.memory.services.settling import Settler
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict
from memory_platform.lifecycle import decay
from memory_platform.model import Status, Verdict

CONFIRMED = "confirmed"
WITHDRAWN = "confirmation_withdrawn"
_OPEN: Final = frozenset({Status.ACTIVE.value, Status.STALE.value})
_LET_IN: Final = {"verdict": Verdict.ALLOW.value, "status": Status.ACTIVE.value, "status_reason": ""}


def confirm(item_id: UUID, *, seen: tuple[SeenItem, ...] = ()) -> ItemView:
    """Someone vouches for an item: it no longer decays, if it waited for review it is allowed, and what was open about
    it is answered as if it had been said again: of two that cannot both be true the other is closed.

    Needs an open scope. Raises NotFound, Forbidden, Conflict when it is superseded or forgotten, or one that
    was `seen` has changed.
    """
    item, changes = _locked(item_id, seen)
    refuse_past(item)
    feedback.answer(item, changes)
    _vouch(item, changes, at=changes.now, **_LET_IN)
    return selectors.hydrate([item_id])[item_id]


def confirm_again(item_id: UUID, *, at: datetime) -> bool:
    """Somebody vouched for an item where it was exported; whether nobody had vouched for it here, or taken that back.

    What is complained of here was not answered there. Needs an open scope. Raises as `confirm` does.
    """
    item, changes = _locked(item_id, ())
    refuse_past(item)
    is_new = not (item.protected or _versions(item).filter(operation__in=(CONFIRMED, WITHDRAWN)).exists())
    if is_new:
        let_in = {} if feedback.is_complained_of(item) else _LET_IN
        _vouch(item, changes, at=min(at, changes.now), **let_in)
    return is_new


def settle_again(item_id: UUID, *, by: UUID, until: datetime) -> bool:
    """Somebody decided where they were exported that of two items `by` holds; whether both stood here until now.

    What was said again since then stands. Needs an open scope. Raises NotFound, Forbidden.
    """
    item, changes = _locked(item_id, ())
    other = Item.objects.exclude(id=item_id).filter(tenant_id=item.tenant_id, id=by, status__in=_OPEN).first()
    if other is None or item.status not in _OPEN or item.said_at > until:
        return False
    _settle(item, other, until, changes)
    return True


def withdraw_confirmation(item_id: UUID, *, seen: tuple[SeenItem, ...] = ()) -> ItemView:
    """Take back that an item was confirmed last: it is as it was before, complaints and questions that this answered
    are open again, and what it closed is true again. Nothing happens where that was taken back, or never said.

    Needs an open scope. Raises NotFound, Forbidden, Conflict when the item has changed since, or one that was `seen`
    has.
    """
    item, changes = _locked(item_id, seen)
    last = _versions(item).filter(operation__in=(CONFIRMED, WITHDRAWN)).last()
    if last is not None and last.operation == CONFIRMED:
        _take_back(item, last, changes)
        changes.write()
    return selectors.hydrate([item_id])[item_id]


def _locked(item_id: UUID, seen: tuple[SeenItem, ...]) -> tuple[Item, Changes]:
    found = readable(item_id)
    refuse_other_users(found)
    number = audiences.lock(audiences.of(found))
    item = writable(item_id)
    refuse_changed(seen)
    return item, Changes(now=clock.now(), number=number)


def _vouch(item: Item, changes: Changes, *, at: datetime, **let_in: str) -> None:
    policy = tenants.policy(item.tenant_id)
    confidence = confidence_of(item.tenant_id, at=changes.now)
    changes.alter(
        item,
        CONFIRMED,
        "",
        confidence=decay.reinforce(item.confidence, policy.reinforce_other_source),
        reinforced_at=at,
        last_confirmed_at=at,
        protected=True,
        **let_in,
    )
    _answer_questions(item, at, Settler(changes, confidence, policy.contradicted_penalty))
    changes.write()


def _settle(item: Item, other: Item, until: datetime, changes: Changes) -> None:
    policy = tenants.policy(item.tenant_id)
    confidence = confidence_of(item.tenant_id, at=changes.now)
    for link in settling.open_questions([item.id], changes):
        if other.id in settling.ends(link):
            changes.answer(link)
    closing = Closing(other, settling.SETTLED, until, min(until, changes.now))
    close(item, closing, changes=changes, confidence=confidence, penalty=policy.contradicted_penalty)
    changes.write()


def _answer_questions(item: Item, at: datetime, settler: Settler) -> None:
    links = settling.open_questions([item.id], settler.changes)
    others = Item.objects.select_for_update().filter(
        tenant_id=item.tenant_id, id__in=set().union(*map(settling.ends, links)) - {item.id}
    )
    items = {item.id: item, **{other.id: other for other in others}}
    settler.settle(settling.vouched(item, at), [item.id], links, items)


def _take_back(item: Item, confirmed: ItemVersion, changes: Changes) -> None:
    # A remark in its history is no change.
    if _versions(item).filter(id__gt=confirmed.id).exclude(after={}).exists():
        raise Conflict("The memory has been changed since it was confirmed.", hint="Read it again.")
    # What was complained of was mended first, in the same moment.
    mended = _versions(item).filter(operation=feedback.UNDONE, at=confirmed.at, id__lt=confirmed.id)
    before = dict(confirmed.before)
    for version in reversed(mended):
        before.update(version.before)
    changes.alter(item, WITHDRAWN, "", **parsed(before))
    feedback.ask_again(item, answered_at=confirmed.at)
    settling.ask_again(item, answered_at=confirmed.at, changes=changes)


def _versions(item: Item) -> QuerySet[ItemVersion]:
    return ItemVersion.objects.filter(tenant_id=item.tenant_id, item_id=item.id).order_by("id")
