"""NDJSON in, an answer for each line out: bounded memory, chunks that commit one by one, limits that admit a part."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from apps.api.admission import admitted
from apps.resources.services import CHUNK_LINES, IngestLine, LineResult
from memory_platform.errors import Invalid, RateLimited
from memory_platform.model import Role, Visibility

LONGEST_LINE_BYTES = 1024 * 1024
_LIMITED = "The agent's ingest limit is reached."

Status = Literal["accepted", "duplicate", "invalid", "conflict", "refused"]
Store = Callable[[Sequence[IngestLine]], list[LineResult]]


class NdjsonLine(BaseModel):
    """One message. `external_id` and `session_id` are the caller's own; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    external_id: str
    session_id: str
    content: str
    speaker: str | None = None
    content_at: datetime | None = None
    role: Role | None = None
    user_id: str | None = None
    visibility: Visibility = Visibility.PRIVATE
    turn_number: int | None = None


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """What became of a line, counted from 1. `refused`: the rate limit was reached; send it again later."""

    line: int
    status: Status
    resource_id: UUID | None = None
    error: str | None = None
    field: str | None = None


@dataclass(slots=True)
class IngestAnswer:
    results: list[LineAnswer] = field(default_factory=list)
    retry_after: float | None = None

    def count(self, status: Status) -> int:
        return Counter(result.status for result in self.results)[status]


def ingest(lines: Iterable[bytes], *, store: Store) -> IngestAnswer:
    """Store the lines in order. Raises RateLimited only when it let none of them in."""
    answer = IngestAnswer()
    waiting: list[tuple[int, IngestLine]] = []
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            waiting.append((number, _parse(raw)))
        except Invalid as error:
            answer.results.append(LineAnswer(number, "invalid", error=error.message, field=error.field))
        if len(waiting) == CHUNK_LINES:
            _flush(waiting, answer, store)
    _flush(waiting, answer, store)
    answer.results.sort(key=lambda result: result.line)
    if answer.retry_after is not None and not answer.count("accepted") + answer.count("duplicate"):
        raise RateLimited(_LIMITED, retry_after=answer.retry_after)
    return answer


def _flush(waiting: list[tuple[int, IngestLine]], answer: IngestAnswer, store: Store) -> None:
    while waiting and answer.retry_after is None:
        try:
            stored = store([line for _, line in waiting])
        except RateLimited as refused:
            answer.retry_after = refused.retry_after or 1.0
            break
        answer.results += [_answer(number, result) for (number, _), result in zip(waiting, stored, strict=False)]
        del waiting[: len(stored)]
    answer.results += [LineAnswer(number, "refused", error=_LIMITED) for number, _ in waiting]
    waiting.clear()


def _answer(number: int, result: LineResult) -> LineAnswer:
    return LineAnswer(number, result.status.value, result.resource_id, result.error, result.field)


def _parse(raw: bytes) -> IngestLine:
    if len(raw) > LONGEST_LINE_BYTES:
        raise Invalid(f"The line is longer than {LONGEST_LINE_BYTES} bytes.")
    try:
        line = NdjsonLine.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise Invalid(first["msg"], field=".".join(str(part) for part in first["loc"]) or None) from error
    sent = IngestLine(
        external_id=line.external_id,
        session_id=line.session_id,
        content=line.content,
        speaker=line.speaker,
        content_at=line.content_at,
        role=line.role,
        user_id=line.user_id,
        visibility=line.visibility,
        turn_number=line.turn_number,
    )
    return admitted(sent, said=("content",), spelled=str)
