"""The health of a tenant's memory: what there is, how it grew, how it answered, what it cost, what waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from apps.budgets import selectors as budgets
from apps.budgets.selectors import UsageSpan
from apps.core import clock, scope
from apps.core.paging import PageRequest
from apps.jobs import selectors as jobs
from apps.memory import selectors as memory
from apps.memory.results import Stats
from apps.retrieval import selectors as retrieval
from apps.tenants import selectors as tenants


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A table of the report: counts by what people call them."""

    title: str
    rows: tuple[tuple[str, int], ...]

    @property
    def markdown(self) -> str:
        rows = [f"| {name} | {count} |" for name, count in self.rows]
        return "\n".join([f"## {self.title}", "| what | count |", "|---|---:|", *rows])


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Counts by name, those of the last `days` with `recent.`; `cost_micro_usd` is of the calls with a price."""

    at: datetime
    days: int
    counts: Mapping[str, int]

    @property
    def sections(self) -> tuple[ReportSection, ...]:
        """The same for people."""
        return (
            self._section("Memories", "items."),
            self._section("By category", "category."),
            self._section(f"The last {self.days} days", "recent."),
            self._section("Now", "now."),
        )

    @property
    def markdown(self) -> str:
        parts = [f"# Health of the memory, {self.at:%Y-%m-%d %H:%M} UTC", *(each.markdown for each in self.sections)]
        return "\n\n".join(parts) + "\n"

    def _section(self, title: str, prefix: str) -> ReportSection:
        chosen = [(name.removeprefix(prefix), count) for name, count in self.counts.items() if name.startswith(prefix)]
        return ReportSection(title, tuple((name.replace("_", " ").replace(".", " "), count) for name, count in chosen))


def held() -> Mapping[str, int]:
    """How much there is, by status and by category. Needs an open scope."""
    return _held(memory.stats())


def _held(stats: Stats) -> Mapping[str, int]:
    by_status = {f"items.{status}": count for status, count in stats.by_status.items()}
    return {**by_status, **{f"category.{slug}": count for slug, count in stats.by_category.items()}}


def merged(since: datetime) -> int:
    """How many memories became part of another one since then, and are. Needs an open scope."""
    return memory.growth(since).merged


def health() -> HealthReport:
    """Needs an open scope of the whole tenant."""
    now, tenant_id = clock.now(), scope.current().tenant_id
    since = tenants.reported_since(tenant_id, now)
    growth, stats = memory.growth(since), memory.stats()
    counts = {
        **_held(stats),
        "recent.stored": growth.stored,
        "recent.duplicates_merged": growth.merged,
        **_answers(since),
        **_costs(UsageSpan(since, now)),
        "now.open_contradictions": stats.open_contradictions,
        "now.packed_away": memory.packed_away(),
        "now.jobs_waiting": jobs.waiting(),
        "now.first_job_waits_seconds": jobs.lag_seconds(),
    }
    return HealthReport(now, tenants.policy(tenant_id).report_days, counts)


def _answers(since: datetime) -> Mapping[str, int]:
    return {
        f"recent.tier{each.tier}.{name}": count
        for each in retrieval.by_tier(since)
        for name, count in (("recalls", each.recalls), ("answered", each.answered), ("percent", each.percent))
    }


def _costs(span: UsageSpan) -> Mapping[str, int]:
    """A group of everything; none where nothing was spent."""
    groups = budgets.usage(span, (), PageRequest(1)).rows
    if not groups:
        return {}
    total = groups[0]
    return {
        "recent.model_calls": total.calls,
        "recent.failed_calls": total.failed_calls,
        "recent.cost_micro_usd": round(total.known_cost_usd * 1_000_000),
        "recent.unpriced_rows": total.unpriced_rows,
    }
