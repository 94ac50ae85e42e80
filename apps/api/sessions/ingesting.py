"""NDJSON in, an answer for each line out: bounded memory, chunks that commit one by one, limits that admit a part."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from apps.api.admission import admitted
from apps.api.contract import error_of
from apps.api.sessions.contract import Ingest, IngestedLine, IngestLine, IngestStatus
from apps.resources import services
from apps.resources.services import CHUNK_LINES, LineResult
from memory_platform.errors import Invalid, RateLimited

LONGEST_LINE_BYTES = 1024 * 1024
MOST_LINES: Final = 50_000
"""Lines of one request, blank ones included: a body of nothing but line breaks has millions."""
_LIMITED = "The agent's ingest limit is reached."

Store = Callable[[Sequence[services.IngestLine]], list[LineResult]]


@dataclass(slots=True)
class _Progress:
    """What became of the lines so far; with `retry_after` the rate limit was reached."""

    results: list[IngestedLine] = field(default_factory=list)
    retry_after: float | None = None

    def answer(self) -> Ingest:
        counts = Counter(each.status for each in self.results)
        return Ingest(
            **{status.value: counts[status] for status in IngestStatus},
            retry_after=self.retry_after,
            results=sorted(self.results, key=lambda each: each.line),
        )


def read(lines: Iterable[bytes]) -> Iterator[tuple[int, IngestLine | Invalid]]:
    """Each NDJSON line that is not blank with its number, or what is wrong with it; nothing behind MOST_LINES."""
    for number, raw in enumerate(lines, 1):
        if number > MOST_LINES:
            yield (
                number,
                Invalid(f"A request has at most {MOST_LINES} lines, blank ones included; the rest was not read."),
            )
            return
        if raw.strip():
            try:
                yield number, _parse(raw)
            except Invalid as error:
                yield number, error


def ingest(lines: Iterable[tuple[int, IngestLine | Invalid]], *, store: Store) -> Ingest:
    """Store the lines in order. Raises RateLimited only when it let none of them in."""
    progress = _Progress()
    waiting: list[tuple[int, services.IngestLine]] = []
    for number, line in lines:
        try:
            waiting.append((number, _admitted(line)))
        except Invalid as error:
            progress.results.append(_not_stored(number, IngestStatus.INVALID, error=error.message, field=error.field))
        if len(waiting) == CHUNK_LINES:
            _flush(waiting, progress, store)
    _flush(waiting, progress, store)
    answer = progress.answer()
    if answer.retry_after is not None and not answer.accepted + answer.duplicate + answer.forgotten:
        raise RateLimited(_LIMITED, retry_after=answer.retry_after)
    return answer


def _flush(waiting: list[tuple[int, services.IngestLine]], progress: _Progress, store: Store) -> None:
    while waiting and progress.retry_after is None:
        try:
            stored = store([line for _, line in waiting])
        except RateLimited as refused:
            progress.retry_after = refused.retry_after or 1.0
            break
        progress.results += [_answer(number, result) for (number, _), result in zip(waiting, stored, strict=False)]
        del waiting[: len(stored)]
    progress.results += [_not_stored(number, IngestStatus.REFUSED, error=_LIMITED) for number, _ in waiting]
    waiting.clear()


def _answer(number: int, result: LineResult) -> IngestedLine:
    return IngestedLine(
        line=number,
        status=IngestStatus(result.status.value),
        resource_id=result.resource_id,
        error=result.error,
        field=result.field,
    )


def _not_stored(number: int, status: IngestStatus, *, error: str, field: str | None = None) -> IngestedLine:
    return IngestedLine(line=number, status=status, resource_id=None, error=error, field=field)


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
