"""The supervisor against processes that are killed under it, and against its own death."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from apps.stack.memory_use import process_tree
from apps.stack.process import command_line, wait_until
from apps.stack.supervisor import FIRST_TENANT, Stack, StackOptions
from tests.stacks import stack_of_its_own

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.timeout(300)]

COMPONENTS = ("postgres", "valkey", "worker", "web")
SERVE = """
import json, sys
from pathlib import Path
from apps.stack.supervisor import StackOptions, serve

def announce(stack):
    print(json.dumps({"url": stack.url, "pids": stack.all_pids(), "tenant": stack.first_tenant}), flush=True)

serve(StackOptions(root=Path(sys.argv[1]), port=0), report=lambda line: None, announce=announce, follow_logs=False)
"""


@dataclass(frozen=True, slots=True)
class Served:
    process: subprocess.Popen[str]
    url: str
    pids: dict[str, list[int]]
    tenant: dict[str, object]

    @property
    def all_pids(self) -> list[int]:
        return [pid for pids in self.pids.values() for pid in pids]


def serve(root: Path) -> Served:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return Served(process, **json.loads(line))


def is_alive(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/livez", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def all_gone(pids: list[int]) -> bool:
    return all(command_line(pid) is None for pid in pids)


@pytest.fixture(scope="module")
def supervised() -> Iterator[Stack]:
    with stack_of_its_own("minilm", supervised=True) as stack:
        yield stack


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_killed_component_comes_back_and_the_server_answers(supervised: Stack, name: str) -> None:
    before = supervised.pids
    assert set(before) == set(COMPONENTS)

    os.kill(before[name], signal.SIGKILL)

    assert wait_until(lambda: supervised.restarts[name] == 1, seconds=60)
    assert wait_until(lambda: is_alive(supervised.url), seconds=60)
    assert wait_until(lambda: supervised.pids.get(name) not in {None, before[name]}, seconds=60)
    assert {other: supervised.pids[other] for other in COMPONENTS if other != name} == {
        other: pid for other, pid in before.items() if other != name
    }


def test_a_killed_component_takes_its_own_children_along(supervised: Stack) -> None:
    tree = process_tree(supervised.pids["web"])
    assert len(tree) > 1

    os.kill(tree[0], signal.SIGKILL)

    assert wait_until(lambda: all_gone(tree), seconds=10)
    assert wait_until(lambda: is_alive(supervised.url), seconds=60)


def test_a_terminated_supervisor_stops_everything_within_its_bounds() -> None:
    with tempfile.TemporaryDirectory() as folder:
        served = serve(Path(folder))
        assert is_alive(served.url)

        began = time.monotonic()
        served.process.send_signal(signal.SIGTERM)

        assert served.process.wait(60) == 0
        assert time.monotonic() - began < 30
        assert all_gone(served.all_pids)
        served.process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent ended")
def test_a_killed_supervisor_leaves_nothing_and_the_next_one_finds_the_same_tenant() -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = serve(Path(folder))
        assert first.tenant["created"] is True
        assert wait_until(lambda: "api_key" not in (Path(folder) / FIRST_TENANT).read_text(), seconds=10)

        first.process.kill()
        first.process.communicate()
        assert wait_until(lambda: all_gone(first.all_pids), seconds=30)

        second = serve(Path(folder))
        assert second.tenant == {"created": False, "tenant": first.tenant["tenant"]}
        assert is_alive(second.url)
        second.process.send_signal(signal.SIGINT)
        assert second.process.wait(60) == 0
        second.process.communicate()


def test_the_secrets_of_a_first_start_that_failed_are_handed_over_by_the_next(monkeypatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = started_and_stopped(Path(folder))
        with monkeypatch.context() as patched:
            patched.setattr(Stack, "manage", lambda *_words, **_options: pytest.fail("There is nothing to do."))
            second = started_and_stopped(Path(folder))

        assert second.first_tenant["api_key"] == first.first_tenant["api_key"]

        # Shown, and then the file of whoever tidied up.
        second.forget_secrets()
        assert "api_key" not in started_and_stopped(Path(folder)).first_tenant
        (Path(folder) / FIRST_TENANT).unlink()
        assert started_and_stopped(Path(folder)).first_tenant == {"created": False, "tenant": "default"}


def started_and_stopped(folder: Path) -> Stack:
    stack = Stack(StackOptions(root=folder, web=False, worker=False), report=lambda _line: None)
    stack.start()
    stack.stop()
    return stack


def test_a_private_stack_leaves_no_process_and_no_folder() -> None:
    with stack_of_its_own("wordllama", web=False, worker=False) as stack:
        root, pids = stack.root, list(stack.pids.values())
        assert set(stack.pids) == {"postgres", "valkey"}

    assert all_gone(pids)
    assert not root.exists()
