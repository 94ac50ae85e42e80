import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from apps.stack.process import Program, ServerProcess, command_line, wait_until

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)",
]


def started(program: Program, folder: Path) -> ServerProcess:
    process = ServerProcess(program, run_directory=folder)
    process.start(subprocess.DEVNULL)
    return process


def test_a_stopped_process_is_gone_and_forgotten(tmp_path: Path) -> None:
    process = started(Program(name="sleeper", command=SLEEPER), tmp_path)
    pid = process.pid
    assert pid is not None
    assert wait_until(lambda: command_line(pid) == " ".join(SLEEPER), seconds=5)

    process.stop()

    assert command_line(pid) is None
    assert process.pid is None
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ignores_its_signal_is_killed_within_the_bound(tmp_path: Path) -> None:
    process = ServerProcess(
        Program(name="stubborn", command=STUBBORN, stop_signals=((signal.SIGTERM, 0.3),)), run_directory=tmp_path
    )
    log = tmp_path / "log"
    with log.open("wb") as output:
        process.start(output)
    assert wait_until(lambda: log.read_text() == "up\n", seconds=5)

    began = time.monotonic()
    process.stop()

    assert 0.3 <= time.monotonic() - began < 3
    assert not process.is_running


def test_stopping_ends_the_children_of_the_process_too(tmp_path: Path) -> None:
    parent = textwrap.dedent("""
        import subprocess, sys, time
        print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid, flush=True)
        time.sleep(60)
    """)
    process = ServerProcess(Program(name="parent", command=[sys.executable, "-c", parent]), run_directory=tmp_path)
    log = tmp_path / "log"
    with log.open("wb") as output:
        process.start(output)
    assert wait_until(lambda: log.read_text().endswith("\n"), seconds=5)
    child = int(log.read_text())

    process.stop()

    assert wait_until(lambda: command_line(child) is None, seconds=5)


def test_a_leftover_is_stopped_by_the_next_start(tmp_path: Path) -> None:
    leftover = subprocess.Popen(SLEEPER, start_new_session=True)
    assert wait_until(lambda: command_line(leftover.pid) == " ".join(SLEEPER), seconds=5)
    (tmp_path / "sleeper.pid").write_text(json.dumps({"pid": leftover.pid, "command": " ".join(SLEEPER)}))

    cleared = ServerProcess(Program(name="sleeper", command=SLEEPER), run_directory=tmp_path).clear_leftover()

    assert cleared == leftover.pid
    assert leftover.wait(5) == -signal.SIGTERM


def test_a_reused_pid_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "sleeper.pid").write_text(json.dumps({"pid": os.getpid(), "command": " ".join(SLEEPER)}))

    cleared = ServerProcess(Program(name="sleeper", command=SLEEPER), run_directory=tmp_path).clear_leftover()

    assert cleared is None
    assert not (tmp_path / "sleeper.pid").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x", "command": ""}', '{"command": ""}'])
def test_a_broken_pid_file_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "sleeper.pid").write_text(content)

    assert ServerProcess(Program(name="sleeper", command=SLEEPER), run_directory=tmp_path).clear_leftover() is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent ended")
def test_a_child_ends_with_its_killed_parent(tmp_path: Path) -> None:
    parent = textwrap.dedent(f"""
        import subprocess, time
        from pathlib import Path
        from apps.stack.process import Program, ServerProcess
        child = ServerProcess(Program(name="child", command={SLEEPER!r}), run_directory=Path({str(tmp_path)!r}))
        child.start(subprocess.DEVNULL)
        print(child.pid, flush=True)
        time.sleep(60)
    """)
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert wait_until(lambda: command_line(child) == " ".join(SLEEPER), seconds=5)

        process.kill()

        assert wait_until(lambda: command_line(child) is None, seconds=5)
