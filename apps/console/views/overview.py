"""The state of a tenant's memory at a glance, and what of it needs somebody."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from apps.api import verbs
from apps.api.billing import handlers as billing
from apps.api.billing.contract import UsageGroup, UsageInput
from apps.api.curation import handlers as curation
from apps.api.gateway import Gateway
from apps.core.clock import now
from apps.core.paging import Page
from apps.curation.results import QueueSource
from apps.jobs import selectors as jobs
from apps.jobs.selectors import Standing
from apps.memory import selectors as memory
from apps.resources import selectors as resources
from apps.retrieval import selectors as retrieval
from memory_platform.model import Verdict

ANSWERS_OVER: Final = timedelta(days=30)
LATE_SECONDS: Final = 60
COUNTED: Final = 100
_WAITING: Final[Mapping[QueueSource, tuple[str, str]]] = {
    QueueSource.PROPOSAL: ("proposal", "proposals"),
    QueueSource.HELD: ("memory held back", "memories held back"),
    QueueSource.CONTRADICTION: ("contradiction", "contradictions"),
    QueueSource.REPLACEMENT: ("probable replacement", "probable replacements"),
    QueueSource.ERASURE: ("erasure", "erasures"),
}


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that waits for somebody, and where."""

    kind: str
    told: str
    url: str


def overview(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    with gateway.open(verbs.STATS):
        stats, queue, said = memory.stats(), jobs.standing(), resources.tally()
        tiers = retrieval.by_tier(now() - ANSWERS_OVER)
    recalls, answered = sum(each.recalls for each in tiers), sum(each.answered for each in tiers)
    shown = {
        "stats": stats,
        "held": stats.by_verdict.get(Verdict.HOLD.value, 0),
        "categories": sorted(stats.by_category.items(), key=lambda each: -each[1])[:10],
        "most": max(stats.by_category.values(), default=1),
        "queue": queue,
        "said": said,
        "tiers": tiers,
        "recalls": recalls,
        "hit_rate": round(100 * answered / recalls) if recalls else None,
        "cost": _this_month(gateway),
        "alerts": [*_failing(queue), *_waiting(gateway)] if gateway.curates else None,
        "seconds": 5,
    }
    return render(request, "console/overview.html", shown)


def _this_month(gateway: Gateway) -> UsageGroup | None:
    """For those who may see what was spent; None where nothing was."""
    if not gateway.sees_budgets:
        return None
    groups = billing.usage(gateway, UsageInput(), Page(1)).rows
    return groups[0] if groups else None


def _failing(queue: Standing) -> Iterator[Alert]:
    if queue.failed:
        yield Alert("error", f"{_counted(queue.failed, 'job')} failed", _address("jobs", state="failed"))
    if queue.stopped_schedules:
        yield Alert(
            "error", f"{_counted(queue.stopped_schedules, 'schedule')} stopped over an error", _address("schedules")
        )
    if queue.lag_seconds > LATE_SECONDS:
        late = f"The queue is {queue.lag_seconds // 60} minutes behind"
        yield Alert("warning", late, _address("jobs", state="queued"))


def _waiting(gateway: Gateway) -> Iterator[Alert]:
    """What the review queue shows this person, by where it comes from; of a long one that it is long."""
    found = curation.review_queue(gateway, (), Page(first=COUNTED))
    if found.has_next:
        yield Alert("warning", f"More than {COUNTED} entries wait for review", _address("review"))
        return
    for source, number in Counter(entry.source for entry in found.rows).items():
        verb = "waits" if number == 1 else "wait"
        yield Alert("warning", f"{_counted(number, *_WAITING[source])} {verb} for review", _address("review"))


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _address(name: str, **fields: str) -> str:
    query = f"?{urlencode(fields)}" if fields else ""
    return reverse(f"console:{name}") + query
