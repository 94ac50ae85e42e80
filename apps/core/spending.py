"""Whether models that cost something may be asked just now. Who knows the budgets says so around the calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from apps.core.clock import now
from memory_platform.errors import BudgetSpent

_spent_until: ContextVar[datetime | None] = ContextVar("spent_until", default=None)


@contextmanager
def stopped(until: datetime | None) -> Iterator[None]:
    """Refuse such calls within the block, until then; None: let them pass."""
    token = _spent_until.set(until)
    try:
        yield
    finally:
        _spent_until.reset(token)


def permit() -> None:
    """Every adapter that asks a server calls this before. Raises BudgetSpent."""
    until = _spent_until.get()
    if until is not None:
        seconds = max(1.0, (until - now()).total_seconds())
        raise BudgetSpent("The budget for models is spent.", retry_after=seconds, hint="Raise it, or wait for its end.")
