"""How near to an asked-for span of time things happened."""

from datetime import UTC, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.model import TimeRange

NARROWEST: Final = timedelta(days=1)


def nearness(event_time: NDArray[np.datetime64], window: TimeRange) -> NDArray[np.float64]:
    """Return 1 for what happened inside the window, exp(−gap / width) outside it, 0 for what has no time.

    `event_time` is UTC and NaT where unknown. The gap is measured to the nearer end; a window counts as at least a day
    wide, so that "yesterday" forgives hours and "in 2023" forgives months.
    """
    start, end = (np.datetime64(moment.astimezone(UTC).replace(tzinfo=None), "us") for moment in _ends(window))
    width = _seconds(np.timedelta64(max(window.end - window.start, NARROWEST)))
    gap = np.maximum(np.maximum(_seconds(start - event_time), _seconds(event_time - end)), 0.0)
    return np.where(np.isnat(event_time), 0.0, np.exp(-gap / width))


def _ends(window: TimeRange) -> Any:
    return window.start, window.end - timedelta(microseconds=1)


def _seconds(span: Any) -> Any:
    return span / np.timedelta64(1, "s")
