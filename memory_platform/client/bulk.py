"""Bulk ingest from the caller's side: requests of a bounded size, and patience at the server's limit."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_platform.client.transport import Transport
from memory_platform.errors import RateLimited

BATCH_LINES = 2_000
# Half of what a server takes by default (MEMORY_MAX_BODY_BYTES).
BATCH_BYTES = 4 * 1024 * 1024
# A limit of lines a minute has let more in by then.
LONGEST_WAIT_SECONDS = 60.0
WAITS_WITHOUT_PROGRESS = 3
STATES = ("accepted", "duplicate", "invalid", "conflict")

NumberedLine = tuple[int, bytes]


def ingest(transport: Transport, lines: Iterable[bytes]) -> dict[str, Any]:
    """Send every line and return the counts by state and a result for each line, numbered from 1.

    Raises RateLimited when the server lets nothing in for minutes.
    """
    results: list[dict[str, Any]] = []
    for batch in batches(lines):
        results += _send_whole(transport, batch)
    counts = Counter(result["status"] for result in results)
    return {**{state: counts[state] for state in STATES}, "results": results}


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


def _send_whole(transport: Transport, batch: Sequence[NumberedLine]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    waits = 0
    while True:
        answered, retry_after = _send(transport, batch)
        done = [result for result in answered if result["status"] != "refused"]
        results += done
        known = {result["line"] for result in done}
        batch = [numbered for numbered in batch if numbered[0] not in known]
        if not batch:
            return sorted(results, key=lambda result: int(result["line"]))
        waits = 0 if done else waits + 1
        if waits > WAITS_WITHOUT_PROGRESS:
            raise RateLimited(f"The server refuses {len(batch)} lines.", hint="Try again later; repeating is safe.")
        time.sleep(min(retry_after, LONGEST_WAIT_SECONDS))


def _send(transport: Transport, batch: Sequence[NumberedLine]) -> tuple[list[dict[str, Any]], float]:
    """Results numbered as the caller numbers, and the seconds to wait before sending what was refused."""
    try:
        answer: Mapping[str, Any] = transport.post_lines("/api/v1/ingest", [line for _, line in batch])
    except RateLimited as refused:
        return [], refused.retry_after or 1.0
    results = [{**result, "line": batch[result["line"] - 1][0]} for result in answer["results"]]
    return results, answer.get("retry_after") or 1.0
