"""MemoryAgent: the verbs of the API as methods."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from memory_platform.client import bulk, operations
from memory_platform.client.results import Capture, ContextBlock, Hit, Recall, WriteResult
from memory_platform.client.transport import Transport

UNFINISHED = frozenset({"QUEUED", "RUNNING"})


class MemoryAgent:
    """One agent's memory. Use it as a context manager, or `close()` it.

    Every method raises the platform's errors (memory_platform.errors): Unauthenticated, Forbidden, NotFound, Invalid,
    Conflict, RateLimited, Unavailable. Refusals that name a short `retry_after` are waited out.

    With `user_id` everything is read and written for this user, as with a key that is bound to it; no method can then
    name another.
    """

    def __init__(self, url: str, api_key: str, *, user_id: str | None = None, timeout: float = 30.0) -> None:
        self._transport = Transport(url, api_key, user_id=user_id, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def query(self, topic: str, **options: Any) -> tuple[Hit, ...]:
        """The few memories worth knowing about `topic`, best first; empty when nothing is relevant."""
        return self.recall(topic, **options).hits

    def recall(self, query: str, *, explain: bool = False, **options: Any) -> Recall:
        """Options are those of RecallOptions: profile, limit, maxTokens, filter, asOf, messages and so on."""
        operation = operations.RECALL_EXPLAINED if explain else operations.RECALL
        return Recall.parse(self._run(operation, query=query, options={"explain": explain, **options}))

    def context(self, query: str | None = None, **options: Any) -> ContextBlock:
        """The block to put in front of the model."""
        return ContextBlock.parse(self._run(operations.CONTEXT, query=query, options=options))

    def capture_turn(
        self,
        session_id: str,
        *,
        user_input: str | None = None,
        llm_output: str | None = None,
        tool_calls: Any = None,
        internal_state: Any = None,
        turn_number: int | None = None,
        user_id: str | None = None,
        occurred_at: datetime | None = None,
    ) -> Capture:
        """Send one turn. Idempotent when `turn_number` is given."""
        turn = {
            "sessionId": session_id,
            "turnNumber": turn_number,
            "userId": user_id,
            "userInput": user_input,
            "toolCalls": tool_calls,
            "llmOutput": llm_output,
            "internalState": internal_state,
            "occurredAt": occurred_at.isoformat() if occurred_at else None,
        }
        return Capture.parse(self._run(operations.CAPTURE_TURN, input=_present(turn)))

    def ingest(self, lines: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Send messages in bulk: {external_id, session_id, speaker, content, content_at}. Safe to repeat.

        Any number of them: they travel in parts, and the server's limit is waited out. Returns the counts `accepted`,
        `duplicate`, `invalid` and `conflict`, and `results`, one for each line.
        """
        return bulk.ingest(self._transport, (json.dumps(line).encode() + b"\n" for line in lines))

    def remember(self, text: str, **fields: Any) -> WriteResult:
        """An explicit fact. Fields are those of RememberInput: kind, category, validFrom, externalId and so on."""
        return WriteResult.parse(self._run(operations.REMEMBER, input={"text": text, **fields}))

    def correct(self, memory_id: str, text: str, *, reason: str | None = None) -> WriteResult:
        return WriteResult.parse(self._run(operations.CORRECT, id=memory_id, text=text, reason=reason))

    def confirm(self, memory_id: str) -> Mapping[str, Any]:
        return dict(self._run(operations.CONFIRM, id=memory_id))

    def share(self, memory_id: str, *, domain: str | None = None) -> Mapping[str, Any]:
        """Make a private memory known to all agents of the tenant; returns the shared one. Needs the scope share."""
        return dict(self._run(operations.SHARE, id=memory_id, domain=domain))

    def recall_shared(self, query: str, *, domain: str | None = None, **options: Any) -> Recall:
        """Ask what agents share; `domain` is a category. Further options are those of `recall`."""
        wanted = _present({**options.pop("filter", {}), "visibility": "SHARED", "domain": domain})
        return self.recall(query, filter=wanted, **options)

    def shared_domains(self) -> Sequence[Mapping[str, Any]]:
        """What agents share, by domain: memories, agents, lastWriteAt."""
        return list(self._run(operations.SHARED_DOMAINS))

    def forget(self, **what: Any) -> Mapping[str, Any]:
        """By `ids`, `userId` or `query`; `dryRun=True` lists what would go."""
        return dict(self._run(operations.FORGET, input=what))

    def restore(self, batch_id: str) -> Mapping[str, Any]:
        return dict(self._run(operations.RESTORE, batchId=batch_id))

    def report_output(self, recall_id: str, output: str) -> Mapping[str, Any]:
        return dict(self._run(operations.REPORT_OUTPUT, recallId=recall_id, output=output))

    def memory(self, memory_id: str) -> Mapping[str, Any] | None:
        return self._optional(self._run(operations.MEMORY, id=memory_id))

    def memories(
        self,
        *,
        filter: Mapping[str, Any] | None = None,  # noqa: A002  the API's word
        first: int = 20,
        after: str | None = None,
    ) -> Mapping[str, Any]:
        return dict(self._run(operations.MEMORIES, filter=filter, first=first, after=after))

    def explain(self, memory_id: str) -> Mapping[str, Any] | None:
        return self._optional(self._run(operations.EXPLAIN, id=memory_id))

    def rejections(self, *, first: int = 20, after: str | None = None) -> Mapping[str, Any]:
        """What the gate, dedup or a contradiction kept out, newest first, with the reason."""
        return dict(self._run(operations.REJECTIONS, first=first, after=after))

    def entity(
        self,
        *,
        id: str | None = None,  # noqa: A002  the API's word
        name: str | None = None,
        as_of: datetime | None = None,
        user_id: str | None = None,
    ) -> Mapping[str, Any] | None:
        """A profile, by id or by name: facts, timeline, related entities, who said so; None when there is none."""
        moment = as_of.isoformat() if as_of else None
        return self._optional(self._run(operations.ENTITY, id=id, name=name, asOf=moment, **_of(user_id)))

    def entities(
        self,
        *,
        search: str | None = None,
        type: str | None = None,  # noqa: A002  the API's word
        first: int = 20,
        after: str | None = None,
        user_id: str | None = None,
    ) -> Mapping[str, Any]:
        """Who and what is spoken of, the most mentioned first."""
        return dict(self._run(operations.ENTITIES, search=search, type=type, first=first, after=after, **_of(user_id)))

    def path(
        self,
        from_id: str,
        to_id: str,
        *,
        max_depth: int = 4,
        as_of: datetime | None = None,
        user_id: str | None = None,
    ) -> Sequence[Mapping[str, Any]] | None:
        """How two entities are connected, step by step; None: not within `max_depth` hops."""
        moment = as_of.isoformat() if as_of else None
        ends = {"from": from_id, "to": to_id}
        steps = self._run(operations.PATH, **ends, maxDepth=max_depth, asOf=moment, **_of(user_id))
        return None if steps is None else list(steps)

    def merge_entities(self, into: str, from_ids: Sequence[str]) -> Mapping[str, Any]:
        """Make one entity of several."""
        return dict(self._run(operations.MERGE_ENTITIES, **{"into": into, "from": list(from_ids)}))

    def split_entity(self, entity_id: str, aliases: Sequence[str]) -> Mapping[str, Any]:
        """Give some names of an entity one of their own, which is returned."""
        return dict(self._run(operations.SPLIT_ENTITY, id=entity_id, aliases=list(aliases)))

    def stats(self) -> Mapping[str, Any]:
        return dict(self._run(operations.STATS))

    def viewer(self) -> Mapping[str, Any]:
        return dict(self._run(operations.VIEWER))

    def jobs(self, ids: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        return list(self._run(operations.JOBS, ids=list(ids)))

    def wait_for(
        self, job_ids: Sequence[str], *, timeout: float = 60.0, progress: Callable[[int], None] | None = None
    ) -> Sequence[Mapping[str, Any]]:
        """Wait until the jobs have ended and return them; `progress` gets how many have. Raises TimeoutError."""
        deadline = time.monotonic() + timeout
        while True:
            found = [job for start in range(0, len(job_ids), 100) for job in self.jobs(job_ids[start : start + 100])]
            ended = sum(job["state"] not in UNFINISHED for job in found)
            if progress is not None:
                progress(ended)
            if ended == len(job_ids):
                return found
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"{len(job_ids) - ended} of {len(job_ids)} jobs were not done after {timeout:.0f} s."
                )
            time.sleep(0.1)

    def journal(self, *, first: int = 20, after: str | None = None, **filters: Any) -> Mapping[str, Any]:
        return dict(self._run(operations.JOURNAL, filter=filters or None, first=first, after=after))

    def log(self, action: str, *, tool: str = "", detail: str = "", reason: str = "") -> Mapping[str, Any]:
        """Write an operations entry of your own."""
        entry = {"action": action, "tool": tool, "detail": detail, "reason": reason}
        return dict(self._run(operations.LOG_ACTION, input=entry))

    def create_key(self, **fields: Any) -> Mapping[str, Any]:
        """A new key of this agent, or of `agentId`; its token is shown this once. Needs the scope admin."""
        return dict(self._run(operations.CREATE_KEY, input=fields))

    def rotate_key(self, key_id: str) -> Mapping[str, Any]:
        """Replace a key; the old one stops working at once, the new token is shown this once."""
        return dict(self._run(operations.ROTATE_KEY, id=key_id))

    def revoke_key(self, key_id: str) -> Mapping[str, Any]:
        return dict(self._run(operations.REVOKE_KEY, id=key_id))

    def rest(self, method: str, path: str, *, body: Any = None, **params: Any) -> Any:
        """Anything else under /api/v1."""
        return self._transport.rest(method, f"/api/v1/{path.lstrip('/')}", json=body, params=_present(params))

    def _run(self, operation: str, **variables: Any) -> Any:
        return self._transport.graphql(operation, variables)

    @staticmethod
    def _optional(value: Any) -> Mapping[str, Any] | None:
        return None if value is None else dict(value)


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _of(user_id: str | None) -> dict[str, Any]:
    return _present({"userId": user_id})
