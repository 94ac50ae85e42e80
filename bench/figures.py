"""One figure: its value, the floor measured beside it, and the ratio or number it must reach."""

import json
import statistics
from collections.abc import Sequence


def figure(name: str, value: float, unit: str, *, floor: float | None = None, bar: float | None = None) -> None:
    """Print {"name", "value", "unit", "floor", "bar"}; `bar` bounds value/floor, or value where there is no floor."""
    rounded = [None if number is None else round(number, 4) for number in (value, floor, bar)]
    line = {"name": name, "value": rounded[0], "unit": unit, "floor": rounded[1], "bar": rounded[2]}
    print(json.dumps(line), flush=True)


def percentile(values: Sequence[float], percent: int) -> float:
    """The percentile of at least two values, interpolated."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
