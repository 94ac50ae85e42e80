"""Serves the checkout that PYTHONPATH names, for `bench.latency_against`; started by its path: old ones have none.

It speaks a line at a time. Out: {"url", "key"} once the stack answers, {} once it is quiet. In: a line when what it is
to hold has been sent, and one, or the end of the input, when it may stop.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import psycopg

from apps.stack.supervisor import Stack, StackOptions, private_stack

POLL_SECONDS = 0.5
LONGEST_SECONDS = 900.0
UNLIMITED = """
UPDATE tenants_policy SET captures_per_minute = 1000000, captures_burst = 100000, requests_per_minute = 1000000
"""
WAITING = "SELECT count(*) FROM jobs_job WHERE state IN ('queued', 'running') AND run_after <= now()"


def main() -> None:
    options = StackOptions(root=Path(), durable=False, environment={"MEMORY_EMBEDDER": "minilm"})
    with private_stack(options) as stack, _connection(stack) as connection:
        connection.execute(UNLIMITED)
        _say({"url": stack.url, "key": stack.first_tenant["api_key"]})
        sys.stdin.readline()
        _wait_until_idle(connection)
        os.kill(stack.pids["worker"], signal.SIGTERM)
        connection.execute("VACUUM ANALYZE")
        _say({})
        sys.stdin.readline()


def _say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


def _connection(stack: Stack) -> psycopg.Connection:
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    return psycopg.connect(stack.postgres.superuser_url(), autocommit=True)


def _wait_until_idle(connection: psycopg.Connection) -> None:
    deadline = time.monotonic() + LONGEST_SECONDS
    while connection.execute(WAITING).fetchone() != (0,):
        if time.monotonic() > deadline:
            raise TimeoutError("its jobs are not done")
        time.sleep(POLL_SECONDS)


if __name__ == "__main__":
    main()
