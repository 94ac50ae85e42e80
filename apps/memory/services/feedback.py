"""What a person or an agent says of an item: helpful, wrong or outdated. It stands until it is taken back."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from apps.core import clock, context, scope
from apps.journal.services import record
from apps.memory import selectors
from apps.memory.models import Item, ItemFeedback
from apps.memory.results import GivenFeedback, ItemView, Opined
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes, is_as, parsed, plain
from apps.memory.services.finding import audible, refuse_other_users, refuse_past, writable
from apps.memory.services.learning import learn
from apps.tenants import selectors as tenants
from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import JournalLine, Status, Verdict

UNDONE: Final = "feedback_undone"
COMPLAINTS: Final = (Opinion.WRONG.value, Opinion.OUTDATED.value)


def give_feedback(item_id: UUID, kind: Opinion, note: str = "") -> GivenFeedback:
    """Act on what the scope's agent, or the person who acts, says of an item; the same again changes nothing.

    A helpful one gains priority; a wrong one is held for review; an outdated one counts as stale or, as the policy
    says, is no longer true. Another kind takes the place of what was said before. Needs an open scope. Raises
    NotFound, Forbidden, Conflict when the item is superseded or forgotten.
    """
    item, changes = _locked(item_id)
    refuse_past(item)
    before = selectors.own_feedback(item_id).first()
    if before is not None and before.kind == kind:
        return _given(before)
    if before is not None:
        _take_back(before, item, changes)
    said = Opined(kind, note, changes.now, context.current().actor, scope.current().agent_id)
    return _given(_act_on(said, item, changes))


def give_feedback_again(item_id: UUID, said: Opined) -> bool:
    """Act on what was said of an item where it was exported; whether who said it had said nothing of it here.

    Needs an open scope. Raises NotFound, Forbidden, Conflict when the item is superseded or forgotten.
    """
    item, changes = _locked(item_id)
    refuse_past(item)
    spoken = ItemFeedback.objects.filter(
        tenant_id=item.tenant_id, item_id=item.id, actor=said.actor, by_agent_id=said.by_agent_id
    )
    is_new = not spoken.exists()
    if is_new:
        _act_on(replace(said, at=min(said.at, changes.now)), item, changes)
    return is_new


def withdraw_feedback(item_id: UUID) -> ItemView:
    """Take back what was said of an item, and what followed from it; nothing happens where nothing was said.

    Needs an open scope. Raises NotFound, Forbidden.
    """
    item, changes = _locked(item_id)
    before = selectors.own_feedback(item_id).first()
    if before is not None:
        _take_back(before, item, changes)
        changes.write()
    return selectors.hydrate([item_id])[item_id]


def answer(item: Item, changes: Changes) -> None:
    """Somebody vouches for an item whose audience is locked: complaints about it no longer stand."""
    for row in _complaints(item).order_by("id"):
        _close(row, changes.now)
        _restore(row, item, changes)


def is_complained_of(item: Item) -> bool:
    """Whether a complaint about the item stands."""
    return _complaints(item).exists()


def _complaints(item: Item) -> "QuerySet[ItemFeedback]":
    """Those that stand."""
    return ItemFeedback.objects.filter(tenant_id=item.tenant_id, item_id=item.id, closed_at=None, kind__in=COMPLAINTS)


def ask_again(item: Item, *, answered_at: datetime) -> None:
    """Who vouched took it back: the complaints that answered stand again, but for who has said something else since."""
    rows = ItemFeedback.objects.filter(tenant_id=item.tenant_id, item_id=item.id)
    spoken = set(rows.filter(closed_at=None).values_list("actor", "by_agent_id"))
    for row in rows.filter(closed_at=answered_at, kind__in=COMPLAINTS):
        if (row.actor, row.by_agent_id) not in spoken:
            row.closed_at = None
            row.save(update_fields=["closed_at"])


def _locked(item_id: UUID) -> tuple[Item, Changes]:
    """The item, and the changes of its audience, which nobody else makes meanwhile. Raises NotFound, Forbidden."""
    item = audible(item_id)
    refuse_other_users(item)
    number = audiences.lock(audiences.of(item))
    return writable(item_id), Changes(now=clock.now(), number=number)


def _act_on(said: Opined, item: Item, changes: Changes) -> ItemFeedback:
    given = _row(item, said)
    given.undo = _praise(item, said.at) if said.kind is Opinion.HELPFUL else _complain(item, said, changes)
    given.save(force_insert=True)
    _journal("feedback_given", given)
    changes.write()
    return given


def _row(item: Item, said: Opined) -> ItemFeedback:
    return ItemFeedback(
        tenant_id=item.tenant_id,
        agent_id=item.agent_id,
        user_id=item.user_id,
        visibility=item.visibility,
        item_id=item.id,
        actor=said.actor,
        by_agent_id=said.by_agent_id,
        kind=said.kind.value,
        note=said.note,
        at=said.at,
    )


def _given(row: ItemFeedback) -> GivenFeedback:
    return GivenFeedback(selectors.hydrate([row.item_id])[row.item_id], Opinion(row.kind), row.at)


def _praise(item: Item, at: datetime) -> dict[str, Any]:
    """Let it gain what is left of praise given then; what it gained is told as of then."""
    policy = tenants.policy(item.tenant_id)
    left = feedback.left_of(1.0, since=at, now=clock.now(), half_life_days=policy.feedback_half_life_days)
    moved = learn({item.id: left * policy.feedback_helpful})
    return {"learnt": moved[item.id] / left if left else 0.0}


def _complain(item: Item, said: Opined, changes: Changes) -> dict[str, Any]:
    """Act on it, and return what `_restore` needs: nothing where it was so already."""
    operation, fields = _consequence(item, said.kind, changes.now)
    before = {name: plain(getattr(item, name)) for name in fields}
    if not changes.alter(item, operation, said.kind.value, said.note, **fields):
        return {}
    return {"before": before, "after": {name: plain(value) for name, value in fields.items()}}


def _consequence(item: Item, kind: Opinion, now: datetime) -> tuple[str, dict[str, Any]]:
    if kind is Opinion.WRONG:
        return "held", {"verdict": Verdict.HOLD.value, "verdict_reason": kind.value}
    if not tenants.policy(item.tenant_id).outdated_ends_validity:
        return "doubted", {"status": Status.STALE.value, "status_reason": kind.value}
    has_ended = item.valid_until is not None and item.valid_until <= now
    return "ended", {"valid_until": item.valid_until if has_ended else now}


def _take_back(row: ItemFeedback, item: Item, changes: Changes) -> None:
    _close(row, changes.now)
    _journal("feedback_withdrawn", row)
    if row.kind == Opinion.HELPFUL:
        _forget_praise(row, changes.now)
    elif not _handed_on(row):
        _restore(row, item, changes)


def _journal(operation: str, row: ItemFeedback) -> None:
    """As the principal's deed, whoever's the item is."""
    record(JournalLine(f"memory.{operation}", "memory", row.item_id, {"kind": row.kind}))


def _close(row: ItemFeedback, at: datetime) -> None:
    row.closed_at = at
    row.save(update_fields=["closed_at"])


def _forget_praise(row: ItemFeedback, now: datetime) -> None:
    half_life = tenants.policy(row.tenant_id).feedback_half_life_days
    left = feedback.left_of(row.undo["learnt"], since=row.at, now=now, half_life_days=half_life)
    learn({row.item_id: -left})


def _handed_on(row: ItemFeedback) -> bool:
    """Whether somebody else says the same: then it stays so, until they take it back."""
    if not row.undo:
        return True
    others = ItemFeedback.objects.filter(
        tenant_id=row.tenant_id, item_id=row.item_id, kind=row.kind, closed_at=None, undo={}
    )
    heir = others.order_by("id").first()
    if heir is not None:
        heir.undo = row.undo
        heir.save(update_fields=["undo"])
    return heir is not None


def _restore(row: ItemFeedback, item: Item, changes: Changes) -> None:
    """Give the item back what this took, unless it has been changed since."""
    after = row.undo.get("after", {})
    if after and is_as(item, after):
        changes.alter(item, UNDONE, row.kind, **parsed(row.undo["before"]))
