"""What the commands ask of the server: the contract's own answers, over REST.

The one module of the command line that knows the client.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from memory_platform import errors

Answer = Mapping[str, Any]
Lines = Sequence[Mapping[str, Any]]

LARGEST_PAGE = 100
_START_HINT = "Start one with `memory serve`, or set MEMORY_URL."
_BY_CODE: Mapping[str, type[errors.MemoryPlatformError]] = {
    kind.code: kind
    for kind in (
        errors.Unauthenticated, errors.Forbidden, errors.NotFound, errors.Invalid, errors.Conflict,
        errors.RateLimited, errors.TooComplex, errors.Unavailable,
    )
}  # fmt: skip


@contextmanager
def _told() -> Iterator[None]:
    """What the client raises, as the platform's own errors, which are all a command knows."""
    from memory_client.errors import MemoryClientError, Unreachable

    try:
        yield
    except MemoryClientError as error:
        kind = _BY_CODE.get(error.code, errors.Unavailable)
        hint = _START_HINT if isinstance(error, Unreachable) else error.hint
        raise kind(error.message, field=error.field, hint=hint, retry_after=error.retry_after) from error


class Server:
    """One server, with one key. Every method raises the platform's errors (memory_platform.errors)."""

    def __init__(self, url: str, api_key: str, *, user_id: str | None = None) -> None:
        from memory_client import MemoryClient

        with _told():
            self._client = MemoryClient(url, api_key, user_id=user_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, **params: Any) -> Any:
        """A parameter that is None is left out."""
        with _told():
            return self._client.rest("GET", f"/api/v1/{path}", query=params)

    def text(self, path: str, *, accepts: str, **params: Any) -> str:
        """An answer that is no JSON; a parameter that is None is left out."""
        with _told():
            return self._client.text(f"/api/v1/{path}", accepts=accepts, query=params)

    def post(self, path: str, **body: Any) -> Any:
        """A field that is None is left out."""
        with _told():
            return self._client.rest("POST", f"/api/v1/{path}", body=body)

    def each(self, path: str, **params: Any) -> Iterator[Answer]:
        """Every row of a list, page after page."""
        after = None
        while True:
            page = self.get(path, **{"first": LARGEST_PAGE, **params, "after": after})
            yield from page["items"]
            after = page["next"]
            if after is None:
                return

    def watch(self, *, after: str | None, seconds: float | None) -> Iterator[Answer]:
        """Events as they happen, behind an id or from now on."""
        with _told():
            for event in self._client.watch(after=after, seconds=seconds):
                yield event.as_dict()

    def every_user(self) -> dict[str, bool]:
        """The parameter that reaches every user's rows, where the key is not bound to one."""
        return {} if self.get("viewer")["user_id"] else {"all_users": True}

    def ingest(self, lines: Iterable[Mapping[str, Any]]) -> Answer:
        """Counts by state, and `results`: one for each line, numbered from 1."""
        with _told():
            return self._client.ingest(lines).as_dict()

    def take_in(self, lines: Sequence[Any], *, told: Callable[[int], None]) -> Lines:
        """Import a part of an export: what became of each line, in their order, numbered from 1; `told` hears how many
        were settled.
        """
        from memory_client import bulk

        with _told():
            return [each.as_dict() for each in self._client.run(bulk.imported(lines, self._client.retries, told))]

    def wait_for(self, job_ids: Sequence[str], *, seconds: float) -> Lines:
        """Wait until the jobs have ended and return them. Raises TimeoutError."""
        with _told():
            self._client.wait_for(job_ids, timeout=seconds)
        found: Lines = self.get("jobs", ids=list(job_ids))["items"]
        return found

    def wait_until_idle(self, *, stalled_seconds: float, told: Callable[[int], None]) -> None:
        """Watch the tenant's jobs until none waits or runs; `told` hears how many do.

        Raises TimeoutError when their number stands still.
        """
        with _told():
            self._client.wait_until_idle(stalled_seconds=stalled_seconds, progress=told)


def in_path(name: str) -> str:
    """A caller's own name as one segment of a path."""
    return quote(name, safe="")
