"""Metering. The service that spends calls `meter` in the transaction that records what it did."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from uuid import UUID

from django.core.exceptions import ValidationError

from apps.budgets import prices, rolling
from apps.budgets.models import Price, Usage
from apps.core import scope
from apps.core.scope import Scope
from apps.journal.services import record
from memory_platform.errors import Invalid, ProviderError
from memory_platform.model import JournalLine, ModelUsage


@contextmanager
def metering_failures(*, operation: str, within: Scope, agent_id: UUID | None = None) -> Iterator[None]:
    """Record what a call to a model cost that failed, once, and let the failure go on.

    Called without an open scope, as the model is: what fails has no transaction to be recorded in.
    """
    try:
        yield
    except ProviderError as error:
        usage, error.usage = error.usage, None
        if usage is not None:
            with scope.enter(within):
                meter(operation=operation, usages=(usage,), agent_id=agent_id)
        raise


def meter(
    *,
    operation: str,
    usages: tuple[ModelUsage, ...] = (),
    agent_id: UUID | None = None,
    session_id: UUID | None = None,
    turn_number: int | None = None,
    queries: int = 0,
    turns: int = 0,
    milliseconds: float = 0.0,
) -> None:
    """Record one operation's spending: a row per model it called, or one row without a model.

    `queries` are the recalls it answered, `turns` the turns it observed.
    """
    tenant_id = scope.current().tenant_id
    calls = prices.priced(usages) or (ModelUsage(model="", milliseconds=milliseconds),)
    Usage.objects.bulk_create(
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
            queries=queries if position == 0 else 0,
            turns=turns if position == 0 else 0,
            milliseconds=usage.milliseconds,
            cost_usd=None if usage.cost_usd is None else Decimal(f"{usage.cost_usd:.8f}"),
            session_id=session_id,
            turn_number=turn_number,
        )
        for position, usage in enumerate(calls)
    )
    rolling.request()


def add_price(price: Price) -> Price:
    """Add a price of a model to the scope's tenant. Raises Invalid on a bad value or a time that has one."""
    price.tenant_id = scope.current().tenant_id
    try:
        price.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise Invalid(messages[0], field=field) from error
    price.save(force_insert=True)
    record(JournalLine(operation="price.added", subject="price", subject_id=price.id))
    prices.forget_cached(price.tenant_id)
    return price
