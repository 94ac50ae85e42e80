"""One figure: its value, the floor measured beside it, and the ratio or number it must reach."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Bar:
    """The number a figure may not exceed, or must reach."""

    number: float
    direction: Literal["at most", "at least"]

    def is_met(self, measured: float) -> bool:
        return measured <= self.number if self.direction == "at most" else measured >= self.number


def at_most(number: float) -> Bar:
    return Bar(number, "at most")


def at_least(number: float) -> Bar:
    return Bar(number, "at least")


missed: list[str] = []
"""The names of this process's figures that are past their bar."""


def figure(name: str, value: float, unit: str, *, floor: float | None = None, bar: Bar | None = None) -> None:
    """Print {"name", "value", "unit", "floor", "bar", "direction", "met"}.

    `bar` bounds value/floor, or value without a floor; `direction` is "at most" or "at least", and `met` whether
    the figure is within it. The last three are null where a figure is only reported.
    """
    measured = value if floor is None else value / floor if floor else float("inf")
    met = None if bar is None else bar.is_met(measured)
    if met is False:
        missed.append(name)
    numbers = (value, floor, bar.number if bar else None)
    rounded = [None if number is None else round(number, 4) for number in numbers]
    line = {
        "name": name,
        "value": rounded[0],
        "unit": unit,
        "floor": rounded[1],
        "bar": rounded[2],
        "direction": bar and bar.direction,
        "met": met,
    }
    print(json.dumps(line), flush=True)


def percentile(values: Sequence[float], percent: int) -> float:
    """The percentile of at least two values, interpolated."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
