"""What other numbers would have made of what was captured, and would make of what is held: reading only."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.core import scope
from apps.memory import observations
from apps.memory.models import Extraction
from apps.memory.services import ageing
from apps.memory.services.ageing import Ageing, Ages
from apps.memory.services.candidates import gate
from apps.tenants.models import Policy
from memory_platform.model import Fact, Verdict

MOST_MESSAGES: Final = 2_000
"""Looked at, the latest first."""
AGEINGS: Final = (ageing.EXPIRED, ageing.PRUNED, ageing.DECAYED, ageing.STALE, ageing.FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Turned:
    """Facts that would have met another verdict at the gate."""

    was: Verdict
    would_be: Verdict
    facts: int


@dataclass(frozen=True, slots=True)
class Regated:
    """`messages` were read, `examined` among them; a `sample` names messages in which a fact would turn."""

    messages: int
    examined: int
    facts: int
    turned: tuple[Turned, ...]
    sample: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class StepComparison:
    """How many memories a step of maintenance would change, with the numbers as they are and as they might be."""

    step: str
    now: int
    then: int


def regate(was: Policy, would_be: Policy, *, since: datetime, samples: int) -> Regated:
    """Put the facts that were read since then through the gate again. What dedup made of them is not looked at."""
    read = Extraction.objects.filter(
        tenant_id=scope.current().tenant_id, created_at__gte=since, stored_at__isnull=False
    )
    turned: Counter[tuple[Verdict, Verdict]] = Counter()
    sample: dict[UUID, None] = {}
    facts = examined = 0
    for row in read.order_by("-created_at", "-id")[:MOST_MESSAGES]:
        examined += 1
        for fact in _facts(row):
            facts += 1
            before, after = gate(fact, was).verdict, gate(fact, would_be).verdict
            if before is not after:
                turned[before, after] += 1
                sample.setdefault(row.resource_id)
    return Regated(
        messages=read.count(),
        examined=examined,
        facts=facts,
        turned=tuple(Turned(*pair, count) for pair, count in sorted(turned.items())),
        sample=tuple(sample)[:samples],
    )


def _facts(row: Extraction) -> Iterator[Fact]:
    yield from observations.load(row.resource_id, row.observation).facts


def reage(was: Ages, would_be: Ages) -> tuple[StepComparison, ...]:
    """What the next runs of maintenance would do to what the open scope may read."""
    return tuple(_reaged(each, was, would_be) for each in AGEINGS)


def _reaged(rule: Ageing, was: Ages, would_be: Ages) -> StepComparison:
    return StepComparison(rule.operation, ageing.count_due(rule, was), ageing.count_due(rule, would_be))
