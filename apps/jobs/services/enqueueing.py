"""Enqueueing in the caller's transaction: a row of the outbox, or none where the same waits already."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core import context, scope
from apps.core.clock import now as clock_now
from apps.core.ids import new_id
from apps.jobs import hints, registry
from apps.jobs.registry import Arguments


@dataclass(frozen=True, slots=True)
class NewJob:
    """What to run; see `enqueue`."""

    name: str
    arguments: Arguments
    serial_key: str = ""
    dedup_key: str | None = None
    run_after: datetime | None = None
    id: UUID = field(default_factory=new_id)


def enqueue(
    name: str,
    arguments: Arguments,
    *,
    serial_key: str = "",
    dedup_key: str | None = None,
    run_after: datetime | None = None,
) -> UUID:
    """Add a job to the open scope's tenant, within the open transaction; workers hear of it after the commit.

    At most one job of a tenant runs per `serial_key` at a time. While a job with `dedup_key` is queued, its id is
    returned and nothing is added. Raises registry.UnknownJob.
    """
    job = NewJob(name, arguments, serial_key, dedup_key, run_after)
    return enqueue_many([job])[0]


def enqueue_many(jobs: Sequence[NewJob]) -> list[UUID]:
    """Add several jobs, one statement for all without a `dedup_key`; returns their ids in order.

    Workers hear of those that are due; what is to run later is found by the tick then.
    """
    tenant_id = scope.current().tenant_id
    limits = [registry.find(job.name).max_attempts for job in jobs]
    plain = [(job, limit) for job, limit in zip(jobs, limits, strict=True) if job.dedup_key is None]
    ids = {job.id: job.id for job in jobs}
    with connection.cursor() as cursor:
        if plain:
            _insert(cursor, tenant_id, plain)
        for job, limit in zip(jobs, limits, strict=True):
            if job.dedup_key is not None:
                ids[job.id] = _queued(cursor, tenant_id, job) or _insert(cursor, tenant_id, [(job, limit)])
    if any(job.run_after is None or job.run_after <= clock_now() for job in jobs):
        hints.poke_on_commit()
    return [ids[job.id] for job in jobs]


def publish(topic: str, arguments: Arguments, *, serial_key: str = "") -> list[UUID]:
    """Enqueue one job per subscriber of the topic, within the open transaction; returns their ids (none: nobody)."""
    listening = registry.subscribers(topic)
    return enqueue_many([NewJob(job, arguments, serial_key) for job in listening]) if listening else []


_COLUMNS = (
    "id, tenant_id, name, arguments, serial_key, dedup_key, state, attempts, max_attempts, run_after, locked_by,"
    " error, outcome, request_id, created_at"
)
_ROW = "(%s, %s, %s, %s::jsonb, %s, %s, 'queued', 0, %s, coalesce(%s, now()), '', '', '{}', %s, now())"


def _insert(cursor: Any, tenant_id: UUID, jobs: Sequence[tuple[NewJob, int]]) -> UUID:
    request_id = context.current().request_id[:64]
    parameters: list[object] = []
    for job, max_attempts in jobs:
        parameters += [job.id, tenant_id, job.name, json.dumps(job.arguments), job.serial_key, job.dedup_key]
        parameters += [max_attempts, job.run_after, request_id]
    cursor.execute(
        f"INSERT INTO jobs_job ({_COLUMNS}) VALUES {', '.join([_ROW] * len(jobs))}"  # noqa: S608  constants only
        " ON CONFLICT (tenant_id, dedup_key) WHERE dedup_key IS NOT NULL AND state = 'queued'"
        " DO UPDATE SET run_after = least(jobs_job.run_after, excluded.run_after) RETURNING id",
        parameters,
    )
    inserted: UUID = cursor.fetchone()[0]
    return inserted


def _queued(cursor: Any, tenant_id: UUID, job: NewJob) -> UUID | None:
    """The waiting twin, share-locked: no worker may start it before our transaction, which it must see, commits."""
    cursor.execute(
        "SELECT id FROM jobs_job WHERE tenant_id = %s AND dedup_key = %s AND state = 'queued'"
        " AND run_after <= coalesce(%s, now()) FOR SHARE SKIP LOCKED",
        [tenant_id, job.dedup_key, job.run_after],
    )
    row = cursor.fetchone()
    return row[0] if row else None
