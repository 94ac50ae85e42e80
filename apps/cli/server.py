"""What the commands ask of the server: the contract's own answers, over REST.

The one module of the command line that knows the client.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from memory_platform.client import MemoryAgent

Answer = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]

LARGEST_PAGE = 100
POLL_SECONDS = 0.15
_UNFINISHED = frozenset({"queued", "running"})


class Server:
    """One server, with one key. Every method raises the platform's errors (memory_platform.errors)."""

    def __init__(self, url: str, api_key: str, *, user_id: str | None = None) -> None:
        self.client = MemoryAgent(url, api_key, user_id=user_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()

    def get(self, path: str, **params: Any) -> Any:
        """A parameter that is None is left out."""
        return self.client.rest("GET", path, **params)

    def post(self, path: str, **body: Any) -> Any:
        """A field that is None is left out."""
        return self.client.rest("POST", path, body={name: value for name, value in body.items() if value is not None})

    def each(self, path: str, **params: Any) -> Iterator[Answer]:
        """Every row of a list, page after page."""
        after = None
        while True:
            page = self.get(path, **{"first": LARGEST_PAGE, **params, "after": after})
            yield from page["items"]
            after = page["next"]
            if after is None:
                return

    def every_user(self) -> dict[str, bool]:
        """The parameter that reaches every user's rows, where the key is not bound to one."""
        return {} if self.get("viewer")["user_id"] else {"all_users": True}

    def ingest(self, lines: Iterable[Mapping[str, Any]]) -> Answer:
        """Counts by state, and `results`: one for each line, numbered from 1."""
        return self.client.ingest(lines)

    def wait_for(self, job_ids: Sequence[str], *, seconds: float) -> Sequence[Answer]:
        """Wait until the jobs have ended and return them. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while True:
            jobs: Sequence[Answer] = self.get("jobs", ids=list(job_ids))["items"]
            waiting = sum(job["state"] in _UNFINISHED for job in jobs)
            if not waiting:
                return jobs
            if time.monotonic() > deadline:
                raise TimeoutError(f"{waiting} of {len(job_ids)} jobs were not done after {seconds:.0f} s.")
            time.sleep(POLL_SECONDS)


def in_path(name: str) -> str:
    """A caller's own name as one segment of a path."""
    return quote(name, safe="")


def wait_until_idle(client: MemoryAgent, *, stalled_seconds: float, told: Callable[[int], None]) -> None:
    """Watch the tenant's jobs until none waits or runs; `told` hears how many do.

    Raises TimeoutError when their number stands still.
    """
    before, moved_at = 0, time.monotonic()
    while waiting := int(client.rest("GET", "stats")["jobs_queued"]):
        if waiting != before:
            before, moved_at = waiting, time.monotonic()
        elif time.monotonic() - moved_at > stalled_seconds:
            raise TimeoutError(f"Everything is stored; {waiting} jobs made no progress in {stalled_seconds:.0f} s.")
        told(waiting)
        time.sleep(POLL_SECONDS)
