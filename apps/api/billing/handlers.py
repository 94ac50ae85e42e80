"""What the verbs of billing do, once the gateway has let the caller in."""

import csv
from collections.abc import Collection, Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Final
from uuid import UUID

from apps.api import verbs
from apps.api.billing.contract import Budget, BudgetInput, DeletedBudget, UsageGroup, UsageInput
from apps.api.contract import found
from apps.api.gateway import Gateway
from apps.budgets import selectors, services
from apps.budgets.selectors import UsageSpan
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from memory_platform.errors import Invalid

LONGEST_SPAN: Final = timedelta(days=366)
YEARS: Final = range(2000, 3000)
MOST_LINES: Final = 10_000
"""Of a CSV file."""
_MILLIONTH: Final = Decimal("0.000001")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def usage(gateway: Gateway, wanted: UsageInput, page: PageRequest) -> Slice[UsageGroup]:
    """Of every agent and user of the tenant. Raises Invalid for a span that ends before it begins, or is too long."""
    with gateway.open(verbs.USAGE, of_all_agents=True):
        groups = selectors.usage(_span(wanted), wanted.group_by, page)
        return groups.of(_named(groups.rows))


def usage_as_csv(gateway: Gateway, wanted: UsageInput) -> str:
    """All groups at once. Raises Invalid for more than MOST_LINES."""
    cut = usage(gateway, wanted, PageRequest(MOST_LINES))
    if cut.has_next:
        raise Invalid(
            f"There are more than {MOST_LINES} groups.",
            field="group_by",
            hint="Group by less, or ask for a shorter span; JSON comes page by page.",
        )
    return _csv(cut.rows)


def budgets(gateway: Gateway) -> list[Budget]:
    """Of all agents together first, then of each agent."""
    with gateway.open(verbs.BUDGETS, of_all_agents=True):
        return gateway.answers(Budget, selectors.budgets())


def set_budget(gateway: Gateway, given: BudgetInput) -> Budget:
    """Raises Invalid for amounts that are no budget, NotFound for an agent that is not there."""
    with gateway.open(verbs.SET_BUDGET):
        made = services.set_budget(
            agent_id=_agent_id(given.agent_id),
            period=given.period,
            soft_usd=_exact(given.soft_usd),
            hard_usd=_exact(given.hard_usd),
        )
        return gateway.answer(Budget, next(each for each in selectors.budgets() if each.id == made.id))


def delete_budget(gateway: Gateway, budget_id: UUID) -> DeletedBudget:
    with gateway.open(verbs.DELETE_BUDGET):
        return gateway.answer(DeletedBudget, services.delete_budget(budget_id))


def _agent_id(slug: str | None) -> UUID | None:
    return None if slug is None else found(tenants.agent_by_slug(slug), "agent").id


def _exact(usd: float | None) -> Decimal | None:
    """As it was written, to a millionth of a dollar."""
    return None if usd is None else Decimal(str(usd)).quantize(_MILLIONTH)


def _span(wanted: UsageInput) -> UsageSpan:
    until = _bounded(wanted.until or now(), "until")
    since = _bounded(wanted.since or _month_of(until), "since")
    if since >= until:
        raise Invalid("since lies before until.", field="since")
    if until - since > LONGEST_SPAN:
        raise Invalid(f"A span has at most {LONGEST_SPAN.days} days.", field="since")
    return UsageSpan(since, until)


def _bounded(moment: datetime, field: str) -> datetime:
    """Whole days around it are days, too."""
    year = moment.astimezone(UTC).year
    if year not in YEARS:
        raise Invalid(f"{field} lies in the years {YEARS[0]} to {YEARS[-1]}.", field=field)
    return moment


def _month_of(moment: datetime) -> datetime:
    """The first of the month that ends with or goes on at this moment."""
    before = moment.astimezone(UTC) - timedelta.resolution
    return before.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _named(groups: Collection[selectors.UsageGroup]) -> list[UsageGroup]:
    """With the callers' own names of agents and sessions."""
    agents = tenants.agent_slugs({each.agent_id for each in groups if each.agent_id})
    sessions = resources.session_names({each.session_id for each in groups if each.session_id})
    return [_answer(each, agents, sessions) for each in groups]


def _answer(group: selectors.UsageGroup, agents: dict[UUID, str], sessions: dict[UUID, str]) -> UsageGroup:
    named = {
        "agent_id": agents.get(group.agent_id) if group.agent_id else None,
        "session_id": sessions.get(group.session_id) if group.session_id else None,
    }
    counted = {
        "calls": group.calls,
        "cost_usd": group.cost_usd,
        "cost_per_recall": group.cost_per_recall,
        "cost_per_turn": group.cost_per_turn,
        "cost_per_memory": group.cost_per_memory,
    }
    return UsageGroup.model_validate({**asdict(group), **named, **counted})


def _csv(groups: Iterable[UsageGroup]) -> str:
    """A header of the fields' names, a line a group; what is null is empty."""
    written = StringIO()
    lines = csv.writer(written)
    lines.writerow(UsageGroup.model_fields)
    lines.writerows([_cell(value) for _, value in group] for group in groups)
    return written.getvalue()


def _cell(value: object) -> object:
    """Callers' names may begin like a formula, which a spreadsheet would run."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
