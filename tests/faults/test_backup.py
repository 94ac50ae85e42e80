"""A deployment that loses its database and gets it back, as its operator would do it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apps.stack.supervisor import Stack, StackOptions
from memory_client import MemoryClient

pytestmark = [pytest.mark.faults, pytest.mark.heavy, pytest.mark.slow, pytest.mark.timeout(900)]

MEMORY = Path(sys.executable).with_name("memory")
SAID = "The spare key of the lighthouse is in the blue boat."


@contextmanager
def running(root: Path, reports: list[str] | None = None) -> Iterator[Stack]:
    options = StackOptions(root=root, port=0, worker=False, environment={"MEMORY_EMBEDDER": "wordllama"})
    stack = Stack(options, report=[].append if reports is None else reports.append)
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


def memory(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
    done = subprocess.run(
        [MEMORY, *words],
        env={**environment, "MEMORY_HOME": str(root), "MEMORY_EMBEDDER": "wordllama"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


def test_a_lost_database_comes_back_with_its_memories_and_keys(tmp_path: Path) -> None:
    root, while_it_runs, stopped = tmp_path / "home", tmp_path / "running.backup", tmp_path / "stopped.backup"
    reports: list[str] = []
    with running(root, reports) as stack:
        key = str(stack.first_tenant["api_key"])
        with MemoryClient(stack.url, key) as agent:
            assert agent.remember(SAID).outcome == "stored"
        first = memory(root, "backup", str(while_it_runs), "--json")
        refused = memory(root, "restore", str(while_it_runs), "--force")
    second = memory(root, "backup", str(stopped), "--json")

    assert [line for line in reports if "migrations applied" in line]

    assert (first.returncode, refused.returncode, second.returncode) == (0, 1, 0), first.stderr + second.stderr
    assert "is already in use by process" in refused.stderr
    assert json.loads(first.stdout)["rows"] == json.loads(second.stdout)["rows"]
    shutil.rmtree(root / "postgres" / "data")
    assert memory(root, "restore", str(while_it_runs)).returncode == 0

    reports.clear()
    with running(root, reports) as stack:
        assert not [line for line in reports if "migrations" in line]
        assert "api_key" not in stack.first_tenant or stack.first_tenant["api_key"] == key
        with MemoryClient(stack.url, key) as agent:
            assert SAID in [hit.text for hit in agent.recall("Where is the spare key of the lighthouse?").hits]
    again = memory(root, "restore", str(stopped))
    assert again.returncode == 1
    assert "holds" in again.stderr
    assert "--force" in again.stderr
