"""What the memory costs: a month by days, what it comes to, its budgets, and the month as a file."""

from dataclasses import dataclass
from datetime import UTC, date
from decimal import Decimal
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.api.billing import handlers as billing
from apps.api.billing.contract import UsageGroup, UsageInput
from apps.api.gateway import Gateway
from apps.budgets.selectors import UsageKey
from apps.console import spending
from apps.console.months import Month
from apps.console.spending import Spent
from apps.core.clock import now
from apps.core.paging import PageRequest
from memory_platform import costs
from memory_platform.errors import Invalid

# What a month is split by, and the field of a group that holds it.
SPLITS: Final = {UsageKey.OPERATION: "operation", UsageKey.AGENT: "agent_id", UsageKey.MODEL: "model"}


@dataclass(frozen=True, slots=True)
class Trend:
    """A month beside as many days of the one before it; `percent` None where that had no cost."""

    before_usd: float
    percent: int | None

    @classmethod
    def of(cls, spent: Spent, before: Spent) -> "Trend":
        percent = round(100 * (spent.cost_usd / before.cost_usd - 1)) if before.cost_usd else None
        return cls(before.cost_usd, percent)


def cost(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    today = _today()
    month, split = _month(request), _split(request.GET.get("by"))
    usage = _usage(gateway, month, split)
    of_month = [each for each in usage if each.day and each.day >= month.first_day]
    days = _days(month)
    as_many = set(_days(month.previous)[: sum(day <= today for day in days)])
    before = [each for each in usage if each.day in as_many]
    spent = spending.total(of_month)
    shown = {
        "month": month,
        "is_this_month": month == Month.of(today),
        "has_next": month < Month.of(today),
        "split": split,
        "splits": list(SPLITS),
        "spent": spent,
        "trend": Trend.of(spent, spending.total(before)),
        "forecast": _forecast(spent, usage, month),
        "parts": spending.parts(of_month, SPLITS[split]),
        "chart": spending.chart(of_month, SPLITS[split], days),
        "budgets": billing.budgets(gateway),
    }
    return render(request, "console/cost.html", shown)


def export(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """A month as CSV: a line for each day, agent, operation and model."""
    month = _month(request)
    keys = (UsageKey.DAY, UsageKey.AGENT, UsageKey.OPERATION, UsageKey.MODEL)
    written = billing.usage_as_csv(gateway, _span(month, month.next, keys))
    file = HttpResponse(written, content_type="text/csv; charset=utf-8")
    file["Content-Disposition"] = f'attachment; filename="usage-{month}.csv"'
    return file


def _today() -> date:
    """Of UTC, as usage is summed up."""
    return now().astimezone(UTC).date()


def _month(request: HttpRequest) -> Month:
    """The one asked for, else the one that goes on. Raises Invalid."""
    written = request.GET.get("month")
    return Month.parse(written) if written else Month.of(_today())


def _days(month: Month) -> list[date]:
    return [day for week in month.weeks for day in week if Month.of(day) == month]


def _split(written: str | None) -> UsageKey:
    """Raises Invalid."""
    try:
        split = UsageKey(written or UsageKey.OPERATION)
    except ValueError:
        split = UsageKey.SESSION
    if split not in SPLITS:
        raise Invalid(f"A month is split by {', '.join(SPLITS)}.", field="by")
    return split


def _usage(gateway: Gateway, month: Month, split: UsageKey) -> tuple[UsageGroup, ...]:
    """Of the month and the one before it, by day. Raises Invalid for more than a page can show."""
    wanted = _span(month.previous, month.next, (UsageKey.DAY, split))
    cut = billing.usage(gateway, wanted, PageRequest(billing.MOST_LINES))
    if cut.has_next:
        raise Invalid("There is too much to show.", hint="Split the month by something else, or export it.")
    return cut.rows


def _span(month: Month, end: Month, keys: tuple[UsageKey, ...]) -> UsageInput:
    return UsageInput(since=month.begin(UTC), until=end.begin(UTC), group_by=keys)


def _forecast(spent: Spent, usage: tuple[UsageGroup, ...], month: Month) -> float | None:
    """What a month that goes on will come to, if it does so like the last seven days; None for one that is over."""
    moment = now().astimezone(UTC)
    end = month.next.begin(UTC)
    if not month.begin(UTC) <= moment < end:
        return None
    week_ago = moment.date() - costs.WEEK
    week = spending.total(each for each in usage if each.day and week_ago < each.day <= moment.date())
    forecast = costs.forecast(_exact(spent.cost_usd), last_week=_exact(week.cost_usd), left=end - moment)
    return float(forecast)


def _exact(usd: float) -> Decimal:
    return Decimal(str(usd))
