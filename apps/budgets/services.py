"""Metering. The service that spends calls `meter` in the transaction that records what it did."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Final, cast
from uuid import UUID

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Q, Subquery

from apps.budgets import balances, prices, rolling, telling
from apps.budgets.balances import Hold
from apps.budgets.models import Budget, Price, Usage
from apps.core import scope
from apps.core.scope import Scope
from apps.core.spending import stopped
from apps.jobs.services import retry_now
from apps.journal.services import record
from apps.tenants import services as tenants
from memory_platform.errors import BudgetSpent, Invalid, NotFound, ProviderError
from memory_platform.model import JournalLine, ModelUsage


@dataclass(frozen=True, slots=True)
class Done:
    """What an operation did for what it spent: recalls answered, turns observed, memories stored."""

    queries: int = 0
    turns: int = 0
    memories: int = 0


NOTHING: Final = Done()


@dataclass(slots=True)
class Spending:
    """How an operation is held to its budgets, and what its models have cost so far, in vain or not."""

    hold: Hold
    usages: list[ModelUsage] = field(default_factory=list)


@contextmanager
def spending(*, operation: str, within: Scope, agent_id: UUID | None = None) -> Iterator[Spending]:
    """Ask models within: those that cost something raise BudgetSpent once a hard budget of the agent is spent.

    A block that ends well meters what it spent itself, in the transaction that records what it did. What a block spent
    that fails is metered here, once, and the failure goes on. Called without an open scope, as models are.
    """
    asked = Spending(balances.hold(within, agent_id))
    try:
        with stopped(asked.hold.until):
            yield asked
    except Exception as error:
        in_vain = (*asked.usages, *_taken(error))
        if in_vain:
            with scope.enter(within):
                meter(operation=operation, usages=in_vain, agent_id=agent_id)
        raise


def _taken(error: Exception) -> tuple[ModelUsage, ...]:
    """What a failed call cost, taken off the error so that nobody meters it again."""
    if not isinstance(error, ProviderError) or error.usage is None:
        return ()
    usage, error.usage = error.usage, None
    return (usage,)


def meter(
    *,
    operation: str,
    usages: tuple[ModelUsage, ...] = (),
    agent_id: UUID | None = None,
    session_id: UUID | Subquery | None = None,
    turn_number: int | None = None,
    done: Done = NOTHING,
    milliseconds: float = 0.0,
) -> None:
    """Record one operation's spending: a row per model it called, or one row without a model. `session_id` may be an
    expression, which the statement that writes them finds out.
    """
    tenant_id = scope.current().tenant_id
    calls = prices.priced(usages) or (ModelUsage(model="", milliseconds=milliseconds),)
    rows = Usage.objects.bulk_create(
        Usage(
            tenant_id=tenant_id,
            agent_id=agent_id,
            operation=operation,
            model=usage.model,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            embedding_calls=usage.embedding_calls,
            llm_calls=usage.llm_calls,
            failed_calls=usage.failed_calls,
            **(asdict(done) if position == 0 else {}),
            milliseconds=usage.milliseconds,
            cost_usd=None if usage.cost_usd is None else Decimal(f"{usage.cost_usd:.8f}"),
            session_id=cast("UUID | None", session_id),  # the stubs know of no expression in a row
            turn_number=turn_number,
        )
        for position, usage in enumerate(calls)
    )
    cost_usd = sum((row.cost_usd or Decimal(0) for row in rows), Decimal(0))
    balances.spent(tenant_id, agent_id, cost_usd)
    telling.request(balances.reached(tenant_id, agent_id, cost_usd))
    rolling.request()


def add_price(price: Price) -> Price:
    """Add a price of a model to the scope's tenant. Raises Invalid on a bad value or a time that has one."""
    price.tenant_id = scope.current().tenant_id
    _validate(price)
    price.save(force_insert=True)
    data = {name: str(getattr(price, name)) for name in ("model", "usd_per_million_in", "usd_per_million_out")}
    data["valid_from"] = price.valid_from.isoformat()
    record(JournalLine(operation="price.added", subject="price", subject_id=price.id, data=data))
    prices.forget_cached(price.tenant_id)
    return price


def set_budget(
    *, agent_id: UUID | None, period: Budget.Period, soft_usd: Decimal | None, hard_usd: Decimal | None
) -> Budget:
    """Hold an agent of the scope's tenant, or (None) all together, to these amounts, whatever held for the period.

    Raises Invalid on amounts that are no budget.
    """
    tenants.note_budgets(held=lambda: True)
    tenant_id = scope.current().tenant_id
    whose = Q(agent=None) if agent_id is None else Q(agent_id=agent_id)
    held = Budget.objects.filter(whose, tenant_id=tenant_id, period=period).first()
    budget = held or Budget(tenant_id=tenant_id, agent_id=agent_id, period=period)
    budget.soft_usd, budget.hard_usd = soft_usd, hard_usd
    return save_budget(budget)


def save_budget(budget: Budget) -> Budget:
    """Add a budget of the scope's tenant, or change it. Raises Invalid."""
    tenants.note_budgets(held=lambda: True)
    budget.tenant_id = scope.current().tenant_id
    _validate(budget)
    was = Budget.objects.filter(tenant_id=budget.tenant_id, id=budget.id).first()
    budget.save()
    _changed("budget.set", budget, was)
    return budget


def delete_budget(budget_id: UUID) -> Budget:
    """Lift a budget of the scope's tenant. Raises NotFound."""
    rows = Budget.objects.filter(tenant_id=scope.current().tenant_id, id=budget_id)
    budget = rows.first()
    if budget is None:
        raise NotFound("No such budget.")
    rows.delete()
    tenants.note_budgets(held=Budget.objects.filter(tenant_id=budget.tenant_id).exists)
    _changed("budget.deleted", budget)
    return budget


def _changed(operation: str, budget: Budget, was: Budget | None = None) -> None:
    """What a spent budget has kept waiting is tried again: it may have been raised."""
    amounts = {name: _text(getattr(budget, name)) for name in ("soft_usd", "hard_usd")}
    data: dict[str, object] = {"agent": budget.agent_or_all, "period": budget.period, **amounts}
    if was is not None:
        old = {name: _text(getattr(was, name)) for name in amounts}
        data["changes"] = {name: {"was": old[name], "is": is_now} for name, is_now in amounts.items()}
    line = JournalLine(operation=operation, subject="budget", subject_id=budget.id, data=data)
    record(line, agent_id=budget.agent_id)
    retry_now(BudgetSpent)


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else str(amount)


def _validate(row: Price | Budget) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Invalid(messages[0], field=None if field == NON_FIELD_ERRORS else field) from error
