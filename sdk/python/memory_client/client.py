"""The clients: the verbs of the contract, and what is more than one request."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_client import bulk, jobs, requests, watching
from memory_client.contract import Ingest, IngestLine, Job, MemoryEvent
from memory_client.exchange import answer_of
from memory_client.jobs import Progress
from memory_client.verbs import AwaitingVerbs, BlockingVerbs

WAIT_SECONDS = 60.0
STALLED_SECONDS = 120.0


class MemoryClient(BlockingVerbs):
    """One agent's memory. Use it as a context manager, or `close()` it; threads may share it.

    Every method raises MemoryClientError (memory_client.errors). With `user_id` everything is read and written for this
    user, as with a key that is bound to it.
    """

    def ingest(self, lines: Iterable[IngestLine | Mapping[str, Any]]) -> Ingest:
        """Messages in bulk, any number: they travel in parts and the server's limit is waited out. Safe to repeat."""
        return self.run(bulk.ingest(lines, self.retries))

    def wait_for(
        self, job_ids: Sequence[str], *, timeout: float = WAIT_SECONDS, progress: Progress | None = None
    ) -> tuple[Job, ...]:
        """Wait until the jobs have ended; `progress` gets how many have. Raises TimeoutError."""
        return self.run(jobs.finished(job_ids, self.retries, timeout=timeout, progress=progress))

    def wait_until_idle(self, *, stalled_seconds: float = STALLED_SECONDS, progress: Progress | None = None) -> None:
        """Wait until the tenant has no jobs left; `progress` gets how many it has. Raises TimeoutError."""
        return self.run(jobs.idle(self.retries, stalled_seconds=stalled_seconds, progress=progress))

    def watch(
        self, *, after: str | None = None, user_id: str | None = None, seconds: float | None = None
    ) -> Iterator[MemoryEvent]:
        """What happens, as it happens, behind the id `after` or from now on; ends after `seconds`, if they are given.

        A server that is away is waited for; nothing that happened meanwhile is missed.
        """
        until = watching.deadline(seconds)
        while True:
            found = self.run(watching.more(after, self.retries, user_id=user_id, until=until))
            yield from found.items
            after = found.next
            if watching.is_over(until):
                return

    def rest(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Ask a path such as /api/v1/stats and return its JSON as it is; what is None is left out."""
        return self.run(answer_of(requests.rest(method, path, query, body), self.retries))

    def text(self, path: str, *, accepts: str, query: Mapping[str, Any] | None = None) -> str:
        """Read a path in a form of its own, such as /api/v1/usage in text/csv; what is None is left out."""
        return self.run(answer_of(requests.text(path, accepts, query), self.retries))

    def graphql(self, document: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Run a GraphQL document and return its `data`, for what no verb asks."""
        return self.run(answer_of(requests.graphql(document, variables or {}), self.retries))


class AsyncMemoryClient(AwaitingVerbs):
    """MemoryClient for asyncio: the same methods, awaited."""

    async def ingest(self, lines: Iterable[IngestLine | Mapping[str, Any]]) -> Ingest:
        """Messages in bulk, any number: they travel in parts and the server's limit is waited out. Safe to repeat."""
        return await self.run(bulk.ingest(lines, self.retries))

    async def wait_for(
        self,
        job_ids: Sequence[str],
        *,
        timeout: float = WAIT_SECONDS,  # noqa: ASYNC109  the same word as in the other client
        progress: Progress | None = None,
    ) -> tuple[Job, ...]:
        """Wait until the jobs have ended; `progress` gets how many have. Raises TimeoutError."""
        return await self.run(jobs.finished(job_ids, self.retries, timeout=timeout, progress=progress))

    async def wait_until_idle(
        self, *, stalled_seconds: float = STALLED_SECONDS, progress: Progress | None = None
    ) -> None:
        """Wait until the tenant has no jobs left; `progress` gets how many it has. Raises TimeoutError."""
        return await self.run(jobs.idle(self.retries, stalled_seconds=stalled_seconds, progress=progress))

    async def watch(
        self, *, after: str | None = None, user_id: str | None = None, seconds: float | None = None
    ) -> AsyncIterator[MemoryEvent]:
        """What happens, as it happens, behind the id `after` or from now on; ends after `seconds`, if they are given.

        A server that is away is waited for; nothing that happened meanwhile is missed.
        """
        until = watching.deadline(seconds)
        while True:
            found = await self.run(watching.more(after, self.retries, user_id=user_id, until=until))
            for event in found.items:
                yield event
            after = found.next
            if watching.is_over(until):
                return

    async def rest(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Ask a path such as /api/v1/stats and return its JSON as it is; what is None is left out."""
        return await self.run(answer_of(requests.rest(method, path, query, body), self.retries))

    async def text(self, path: str, *, accepts: str, query: Mapping[str, Any] | None = None) -> str:
        """Read a path in a form of its own, such as /api/v1/usage in text/csv; what is None is left out."""
        return await self.run(answer_of(requests.text(path, accepts, query), self.retries))

    async def graphql(self, document: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Run a GraphQL document and return its `data`, for what no verb asks."""
        return await self.run(answer_of(requests.graphql(document, variables or {}), self.retries))
