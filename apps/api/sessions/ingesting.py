"""NDJSON in, an answer for each line out: bounded memory, chunks that commit one by one, limits that admit a part."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from pydantic import ValidationError

from apps.api.admission import admitted
from apps.api.contract import error_of
from apps.api.sessions.contract import IngestLine
from apps.resources import services
from apps.resources.services import CHUNK_LINES, LineResult
from memory_platform.errors import Invalid, RateLimited

LONGEST_LINE_BYTES = 1024 * 1024
_LIMITED = "The agent's ingest limit is reached."

Status = Literal["accepted", "duplicate", "invalid", "conflict", "refused"]
Store = Callable[[Sequence[services.IngestLine]], list[LineResult]]


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

    @property
    def accepted(self) -> int:
        return self._count("accepted")

    @property
    def duplicate(self) -> int:
        return self._count("duplicate")

    @property
    def invalid(self) -> int:
        return self._count("invalid")

    @property
    def conflict(self) -> int:
        return self._count("conflict")

    @property
    def refused(self) -> int:
        return self._count("refused")

    def _count(self, status: Status) -> int:
        return Counter(result.status for result in self.results)[status]


def read(lines: Iterable[bytes]) -> Iterator[tuple[int, IngestLine | Invalid]]:
    """Each NDJSON line that is not blank with its number, or what is wrong with it."""
    for number, raw in enumerate(lines, 1):
        if raw.strip():
            try:
                yield number, _parse(raw)
            except Invalid as error:
                yield number, error


def ingest(lines: Iterable[tuple[int, IngestLine | Invalid]], *, store: Store) -> IngestAnswer:
    """Store the lines in order. Raises RateLimited only when it let none of them in."""
    answer = IngestAnswer()
    waiting: list[tuple[int, services.IngestLine]] = []
    for number, line in lines:
        try:
            waiting.append((number, _admitted(line)))
        except Invalid as error:
            answer.results.append(LineAnswer(number, "invalid", error=error.message, field=error.field))
        if len(waiting) == CHUNK_LINES:
            _flush(waiting, answer, store)
    _flush(waiting, answer, store)
    answer.results.sort(key=lambda result: result.line)
    if answer.retry_after is not None and not answer.accepted + answer.duplicate:
        raise RateLimited(_LIMITED, retry_after=answer.retry_after)
    return answer


def _flush(waiting: list[tuple[int, services.IngestLine]], answer: IngestAnswer, store: Store) -> None:
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
        return IngestLine.model_validate_json(raw)
    except ValidationError as error:
        message, place = error_of(error.errors(include_url=False, include_input=False))
        raise Invalid(message, field=".".join(place) or None) from error


def _admitted(line: IngestLine | Invalid) -> services.IngestLine:
    if isinstance(line, Invalid):
        raise line
    return admitted(services.IngestLine(**line.model_dump()), said=("content",), spelled=str)
