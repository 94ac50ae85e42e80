"""What the admin's first page shows: how the chosen tenant's memory is, and what waits for somebody."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse

from apps.api import attention
from apps.budgets import balances
from apps.budgets.balances import BudgetBalance
from apps.budgets.models import Budget
from apps.core import clock, scope
from apps.core.counting import amount, counts
from apps.curation.models import Proposal
from apps.erasure.models import Erasure
from apps.graph import stores
from apps.graph.stores import BreakerState, ProjectionState
from apps.jobs import selectors as jobs
from apps.jobs.models import Job, Schedule
from apps.memory import selectors as memory
from apps.memory.results import Stats
from apps.tenants import selectors as tenants
from apps.tenants.models import ApiKey, Tenant
from memory_platform.model import Pressure, Verdict

FAILED_WITHIN: Final = timedelta(days=1)
LATE_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing of the memory's health; `tone` is good, wary, bad, or quiet where it is neither."""

    name: str
    value: str
    note: str = ""
    tone: str = "quiet"
    link: str = ""


@dataclass(frozen=True, slots=True)
class Concern:
    """Something that waits for somebody, and the page on which it is looked after."""

    text: str
    link: str
    tone: str = "wary"


def page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The context of the first page with `figures` and `concerns`: those whose page is open to whoever asks. Needs the
    chosen tenant's scope.
    """
    now = clock.now()
    found = counts(
        waiting=jobs.waiting_jobs(),
        failed=jobs.failed_jobs(now - FAILED_WITHIN),
        schedules=jobs.troubled_schedules(),
        keys=tenants.expiring_keys(),
        **attention.to_decide(),
        suspended=tenants.suspension(),
    )
    budgets = balances.current(scope.current()) if _is_open(Budget, request) else ()
    stats = memory.stats()
    queue = _queue(found["waiting"], found["failed"])
    linked = queue if _is_open(Job, request) else replace(queue, link="")
    concerns = [*_concerns(found, stats, request), *_spending(budgets)]
    figures = [*_memories(stats), linked, *_graph(), *_spent(budgets)]
    return {**context, "figures": figures, "concerns": concerns}


def _is_open(model: type[Model], request: HttpRequest) -> bool:
    """Whether whoever asks may look at the model's page."""
    return admin.site.get_model_admin(model).has_view_permission(request)


def _memories(stats: Stats) -> Iterable[Figure]:
    active, stale = (stats.by_status.get(name, 0) for name in ("active", "stale"))
    yield Figure("Memories", f"{active:,}", f"active; {stale:,} stale, {stats.items:,} in all")
    yield Figure("Turned down", f"{stats.rejections:,}", "sentences that were not worth keeping")


def _queue(waiting: int, failed: int) -> Figure:
    """How far the work is behind what was asked of it."""
    lag = jobs.lag_seconds() if waiting else 0
    tone = "bad" if failed else "wary" if lag > LATE_SECONDS else "good"
    note = f"{waiting:,} waiting, {failed:,} failed in a day"
    return Figure("Work behind by", _lasting(lag), note, tone, reverse("admin:jobs_job_changelist"))


def _graph() -> Iterable[Figure]:
    if not stores.is_configured():
        yield Figure("Graph", "SQL", "no copy in Neo4j is configured", "good")
        return
    copy = stores.status()
    is_well = copy.state is ProjectionState.COMPLETE and copy.breaker is not BreakerState.OPEN
    note = "answers come from SQL" if copy.breaker is BreakerState.OPEN else f"{copy.waiting_jobs:,} changes to copy"
    yield Figure("Graph", copy.state.value, note, "good" if is_well else "wary")


def _spent(budgets: Iterable[BudgetBalance]) -> Iterable[Figure]:
    for each in budgets:
        if each.agent_id is None:
            most = each.hard_usd if each.hard_usd is not None else each.soft_usd
            tone = {Pressure.OK: "good", Pressure.SOFT: "wary", Pressure.HARD: "bad"}[each.pressure]
            there = reverse("admin:budgets_budget_changelist")
            yield Figure(f"Spent this {each.period}", f"${each.spent_usd:.2f}", f"of ${most:.2f}", tone, there)


def _concerns(found: dict[str, int], stats: Stats, request: HttpRequest) -> Iterable[Concern]:
    """Each with how it is said of one and of several, and where it is looked after."""
    found = {**found, "held": stats.by_verdict.get(Verdict.HOLD.value, 0), "open": stats.open_contradictions}
    said = (
        ("suspended", "tenant is suspended: its keys are refused", "", _TENANT, "bad"),
        (attention.PROPOSALS, *attention.SAID[attention.PROPOSALS], _REVIEW, "wary"),
        (attention.REPLACEMENTS, *attention.SAID[attention.REPLACEMENTS], _REVIEW, "wary"),
        ("open", "contradiction is open", "contradictions are open", _REVIEW, "wary"),
        (
            "held",
            "memory is held back until somebody looks",
            "memories are held back until somebody looks",
            _REVIEW,
            "wary",
        ),
        (attention.ERASURES, *attention.SAID[attention.ERASURES], _ERASURES, "wary"),
        ("keys", "key stops working within two weeks", "keys stop working within two weeks", _KEYS, "wary"),
        ("schedules", "schedule is overdue or failed", "schedules are overdue or failed", _SCHEDULES, "bad"),
        ("failed", "job failed within a day", "jobs failed within a day", _JOBS, "bad"),
    )
    for name, one, several, (model, there, query), tone in said:
        if (number := found[name]) and _is_open(model, request):
            yield Concern(amount(number, one, several), reverse(there) + query, tone)


# A page each, behind the model that says to whom it is open; the console's queue is to whom proposals are.
_REVIEW: Final = (Proposal, "console:review", "")
_TENANT: Final = (Tenant, "admin:tenants_tenant_changelist", "")
_ERASURES: Final = (Erasure, "admin:erasure_erasure_changelist", "?state__exact=waiting")
_KEYS: Final = (ApiKey, "admin:tenants_apikey_changelist", "?state=expires+soon")
_SCHEDULES: Final = (Schedule, "admin:jobs_schedule_changelist", "")
_JOBS: Final = (Job, "admin:jobs_job_changelist", "?state__exact=failed")


def _spending(budgets: Iterable[BudgetBalance]) -> Iterable[Concern]:
    if pressed := attention.pressed(budgets):
        tone = "bad" if pressed.is_spent else "wary"
        yield Concern(pressed.told, reverse("admin:budgets_budget_changelist"), tone)


def _lasting(seconds: int) -> str:
    if seconds < LATE_SECONDS:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
