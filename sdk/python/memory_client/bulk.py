"""What travels in bulk, from the caller's side: requests of a bounded size, and patience at the server's limit."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from memory_client.contract import ImportedLine, Ingest, IngestedLine, IngestLine
from memory_client.decoding import one, present
from memory_client.errors import RateLimited
from memory_client.exchange import Retries, Steps, Wait, answer_of
from memory_client.jobs import Progress
from memory_client.operations import import_lines
from memory_client.requests import Request

BATCH_LINES = 2_000
# Half of what a server takes by default (MEMORY_MAX_BODY_BYTES).
BATCH_BYTES = 4 * 1024 * 1024
# A limit of lines a minute has let more in by then.
LONGEST_WAIT_SECONDS = 60.0
USUAL_WAIT_SECONDS = 1.0
WAITS_WITHOUT_PROGRESS = 3
REFUSED = "refused"

NumberedLine = tuple[int, bytes]
Line = TypeVar("Line")
Became = TypeVar("Became", IngestedLine, ImportedLine)
Became_co = TypeVar("Became_co", IngestedLine, ImportedLine, covariant=True)


class Taken(Protocol[Became_co]):
    """An answer that says what became of each line; `retry_after` seconds from now those that were refused may come."""

    @property
    def results(self) -> Sequence[Became_co]: ...

    @property
    def retry_after(self) -> float | None: ...


def ingest(lines: Iterable[IngestLine | Mapping[str, Any]], retries: Retries) -> Steps[Ingest]:
    """Send every line, in parts; results are numbered from 1 over all of them.

    Raises RateLimited when the server lets nothing in for minutes.
    """
    results: list[IngestedLine] = []
    for batch in batches(json.dumps(present(line)).encode() + b"\n" for line in lines):
        became = yield from _until_taken(batch, lambda part: answer_of(_ingest(part), retries))
        results += [replace(each, line=number) for each, (number, _) in zip(became, batch, strict=True)]
    counts = Counter(result.status for result in results)
    return Ingest(
        accepted=counts["accepted"],
        duplicate=counts["duplicate"],
        forgotten=counts["forgotten"],
        invalid=counts["invalid"],
        conflict=counts["conflict"],
        refused=0,
        retry_after=None,
        results=tuple(results),
    )


def batches(lines: Iterable[bytes]) -> Iterator[list[NumberedLine]]:
    """Runs of at most BATCH_LINES lines and BATCH_BYTES bytes; a longer line travels alone."""
    batch: list[NumberedLine] = []
    size = 0
    for number, line in enumerate(lines, start=1):
        if batch and (len(batch) == BATCH_LINES or size + len(line) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((number, line))
        size += len(line)
    if batch:
        yield batch


def imported(lines: Sequence[Any], retries: Retries, progress: Progress | None = None) -> Steps[list[ImportedLine]]:
    """Take lines of an export in, as many as one request may have; what became of each, in their order.

    `progress` gets how many were settled, each time some were. Raises RateLimited as `ingest` does.
    """
    return (yield from _until_taken(lines, lambda part: answer_of(import_lines(part), retries), progress))


def _until_taken(
    lines: Sequence[Line],
    send: Callable[[Sequence[Line]], Steps[Taken[Became]]],
    progress: Progress | None = None,
) -> Steps[list[Became]]:
    """What became of each line, numbered from 1; those that met a limit are sent again once it lets them in."""
    became: dict[int, Became] = {}
    waiting = list(range(len(lines)))
    waits = 0
    while waiting:
        results, seconds = yield from _answer(send([lines[place] for place in waiting]))
        settled = {waiting[each.line - 1]: each for each in results if each.status != REFUSED}
        became |= settled
        if progress is not None:
            progress(len(settled))
        waiting = [place for place in waiting if place not in became]
        waits = 0 if settled else waits + 1
        if waits > WAITS_WITHOUT_PROGRESS:
            raise RateLimited(f"The server refuses {len(waiting)} lines.", hint="Try again later; repeating is safe.")
        if waiting:
            yield Wait(min(seconds, LONGEST_WAIT_SECONDS))
    return [replace(became[place], line=place + 1) for place in sorted(became)]


def _answer(sending: Steps[Taken[Became]]) -> Steps[tuple[Sequence[Became], float]]:
    """Results, and the seconds to wait before sending what was refused; that nothing was let in is an answer, too."""
    try:
        answer = yield from sending
    except RateLimited as refused:
        return (), refused.retry_after or USUAL_WAIT_SECONDS
    return answer.results, answer.retry_after or USUAL_WAIT_SECONDS


def _ingest(batch: Sequence[NumberedLine]) -> Request[Ingest]:
    body = b"".join(line for _, line in batch)
    return Request("POST", "/api/v1/ingest", one(Ingest), repeatable=True, lines=body)
