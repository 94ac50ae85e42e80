"""How long the first byte of every page of the console and of the admin, and of what forms of the console are answered,
takes in a tenant of 100,000 memories.

The demo's conversation is learnt from, asked about and curated; SQL then copies what there is, under new ids and
spread over a year, to so many rows of each kind. Pages come from the console's own list and from the admin's addresses,
opened by the tenant's owner, who runs the servers.
"""

import os
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

import httpx
import psycopg
from psycopg import sql

from apps.stack.supervisor import Stack
from bench.copying import NEW_ID, copied, counting, statement
from bench.figures import at_most, figure
from bench.served import served

if TYPE_CHECKING:
    from apps.cli.server import Server

ITEMS = int(os.environ.get("BENCH_ITEMS", "100000"))
RUNS, WARM_UP = 20, 3
MILLISECONDS = 150.0
PERIOD = "365 days"
FILES = {"erasure_receipt"}
"""What is no page, and there is none of."""
QUESTIONS = ("Who leads Harbor?", "Where does Mara live?", "When does the ferry leave?")
PREVIEW = "the preview of an erasure"
ANSWERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "an answer": ("recall_answer", {"question": QUESTIONS[0], "view": "hits"}),
    "Compare": ("recall_answer", {"question": QUESTIONS[0], "view": "numbers", "relevance_floor": "0.3"}),
    PREVIEW: ("preview_erasure", {"kind": "entity", "what": "Mara"}),
}
"""What pages answer to a form: to which, and what is posted."""
NOBODY = "Nobody Atall"
QUIET = "SELECT slug FROM tenants_agent WHERE tenant_id = %s ORDER BY created_at LIMIT 1"
"""An agent that did nothing."""
FILTERED: Sequence[tuple[str, Mapping[str, str]]] = (
    ("summary", {"category": "work"}),
    *(("memories", {"order": order}) for order in ("oldest", "most_confident", "most_used", "weightiest")),
    ("memories", {"order": "most_confident", "status": "all"}),
    *(("memories", {field: NOBODY}) for field in ("entity", "service", "category", "user", "session")),
    *(("memories", {"status": status}) for status in ("held", "archived", "superseded", "deleted")),
    ("memories", {"kind": "opinion"}),
    ("memories", {"id": "abcd"}),
    *((page, {"agent": "{quiet}"}) for page in ("memories", "journal", "sessions")),
    ("journal", {"operation": "turn.captured"}),
    ("sessions", {"user": NOBODY}),
    ("jobs", {"state": "failed"}),
    ("jobs", {"name": "graph.project_items"}),
)
"""Pages with what they are asked for: orders, what is rare, and what is nowhere, for which everything is looked at."""

_AT = "now() - copy * (%(period)s::interval / %(copies)s)"
_THREE_OF_ONE = "md5(held.resource_id::text || ((copy + 2) / 3))::uuid"
"""Of every three copies of a memory one copy of the message it was learnt from: there are half as many of these."""
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
    "memory_item_use": (0.5, {"item_id": copied("item_id")}),
    "memory_item_version": (1.0, {"id": NEW_ID, "item_id": copied("item_id"), "at": _AT}),
    "memory_item_source": (1.0, {"id": NEW_ID, "item_id": copied("item_id"), "resource_id": _THREE_OF_ONE}),
    "memory_rejection": (0.2, {"id": NEW_ID, "created_at": _AT}),
    "resources_session": (
        0.06,
        {"id": NEW_ID, "external_id": "held.external_id || copy", "started_at": _AT, "last_active_at": _AT},
    ),
    "resources_resource": (0.5, {"id": NEW_ID, "session_id": copied("session_id"), "content_at": _AT}),
    "resources_checkpoint": (0.01, {"id": NEW_ID, "session_id": copied("session_id")}),
    "retrieval_recall": (0.2, {"id": NEW_ID, "at": _AT}),
    "graph_entity": (
        0.03,
        {"id": NEW_ID, "canonical_name": "held.canonical_name || ' ' || copy", "name_key": "held.name_key || copy"},
    ),
    "triggers_future_trigger": (0.02, {"id": NEW_ID, "digest": "md5(held.digest || copy)", "at": _AT}),
    "curation_entry": (0.002, {"id": NEW_ID, "decision": "NULL::int", "added_at": _AT}),
    "lessons_lesson": (0.005, {"id": NEW_ID, "item_id": copied("item_id"), "created_at": _AT, "updated_at": _AT}),
    "lessons_version": (0.005, {"id": NEW_ID, "lesson_id": copied("lesson_id"), "at": _AT}),
    "erasure_erasure": (0.002, {"id": NEW_ID, "requested_at": _AT}),
    "tenants_api_key": (
        0.005,
        {"id": NEW_ID, "prefix": "left(md5(held.prefix || copy), length(held.prefix))", "created_at": _AT},
    ),
    "tenants_agent": (0.002, {"id": NEW_ID, "slug": "held.slug || copy", "created_at": _AT}),
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
    from tests.admin_addresses import one_of_each  # noqa: PLC0415

    tenant_id = _learn(stack)
    rows = one_of_each(tenant_id)
    _multiply(stack, tenant_id)
    ids = _ids(stack, tenant_id)
    with _owner(stack) as browser:
        ids["preview_id"] = _previewed(browser, tenant_id)
        filtered = _filtered(_quiet_agent(stack, tenant_id))
        for title, address in (*_addresses(ids), *filtered, *_shown_by_admin(rows, browser)):
            _measure(title, browser, browser.build_request("GET", address))
        for title, address, form in _forms():
            _measure(title, browser, browser.build_request("POST", address, data={**form, **_token(browser)}))


def _measure(title: str, browser: httpx.Client, request: httpx.Request) -> None:
    spent = [_first_byte(browser, request) for _ in range(WARM_UP + RUNS)][WARM_UP:]
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
    _summarise_at_once(tenant_id)
    with Server(stack.url, str(stack.first_tenant["api_key"])) as server:
        server.ingest([line.as_ingest_line() for line in transcripts.read(demo.BUNDLED).lines])
        server.post("memories", text="The harbour office opens at nine.", category="operations", visibility="shared")
        server.post("triggers", text="Review the crew roster.", day="2040-06-12")
        jobs.drain(worker="bench", tenant_id=tenant_id)
        server.post("capture", session_id="lessons", user_input="Never book a meeting for me before ten.")
        server.post("budgets", period="month", soft_usd=120, hard_usd=150)
        jobs.drain(worker="bench", tenant_id=tenant_id)
        server.post("reflect")
        for question in QUESTIONS:
            server.post("recall", query=question)
        jobs.drain(worker="bench", tenant_id=tenant_id)
        _curate(server, tenant_id)
    _use(tenant_id)
    return tenant_id


def _summarise_at_once(tenant_id: UUID) -> None:
    from apps.core import scope  # noqa: PLC0415
    from apps.tenants import services  # noqa: PLC0415
    from apps.tenants.models import Policy  # noqa: PLC0415

    with scope.tenant_scope(tenant_id):
        services.change(Policy.objects.get(tenant_id=tenant_id), {"summary_debounce_seconds": 0})


def _use(tenant_id: UUID) -> None:
    """Have every other memory been of use."""
    from apps.core import scope  # noqa: PLC0415
    from apps.memory import selectors, services  # noqa: PLC0415
    from apps.memory.requests import ItemUses  # noqa: PLC0415

    with scope.tenant_scope(tenant_id):
        services.count_uses([ItemUses(one, recalled=1, accessed=1) for one in selectors.every_id()[::2]])


def _curate(server: "Server", tenant_id: UUID) -> None:
    """Approve every other proposal, and leave a price and an erasure that waits for somebody to approve it."""
    from apps.budgets.models import Price  # noqa: PLC0415
    from apps.budgets.services import add_price  # noqa: PLC0415
    from apps.core import scope  # noqa: PLC0415
    from apps.erasure.models import ErasureKind  # noqa: PLC0415
    from apps.erasure.requests import Subject  # noqa: PLC0415
    from apps.erasure.results import Selection  # noqa: PLC0415
    from apps.erasure.services.requesting import begin  # noqa: PLC0415

    proposals = server.get("proposals")["items"]
    for proposal in proposals[::2]:
        server.post(f"proposals/{proposal['id']}/decide", decision="approve", version=proposal["version"])
    with scope.tenant_scope(tenant_id):
        add_price(Price(model="house-model", usd_per_million_in=Decimal(3), usd_per_million_out=Decimal(15)))
        begin(Subject(ErasureKind.USER, user_id="nobody"), Selection(), waits=True)


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
            ("erasure_id", "erasure_erasure", "requested_at"),
        ):
            wanted = sql.SQL("SELECT id FROM {} WHERE tenant_id = %s ORDER BY {} DESC LIMIT 1").format(
                sql.Identifier(table), sql.Identifier(by)
            )
            (found[field],) = connection.execute(wanted, [tenant_id]).fetchone() or (None,)
    return found


def _previewed(browser: httpx.Client, tenant_id: UUID) -> UUID:
    """The preview of an erasure, counted."""
    from django.urls import resolve, reverse  # noqa: PLC0415

    from apps.jobs import services as jobs  # noqa: PLC0415

    name, form = ANSWERS[PREVIEW]
    jobs.drain(worker="bench", tenant_id=tenant_id)
    begun = browser.post(reverse(f"console:{name}"), data={**form, **_token(browser)})
    began = time.perf_counter()
    jobs.drain(worker="bench", tenant_id=tenant_id)
    figure(f"{PREVIEW}, counted by a job", time.perf_counter() - began, "s")
    preview_id: UUID = resolve(begun.headers["location"]).kwargs["preview_id"]
    return preview_id


def _addresses(ids: Mapping[str, UUID]) -> Iterator[tuple[str, str]]:
    """Each page that is looked at, and its address."""
    from django.urls import resolve, reverse  # noqa: PLC0415

    from apps.console.pages import PAGES  # noqa: PLC0415

    for page in PAGES:
        if page.method == "GET" and page.name not in FILES:
            own = {field: value for field, value in ids.items() if f":{field}>" in page.path}
            address = reverse(f"console:{page.name}", kwargs=own)
            yield f"{page.title} ({resolve(address).url_name})", address


def _quiet_agent(stack: Stack, tenant_id: UUID) -> str:
    with _superuser(stack) as connection:
        (slug,) = connection.execute(QUIET, [tenant_id]).fetchone() or ("",)
    return str(slug)


def _filtered(quiet: str) -> Iterator[tuple[str, str]]:
    """The same of each page that is filtered or put in another order."""
    from django.urls import reverse  # noqa: PLC0415

    for name, wanted in FILTERED:
        query = urlencode({field: value.format(quiet=quiet) for field, value in wanted.items()})
        yield f"{name} by {query}", f"{reverse(f'console:{name}')}?{query}"


def _forms() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Each answer to a form: its title, the address, and what is posted there."""
    from django.urls import reverse  # noqa: PLC0415

    for title, (name, form) in ANSWERS.items():
        yield f"{title} ({name})", reverse(f"console:{name}"), form


def _shown_by_admin(rows: Mapping[str, str], browser: httpx.Client) -> Iterator[tuple[str, str]]:
    """Each page that the admin shows, and its address; what sends elsewhere, or away, is none."""
    from tests.admin_addresses import addresses  # noqa: PLC0415

    for each in addresses():
        answer = browser.get(each.of(rows)) if each.name != "logout" else None
        if answer is not None and answer.status_code == httpx.codes.OK:
            yield f"admin {each.name}", answer.url.path


@contextmanager
def _owner(stack: Stack) -> Iterator[httpx.Client]:
    login = f"{stack.url}/console/login/"
    with httpx.Client(base_url=stack.url, timeout=60.0) as client:
        client.get(login).raise_for_status()
        given = {
            "username": stack.first_tenant["admin_username"],
            "password": stack.first_tenant["admin_password"],
            **_token(client),
        }
        client.post(login, data=given, headers={"Referer": login})
        yield client


def _token(browser: httpx.Client) -> dict[str, str]:
    return {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}


def _first_byte(browser: httpx.Client, request: httpx.Request) -> float:
    """Milliseconds until the first bytes are there of what is shown, wherever a form leads."""
    began = time.perf_counter()
    with closing(browser.send(request, stream=True, follow_redirects=True)) as answer:
        next(answer.iter_raw(), b"")
        spent = (time.perf_counter() - began) * 1000
        if answer.status_code != httpx.codes.OK:
            raise RuntimeError(f"{request.url}: {answer.status_code}")
    return spent


def _superuser(stack: Stack) -> psycopg.Connection:
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    return psycopg.connect(stack.postgres.superuser_url())
