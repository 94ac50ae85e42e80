"""The state of a tenant's memory at a glance, and what of it needs somebody."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from apps.api import attention, verbs
from apps.api.attention import PressedBudgets
from apps.api.billing import handlers as billing
from apps.api.billing.contract import UsageGroup, UsageInput
from apps.api.gateway import Gateway
from apps.budgets import balances
from apps.core.clock import now
from apps.core.counting import amount, counts
from apps.core.paging import PageRequest
from apps.curation.results import QueueKind
from apps.jobs import selectors as jobs
from apps.jobs.selectors import QueueState
from apps.memory import selectors as memory
from apps.memory.results import Stats
from apps.resources import selectors as resources
from apps.retrieval import selectors as retrieval
from apps.tenants import selectors as tenants
from memory_platform.model import Verdict

LATE_SECONDS: Final = 60
# Under which of its kinds the review page shows what people decide on.
_KINDS: Final[Mapping[str, QueueKind]] = {
    attention.PROPOSALS: QueueKind.PROPOSAL,
    attention.REPLACEMENTS: QueueKind.REPLACEMENT,
    attention.ERASURES: QueueKind.ERASURE,
}


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that waits for somebody, and where."""

    kind: str
    told: str
    url: str


def overview(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    with gateway.open(verbs.STATS) as within:
        stats, queue, said = memory.stats(), jobs.queue_state(), resources.tally()
        tiers = retrieval.by_tier(tenants.reported_since(within.tenant_id, now()))
        days = tenants.policy(within.tenant_id).report_days
        undecided = counts(**attention.to_decide(erasures=gateway.administers)) if gateway.curates else {}
        pressed = attention.pressed(balances.current(within)) if gateway.sees_budgets else None
    recalls, answered = sum(each.recalls for each in tiers), sum(each.answered for each in tiers)
    shown = {
        "stats": stats,
        "held": stats.by_verdict.get(Verdict.HOLD.value, 0),
        "categories": sorted(stats.by_category.items(), key=lambda each: -each[1])[:10],
        "most": max(stats.by_category.values(), default=1),
        "queue": queue,
        "said": said,
        "tiers": tiers,
        "days": amount(days, "day"),
        "recalls": recalls,
        "hit_rate": round(100 * answered / recalls) if recalls else None,
        "cost": _this_month(gateway),
        "alerts": list(_alerts(stats, queue, undecided, pressed)) if gateway.curates else None,
        "seconds": 5,
    }
    return render(request, "console/overview.html", shown)


def _this_month(gateway: Gateway) -> UsageGroup | None:
    """For those who may see what was spent; None where nothing was."""
    if not gateway.sees_budgets:
        return None
    groups = billing.usage(gateway, UsageInput(), PageRequest(1)).rows
    return groups[0] if groups else None


def _alerts(
    stats: Stats, queue: QueueState, undecided: Mapping[str, int], pressed: PressedBudgets | None
) -> Iterator[Alert]:
    if queue.failed:
        yield Alert("error", f"{amount(queue.failed, 'job')} failed", _address("jobs", state="failed"))
    if queue.stopped_schedules:
        yield Alert(
            "error", f"{amount(queue.stopped_schedules, 'schedule')} stopped over an error", _address("schedules")
        )
    if queue.lag_seconds > LATE_SECONDS:
        late = f"The queue is {queue.lag_seconds // 60} minutes behind"
        yield Alert("warning", late, _address("jobs", state="queued"))
    if pressed is not None:
        yield Alert("error" if pressed.is_spent else "warning", pressed.told, _address("cost"))
    for name, kind in _KINDS.items():
        if number := undecided.get(name, 0):
            yield Alert("warning", amount(number, *attention.SAID[name]), _address("review", kind=kind))
    if held := stats.by_verdict.get(Verdict.HOLD.value, 0):
        yield Alert("warning", f"{amount(held, 'memory', 'memories')} held back for review", _address("review"))
    if stats.open_contradictions:
        yield Alert("warning", f"{amount(stats.open_contradictions, 'contradiction')} open", _address("review"))


def _address(name: str, **fields: str) -> str:
    query = f"?{urlencode(fields)}" if fields else ""
    return reverse(f"console:{name}") + query
