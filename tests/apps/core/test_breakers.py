"""What one process finds out about a model, all know: the state lies in Valkey."""

from types import SimpleNamespace
from uuid import uuid4

import pytest

from apps.core.breakers import OPEN, SharedBreaker
from memory_platform.circuit import MODELS, PROMPT
from memory_platform.errors import ProviderLate, ProviderRetryable

LATE, BROKEN = ProviderLate("late"), ProviderRetryable("500")


@pytest.fixture
def clock() -> SimpleNamespace:
    return SimpleNamespace(now=1_000.0)


@pytest.fixture
def workers(database, clock) -> list[SharedBreaker]:
    """The breaker of one model in three workers."""
    name = f"model-{uuid4().hex}"
    return [SharedBreaker(name, probe_seconds=30, clock=lambda: clock.now) for _ in range(3)]


def test_one_deadline_missed_spares_all_workers(workers, clock):
    assert [one.lets_pass() for one in workers] == [True] * 3

    workers[0].failed(LATE)

    assert [one.lets_pass() for one in workers] == [False] * 3
    assert OPEN.labels(workers[0].name)._value.get() == 1


def test_who_is_tolerant_is_left_alone_after_three_deadlines_in_a_row(database, clock):
    breaker = SharedBreaker(f"model-{uuid4().hex}", probe_seconds=30, pacing=PROMPT, clock=lambda: clock.now)

    passed = []
    for _ in range(3):
        breaker.failed(LATE)
        passed.append(breaker.lets_pass())

    assert passed == [True, True, False]


def test_after_the_pause_one_worker_tries_for_all(workers, clock):
    workers[0].failed(LATE)
    clock.now += MODELS.first_pause

    assert [one.lets_pass() for one in workers] == [True, False, False]
    workers[0].failed(BROKEN)
    clock.now += MODELS.first_pause
    assert [one.lets_pass() for one in workers] == [False] * 3
    clock.now += MODELS.first_pause
    assert [one.lets_pass() for one in reversed(workers)] == [True, False, False]


def test_an_answer_ends_it_for_all(workers, clock):
    workers[0].failed(LATE)
    clock.now += MODELS.first_pause
    assert workers[1].lets_pass()

    workers[1].succeeded()

    assert [one.lets_pass() for one in workers] == [True] * 3
    assert OPEN.labels(workers[0].name)._value.get() == 0


def test_failures_of_different_workers_add_up_and_an_answer_forgets_them(workers):
    workers[0].failed(BROKEN)
    workers[1].failed(BROKEN)
    workers[2].succeeded()
    workers[0].failed(BROKEN)
    workers[1].failed(BROKEN)
    assert workers[2].lets_pass()

    workers[2].failed(BROKEN)

    assert not workers[0].lets_pass()


def test_models_do_not_share(workers, database):
    workers[0].failed(LATE)

    assert SharedBreaker(f"model-{uuid4().hex}", probe_seconds=30).lets_pass()
