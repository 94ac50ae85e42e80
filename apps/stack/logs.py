"""Log files of the servers, and their lines on the console."""

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

MAX_LOG_BYTES = 5_000_000
FOLLOW_SECONDS = 0.25
COLOURS = {"postgres": 34, "valkey": 35, "web": 32, "worker": 36}
# What the servers say at every start and at every shutdown, which would bury what matters.
ROUTINE = {
    "postgres": (" LOG: ",),
    "worker": ("Scheduler: Sending due task",),
    "valkey": ("overcommit", "SIGTERM scheduling", "ready to exit"),
}


def open_log(path: Path) -> IO[bytes]:
    """Open for appending (mode 0600); a log past `MAX_LOG_BYTES` becomes `NAME.1` first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def last_lines(path: Path, *, count: int = 12) -> str:
    """The last lines of a log; empty when there is none."""
    if not path.exists():
        return ""
    return "\n".join(path.read_text(errors="replace").splitlines()[-count:])


def prefixed(name: str, line: str, *, colour: bool) -> str:
    label = f"{name:<8} | "
    return f"\x1b[{COLOURS.get(name, 37)}m{label}\x1b[0m{line}" if colour else label + line


class LogFollower:
    """Hands every new line of the logs to `write`, from a thread of its own, and keeps the files within bounds.

    Files instead of pipes: a server outlives the death of whoever reads, never blocks on a full pipe, and its last
    words are still there afterwards.
    """

    def __init__(self, logs: Mapping[str, Path], *, write: Callable[[str], None], colour: bool) -> None:
        self._logs = logs
        self._write = write
        self._colour = colour
        self._offsets = {name: path.stat().st_size if path.exists() else 0 for name, path in logs.items()}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when the last lines are out; fine when it was never started."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(FOLLOW_SECONDS):
            self._forward_all()
        self._forward_all()

    def _forward_all(self) -> None:
        for name, path in self._logs.items():
            if path.exists():
                self._forward(name, path)

    def _forward(self, name: str, path: Path) -> None:
        size = path.stat().st_size
        if size < self._offsets[name]:
            self._offsets[name] = 0
        with path.open("rb") as file:
            file.seek(self._offsets[name])
            complete, newline, _ = file.read().rpartition(b"\n")
        self._offsets[name] += len(complete) + len(newline)
        for line in complete.decode(errors="replace").splitlines():
            if line.strip() and not any(mark in line for mark in ROUTINE.get(name, ())):
                self._write(prefixed(name, line, colour=self._colour))
        if self._offsets[name] > MAX_LOG_BYTES:
            # The servers append, so a truncated file simply starts over.
            os.truncate(path, 0)
            self._offsets[name] = 0
