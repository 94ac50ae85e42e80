"""How long the first byte of every page of the console takes in a tenant of 100,000 memories.

The demo's conversation is learnt from, asked about and curated; SQL then copies what there is, under new ids and
spread over a year, to so many rows of each kind. Pages come from the console's own list, opened by the tenant's owner.
"""

import os
import statistics
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from uuid import UUID

import httpx
import psycopg
from psycopg import sql

from apps.stack.supervisor import Stack
from bench.copying import NEW_ID, copied, counting, statement
from bench.figures import at_most, figure
from bench.served import served

ITEMS = int(os.environ.get("BENCH_ITEMS", "100000"))
RUNS, WARM_UP = 20, 3
MILLISECONDS = 150.0
PERIOD = "365 days"
QUESTIONS = ("Who leads Harbor?", "Where does Mara live?", "When does the ferry leave?")

_AT = "now() - copy * (%(period)s::interval / %(copies)s)"
ROWS: Mapping[str, tuple[float, Mapping[str, str]]] = {
    "memory_item": (
        1.0,
        {
            "id": NEW_ID,
            "session_id": "NULL::uuid",
            "external_id": "NULL::text",
            "text": "held.text || ' ' || copy",
            "claim_hash": "md5(held.claim_hash || copy) || md5(held.claim_hash)",
            **dict.fromkeys(("recorded_at", "said_at", "valid_from", "event_time", "reinforced_at"), _AT),
        },
    ),
    "memory_item_version": (1.0, {"id": NEW_ID, "item_id": copied("item_id"), "at": _AT}),
    "memory_item_source": (1.0, {"id": NEW_ID, "item_id": copied("item_id")}),
    "memory_rejection": (0.2, {"id": NEW_ID, "created_at": _AT}),
    "resources_session": (
        0.06,
        {"id": NEW_ID, "external_id": "held.external_id || copy", "started_at": _AT, "last_active_at": _AT},
    ),
    "resources_resource": (0.5, {"id": NEW_ID, "session_id": copied("session_id"), "content_at": _AT}),
    "resources_checkpoint": (0.2, {"id": NEW_ID, "session_id": copied("session_id")}),
    "retrieval_recall": (0.2, {"id": NEW_ID, "at": _AT}),
    "graph_entity": (
        0.03,
        {"id": NEW_ID, "canonical_name": "held.canonical_name || ' ' || copy", "name_key": "held.name_key || copy"},
    ),
    "triggers_future_trigger": (0.02, {"id": NEW_ID, "digest": "md5(held.digest || copy)", "at": _AT}),
    "curation_proposal": (0.01, {"id": NEW_ID, "claim": "md5(held.claim || copy)", "created_at": _AT}),
    "jobs_job": (
        0.2,
        {"id": NEW_ID, "dedup_key": "NULL::text", "state": "'done'", "created_at": _AT, "finished_at": _AT},
    ),
    "journal_entry": (2.0, {"id": NEW_ID, "subject_id": copied("subject_id"), "at": _AT}),
    "budgets_usage": (1.0, {"id": NEW_ID, "at": _AT}),
}
"""Of each table, how many rows there are for a memory, and what a copy has of its own."""


def run() -> None:
    with served() as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    tenant_id = _learn(stack)
    _multiply(stack, tenant_id)
    ids = _ids(stack, tenant_id)
    with _owner(stack) as browser:
        for title, address in _addresses(ids):
            spent = [_first_byte(browser, address) for _ in range(WARM_UP + RUNS)][WARM_UP:]
            figure(f"first byte of {title}", statistics.median(spent), "ms", bar=at_most(MILLISECONDS))


def _learn(stack: Stack) -> UUID:
    """Have the demo's conversation remembered, and something asked, reminded of and shared."""
    from apps.cli import demo, transcripts  # noqa: PLC0415  its models need Django to be set up against this stack
    from apps.cli.server import Server  # noqa: PLC0415
    from apps.core import scope  # noqa: PLC0415
    from apps.jobs import services as jobs  # noqa: PLC0415
    from apps.tenants.models import Tenant  # noqa: PLC0415
    from apps.tenants.onboarding import FIRST_TENANT  # noqa: PLC0415

    with scope.unscoped("find a tenant by its slug"):
        tenant_id: UUID = Tenant.objects.get(slug=FIRST_TENANT).id
    with Server(stack.url, str(stack.first_tenant["api_key"])) as server:
        server.ingest([line.as_ingest_line() for line in transcripts.read(demo.BUNDLED).lines])
        server.post("memories", text="The harbour office opens at nine.", category="operations", visibility="shared")
        server.post("triggers", text="Review the crew roster.", day="2040-06-12")
        jobs.drain(worker="bench", tenant_id=tenant_id)
        server.post("reflect")
        for question in QUESTIONS:
            server.post("recall", query=question)
        jobs.drain(worker="bench", tenant_id=tenant_id)
    return tenant_id


def _multiply(stack: Stack, tenant_id: UUID) -> None:
    began = time.perf_counter()
    with _superuser(stack) as connection:
        for table, (share, own) in ROWS.items():
            made = _copy(connection, tenant_id, table, round(ITEMS * share), own)
            figure(f"rows of {table}", made, "rows")
    with _superuser(stack) as connection:
        # As autovacuum leaves tables that were not written in one night.
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE")
    figure(f"{ITEMS} memories made, with what belongs to them", time.perf_counter() - began, "s")


def _copy(connection: psycopg.Connection, tenant_id: UUID, table: str, wanted: int, own: Mapping[str, str]) -> int:
    """Copy a tenant's rows of a table until there are so many; how many there are."""
    of_tenant = {"tenant": tenant_id}
    (held,) = connection.execute(counting(table), of_tenant).fetchone() or (0,)
    if held == 0:
        return 0
    copies = max(wanted // held, 1)
    connection.execute(statement(table, own), {**of_tenant, "copies": copies, "period": PERIOD})
    (count,) = connection.execute(counting(table), of_tenant).fetchone() or (0,)
    return int(count)


def _ids(stack: Stack, tenant_id: UUID) -> dict[str, UUID]:
    """Of each thing that a page is of, one that was learnt, with all that hangs on it."""
    found = {}
    with _superuser(stack) as connection:
        for field, table, by in (
            ("memory_id", "memory_item", "recorded_at"),
            ("session_row_id", "resources_session", "started_at"),
            ("entity_id", "graph_entity", "mention_count"),
            ("trigger_id", "triggers_future_trigger", "at"),
        ):
            wanted = sql.SQL("SELECT id FROM {} WHERE tenant_id = %s ORDER BY {} DESC LIMIT 1").format(
                sql.Identifier(table), sql.Identifier(by)
            )
            (found[field],) = connection.execute(wanted, [tenant_id]).fetchone() or (None,)
    return found


def _addresses(ids: Mapping[str, UUID]) -> Iterator[tuple[str, str]]:
    """Each page that is looked at, and its address."""
    from django.urls import resolve, reverse  # noqa: PLC0415

    from apps.console.pages import PAGES  # noqa: PLC0415

    for page in PAGES:
        if page.method == "GET":
            own = {field: value for field, value in ids.items() if f":{field}>" in page.path}
            address = reverse(f"console:{page.name}", kwargs=own)
            yield f"{page.title} ({resolve(address).url_name})", address


@contextmanager
def _owner(stack: Stack) -> Iterator[httpx.Client]:
    login = f"{stack.url}/console/login/"
    with httpx.Client(base_url=stack.url, timeout=60.0) as client:
        client.get(login).raise_for_status()
        given = {
            "username": stack.first_tenant["admin_username"],
            "password": stack.first_tenant["admin_password"],
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
        }
        client.post(login, data=given, headers={"Referer": login})
        yield client


def _first_byte(browser: httpx.Client, address: str) -> float:
    """Milliseconds until the answer's first bytes are there."""
    began = time.perf_counter()
    with browser.stream("GET", address) as answer:
        next(answer.iter_raw(), b"")
        spent = (time.perf_counter() - began) * 1000
        if answer.status_code != httpx.codes.OK:
            raise RuntimeError(f"{address}: {answer.status_code}")
    return spent


def _superuser(stack: Stack) -> psycopg.Connection:
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    return psycopg.connect(stack.postgres.superuser_url())
