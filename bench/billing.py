"""A month of 1,000,000 turns, grouped: what `usage` takes once the days that are over are summed up, and the summing.

A turn is two rows, one of a recall and one of what was observed, 20 turns a session, four agents; today's rows are not
summed up. Written by SQL, as fast as the table takes them.
"""

import os
import statistics
import time
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from bench.figures import at_most, figure
from bench.served import served

if TYPE_CHECKING:
    from apps.budgets.selectors import UsageKey

TURNS = int(os.environ.get("BENCH_TURNS", "1000000"))
DAYS = 30
RUNS = 5
SECONDS = 1.0

MONTH = """
INSERT INTO budgets_usage (tenant_id, id, agent_id, at, operation, model, tokens_in, tokens_out, embedding_calls,
    llm_calls, failed_calls, queries, turns, memories, milliseconds, cost_usd, session_id, turn_number)
SELECT %(tenant)s, gen_random_uuid(), lpad(to_hex(turn / 20 %% 4 + 1), 32, '0')::uuid,
    %(since)s + turn * (%(days)s * interval '1 day' / %(turns)s), operation, model, 400, 60, 0, 1, 0,
    (operation = 'recall')::int, (operation = 'observe')::int, 0, 300, 0.000096,
    md5((turn / 20)::text)::uuid, turn %% 20 + 1
FROM generate_series(0, %(turns)s - 1) turn,
    (VALUES ('recall', 'gpt-4o-mini'), ('observe', 'text-embedding-3-small')) spent (operation, model)
"""


def run() -> None:
    with served(embedder="wordllama"):
        measure()


def measure() -> None:
    from apps.budgets.selectors import UsageKey  # noqa: PLC0415  its models need Django to be set up against this stack
    from apps.core.clock import now  # noqa: PLC0415
    from bench import synthetic  # noqa: PLC0415

    tenant_id, _ = synthetic.new_tenant("billing")
    until = now()
    _fill(tenant_id, until)
    _roll_up(tenant_id)
    for name, by in {
        "as one": (),
        "by day": (UsageKey.DAY,),
        "by agent, operation and model": (UsageKey.AGENT, UsageKey.OPERATION, UsageKey.MODEL),
        "by session, the first page": (UsageKey.SESSION,),
        "by all keys, the first page": tuple(UsageKey),
    }.items():
        spent = [_seconds(tenant_id, until, by) for _ in range(RUNS)]
        figure(f"usage of {TURNS} turns {name}, median", statistics.median(spent), "s", bar=at_most(SECONDS))


def _fill(tenant_id: UUID, until: datetime) -> None:
    from django.db import connection  # noqa: PLC0415

    from apps.core.scope import tenant_scope  # noqa: PLC0415

    bounds: dict[str, Any] = {"tenant": tenant_id, "since": until - timedelta(days=DAYS), "days": DAYS, "turns": TURNS}
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(MONTH, bounds)


def _roll_up(tenant_id: UUID) -> None:
    from apps.budgets import rolling  # noqa: PLC0415
    from apps.core.scope import tenant_scope  # noqa: PLC0415

    began, days = time.perf_counter(), 0
    while True:
        with tenant_scope(tenant_id):
            if rolling.roll_next_day() is None:
                break
        days += 1
    figure("a day of them summed up", (time.perf_counter() - began) / days, "s")


def _seconds(tenant_id: UUID, until: datetime, by: "Collection[UsageKey]") -> float:
    """With the transaction around it, as a request has one."""
    from apps.budgets import selectors  # noqa: PLC0415
    from apps.core.paging import PageRequest  # noqa: PLC0415
    from apps.core.scope import tenant_scope  # noqa: PLC0415

    began = time.perf_counter()
    with tenant_scope(tenant_id):
        selectors.usage(selectors.UsageSpan(until - timedelta(days=DAYS), until), by, PageRequest(100))
    return time.perf_counter() - began
