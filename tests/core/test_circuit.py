from hypothesis import given
from hypothesis import strategies as st

from memory_platform.circuit import (
    CLOSED,
    MODELS,
    Circuit,
    Pacing,
    after_failure,
    untried,
)
from memory_platform.errors import ProviderLate, ProviderRefused, ProviderRetryable

LATE = ProviderLate("late")
BROKEN = ProviderRetryable("500")


def test_one_deadline_missed_is_enough():
    assert after_failure(CLOSED, LATE, 100.0) == Circuit(1, MODELS.first_pause, 100.0 + MODELS.first_pause)


def test_other_failures_count_in_a_row():
    circuit = CLOSED
    for failures in range(1, MODELS.failures_in_a_row):
        circuit = after_failure(circuit, BROKEN, 100.0)
        assert (circuit.failures, circuit.is_closed) == (failures, True)

    assert after_failure(circuit, ProviderRefused("401"), 100.0).is_open(100.0)


def test_a_provider_that_says_when_is_not_asked_before():
    throttled = ProviderRetryable("429", retry_after=120)

    assert after_failure(CLOSED, throttled, 0.0).open_until == 120


def test_a_failed_attempt_after_a_pause_doubles_it():
    circuit = after_failure(CLOSED, LATE, 0.0)
    again = after_failure(circuit, BROKEN, circuit.open_until)

    assert (again.pause, again.open_until) == (60, 90)


def test_what_was_asked_before_the_pause_changes_nothing():
    circuit = after_failure(CLOSED, LATE, 0.0)

    assert after_failure(circuit, LATE, circuit.open_until - 1) == circuit


def test_where_one_deadline_is_not_enough_it_counts_as_any_failure():
    pacing = Pacing(failures_in_a_row=2, first_pause=2.0, one_deadline_is_enough=False)
    once = after_failure(CLOSED, LATE, 100.0, pacing=pacing)

    assert (once.failures, once.is_closed) == (1, True)
    assert after_failure(once, LATE, 100.0, pacing=pacing) == Circuit(2, 2.0, 102.0)


def test_what_nobody_has_tried_is_tried_by_one_and_left_alone_for_the_first_pause():
    circuit = untried(MODELS)

    assert (circuit.is_closed, circuit.is_open(1.0)) == (False, False)
    assert after_failure(circuit, BROKEN, 1.0) == Circuit(1, MODELS.first_pause, 1.0 + MODELS.first_pause)


errors = st.sampled_from([LATE, BROKEN, ProviderRefused("401"), ProviderRetryable("429", retry_after=1e6)])


@given(st.lists(st.tuples(errors, st.floats(0, 1_000)), max_size=40))
def test_pauses_are_bounded_and_end_and_deadlines_are_missed_once_a_pause(failures):
    circuit, now, missed = CLOSED, 1.0, 0
    pauses = 0
    for error, waited in failures:
        now += waited
        if circuit.is_open(now):
            continue
        missed += isinstance(error, ProviderLate)
        circuit = after_failure(circuit, error, now)
        pauses += circuit.is_open(now)
        assert circuit.open_until <= now + MODELS.longest_pause
        assert not circuit.is_open(now + MODELS.longest_pause)
    assert missed <= pauses
