"""One child process: bound to its parent, remembered in a pid file, stopped within bounds, cleared when left behind."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from apps.stack.accounts import Account

DIE_WITH_PARENT = Path(__file__).with_name("die_with_parent.py")
POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Program:
    """What to run. `stop_signals` are tried in turn, each with the seconds it is given before the next; SIGKILL ends
    the list by itself. `environment` None inherits ours; `account` None keeps our own user.
    """

    name: str
    command: Sequence[str]
    stop_signals: Sequence[tuple[signal.Signals, float]] = ((signal.SIGTERM, 10.0),)
    environment: Mapping[str, str] | None = None
    directory: Path | None = None
    account: Account | None = None


def bound_to_parent(program: Program) -> list[str]:
    """The command line that starts `program` bound to this process."""
    uid, gid = (str(program.account.uid), str(program.account.gid)) if program.account else ("-", "-")
    death_signal = str(int(program.stop_signals[0][0]))
    launcher = [sys.executable, "-I", "-S", str(DIE_WITH_PARENT), death_signal, str(os.getpid()), uid, gid]
    return [*launcher, *program.command]


def command_line(pid: int) -> str | None:
    """The command line of a running process, arguments joined by blanks; None when there is no such process."""
    if platform.system() == "Linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode() or None
        except (OSError, UnicodeDecodeError):
            return None
    command = ["/bin/ps", "-ww", "-p", str(pid), "-o", "command="]
    listing = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return listing.stdout.strip() or None


def wait_until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Whether `condition` came true within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


class ServerProcess:
    """A child process and its pid file `run_directory/NAME.pid`.

    Linux ends the child when the *thread* that called `start` ends: start long-lived servers from a thread that
    outlives them.
    """

    def __init__(self, program: Program, *, run_directory: Path) -> None:
        self.program = program
        self._pid_file = run_directory / f"{program.name}.pid"
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        return self._child.pid if self.is_running and self._child else None

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    @property
    def exit_code(self) -> int | None:
        return self._child.poll() if self._child else None

    @property
    def output(self) -> IO[bytes] | None:
        """The child's output when it was started with `subprocess.PIPE`."""
        return self._child.stdout if self._child else None

    def start(self, output: int | IO[bytes]) -> None:
        """Start the child in a session of its own, so that Ctrl-C reaches only the one who stops it in order."""
        self._pid_file.parent.mkdir(parents=True, exist_ok=True)
        self._child = subprocess.Popen(  # noqa: S603 - the command is ours
            bound_to_parent(self.program),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(self.program.environment) if self.program.environment is not None else None,
            cwd=self.program.directory,
            start_new_session=True,
        )
        record = {"pid": self._child.pid, "command": " ".join(self.program.command)}
        self._pid_file.write_text(json.dumps(record))

    def stop(self) -> None:
        """Stop the child and everything it started; returns when they are gone. Nothing to stop is fine."""
        child = self._child
        if child is None:
            return
        for stop_signal, seconds in self.program.stop_signals:
            if child.poll() is not None:
                break
            child.send_signal(stop_signal)
            wait_until(lambda: child.poll() is not None, seconds=seconds)
        self.kill()

    def kill(self) -> None:
        """End the child and its process group at once, also the group of a child that ended by itself."""
        if self._child is None:
            return
        _send(signal.SIGKILL, group=self._child.pid)
        self._child.wait()
        if self._child.stdout:
            self._child.stdout.close()
        self._child = None
        self._pid_file.unlink(missing_ok=True)

    def clear_leftover(self) -> int | None:
        """Stop what a killed run left behind and return its pid; None when nothing was left.

        The pid counts only while the process still has the command line that was written down: pids are reused.
        """
        pid, command = self._read_pid_file()
        if pid is None or command_line(pid) != command:
            self._pid_file.unlink(missing_ok=True)
            return None
        for stop_signal, seconds in (*self.program.stop_signals, (signal.SIGKILL, 5.0)):
            _send(stop_signal, pid=pid)
            if wait_until(lambda: command_line(pid) != command, seconds=seconds):
                break
        _send(signal.SIGKILL, group=pid)
        self._pid_file.unlink(missing_ok=True)
        return pid

    def _read_pid_file(self) -> tuple[int | None, str]:
        try:
            record = json.loads(self._pid_file.read_text())
            return int(record["pid"]), str(record["command"])
        except (OSError, ValueError, KeyError, TypeError):
            return None, ""


def _send(which: signal.Signals, *, pid: int | None = None, group: int | None = None) -> None:
    try:
        if group is not None:
            os.killpg(group, which)
        elif pid is not None:
            os.kill(pid, which)
    except (ProcessLookupError, PermissionError):
        # Already gone; macOS answers "not permitted" for a group whose members are all zombies.
        return
