"""What was spent in a month, as a page shows it: sums of usage, day by day, each part beside the others."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from apps.api.billing.contract import UsageGroup

MOST_PARTS: Final = 6
"""Parts a chart tells apart; what is less than these is one more, of the rest."""
REST: Final = "the rest"


@dataclass(frozen=True, slots=True)
class Spent:
    """What some usage comes to. Costs are of the rows with a price; over what was done they are None without either."""

    name: str
    cost_usd: float
    unpriced_rows: int
    calls: int
    tokens: int
    recalls: int
    turns: int
    memories: int

    @property
    def per_turn(self) -> float | None:
        return self._over(self.turns)

    @property
    def per_recall(self) -> float | None:
        return self._over(self.recalls)

    @property
    def per_memory(self) -> float | None:
        return self._over(self.memories)

    def _over(self, count: int) -> float | None:
        return None if self.unpriced_rows or not count else self.cost_usd / count


def total(groups: Iterable[UsageGroup], name: str = "") -> Spent:
    held = list(groups)
    return Spent(
        name=name,
        cost_usd=sum(each.known_cost_usd for each in held),
        unpriced_rows=sum(each.unpriced_rows for each in held),
        calls=sum(each.calls for each in held),
        tokens=sum(each.tokens_in + each.tokens_out for each in held),
        recalls=sum(each.recalls for each in held),
        turns=sum(each.turns for each in held),
        memories=sum(each.memories for each in held),
    )


def parts(groups: Iterable[UsageGroup], key: str) -> list[Spent]:
    """A sum for each agent, operation or model, the dearest first."""
    held: defaultdict[str, list[UsageGroup]] = defaultdict(list)
    for each in groups:
        held[getattr(each, key) or "none"].append(each)
    found = [total(usage, name) for name, usage in held.items()]
    return sorted(found, key=lambda each: (-each.cost_usd, -each.calls, each.name))


def chart(groups: Sequence[UsageGroup], key: str, days: Sequence[date]) -> dict[str, Any]:
    """For uPlot: the days of the month, what each part cost on each of them in US dollars, and what a turn did."""
    named = [each.name for each in parts(groups, key)[:MOST_PARTS] if each.cost_usd]
    costs: dict[str, dict[date, float]] = {name: dict.fromkeys(days, 0.0) for name in named}
    by_day: defaultdict[date, list[UsageGroup]] = defaultdict(list)
    for each in groups:
        if each.day is None:
            continue
        by_day[each.day].append(each)
        if not each.known_cost_usd:
            continue
        name = getattr(each, key) or "none"
        line = costs.setdefault(name if name in costs else REST, dict.fromkeys(days, 0.0))
        line[each.day] = line.get(each.day, 0.0) + each.known_cost_usd
    return {
        "days": [day.day for day in days],
        "parts": [{"name": name, "usd": [line[day] for day in days]} for name, line in costs.items()],
        "perTurn": [total(by_day[day]).per_turn for day in days],
    }
