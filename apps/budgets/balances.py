"""Where spending stands against the budgets, held as long as the policy that says whether there are any.

A tenant without budgets costs no statement. With some it is one more whenever the policy is loaded anew; in between a
process adds what it spends itself, and hears from others with the next load.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db import connection, transaction

from apps.budgets.models import Budget
from apps.core import scope
from apps.core.clock import now
from apps.core.scope import Scope
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform import costs
from memory_platform.model import Pressure


@dataclass(frozen=True, slots=True)
class BudgetBalance:
    """A budget and what its period has come to so far, in US dollars; `agent_id` None: of all agents together."""

    id: UUID
    agent_id: UUID | None
    period: Budget.Period
    soft_usd: Decimal | None
    hard_usd: Decimal | None
    spent_usd: Decimal
    unpriced_rows: int
    since: datetime
    until: datetime

    @property
    def pressure(self) -> Pressure:
        return costs.pressure(self.spent_usd, soft=self.soft_usd, hard=self.hard_usd)

    @property
    def remaining_usd(self) -> Decimal:
        return costs.remaining(self.spent_usd, soft=self.soft_usd, hard=self.hard_usd)

    def binds(self, agent_id: UUID | None) -> bool:
        return self.agent_id is None or self.agent_id == agent_id


@dataclass(frozen=True, slots=True)
class Hold:
    """How spending is held to the budgets that bind an agent; `until`: when the last one that stops it ends."""

    pressure: Pressure = Pressure.OK
    until: datetime | None = None

    @property
    def stops(self) -> bool:
        return self.pressure is Pressure.HARD


FREE = Hold()

_held: dict[UUID, tuple[Policy, tuple[BudgetBalance, ...]]] = {}


def hold(within: Scope, agent_id: UUID | None = None) -> Hold:
    """What binds the agent, else the scope's own. Opens `within` when this process does not know."""
    asking = agent_id or within.agent_id
    binding = [each for each in current(within) if each.binds(asking)]
    stopping = [each.until for each in binding if each.pressure is Pressure.HARD]
    return Hold(costs.heaviest(each.pressure for each in binding), max(stopping, default=None)) if binding else FREE


def current(within: Scope) -> tuple[BudgetBalance, ...]:
    """Every budget of the tenant. Opens `within` when this process does not know."""
    policy = tenants.cached_policy(within.tenant_id)
    known = _known(policy) if policy else None
    if known is not None:
        return known
    with scope.enter(within):
        policy = tenants.policy(within.tenant_id)
        if not policy.has_budgets:
            return ()
        balances = load(policy)
    _held[within.tenant_id] = (policy, balances)
    return balances


def load(policy: Policy) -> tuple[BudgetBalance, ...]:
    """The same as it is now, by one statement. Needs an open scope."""
    moment, zone = now(), ZoneInfo(policy.time_zone)
    periods = {Budget.Period.DAY: costs.day_of(moment, zone), Budget.Period.MONTH: costs.month_of(moment, zone)}
    with connection.cursor() as cursor:
        bounds = [*periods[Budget.Period.DAY], *periods[Budget.Period.MONTH]]
        cursor.execute("SELECT * FROM budget_standings(%s, %s, %s, %s)", bounds)
        rows = cursor.fetchall()
    return tuple(_balance(row, periods) for row in rows)


def _balance(row: tuple[Any, ...], periods: Mapping[Budget.Period, tuple[datetime, datetime]]) -> BudgetBalance:
    budget_id, agent_id, name, soft_usd, hard_usd, spent_usd, unpriced_rows = row
    period = Budget.Period(name)
    since, until = periods[period]
    return BudgetBalance(budget_id, agent_id, period, soft_usd, hard_usd, spent_usd, unpriced_rows, since, until)


def forget(tenant_id: UUID) -> None:
    """Drop what this process knows of the tenant's spending."""
    _held.pop(tenant_id, None)


def spent(tenant_id: UUID, agent_id: UUID | None, cost_usd: Decimal) -> None:
    """Add what was metered to what this process knows, once it is committed."""
    if cost_usd and tenant_id in _held:
        transaction.on_commit(lambda: _add(tenant_id, agent_id, cost_usd))


def reached(tenant_id: UUID, agent_id: UUID | None, cost_usd: Decimal) -> tuple[BudgetBalance, ...]:
    """Which budgets of the tenant are reached with this cost, as far as this process knows. Needs no scope."""
    _, balances = _held.get(tenant_id, (None, ()))
    return tuple(each for each in _adding(balances, agent_id, cost_usd) if each.pressure is not Pressure.OK)


def _adding(balances: Iterable[BudgetBalance], agent_id: UUID | None, cost_usd: Decimal) -> Iterator[BudgetBalance]:
    for each in balances:
        yield replace(each, spent_usd=each.spent_usd + cost_usd) if each.binds(agent_id) else each


def _known(policy: Policy) -> tuple[BudgetBalance, ...] | None:
    """None when they have to be loaded: for a policy that was loaded since, or because a period is over."""
    if not policy.has_budgets:
        return ()
    loaded_with, balances = _held.get(policy.tenant_id, (None, ()))
    moment = now()
    return balances if loaded_with is policy and all(moment < each.until for each in balances) else None


def _add(tenant_id: UUID, agent_id: UUID | None, cost_usd: Decimal) -> None:
    if tenant_id not in _held:
        return
    policy, balances = _held[tenant_id]
    _held[tenant_id] = (policy, tuple(_adding(balances, agent_id, cost_usd)))
