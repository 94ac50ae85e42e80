"""Whether the worker's memory stays flat: 10,000 long replies of an assistant, what one takes after each tenth.

The replies are the first 1,000 characters of BEAM's, told again with other ids once all were told, twenty for every
user: more of one user would be compared with each other for hours, and what that takes is `throughput`'s to tell. The
floor is what the worker took after the first tenth, when its models, caches and allocator are warm. Takes an hour and a
half.
"""

import os
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench import development_data, footprint
from bench.figures import at_most, figure
from memory_client import MemoryClient

MESSAGES = int(os.environ.get("BENCH_MESSAGES", "10000"))
CHARACTERS = 1_000
OF_ONE_USER = 20
STEPS = 10
SETTLE_SECONDS = 12
"""Two sweeps, each of which gives freed memory back."""
BAR_FLAT = at_most(1.1)


def run() -> None:
    if not development_data.available_for("steadiness"):
        return
    lines = _lines()
    with private_stack(StackOptions(root=Path())) as stack:
        taken = [_after(stack, lines[tenth::STEPS], tenth + 1) for tenth in range(STEPS)]
        by_component = footprint.megabytes(stack)
    figure("the same at the end, over that after the first tenth", taken[-1], "MB", floor=taken[0], bar=BAR_FLAT)
    footprint.report(by_component, when=" at the end")


def _after(stack: Stack, lines: list[dict[str, Any]], tenths: int) -> float:
    with MemoryClient(stack.url, str(stack.first_tenant["api_key"]), timeout=600.0) as agent:
        agent.ingest(lines)
        agent.wait_until_idle()
    time.sleep(SETTLE_SECONDS)
    taken = footprint.megabytes(stack)["worker"]
    figure(f"memory of the worker after {tenths * MESSAGES // STEPS} long messages", taken, "MB")
    return taken


def _lines() -> list[dict[str, Any]]:
    replies = islice(cycle(development_data.long_replies()), MESSAGES)
    return [_line(number, reply) for number, reply in enumerate(replies)]


def _line(number: int, reply: dict[str, Any]) -> dict[str, Any]:
    own = number // OF_ONE_USER
    return {
        **reply,
        "external_id": str(number),
        "session_id": f"session-{own}",
        "user_id": f"user-{own}",
        "content": reply["content"][:CHARACTERS],
    }
