"""Telling those who listen that a budget is reached, once a period, amount and budget."""

from typing import Final
from uuid import UUID, uuid5

from django.db import transaction

from apps.budgets import balances
from apps.budgets.balances import BudgetBalance
from apps.core import scope
from apps.jobs.services import enqueue
from apps.journal.services import NewEvent, tell
from apps.tenants import selectors as tenants
from memory_platform.model import EventKind, Pressure

TELL: Final = "budgets.tell"

_asked: dict[UUID, frozenset[UUID]] = {}


def request(reached: tuple[BudgetBalance, ...]) -> None:
    """Have these told in a job, which sees every agent's spending; a process asks once for each."""
    ids = frozenset(map(_id, reached))
    tenant_id = scope.current().tenant_id
    if ids <= _asked.get(tenant_id, frozenset()):
        return
    enqueue(TELL, {}, dedup_key=TELL)
    transaction.on_commit(lambda: _asked.update({tenant_id: ids}))


def tell_reached() -> int:
    """Tell which budgets are reached now; returns how many. Needs a scope of the whole tenant."""
    policy = tenants.policy(scope.current().tenant_id)
    reached = [each for each in balances.load(policy) if each.pressure is not Pressure.OK]
    tell([_event(each) for each in reached])
    return len(reached)


def _event(balance: BudgetBalance) -> NewEvent:
    """A budget is nobody's memory: who may read budgets hears of it, whichever agent's it is."""
    return NewEvent(
        EventKind.BUDGET,
        "budget",
        balance.id,
        balance.agent_id,
        None,
        code=balance.pressure.value,
        id=_id(balance),
    )


def _id(balance: BudgetBalance) -> UUID:
    """The same for the same budget, period, pressure and amount: a budget that was raised can be reached again."""
    amount = balance.hard_usd if balance.pressure is Pressure.HARD else balance.soft_usd
    return uuid5(balance.id, f"{balance.since.isoformat()} {balance.pressure} {amount}")
