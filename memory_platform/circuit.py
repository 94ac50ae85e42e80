"""Whether a provider that fails is asked again: a pure state, so that all who ask it can share one."""

from dataclasses import dataclass, replace
from typing import Final

from memory_platform.errors import ProviderError, ProviderLate

FAILURES_IN_A_ROW: Final = 3
FIRST_PAUSE_SECONDS: Final = 30.0
LONGEST_PAUSE_SECONDS: Final = 600.0


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


def after_failure(circuit: Circuit, error: ProviderError, now: float) -> Circuit:
    """The state after one more failure.

    A deadline missed, a wait the provider asks for, FAILURES_IN_A_ROW failures or a failed attempt after a pause begin
    a pause: FIRST_PAUSE_SECONDS, twice the last one if that did not help, at least what the provider asks for, at most
    LONGEST_PAUSE_SECONDS. What fails while a pause lasts was asked before it and changes nothing.
    """
    if circuit.is_open(now):
        return circuit
    failures = circuit.failures + 1
    if circuit.is_closed and failures < FAILURES_IN_A_ROW and not _is_grave(error):
        return replace(circuit, failures=failures)
    usual = FIRST_PAUSE_SECONDS if circuit.is_closed else 2 * circuit.pause
    pause = min(LONGEST_PAUSE_SECONDS, max(usual, error.retry_after or 0.0))
    return Circuit(failures, pause, now + pause)


def _is_grave(error: ProviderError) -> bool:
    """Whether asking again soon costs a deadline, or breaks what the provider asked for."""
    return isinstance(error, ProviderLate) or error.retry_after is not None
