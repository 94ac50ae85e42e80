"""Bulk ingest from the caller's side: requests of a bounded size, and patience at the server's limit."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory_client.contract import Ingest, IngestedLine, IngestLine
from memory_client.decoding import one, present
from memory_client.errors import RateLimited
from memory_client.exchange import Retries, Steps, Wait, answer_of
from memory_client.requests import Request

BATCH_LINES = 2_000
# Half of what a server takes by default (MEMORY_MAX_BODY_BYTES).
BATCH_BYTES = 4 * 1024 * 1024
# A limit of lines a minute has let more in by then.
LONGEST_WAIT_SECONDS = 60.0
USUAL_WAIT_SECONDS = 1.0
WAITS_WITHOUT_PROGRESS = 3

NumberedLine = tuple[int, bytes]


def ingest(lines: Iterable[IngestLine | Mapping[str, Any]], retries: Retries) -> Steps[Ingest]:
    """Send every line, in parts; results are numbered from 1 over all of them.

    Raises RateLimited when the server lets nothing in for minutes.
    """
    results: list[IngestedLine] = []
    for batch in batches(json.dumps(present(line)).encode() + b"\n" for line in lines):
        results += yield from _send_whole(batch, retries)
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


def _send_whole(batch: Sequence[NumberedLine], retries: Retries) -> Steps[list[IngestedLine]]:
    results: list[IngestedLine] = []
    waits = 0
    while True:
        answered, seconds = yield from _send(batch, retries)
        done = [result for result in answered if result.status != "refused"]
        results += done
        known = {result.line for result in done}
        batch = [numbered for numbered in batch if numbered[0] not in known]
        if not batch:
            return sorted(results, key=lambda result: result.line)
        waits = 0 if done else waits + 1
        if waits > WAITS_WITHOUT_PROGRESS:
            raise RateLimited(f"The server refuses {len(batch)} lines.", hint="Try again later; repeating is safe.")
        yield Wait(min(seconds, LONGEST_WAIT_SECONDS))


def _send(batch: Sequence[NumberedLine], retries: Retries) -> Steps[tuple[list[IngestedLine], float]]:
    """Results numbered as the caller numbers, and the seconds to wait before sending what was refused."""
    body = b"".join(line for _, line in batch)
    request = Request("POST", "/api/v1/ingest", one(Ingest), repeatable=True, lines=body)
    try:
        answer = yield from answer_of(request, retries)
    except RateLimited as refused:
        return [], refused.retry_after or USUAL_WAIT_SECONDS
    return [_numbered(result, batch) for result in answer.results], answer.retry_after or USUAL_WAIT_SECONDS


def _numbered(result: IngestedLine, batch: Sequence[NumberedLine]) -> IngestedLine:
    return replace(result, line=batch[result.line - 1][0])
