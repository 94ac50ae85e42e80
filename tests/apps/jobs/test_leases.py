"""Who is dead, and which leases are renewed."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from apps.jobs import leases
from apps.jobs.leases import Leases, is_dead, worker_name


def test_this_process_lives():
    assert not is_dead(worker_name())


def test_a_process_that_ended_is_dead():
    ended = subprocess.run(
        [sys.executable, "-c", "from apps.jobs.leases import worker_name; print(worker_name())"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert is_dead(ended.stdout.strip())


def test_another_process_under_the_same_number_is_dead():
    place, pid, start = worker_name().split(":")

    assert is_dead(f"{place}:{pid}:{int(start) - 1}")


@pytest.mark.parametrize("worker", ["elsewhere@4026531836:1:1", "test", ""])
def test_nothing_is_known_of_other_machines(worker):
    assert not is_dead(worker)


def test_a_lease_past_its_timeout_is_not_renewed(monkeypatch):
    monkeypatch.setattr(leases, "RENEW_EVERY_SECONDS", 60.0)
    held = Leases()

    with held.hold("slow", worker="w", timeout_seconds=0.0), held.hold("quick", worker="w", timeout_seconds=60.0):
        assert held._due() == {"w": ["quick"]}
        assert held.active() == ["slow", "quick"]
    assert held.active() == []


def test_what_another_thread_holds_by_now_stays_held():
    held, first, second = Leases(), ExitStack(), ExitStack()
    first.enter_context(held.hold("in turns", worker="w", timeout_seconds=60.0))
    second.enter_context(held.hold("in turns", worker="w", timeout_seconds=60.0))

    first.close()

    assert held.active() == ["in turns"]
    second.close()
    assert held.active() == []
