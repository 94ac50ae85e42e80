"""Shared memory through both APIs: writing, asking, domains, disagreement, limits, and what stays private."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.tenants import services
from apps.tenants.models import Agent
from memory_platform.model import ClaimRelation
from tests.api.conftest import Caller
from tests.cast import MARA

LOKI, ELASTIC = "The release log store is Loki.", "The release log store is Elasticsearch."
QUESTION = "Which release log store do we use?"
REMEMBER = """mutation($input: RememberInput!) { remember(input: $input) {
  outcome reason memory { id text category visibility agentId confidence } } }"""
SHARE = "mutation($id: ID!, $domain: String) { share(id: $id, domain: $domain) { id visibility category agentId } }"
RECALL = """query($asked: String!, $options: RecallOptions) { recall(query: $asked, options: $options) {
  hits { id text confidence tags agentId saidAt scores { domain } } } }"""
NAMED = "{ memories { edges { node { agentId } } } }"
DOMAINS = "{ sharedDomains { domain memories agents lastWriteAt } }"
EXPLAIN = """query($id: ID!) { explainMemory(id: $id) {
  contradicts { id text agentId saidAt confidence open } sharedFrom { id } sharedAs { id } } }"""


@pytest.fixture
def agent_called(tenant, _warm_embedder):
    """A caller of an agent of its own, at home in a domain."""

    def make(slug, domain="", scopes=("read", "write", "share")):
        with tenant_scope(tenant.id):
            agent = services.create_agent(slug=slug, domain=domain)
            key = services.create_key(agent_id=agent.id, scopes=scopes)
        return Caller(key.token, key.key.id)

    return make


@pytest.fixture
def _one_excludes_the_other(judge):
    update = ClaimRelation(update=0.95, distinct=0.05)
    judge.relations.update({(LOKI, ELASTIC): update, (ELASTIC, LOKI): update})


def share(caller, text, **fields):
    return caller.field(REMEMBER, input={"text": text, "visibility": "SHARED", **fields})["memory"]


def hits(caller, query=QUESTION, **fields):
    options = {"filter": {"visibility": "SHARED", **fields}}
    return caller.field(RECALL, asked=query, options=options)["hits"]


def test_an_agent_writes_to_its_own_domain_and_others_find_it_there(agent_called):
    sales, health = agent_called("sales", "work"), agent_called("nurse", "health")
    told = sales.post("/api/v1/shared-memory", {"text": "The spring campaign runs in Ghent."}).json()

    assert (told["outcome"], told["memory"]["category"], told["memory"]["visibility"]) == ("stored", "work", "shared")
    question = {"query": "Where does the spring campaign run?"}
    answer = health.post("/api/v1/shared-memory/query", {**question, "filter": {"domain": "work"}}).json()
    (hit,) = answer["hits"]
    assert (hit["text"], hit["agent_id"]) == ("The spring campaign runs in Ghent.", "sales")
    assert hit["said_at"] == told["memory"]["event_time"]
    elsewhere = health.post("/api/v1/shared-memory/query", {**question, "filter": {"domain": "health"}}).json()
    unknown = health.post("/api/v1/shared-memory/query", {**question, "filter": {"domain": "gardening"}}).json()
    assert (elsewhere["hits"], unknown["hits"]) == ([], [])
    short = health.get("/api/v1/shared-memory", domain="work", limit=1, **question).json()
    assert [each["id"] for each in short["hits"]] == [hit["id"]]
    listed = health.get("/api/v1/memories", visibility="shared", domain="work").json()["items"]
    assert [each["id"] for each in listed] == [hit["id"]]
    assert health.get("/api/v1/memories", domain="work", category="health").json()["items"] == []


def test_another_domain_needs_the_scope_admin(agent_called):
    sales, chief = agent_called("sales", "work"), agent_called("chief", "work", services.ALL_SCOPES)
    mine = sales.field(REMEMBER, input={"text": "Mara is allergic to peanuts."})["memory"]

    assert sales.code(REMEMBER, input={"text": LOKI, "visibility": "SHARED", "category": "health"}) == "FORBIDDEN"
    assert sales.code(SHARE, id=mine["id"], domain="health") == "FORBIDDEN"
    assert sales.post("/api/v1/shared-memory", {"text": LOKI, "domain": "health"}).status_code == 403
    assert share(chief, LOKI, category="operations")["category"] == "operations"
    assert [each["domain"] for each in chief.field(DOMAINS)] == ["operations"]


def test_an_agent_at_home_nowhere_files_by_what_is_said(agent_called):
    rover = agent_called("rover")

    assert share(rover, "I prefer window seats on trains.")["category"] == "preferences"
    assert share(rover, LOKI, category="operations")["category"] == "operations"


def test_off_domain_hits_are_penalised(agent_called):
    work, health = agent_called("work", "work"), agent_called("health", "health")
    share(work, "The canteen closes at three on Fridays.")

    (own,) = hits(work, "When does the canteen close?")
    (other,) = hits(health, "When does the canteen close?")

    assert (own["scores"]["domain"], other["scores"]["domain"]) == (1.0, 0.7)


def test_a_private_memory_is_shared_by_id(agent_called):
    sales, nurse = agent_called("sales", "work"), agent_called("nurse", "health")
    mine = sales.field(REMEMBER, input={"text": LOKI, "category": "operations"})["memory"]
    assert hits(nurse) == []

    shared = sales.field(SHARE, id=mine["id"])

    assert (shared["visibility"], shared["category"], shared["agentId"]) == ("SHARED", "work", "sales")
    assert shared["id"] != mine["id"]
    (hit,) = hits(nurse)
    assert (hit["id"], hit["agentId"]) == (shared["id"], "sales")
    assert sales.field(EXPLAIN, id=shared["id"])["sharedFrom"] == {"id": mine["id"]}
    assert nurse.field(EXPLAIN, id=shared["id"])["sharedFrom"] is None
    again = sales.post(f"/api/v1/memories/{mine['id']}/share", {}).json()
    assert again["id"] == shared["id"]


@pytest.mark.usefixtures("_one_excludes_the_other")
def test_when_agents_disagree_both_come_back_the_more_trusted_first(agent_called):
    sales, nurse = agent_called("sales"), agent_called("nurse")
    later, earlier = now() - timedelta(minutes=1), now() - timedelta(minutes=2)
    weaker = share(sales, LOKI, confidence=0.6, occurredAt=later.isoformat())
    stronger = share(nurse, ELASTIC, confidence=0.8, occurredAt=earlier.isoformat())

    found = hits(sales)

    assert [hit["id"] for hit in found] == [stronger["id"], weaker["id"]]
    assert all("CONFLICT" in hit["tags"] for hit in found)
    assert [(hit["agentId"], hit["saidAt"][:10]) for hit in found] == [
        ("nurse", str(earlier.date())),
        ("sales", str(later.date())),
    ]
    (other,) = sales.field(EXPLAIN, id=weaker["id"])["contradicts"]
    assert (other["id"], other["agentId"], other["saidAt"][:10], other["open"]) == (
        stronger["id"],
        "nurse",
        str(earlier.date()),
        True,
    )
    assert other["confidence"] == pytest.approx(0.8, abs=0.01)


@pytest.mark.usefixtures("_one_excludes_the_other")
def test_the_block_for_the_prompt_shows_both_sides_and_who_holds_them(agent_called):
    sales, nurse = agent_called("sales"), agent_called("nurse")
    share(sales, LOKI, confidence=0.6)
    share(nurse, ELASTIC, confidence=0.8)

    for query in (QUESTION, None):
        block = sales.field("query($q: String) { context(query: $q) { text hits { agentId } } }", q=query)
        first, second = block["text"].splitlines()
        assert re.fullmatch(rf"~ {ELASTIC} \(.*; said by nurse on \d{{4}}-\d\d-\d\d\) \[conflict\]", first)
        assert re.fullmatch(rf"~ {LOKI} \(.*; said by sales on \d{{4}}-\d\d-\d\d\) \[conflict\]", second)
        assert [hit["agentId"] for hit in block["hits"]] == ["nurse", "sales"]


@pytest.mark.usefixtures("_one_excludes_the_other")
def test_a_contradiction_of_ones_own_names_nobody(agent_called):
    sales = agent_called("sales")
    for text, fields in ((LOKI, {}), (ELASTIC, {"strength": "INFERRED", "confidence": 0.5})):
        sales.field(REMEMBER, input={"text": text, **fields})

    text = sales.field("query($q: String) { context(query: $q) { text } }", q=QUESTION)["text"]

    assert text.startswith(f"~ {LOKI}")
    assert text.endswith("[conflict]")
    assert "said by" not in text


@pytest.mark.usefixtures("_one_excludes_the_other")
def test_what_was_said_to_two_agents_and_differs_comes_back_from_both(agent_called, run_jobs):
    sales, nurse = agent_called("sales"), agent_called("nurse")
    turn = "mutation($input: TurnInput!) { captureTurn(input: $input) { duplicate } }"
    for caller, text in ((sales, LOKI), (nurse, ELASTIC)):
        said = {"sessionId": "chat", "userInput": text, "visibility": "SHARED", "userId": MARA.user_id}
        caller.field(turn, input=said)
    run_jobs()

    for asking in (sales, nurse):
        found = hits(asking, userId=MARA.user_id)
        assert {hit["agentId"] for hit in found} == {"sales", "nurse"}
        assert all("CONFLICT" in hit["tags"] for hit in found)


@pytest.mark.usefixtures("unhurried")
def test_naming_other_agents_costs_nothing_a_memory(agent_called):
    sales, nurse = agent_called("sales"), agent_called("nurse")
    share(nurse, "The clinic is closed on public holidays.")
    sales.field(NAMED)

    with CaptureQueriesContext(connection) as one:
        sales.field(NAMED)
    share(nurse, "The clinic opens at eight.")
    share(nurse, "The spring campaign starts on 3 March.")
    with CaptureQueriesContext(connection) as three:
        told = sales.field(NAMED)

    assert [each["node"]["agentId"] for each in told["edges"]] == ["nurse"] * 3
    assert len(three) == len(one)


def test_domains_are_told_with_counts_agents_and_the_last_write(agent_called):
    sales, nurse = agent_called("sales", "work"), agent_called("nurse", "health")
    share(sales, LOKI)
    share(sales, "The spring campaign starts on 3 March.")
    share(nurse, "The clinic is closed on public holidays.")
    nurse.field(REMEMBER, input={"text": "The nurse's own locker is number 12.", "category": "other"})

    work, health = sales.field(DOMAINS)

    assert (work["domain"], work["memories"], work["agents"]) == ("work", 2, ["sales"])
    assert (health["domain"], health["memories"], health["agents"]) == ("health", 1, ["nurse"])
    told = sales.get("/api/v1/shared-memory/domains").json()["items"]
    assert [(each["domain"], each["last_write_at"][:19]) for each in told] == [
        (each["domain"], each["lastWriteAt"][:19]) for each in (work, health)
    ]


def test_shared_writes_are_limited_per_agent_in_both_apis(agent_called, tenant):
    sales, nurse = agent_called("sales"), agent_called("nurse")
    with tenant_scope(tenant.id):
        services.change(Agent.objects.get(tenant_id=tenant.id, slug="sales"), {"writes_per_minute": 2})
    mine = sales.field(REMEMBER, input={"text": LOKI})["memory"]
    share(sales, ELASTIC)

    refused = sales.post("/api/v1/shared-memory", {"text": "The office closes at six on Fridays."})
    twin = sales.ask(SHARE, id=mine["id"])["errors"][0]["extensions"]

    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert (refused.json()["error"]["code"], twin["code"]) == ("RATE_LIMITED", "RATE_LIMITED")
    assert 0 < twin["retryAfter"] <= 60
    assert share(nurse, "The clinic is closed on public holidays.")["visibility"] == "SHARED"
    assert len(hits(sales)) == 1


def test_sharing_and_reading_what_is_shared_need_the_scope(agent_called):
    sales, lonely = agent_called("sales"), agent_called("lonely", scopes=("read", "write"))
    share(sales, LOKI)
    own = lonely.field(REMEMBER, input={"text": "The locker key hangs in the hall."})["memory"]

    assert lonely.code(SHARE, id=own["id"]) == "FORBIDDEN"
    assert lonely.code(DOMAINS) == "FORBIDDEN"
    assert lonely.post("/api/v1/shared-memory", {"text": ELASTIC}).status_code == 403
    assert lonely.post("/api/v1/shared-memory/query", {"query": QUESTION}).status_code == 403
    assert hits(lonely) == []


def test_without_a_key_shared_memory_is_closed(database):
    assert Client().get("/api/v1/shared-memory/domains").status_code == 401


def test_a_key_sets_the_home_domain_of_its_agent(caller):
    made = caller.post("/api/v1/keys", {"scopes": ["read", "write", "share"], "agent_id": "nurse", "domain": "health"})
    nurse = Caller(made.json()["token"])

    assert nurse.field("{ viewer { agentId domain } }") == {"agentId": "nurse", "domain": "health"}
    assert share(nurse, "The clinic is closed on public holidays.")["category"] == "health"
    wrong = caller.post("/api/v1/keys", {"scopes": ["read"], "agent_id": "nurse", "domain": "gardening"})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "domain")
