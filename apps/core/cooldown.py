"""Leaving a server alone for a moment after it failed, so that not every request pays its timeout."""

import time
from collections.abc import Callable


class Cooldown:
    """Lasts `seconds` from each start; `until` is on the clock given, monotonic seconds by default."""

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.until = 0.0
        self._seconds = seconds
        self._clock = clock

    @property
    def is_active(self) -> bool:
        return self._clock() < self.until

    def start(self) -> None:
        self.until = self._clock() + self._seconds

    def end(self) -> None:
        self.until = 0.0
