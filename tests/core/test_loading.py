"""What is loaded once a process, whoever asks at the same time."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_platform.loading import loaded_once


def test_concurrent_callers_load_once_for_each_argument() -> None:
    loads: list[str] = []

    @loaded_once
    def load(name: str) -> object:
        loads.append(name)
        time.sleep(0.05)
        return object()

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(load, ["a"] * 4 + ["b"] * 4))

    assert sorted(loads) == ["a", "b"]
    assert len(set(map(id, found))) == 2


def test_where_it_raised_the_next_caller_tries_again() -> None:
    attempts: list[int] = []

    @loaded_once
    def load() -> int:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError
        return 7

    with pytest.raises(OSError, match=r"^$"):
        load()

    assert (load(), load(), len(attempts)) == (7, 7, 2)
