"""Breakers whose state lies in Valkey: what one worker found out spares all others the timeout."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Final

import structlog
from django.core.cache import cache
from prometheus_client import Gauge
from typing_extensions import override

from apps.core import limiter
from memory_platform.circuit import CLOSED, MODELS, Circuit, Pacing, after_failure
from memory_platform.errors import ProviderError
from memory_platform.ports import Breaker

OPEN = Gauge("memory_model_breaker_open", "1: the model is left alone.", ["model"], multiprocess_mode="mostrecent")
_FORGOTTEN_AFTER_SECONDS: Final = 2 * MODELS.longest_pause

log = structlog.get_logger(__name__)


class SharedBreaker(Breaker):
    """`name` is what those who share it call the provider; an attempt after a pause may take `probe_seconds`.

    Without Valkey everybody is let pass. Two failures at the same moment may count as one.
    """

    def __init__(
        self, name: str, *, probe_seconds: float, pacing: Pacing = MODELS, clock: Callable[[], float] = time.time
    ) -> None:
        self.name = name
        self._pacing = pacing
        self._state_key = f"breaker:{name}"
        self._probe_key = f"breaker:{name}:probe"
        self._probe_seconds = probe_seconds
        self._clock = clock

    @override
    def lets_pass(self) -> bool:
        circuit = self._read()
        if circuit.is_closed:
            return True
        return not circuit.is_open(self._clock()) and self._is_first_to_probe()

    @override
    def succeeded(self) -> None:
        before = self._read()
        if before == CLOSED:
            return
        limiter.ask(lambda: cache.delete_many([self._state_key, self._probe_key]))
        if not before.is_closed:
            OPEN.labels(self.name).set(0)
            log.info("model.answers_again", model=self.name)

    @override
    def failed(self, error: ProviderError) -> None:
        before = self._read()
        after = after_failure(before, error, self._clock(), pacing=self._pacing)
        if after == before:
            return
        limiter.ask(lambda: cache.set(self._state_key, asdict(after), timeout=_FORGOTTEN_AFTER_SECONDS))
        limiter.ask(lambda: cache.delete(self._probe_key))
        if not after.is_closed:
            OPEN.labels(self.name).set(1)
            log.warning("model.left_alone", model=self.name, error_class=type(error).__name__, seconds=after.pause)

    def _read(self) -> Circuit:
        held = limiter.ask(lambda: cache.get(self._state_key))
        return Circuit(**held) if held else CLOSED

    def _is_first_to_probe(self) -> bool:
        return limiter.ask(lambda: cache.add(self._probe_key, 1, timeout=self._probe_seconds)) is not False
