"""The queue with several workers, dead workers, a greedy tenant and a broker that is away."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from apps.core.scope import tenant_scope
from apps.jobs import hints, registry, services
from apps.jobs.models import Job, JobState
from apps.jobs.services import running

PROJECT_ROOT = Path(__file__).resolve().parents[2]

# Runs the queue of one tenant; its handler announces itself and then hangs.
WORKER = """
import sys, time, uuid
import django
django.setup()
from apps.jobs import registry, services
from apps.jobs.leases import worker_name

@registry.handler("test.hanging")
def hang(job):
    print("running", flush=True)
    time.sleep(60)
    return {}

services.drain(worker_name(), tenant_id=uuid.UUID(sys.argv[1]))
"""


@pytest.fixture
def handle():
    """Registers a handler under a name for the length of the test."""
    names = []

    def register(name, function, **options):
        names.append(name)
        registry.handler(name, **options)(function)

    yield register
    for name in names:
        registry._registrations.pop(name, None)


@pytest.fixture
def _nothing_waits(database, postgres):
    """Whoever drains everybody's queue does nothing that another test left behind."""
    with psycopg.connect(postgres.superuser_url()) as superuser:
        superuser.execute("DELETE FROM jobs_job WHERE state = 'queued'")


def in_threads(function, count):
    def run(number):
        try:
            return function(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_two_workers_run_every_job_exactly_once(tenant, handle):
    ran = []
    handle("test.counted", lambda job: ran.append(job.id) or {})
    with tenant_scope(tenant.id):
        ids = services.enqueue_many([services.NewJob("test.counted", {}) for _ in range(200)])

    counts = in_threads(lambda number: services.drain(f"worker-{number}", tenant_id=tenant.id), 2)

    assert sum(counts) == 200
    assert Counter(ran) == Counter(ids)


def test_one_serial_key_is_never_run_by_two_workers_at_once(tenant, handle):
    running, seen, most = Counter(), Counter(), Counter()

    def run(job):
        key = job.arguments["key"]
        running[key] += 1
        most[key] = max(most[key], running[key])
        time.sleep(0.005)
        running[key] -= 1
        seen[key] += 1
        return {}

    handle("test.serial", run)
    with tenant_scope(tenant.id):
        services.enqueue_many(
            [services.NewJob("test.serial", {"key": key}, serial_key=key) for _ in range(20) for key in ("a", "b")]
        )

    deadline = time.monotonic() + 30
    while sum(seen.values()) < 40 and time.monotonic() < deadline:
        in_threads(lambda number: services.drain(f"worker-{number}", tenant_id=tenant.id), 4)

    assert seen == {"a": 20, "b": 20}
    assert most == {"a": 1, "b": 1}


@pytest.mark.usefixtures("_nothing_waits")
def test_a_tenant_with_a_hundred_thousand_jobs_starves_nobody(make_tenant, handle):
    greedy, *modest = (make_tenant().id for _ in range(4))
    turns = Counter()

    def run(job):
        turns[job.tenant_id] += 1
        if sum(turns[one] for one in modest) == 9:
            services.stopping.set()
        return {}

    handle("test.fair", run)
    with tenant_scope(greedy), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO jobs_job (id, tenant_id, name, arguments, serial_key, state, attempts, max_attempts,"
            " run_after, locked_by, error, outcome, request_id, created_at)"
            " SELECT gen_random_uuid(), %s, 'test.fair', '{}', '', 'queued', 0, 1, now(), '', '', '{}', '', now()"
            " FROM generate_series(1, 100000)",
            [greedy],
        )
    for one in modest:
        with tenant_scope(one):
            services.enqueue_many([services.NewJob("test.fair", {}) for _ in range(3)])

    try:
        services.drain("worker")
    finally:
        services.stopping.clear()
        with tenant_scope(greedy):
            Job.objects.filter(tenant_id=greedy).delete()

    assert {one: turns[one] for one in modest} == dict.fromkeys(modest, 3)
    assert 2 <= turns[greedy] <= 4


@pytest.mark.faults
def test_a_killed_workers_job_is_taken_up_at_once(tenant, handle, server_environment):
    with tenant_scope(tenant.id):
        handle("test.hanging", lambda _: {"ran": 1})
        job_id = services.enqueue("test.hanging", {})
    environment = {**server_environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(tenant.id)],
        cwd=PROJECT_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout.readline() == "running\n"
        services.sweep()
        assert services.drain("other", tenant_id=tenant.id) == 0
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        worker.stdout.close()
    services.sweep()

    assert services.drain("other", tenant_id=tenant.id) == 1
    with tenant_scope(tenant.id):
        done = Job.objects.get(id=job_id)
    assert (done.state, done.attempts) == (JobState.DONE, 2)


def test_a_job_that_kills_its_workers_fails_in_the_end(tenant, handle):
    handle("test.deadly", lambda _: {}, max_attempts=2)
    with tenant_scope(tenant.id):
        job_id = services.enqueue("test.deadly", {})
    for _ in range(2):
        running._claim("lost", after=None, tenant_id=tenant.id)
        with tenant_scope(tenant.id), connection.cursor() as cursor:
            cursor.execute("UPDATE jobs_job SET locked_until = now() - interval '1 second' WHERE id = %s", [job_id])
        services.sweep()

    with tenant_scope(tenant.id):
        failed = Job.objects.get(id=job_id)
    assert (failed.state, failed.attempts, failed.error) == (JobState.FAILED, 2, "worker_lost")


@pytest.fixture
def silent_broker():
    """A broker that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture
def absent_broker():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"redis://127.0.0.1:{port}/0"


@pytest.mark.parametrize("broker", ["silent_broker", "absent_broker"])
def test_without_a_broker_a_commit_is_neither_lost_nor_late(tenant, handle, monkeypatch, request, broker):
    handle("test.unhinted", lambda _: {})
    monkeypatch.setattr(settings, "REDIS_URL", request.getfixturevalue(broker))
    hints.cooldown.end()
    times = []
    for _ in range(3):
        began = time.perf_counter()
        with tenant_scope(tenant.id):
            services.enqueue("test.unhinted", {})
        times.append(time.perf_counter() - began)

    assert max(times) < 0.3
    assert min(times[1:]) < 0.05
    assert services.drain("worker", tenant_id=tenant.id) == 3
    hints._redis(settings.REDIS_URL).close()
    hints.cooldown.end()


def test_a_hint_reaches_a_real_broker(tenant, handle):
    handle("test.hinted", lambda _: {})
    hints.cooldown.end()
    queue = hints._redis(settings.REDIS_URL)
    hints.heard()
    before = queue.llen("memory")

    with tenant_scope(tenant.id):
        services.enqueue("test.hinted", {})

    assert queue.llen("memory") == before + 1
    services.drain("worker", tenant_id=tenant.id)


def test_concurrent_dedup_keys_queue_one_job(tenant, handle):
    handle("test.folded", lambda _: {})
    barrier = threading.Barrier(8)

    def enqueue(number):
        barrier.wait()
        with tenant_scope(tenant.id):
            return services.enqueue("test.folded", {}, dedup_key="fold")

    assert len(set(in_threads(enqueue, 8))) == 1
    assert services.drain("worker", tenant_id=tenant.id) == 1
