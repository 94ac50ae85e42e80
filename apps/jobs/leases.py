"""Leases on running jobs: renewed while their process lives, taken back at once when it is known to be dead."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import UUID

import structlog
from django.db import Error, connection

LEASE = "30 seconds"
RENEW_EVERY_SECONDS = 10.0

log = structlog.get_logger(__name__)


def worker_name() -> str:
    """Name this process as `host@namespace:pid:start`, by which others on the machine can tell whether it lives."""
    return _name(os.getpid())


def is_dead(worker: str) -> bool:
    """True only for a worker of this machine and pid namespace whose process is gone."""
    place, _, process = worker.partition(":")
    pid, _, start = process.partition(":")
    return place == _place() and pid.isdigit() and start != _start_time(int(pid))


@cache
def _name(pid: int) -> str:
    return f"{_place()}:{pid}:{_start_time(pid)}"


@cache
def _place() -> str:
    try:
        namespace = str(Path("/proc/self/ns/pid").stat().st_ino)
    except OSError:
        namespace = ""
    return f"{socket.gethostname()[:64].replace(':', '-')}@{namespace}"


def _start_time(pid: int) -> str:
    """Clock ticks from boot to the start of the process; "alive" where the system does not tell; "" when gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return "" if Path("/proc/self").exists() else _answers(pid)
    state, *fields = stat.rpartition(")")[2].split()
    return "" if state in {"Z", "X"} else fields[18]


def _answers(pid: int) -> str:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        return "alive"
    return "alive"


@dataclass(frozen=True, slots=True)
class _Lease:
    worker: str
    give_up_at: float


class Leases:
    """The jobs this process runs. One thread renews them all, and only exists while there are any."""

    def __init__(self) -> None:
        self._held: dict[UUID, _Lease] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, job_id: UUID, *, worker: str, timeout_seconds: float) -> Iterator[None]:
        """Keep the lease of a claimed job alive within the block, for at most `timeout_seconds`."""
        held = _Lease(worker, time.monotonic() + timeout_seconds)
        with self._changed:
            self._held[job_id] = held
            if self._thread is None:
                self._thread = threading.Thread(target=self._renew_until_idle, name="job-leases", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._changed:
                # A job that goes on in turns is queued again by then, and another thread may hold it already.
                if self._held.get(job_id) is held:
                    del self._held[job_id]

    def active(self) -> list[UUID]:
        with self._changed:
            return list(self._held)

    def _renew_until_idle(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(RENEW_EVERY_SECONDS)
                if not self._held:
                    self._thread = None
                    return
                due = self._due()
            self._renew(due)

    def _due(self) -> dict[str, list[UUID]]:
        due: dict[str, list[UUID]] = {}
        for job_id, held in self._held.items():
            if time.monotonic() < held.give_up_at:
                due.setdefault(held.worker, []).append(job_id)
        return due

    def _renew(self, due: dict[str, list[UUID]]) -> None:
        try:
            with connection.cursor() as cursor:
                for worker, job_ids in due.items():
                    cursor.execute("SELECT renew_jobs(%s, %s, %s)", [worker, job_ids, LEASE])
        except Error as error:
            log.warning("jobs.renewal_failed", error_class=type(error).__name__)
        finally:
            connection.close()


leases = Leases()
