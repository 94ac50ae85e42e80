"""What is private to one agent reaches no other one, whichever way it is looked for; what is shared does."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from apps.core.clock import now
from apps.jobs import services as jobs
from apps.tenants import services
from tests.policy.conftest import ask, get, make_agent, post

# Words that only private rows of the owner hold.
MARKERS = ("Zirkon", "Nordwind", "Lindqvist", "turquoise", "Malmö")
WORK = "Mara Lindqvist works at Nordwind."
PRIVATE = (
    WORK,
    "The company Nordwind is based in Malmö.",
    "Mara Lindqvist moved the Zirkon launch because the turquoise paint ran out.",
)
SHARED = "The harbour crew in Lund is led by Mara."
HITS = """hits { text tags agentId sources { quote speaker externalId }
  memory { text entities { name profile { summary } } } }"""
QUESTIONS = {
    "keyword": "Zirkon turquoise Nordwind Lindqvist",
    "vector": "Where is the employer of Mara located?",
    "why": "Why was the launch moved?",
    "who": "Who works at Nordwind?",
    "when": "What happened last week?",
    "hops": "In which city is the company based that Mara Lindqvist works at?",
}
READS = {
    "memories": "{ memories { edges { node { text sources { quote } versions { edges { node { reason } } } } } } }",
    "everything": """{ memories(filter: {verdicts: [ALLOW, HOLD],
        statuses: [ACTIVE, STALE, ARCHIVED, SUPERSEDED, DELETED]}) { edges { node { text } } } }""",
    "weak": "{ weakMemories { edges { node { text } } } }",
    "rejections": "{ rejections { edges { node { text detail } } } }",
    "rejectionCounts": "{ rejectionCounts { week stage reason count } }",
    "journal": "{ journal { edges { node { operation data detail reason } } } }",
    "domains": "{ sharedDomains { domain memories agents } }",
    "entities": "{ entities(first: 100) { edges { node { name aliases } } } }",
    "entity": """{ entity(name: "Mara") { name aliases summary facts { text } timeline { subject object quote }
        related { name } saidBy { name count } } }""",
    "surname": '{ entity(name: "Mara Lindqvist") { name aliases summary facts { text } related { name } } }',
    "company": '{ entity(name: "Nordwind") { name facts { text } } }',
    "session start": "{ context { text } }",
}


@dataclass(frozen=True)
class Owner:
    tenant_id: object
    token: str
    private: dict[str, str]
    shared: str


def field(query, token, **variables):
    answer = ask(query, variables, token).json()
    assert "errors" not in answer, answer
    return answer["data"]


def leaks(response_text):
    return [marker for marker in MARKERS if marker.casefold() in response_text.casefold()]


@pytest.fixture(scope="module")
def owner(database):
    slug = f"owner-{uuid4().hex[:8]}"
    tenant = services.create_tenant(slug=slug, name=slug)
    _, key = make_agent(tenant.id, "owner")
    remember = "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }"
    private = {text: field(remember, key.token, input={"text": text})["remember"]["memory"]["id"] for text in PRIVATE}
    turn = """mutation($input: TurnInput!) { captureTurn(input: $input) { jobIds } }"""
    last_week = (now() - timedelta(days=6)).isoformat()
    field(
        turn,
        key.token,
        input={"sessionId": "private", "userInput": f"Today I heard it: {WORK}", "occurredAt": last_week},
    )
    field(turn, key.token, input={"sessionId": "private", "userInput": "Hm, Zirkon?"})
    shared = field(remember, key.token, input={"text": SHARED, "visibility": "SHARED"})["remember"]["memory"]["id"]
    jobs.drain(worker="test", tenant_id=tenant.id)
    return Owner(tenant.id, key.token, private, shared)


@pytest.fixture(scope="module", params=[("read", "write", "share"), services.ALL_SCOPES], ids=["agent", "every scope"])
def other(request, owner):
    """Another agent's token: of an agent's usual key, and of one with every scope there is."""
    return make_agent(owner.tenant_id, f"other-{uuid4().hex[:8]}", request.param)[1].token


def recall(token, question, **options):
    given = {"explain": True, "limit": 20, "profile": "DEEP", **options}
    query = f"""query($q: String!, $options: RecallOptions) {{ recall(query: $q, options: $options) {{
        {HITS} explanation {{ arms {{ name }} belowFloor {{ text }} }} }} }}"""
    return ask(query, {"q": question, "options": given}, token).content.decode()


@pytest.mark.parametrize("arm", QUESTIONS)
def test_no_arm_of_recall_brings_what_is_private(owner, other, arm):
    assert leaks(recall(owner.token, QUESTIONS[arm]))
    for options in ({}, {"asOf": datetime.now(UTC).isoformat()}, {"filter": {"statuses": ["ACTIVE", "SUPERSEDED"]}}):
        assert leaks(recall(other, QUESTIONS[arm], **options)) == []


@pytest.mark.parametrize("style", ["FACTS", "SECTIONS", "OPERATIONAL"])
def test_no_context_holds_what_is_private(owner, other, style):
    query = "query($q: String, $options: ContextOptions) { context(query: $q, options: $options) { text } }"
    for question in (None, *QUESTIONS.values()):
        told = ask(query, {"q": question, "options": {"style": style, "profile": "DEEP"}}, other).content.decode()
        assert leaks(told) == []


@pytest.mark.parametrize("read", READS)
def test_no_list_and_no_profile_holds_what_is_private(owner, other, read):
    assert leaks(ask(READS[read], {}, other).content.decode()) == []


def test_a_profile_shows_an_agent_its_own_and_the_others_what_is_shared(owner, other):
    seen = field('{ entity(name: "Mara") { mentionCount facts { text } } }', other)["entity"]
    own = field('{ entity(name: "Mara Lindqvist") { facts { text } } }', owner.token)["entity"]

    assert (seen["mentionCount"], [fact["text"] for fact in seen["facts"]]) == (1, [SHARED])
    assert WORK in [fact["text"] for fact in own["facts"]]


def test_no_path_leads_over_what_is_private(owner, other):
    ids = {
        name: field("query($name: String!) { entity(name: $name) { id } }", owner.token, name=name)["entity"]["id"]
        for name in ("Mara Lindqvist", "Malmö")
    }
    path = "query($from: ID!, $to: ID!) { path(from: $from, to: $to) { fact start { text } end { text } } }"
    way = {"from": ids["Mara Lindqvist"], "to": ids["Malmö"]}

    assert field(path, owner.token, **way)["path"]
    refused = ask(path, way, other).json()
    assert refused["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert leaks(str(refused)) == []


def test_what_is_shared_is_explained_without_what_is_private(owner, other):
    explain = """query($id: ID!) { explainMemory(id: $id) { memory { text } sources { quote } entities
        versions { reason } merged { text } contradicts { text } supersedes { text } sharedFrom { text } } }"""

    told = field(explain, other, id=owner.shared)["explainMemory"]

    assert told["memory"]["text"] == SHARED
    assert leaks(str(told)) == []
    for item_id in owner.private.values():
        assert field(explain, other, id=item_id)["explainMemory"] is None
        assert field("query($id: ID!) { memory(id: $id) { text } }", other, id=item_id)["memory"] is None


def test_counts_are_of_what_may_be_read(owner, other):
    mine = field("{ stats { items episodes rejections openContradictions } }", other)["stats"]

    assert mine == {"items": 1, "episodes": 0, "rejections": 0, "openContradictions": 0}


@pytest.mark.parametrize(
    "path",
    ["/memories", "/memories/weak", "/rejections", "/journal", "/stats", "/shared-memory/domains", "/entities",
     "/entities/named?name=Mara", "/sessions/private/replay", "/sessions/private/checkpoint"],
)  # fmt: skip
def test_no_route_tells_what_is_private(owner, other, path):
    assert leaks(get(f"/api/v1{path}", other).content.decode()) == []


def test_the_shared_question_answers_from_what_is_shared_only(owner, other):
    for token in (owner.token, other):
        told = post("/api/v1/shared-memory/query", {"query": "Who leads the harbour crew?"}, token).json()
        assert [hit["text"] for hit in told["hits"]] == [SHARED]


def test_what_was_private_is_seen_once_it_is_shared_and_its_original_still_is_not(make_tenant):
    tenant = make_tenant()
    owner, other = (make_agent(tenant.id, slug)[1].token for slug in ("owner", "other"))
    fact, question = "The office key hangs behind the clock.", "Where does the office key hang?"
    remember = "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }"
    item_id = field(remember, owner, input={"text": fact})["remember"]["memory"]["id"]
    assert fact not in recall(other, question)

    field("mutation($id: ID!) { share(id: $id) { id } }", owner, id=item_id)

    assert fact in recall(other, question)
    assert field("query($id: ID!) { memory(id: $id) { text } }", other, id=item_id)["memory"] is None
