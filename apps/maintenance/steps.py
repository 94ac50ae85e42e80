"""The steps of the nightly, weekly and monthly run: what each would do, and what it does, a transaction at a time.

A step takes what it has done out of what is to be done: running it again, or on where it was left or cut off, changes
nothing twice. Nothing is deleted for good, but what its category is not to keep.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from apps.core import scope
from apps.core.paging import PageRequest
from apps.core.scope import Scope
from apps.erasure import services as erasure
from apps.graph import services as graph
from apps.index import services as index
from apps.jobs.services import enqueue
from apps.journal import selectors as journal
from apps.journal.selectors import EntryFilter
from apps.memory import services as memory
from apps.memory.services import ageing, packing, refiling
from apps.memory.services.ageing import Aged, Ageing, Ages
from apps.summaries import services as summaries

Counts = Mapping[str, int | str]

SUMMARIES_AT_ONCE: Final = 200
"""Asked for in one transaction."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run for one tenant: `within` is its whole scope, which a step opens for each transaction."""

    name: str
    within: Scope
    now: datetime

    def ages(self) -> Ages:
        """Needs an open scope."""
        return Ages.at(self.now)

    def since(self) -> datetime:
        """The start of yesterday where the tenant is, or of the day of the last run that came to its end, if that is
        earlier: the days without a run are this one's. Needs an open scope.
        """
        zone = ZoneInfo(self.ages().policy.time_zone)
        yesterday = self.now.astimezone(zone).date() - timedelta(days=1)
        ended = self.last_ended()
        day = yesterday if ended is None else min(yesterday, ended.astimezone(zone).date())
        return datetime.combine(day, time(), tzinfo=zone)

    @property
    def entry(self) -> str:
        """The operation under which the journal tells that a run of the name came to its end."""
        return f"maintenance.{self.name}"

    def last_ended(self) -> datetime | None:
        """When the last run of the name came to its end, each of its steps done. Needs an open scope."""
        last = journal.entries(filter=EntryFilter(operation=self.entry), page=PageRequest(1)).rows
        return last[0].at if last else None


@dataclass(frozen=True, slots=True)
class Step:
    """`count` says what `act` would do, in an open scope; `act` opens scopes of its own and says what each of its
    portions did. One that `asks` a model may be left between two of them: what it has done it does not find again.
    """

    name: str
    count: Callable[[Run], int]
    act: Callable[[Run], Iterator[int]]
    asks: bool = False


def _ageing(name: str, rule: Ageing, batch: Callable[..., Aged] = ageing.age) -> Step:
    def aged(run: Run, after: UUID | None) -> Aged:
        return batch(rule, run.ages(), after=after)

    return Step(name, lambda run: ageing.count_due(rule, run.ages()), partial(_batches, aged))


def _batches(batch: Callable[[Run, UUID | None], Aged], run: Run) -> Iterator[int]:
    """Batches, each behind the last id of the one before."""
    last: UUID | None = None
    while True:
        with scope.enter(run.within):
            aged = batch(run, last)
        yield aged.items
        last = aged.last
        if last is None:
            return


def _until_none(batch: Callable[[Run], int], run: Run) -> Iterator[int]:
    """Batches until one finds nothing more to do."""
    while done := sum(_at_once(batch, run)):
        yield done


def _at_once(act: Callable[[Run], int], run: Run) -> Iterator[int]:
    with scope.enter(run.within):
        done = act(run)
    yield done


NIGHTLY: Final = (
    _ageing("revived", ageing.REVIVED),
    _ageing("expired", ageing.EXPIRED),
    _ageing("pruned", ageing.PRUNED),
    _ageing("decayed", ageing.DECAYED),
    _ageing("stale", ageing.STALE),
    _ageing("forgotten", ageing.FORGOTTEN, ageing.forget_due),
    Step(
        "favoured",
        lambda run: ageing.count_unfavoured(run.since()),
        partial(_until_none, lambda run: ageing.favour_new(run.ages(), run.since())),
    ),
    Step(
        "read",
        lambda run: ageing.count_unread(run.since()),
        partial(_batches, lambda run, after: ageing.read_unread(run.since(), after=after)),
    ),
    Step(
        "compared",
        lambda run: ageing.count_new(run.since()),
        partial(_batches, lambda run, after: ageing.compare_new(run.since(), after=after)),
    ),
    Step("inferred", lambda _run: graph.count_unasked(), lambda run: graph.infer_unasked(within=run.within), asks=True),
    Step("described", lambda _run: graph.count_undescribed(), lambda run: graph.describe(within=run.within), asks=True),
    Step("erased", lambda _run: erasure.due(), partial(_at_once, lambda _run: erasure.retain())),
)
"""The last one erases for good, in a job of its own."""


def _summarise(run: Run) -> Iterator[int]:
    """The jobs are asked for a few at a time; they do nothing about a summary that stands."""
    with scope.enter(run.within):
        due = summaries.due()
    for start in range(0, len(due), SUMMARIES_AT_ONCE):
        asked = due[start : start + SUMMARIES_AT_ONCE]
        with scope.enter(run.within):
            summaries.rewrite(asked)
        yield len(asked)


WEEKLY: Final = (
    Step(
        "condensed", lambda _run: memory.count_condensable(), lambda run: memory.condense(within=run.within), asks=True
    ),
    Step("summarised", lambda _run: len(summaries.due()), _summarise),
)


def _reindex(_run: Run) -> int:
    """A job of its own does it: it takes as long as the tenant is large."""
    enqueue("memory.rebuild_documents", {}, dedup_key="rebuild")
    return index.documents()


def _refile(run: Run) -> Iterator[int]:
    last: UUID | None = None
    while True:
        refiled = refiling.refile(within=run.within, after=last)
        yield refiled.items
        last = refiled.last
        if last is None:
            return


MONTHLY: Final = (
    Step("refiled", lambda _run: refiling.count_outdated(), _refile),
    Step(
        "packed",
        lambda run: packing.count_packable(run.ages()),
        partial(_batches, lambda run, after: packing.pack(run.ages(), after=after)),
    ),
    Step("retired", lambda _run: index.count_retirable(), partial(_until_none, lambda _run: index.retire_former())),
    Step("reindexed", lambda _run: index.documents(), partial(_at_once, _reindex)),
)
"""Besides its report."""

RUNS: Final[Mapping[str, tuple[Step, ...]]] = {"nightly": NIGHTLY, "weekly": WEEKLY, "monthly": MONTHLY}
