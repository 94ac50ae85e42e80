"""What was spent, grouped (days that are summed up from `UsageDay`, the rest row by row), and what budgets it meets."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.budgets import balances
from apps.budgets.balances import BudgetBalance
from apps.budgets.rolling import DAY, midnight
from apps.core import paging, scope
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.core.sql import statement
from apps.tenants import selectors as tenants
from memory_platform import costs
from memory_platform.errors import Invalid
from memory_platform.text.cleaning import clean

MOST_AGENTS: Final = 100_000
KEYS: Final = ("day", "agent", "operation", "model", "session")


class UsageKey(StrEnum):
    """What usage is grouped by; a day is one of UTC."""

    AGENT = "agent"
    """By whose key it was spent."""
    OPERATION = "operation"
    """By what it was spent on, such as a recall."""
    MODEL = "model"
    """By the model that was called."""
    SESSION = "session"
    """By the conversation it was spent in."""
    DAY = "day"
    """By the day, of UTC."""


@dataclass(frozen=True, slots=True)
class UsageGroup:
    """What the rows of a group come to; a key that was not asked for is None.

    `rows` has one for each operation and model. `known_cost_usd` is what the rows with a price cost.
    """

    day: date | None
    agent_id: UUID | None
    operation: str | None
    model: str | None
    session_id: UUID | None
    rows: int
    unpriced_rows: int
    tokens_in: int
    tokens_out: int
    embedding_calls: int
    llm_calls: int
    failed_calls: int
    recalls: int
    turns: int
    memories: int
    milliseconds: float
    known_cost_usd: Decimal
    known_recall_cost_usd: Decimal
    unpriced_recall_rows: int

    @property
    def calls(self) -> int:
        return self.embedding_calls + self.llm_calls

    @property
    def cost_usd(self) -> Decimal | None:
        """None when the price of one row is unknown."""
        return None if self.unpriced_rows else self.known_cost_usd

    @property
    def cost_per_recall(self) -> Decimal | None:
        """Of the operation `recall`; None without one, or when the price of one is unknown."""
        return self.known_recall_cost_usd / self.recalls if self.recalls and not self.unpriced_recall_rows else None

    @property
    def cost_per_turn(self) -> Decimal | None:
        """All that was spent over the turns observed; None without one, or when a price is unknown."""
        return self._cost_over(self.turns)

    @property
    def cost_per_memory(self) -> Decimal | None:
        """The same over the memories stored."""
        return self._cost_over(self.memories)

    def _cost_over(self, count: int) -> Decimal | None:
        return None if self.cost_usd is None or not count else self.cost_usd / count

    @property
    def place(self) -> tuple[str, ...]:
        """Where it stands in the order of groups."""
        held = (self.day, self.agent_id, self.operation, self.model, self.session_id)
        return tuple("" if key is None else str(key) for key in held)


@dataclass(frozen=True, slots=True)
class UsageSpan:
    """From `since` up to but without `until`."""

    since: datetime
    until: datetime


def usage(span: UsageSpan, by: Collection[UsageKey], page: PageRequest) -> Slice[UsageGroup]:
    """One page of groups, ordered by day, agent, operation, model and session. Needs a scope of the whole tenant.

    Raises Invalid on a cursor that is malformed.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement("budgets", "grouped"), parameters(span, by, page))
        found = [UsageGroup(*row) for row in cursor.fetchall()]
    kept = tuple(found[: page.first])
    return Slice(kept, tuple(paging.encode(each.place, order=KEYS) for each in kept), len(found) > page.first)


@dataclass(frozen=True, slots=True)
class BudgetReport(BudgetBalance):
    """A budget with what it will come to at its period's end."""

    forecast_usd: Decimal


def budgets() -> list[BudgetReport]:
    """Every budget of the tenant as it stands now, those of all agents first. Needs a scope of the whole tenant."""
    held = balances.load(tenants.policy(scope.current().tenant_id))
    if not held:
        return []
    moment = now()
    week = usage(UsageSpan(moment - costs.WEEK, moment), (UsageKey.AGENT,), PageRequest(MOST_AGENTS)).rows
    reports = [_report(each, week, moment) for each in held]
    return sorted(reports, key=lambda each: (str(each.agent_id or ""), each.period))


def _report(balance: BudgetBalance, week: Collection[UsageGroup], moment: datetime) -> BudgetReport:
    spent = sum((group.known_cost_usd for group in week if balance.binds(group.agent_id)), Decimal(0))
    forecast = costs.forecast(balance.spent_usd, last_week=spent, left=balance.until - moment)
    return BudgetReport(**asdict(balance), forecast_usd=forecast)


def parameters(span: UsageSpan, by: Collection[UsageKey], page: PageRequest) -> dict[str, Any]:
    """What the statement `grouped` is asked with."""
    return {
        "tenant": scope.current().tenant_id,
        "since": span.since,
        "until": span.until,
        "first_day": _first_midnight(span.since),
        "last_day": span.until.astimezone(UTC).date(),
        **{f"by_{key}": UsageKey(key) in by for key in KEYS},
        **_behind(page.after),
        "from_start": page.after is None,
        "no_id": UUID(int=0),
        "limit": page.first + 1,
    }


def _behind(cursor: str | None) -> Mapping[str, Any]:
    """The keys of the last group seen. Raises Invalid."""
    if cursor is None:
        return {f"after_{key}": None for key in KEYS}
    held = dict(zip(KEYS, map(str, paging.decode(cursor, order=KEYS)), strict=True))
    try:
        return {
            "after_day": date.fromisoformat(held["day"]) if held["day"] else None,
            "after_agent": UUID(held["agent"]) if held["agent"] else None,
            "after_operation": clean(held["operation"]),
            "after_model": clean(held["model"]),
            "after_session": UUID(held["session"]) if held["session"] else None,
        }
    except ValueError as error:
        raise Invalid("after is not a cursor of this list.", field="after") from error


def _first_midnight(moment: datetime) -> date:
    """The first day that begins then or later."""
    day = moment.astimezone(UTC).date()
    return day if midnight(day) == moment else day + DAY
