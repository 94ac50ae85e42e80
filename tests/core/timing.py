"""How long a stage works on a text: what the growth tests compare."""

import gc
import time
from collections.abc import Callable
from typing import Any

LEAST = 0.004
"""Seconds below which a measurement says nothing; a stage that takes less for 64 KB is quick enough."""
ENOUGH = 0.1
"""Seconds of measuring after which a text is not measured again."""
MOST = 3.0
"""Times the time that twice the text may take: linear is 2, quadratic 4."""


def seconds(stage: Callable[[Any], object], text: object, *, tries: int = 3) -> float:
    """Of processor, the best of so many tries, or the only one where it took long enough to be trusted. As `timeit`,
    without the collector, which takes its time from the whole process.
    """
    spent: list[float] = []
    gc.disable()
    try:
        while len(spent) < tries and sum(spent) < ENOUGH:
            began = time.process_time()
            stage(text)
            spent.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(spent)


def grows_in_proportion(stage: Callable[[Any], object], once: object, twice: object) -> bool:
    """In one of three tries: a machine that was busy when it was measured is not when it is measured again."""
    return any(seconds(stage, twice) <= MOST * max(LEAST, seconds(stage, once)) for _ in range(3))
