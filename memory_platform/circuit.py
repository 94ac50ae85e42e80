"""Whether a provider that fails is asked again: a pure state, so that all who ask it can share one."""

from dataclasses import dataclass, replace
from typing import Final

from memory_platform.errors import ProviderError, ProviderLate

_LONG_AGO: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Pacing:
    """After how many failures in a row a provider is left alone, and for how many seconds at first and at most.

    With `one_deadline_is_enough` a single deadline missed begins a pause.
    """

    failures_in_a_row: int = 3
    first_pause: float = 30.0
    longest_pause: float = 600.0
    one_deadline_is_enough: bool = True


MODELS: Final = Pacing()
"""For models, whose deadlines are long."""
PROMPT: Final = Pacing(one_deadline_is_enough=False)
"""For models that somebody waits for: a deadline that is short is missed now and then."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """How a provider did lately. Times are seconds of one clock that all who share the state read.

    It is left alone until `open_until`; after that, until it answers, one caller at a time tries. 0: it is asked.
    """

    failures: int = 0
    pause: float = 0.0
    open_until: float = 0.0

    @property
    def is_closed(self) -> bool:
        return self.open_until == 0.0

    def is_open(self, now: float) -> bool:
        return now < self.open_until


CLOSED: Final = Circuit()


def untried(pacing: Pacing) -> Circuit:
    """Of a provider that nobody has asked: one caller tries, and if that fails the first pause begins."""
    return Circuit(pause=pacing.first_pause / 2, open_until=_LONG_AGO)


def after_failure(circuit: Circuit, error: ProviderError, now: float, *, pacing: Pacing = MODELS) -> Circuit:
    """The state after one more failure.

    Failures in a row, a deadline missed where one is enough, a wait the provider asks for or a failed attempt after a
    pause begin a pause: the first, twice the last one if that did not help, at least what the provider asks for, at
    most the longest. What fails while a pause lasts was asked before it and changes nothing.
    """
    if circuit.is_open(now):
        return circuit
    failures = circuit.failures + 1
    if circuit.is_closed and failures < pacing.failures_in_a_row and not _is_grave(error, pacing):
        return replace(circuit, failures=failures)
    usual = pacing.first_pause if circuit.is_closed else 2 * circuit.pause
    pause = min(pacing.longest_pause, max(usual, error.retry_after or 0.0))
    return Circuit(failures, pause, now + pause)


def _is_grave(error: ProviderError, pacing: Pacing) -> bool:
    """Whether asking again soon costs a deadline, or breaks what the provider asked for."""
    is_late = pacing.one_deadline_is_enough and isinstance(error, ProviderLate)
    return is_late or error.retry_after is not None
