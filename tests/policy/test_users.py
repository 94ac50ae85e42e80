"""What belongs to one user reaches no read for another, whichever way it is looked for; what is no user's reaches both.

Two users of one agent in one tenant. The lists of reads are compared with the schemas: a new field without one fails.
"""

import json
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection
from django.test import Client

from apps.api.graphql.schema import schema
from apps.core.scope import Reach, tenant_scope, unscoped
from apps.jobs import services as jobs
from apps.lessons.models import Lesson
from apps.memory.models import Item
from apps.tenants import services
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import EVERYONE, NOBODY, Whose
from tests.openapi import paths
from tests.policy.conftest import make_agent, summarise_at_once

EVE, ADAM = "eve", "adam"
# Words that only rows of the one user hold.
MARKERS = {EVE: ("Quillfeather", "amaranth", "Tromsø"), ADAM: ("Brambleworth", "ochre", "Cádiz")}
COMMON = "The harbour ferry leaves at seven in the morning."


@dataclass
class Teller:
    """A key and maybe the user its requests are for."""

    token: str
    user: str | None = None
    ids: dict[str, str] = field(default_factory=dict)

    def send(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}"} | ({"Memory-User": self.user} if self.user else {})
        if method == "get":
            return Client().get(path, headers=headers)
        return Client().post(path, data=json.dumps(body), content_type="application/json", headers=headers)

    def ask(self, query, **variables):
        return self.send("post", "/graphql", {"query": query, "variables": variables}).json()

    def field(self, query, **variables):
        answer = self.ask(query, **variables)
        assert "errors" not in answer, answer
        (value,) = answer["data"].values()
        return value

    def code(self, query, **variables):
        return self.ask(query, **variables)["errors"][0]["extensions"]["code"]


@dataclass
class Household:
    """One agent that two users talk to; each speaks of an Anna of their own."""

    tenant_id: object
    agent_id: object
    agent: Teller
    eve: Teller
    adam: Teller


REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }"
TURN = "mutation($input: TurnInput!) { captureTurn(input: $input) { jobIds } }"


def _lesson(user):
    """A lesson that stands on the user's memory."""
    with unscoped("migrate data"):
        item = Item.objects.get(id=user.ids["memory"])
        return str(
            Lesson.objects.create(
                tenant_id=item.tenant_id, agent_id=item.agent_id, user_id=item.user_id, item=item, pattern="rule"
            ).id
        )


def _fill(user):
    person, colour, city = MARKERS[user.user]
    works = f"Anna {person} works at the {colour.title()} Company."
    user.ids["memory"] = user.field(REMEMBER, input={"text": works, "externalId": "one"})["memory"]["id"]
    user.field(REMEMBER, input={"text": f"Anna likes {colour} curtains in {city}."})
    said = f"Anna {person} moved to {city} because of the {colour} houses."
    user.field(TURN, input={"sessionId": "chat", "userInput": said, "llmOutput": f"Noted: {city}."})
    user.field(TURN, input={"sessionId": "chat", "userInput": f"Hm, {colour}?"})
    user.field('mutation($d: String!) { logAction(input: {action: "looked", detail: $d}) { id } }', d=f"for {person}")
    user.ids["trigger"] = user.field(
        'mutation($t: String!) { createTrigger(input: {text: $t, day: "2040-06-12"}) { id } }',
        t=f"Send {person} the {colour} curtains.",
    )["id"]
    user.ids["lesson"] = _lesson(user)
    spare = user.field(REMEMBER, input={"text": f"The {colour} cup belongs to {person}."})["memory"]["id"]
    user.ids["batch"] = user.field("mutation($id: ID!) { forget(input: {ids: [$id]}) { batchId } }", id=spare)[
        "batchId"
    ]
    user.ids["session_row"] = user.field('{ session(sessionId: "chat") { id } }')["id"]
    user.ids["recall"] = user.field("query($q: String!) { recall(query: $q) { id } }", q=f"Who is {person}?")["id"]


@pytest.fixture(scope="module")
def household(database):
    patch = pytest.MonkeyPatch()
    judge = ScriptedJudge()
    patch.setattr("apps.core.providers.appraiser", lambda: judge)
    patch.setattr("apps.core.providers.relator", lambda: judge)
    slug = f"household-{uuid4().hex[:8]}"
    tenant = services.create_tenant(slug=slug, name=slug)
    summarise_at_once(tenant.id)
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"writes_per_minute": 10_000})
    agent_id, key = make_agent(tenant.id, "assistant")
    made = Household(tenant.id, agent_id, Teller(key.token), Teller(key.token, EVE), Teller(key.token, ADAM))
    made.agent.field(REMEMBER, input={"text": COMMON})
    for user in (made.eve, made.adam):
        _fill(user)
    jobs.drain(worker="test", tenant_id=tenant.id)
    for user in (made.eve, made.adam):
        user.ids["entity"] = user.field('{ entity(name: "Anna") { id } }')["id"]
    yield made
    patch.undo()


MEMORY = """text userId sources { quote } entities { name profile { aliases summary facts { text }
  timeline { object quote } related { name } saidBy { name } } } supersedes { text } openLinks { memory { text } }
  versions(first: 3) { edges { node { reason } } }"""
ENTITY = """id name aliases summary facts { text } timeline { subject object quote } related { name }
  saidBy { name count }"""
OPEN = "statuses: [ACTIVE, STALE, ARCHIVED, SUPERSEDED, DELETED], verdicts: [ALLOW, HOLD]"
CATEGORIES = ("work", "preferences", "relationships", "hobbies", "other")


def _of_each_category(verb, wanted):
    asked = (f'{each}: {verb}(category: "{each}", userId: $user) {{ {wanted} }}' for each in CATEGORIES)
    return f"query($user: String!) {{ {' '.join(asked)} }}"


# Every query, asked for one user by argument; `%s` is the other user's word where words are asked for.
QUERIES = {
    "viewer": "{ viewer { tenant userId } }",
    "recall": f"""query($user: String!, $word: String!) {{
        wide: recall(query: $word, options: {{profile: DEEP, limit: 50, explain: true, filter: {{userId: $user}}}}) {{
            hits {{ text sources {{ quote }} }} explanation {{ belowFloor {{ text }} }} }}
        deep: recall(query: $word, options: {{limit: 2, filter: {{userId: $user}}}}) {{
            hits {{ memory {{ {MEMORY} }} }} }} }}""",
    "context": """query($user: String!, $word: String!) { context(query: $word,
        options: {style: SECTIONS, profile: DEEP, filter: {userId: $user}}) { text hits { text } } }""",
    "memory": f"query($user: String!, $memory: ID!) {{ memory(id: $memory, userId: $user) {{ {MEMORY} }} }}",
    "memories": f"""query($user: String!) {{ memories(first: 4, filter: {{userId: $user, {OPEN}}}) {{
        edges {{ node {{ {MEMORY} }} }} }} }}""",
    "explainMemory": f"""query($user: String!, $memory: ID!) {{ explainMemory(id: $memory, userId: $user) {{
        memory {{ {MEMORY} }} contradicts {{ text }} }} }}""",
    "weakMemories": "query($user: String!) { weakMemories(userId: $user) { edges { node { text } } } }",
    "rejections": "query($user: String!) { rejections(userId: $user) { edges { node { text detail } } } }",
    "rejectionCounts": "{ rejectionCounts { week reason count } }",
    "usage": "{ usage(input: {groupBy: [SESSION, OPERATION]}) { edges { node { sessionId calls } } } }",
    "budgets": "{ budgets { agentId spentUsd } }",
    "categories": "{ categories { slug label } }",
    "previewCategory": '{ previewCategory(slug: "other", input: {ttlDays: 1}) { archived archivedSample } }',
    "tryRecall": """query($user: String!, $word: String!) { tryRecall(query: $word,
        options: {profile: DEEP, limit: 50, explain: true, filter: {userId: $user}}) {
        hits { text } explanation { belowFloor { text } leftOut { text } } } }""",
    "tryContext": """query($user: String!, $word: String!) { tryContext(query: $word,
        options: {style: SECTIONS, profile: DEEP, filter: {userId: $user}}) { text hits { text } } }""",
    "simulatePolicy": """query($user: String!) { simulatePolicy(input: {userId: $user, policy: {relevanceFloor: 1}}) {
        recalls { recalls changed { recallId } } captures { facts sample } memories { step then } } }""",
    "memoryEvents": 'query($user: String!) { memoryEvents(after: "0", userId: $user) { items { subjectId userId } } }',
    "previewErasure": "query($user: String!) { previewErasure(input: {userId: $user}) { samples { text } } }",
    "exportAbout": """query($user: String!) {
        exportAbout(input: {userId: $user, sessionId: "chat"}) { edges { node { content markdown } } } }""",
    "erasures": "{ erasures { edges { node { about } } } }",
    "erasure": "query($memory: ID!) { erasure(id: $memory) { about } }",
    "verifyReceipt": "{ verifyReceipt(input: {receipt: {a: 1}}) { valid } }",
    "schedules": "{ schedules { name counts { name count } } }",
    "healthReport": "{ healthReport { markdown } }",
    "stats": "query($user: String!) { stats(userId: $user) { items episodes } }",
    "sessions": "query($user: String!) { sessions(filter: {userId: $user}) { edges { node { sessionId userId } } } }",
    "sessionTrace": """query($user: String!, $session_row: ID!) { sessionTrace(id: $session_row, userId: $user) {
        session { userId } turns { messages { text narrative facts { text } learnt { text quote } turnedDown { text } }
        recalls { query hits { text } } } later { query hits { text } } } }""",
    "session": 'query($user: String!) { session(sessionId: "chat", userId: $user) { userId turns } }',
    "checkpoint": """query($user: String!) { checkpoint(sessionId: "chat", turn: 1, userId: $user) {
        userInput llmOutput } }""",
    "recover": """query($user: String!) { recover(sessionId: "chat", userId: $user) {
        state turns { userInput llmOutput } } }""",
    "replay": 'query($user: String!) { replay(sessionId: "chat", userId: $user) { userInput llmOutput } }',
    "recallShared": """query($user: String!, $word: String!) { recallShared(query: $word,
        options: {profile: DEEP, filter: {userId: $user}}) { hits { text sources { quote } } } }""",
    "graphStatus": "{ graphStatus { state } }",
    "curatedMemory": "{ curatedMemory { text lines { text } } }",
    "curatedHistory": "{ curatedHistory { edges { node { diff } } } }",
    "checkCuratedMemory": "{ checkCuratedMemory { commit } }",
    "proposals": "{ proposals { edges { node { text evidence { text } } } } }",
    "reviewQueue": "query($user: String!) { reviewQueue(filter: {userId: $user}) { edges { node { texts userId } } } }",
    "keys": "{ keys { id name } }",
    "jobs": "{ jobs(ids: []) { id } }",
    "journal": "query($user: String!) { journal(userId: $user, first: 100) { edges { node { data action detail } } } }",
    "entity": f"query($user: String!, $word: String!) {{ entity(name: $word, userId: $user) {{ {ENTITY} }} }}",
    "entities": """query($user: String!) { entities(userId: $user, first: 100) {
        edges { node { id name aliases } } } }""",
    "neighbourhood": """query($user: String!, $entity: ID!) { neighbourhood(id: $entity, userId: $user) {
        center { name } neighbours { id name } ties { start end predicate memoryId } } }""",
    "path": """query($user: String!, $entity: ID!) { path(from: $entity, to: $entity, userId: $user) {
        fact start { text } end { text } } }""",
    "triggers": "query($user: String!) { triggers(filter: {userId: $user}) { edges { node { id text userId } } } }",
    "summaries": "query($user: String!) { summaries(userId: $user) { category userId items } }",
    "summary": _of_each_category("summary", "text sources { text }"),
    "summaryVersions": _of_each_category("summaryVersions", "text diff"),
    "lessons": "query($user: String!) { lessons(filter: {userId: $user}) { edges { node { id text userId } } } }",
    "lessonsFile": "query($user: String!) { lessonsFile(userId: $user) { text } }",
    "sharedDomains": "query($user: String!) { sharedDomains(userId: $user) { domain agents } }",
}
# Every GET route and every POST that only reads.
ROUTES = {
    ("post", "/recall"): {"query": "$word", "limit": 50, "explain": True, "filter": {"user_id": "$user"}},
    ("post", "/context"): {"query": "$word", "style": "sections", "filter": {"user_id": "$user"}},
    ("post", "/shared-memory/query"): {"query": "$word", "filter": {"user_id": "$user"}},
    ("post", "/recall/try"): {"query": "$word", "limit": 50, "explain": True, "filter": {"user_id": "$user"}},
    ("post", "/context/try"): {"query": "$word", "style": "sections", "filter": {"user_id": "$user"}},
    ("post", "/policy/simulate"): {"policy": {"relevance_floor": 1}, "user_id": "$user"},
    ("get", "/memories"): "?user_id=$user&first=100&status=active&status=deleted",
    ("get", "/memories/weak"): "?user_id=$user",
    ("get", "/memories/{memory_id}"): "?user_id=$user",
    ("get", "/memories/{memory_id}/explain"): "?user_id=$user",
    ("get", "/rejections"): "?user_id=$user",
    ("get", "/shared-memory"): "?user_id=$user&query=$word",
    ("get", "/shared-memory/domains"): "?user_id=$user",
    ("get", "/categories"): "",
    ("get", "/events"): "?after=0&user_id=$user",
    ("post", "/erasures/preview"): {"user_id": "$user"},
    ("post", "/erasures/verify"): {"receipt": {"a": 1}},
    ("post", "/exports"): {"user_id": "$user", "session_id": "chat"},
    ("get", "/erasures"): "",
    ("get", "/erasures/{erasure_id}"): "",
    ("get", "/schedules"): "",
    ("get", "/health-report"): "",
    ("get", "/budgets"): "",
    ("get", "/usage"): "?group_by=session&first=100",
    ("get", "/entities"): "?user_id=$user&first=100",
    ("get", "/entities/named"): "?user_id=$user&name=$word",
    ("get", "/entities/{entity_id}"): "?user_id=$user",
    ("get", "/entities/{entity_id}/neighbourhood"): "?user_id=$user",
    ("get", "/path"): "?user_id=$user&from=$entity&to=$entity",
    ("get", "/sessions/{session_id}"): "?user_id=$user",
    ("get", "/sessions"): "?user_id=$user&first=100",
    ("get", "/session-traces/{trace_id}"): "?user_id=$user",
    ("get", "/sessions/{session_id}/checkpoint"): "?user_id=$user",
    ("get", "/sessions/{session_id}/recover"): "?user_id=$user",
    ("get", "/sessions/{session_id}/replay"): "?user_id=$user",
    ("get", "/jobs"): "?ids=$memory",
    ("get", "/journal"): "?user_id=$user&first=100",
    ("get", "/rejections/counts"): "",
    ("get", "/summaries"): "?user_id=$user",
    ("get", "/summaries/{category}"): "?user_id=$user",
    ("get", "/summaries/{category}.md"): "?user_id=$user",
    ("get", "/summaries/{category}/versions"): "?user_id=$user",
    ("get", "/triggers"): "?user_id=$user&first=100",
    ("get", "/lessons"): "?user_id=$user&first=100",
    ("get", "/lessons.md"): "?user_id=$user",
    ("get", "/stats"): "?user_id=$user",
    ("get", "/viewer"): "",
    ("get", "/graph"): "",
    ("get", "/curated-memory"): "",
    ("get", "/curated-memory/history"): "",
    ("get", "/curated-memory/check"): "",
    ("get", "/memory.md"): "",
    ("get", "/proposals"): "",
    ("get", "/review-queue"): "?user_id=$user",
    ("get", "/keys"): "",
}
READING_POSTS = {
    "/recall",
    "/context",
    "/shared-memory/query",
    "/policy/simulate",
    "/recall/try",
    "/context/try",
    "/erasures/preview",
    "/erasures/verify",
    "/exports",
}


def test_every_query_and_every_reading_route_is_asked():
    reads = {
        (method, path)
        for path, methods in paths().items()
        for method in methods
        if method == "get" or path in READING_POSTS
    }

    assert set(schema._schema.query_type.fields) == set(QUERIES)
    assert reads == set(ROUTES)


def told(response, of_user):
    """The user's markers in an answer."""
    return [marker for marker in MARKERS[of_user] if marker.casefold() in response.casefold()]


def pairs(household):
    return ((household.eve, household.adam), (household.adam, household.eve))


def _values(text, asking, other):
    """A request of one user with the other's words and ids."""
    given = {"$user": asking.user, "$word": "Anna " + " ".join(MARKERS[other.user][:1])}
    given |= {f"${name}": row_id for name, row_id in other.ids.items()}
    for name, value in given.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("means", ["argument", "header"])
def test_no_query_for_one_user_tells_anything_of_another(household, name, means):
    for asking, other in pairs(household):
        reader = household.agent if means == "argument" else asking
        for word in (*MARKERS[other.user], "Anna", "anna moved curtains company houses"):
            ids = {"user": asking.user, "word": word, **other.ids}
            used = {key: value for key, value in ids.items() if f"${key}:" in QUERIES[name]}

            answered = reader.ask(QUERIES[name], **used)
            answer = json.dumps(answered, ensure_ascii=False)

            assert {error["extensions"]["code"] for error in answered.get("errors", ())} <= {"NOT_FOUND"}
            assert told(answer, other.user) == []
            assert f'"userId": "{other.user}"' not in answer


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_route_for_one_user_tells_anything_of_another(household, method, path):
    wanted = ROUTES[method, path]
    for asking, other in pairs(household):
        ids = {
            "{memory_id}": other.ids["memory"],
            "{erasure_id}": other.ids["memory"],
            "{entity_id}": other.ids["entity"],
            "{trace_id}": other.ids["session_row"],
            "{session_id}": "chat",
            "{category}": "other",
        }
        there = f"/api/v1{path}"
        for place, row_id in ids.items():
            there = there.replace(place, row_id)
        if method == "get":
            response = household.agent.send("get", there + _values(wanted, asking, other))
        else:
            response = household.agent.send("post", there, json.loads(_values(json.dumps(wanted), asking, other)))

        assert response.status_code in {200, 404}
        answer = response.content.decode()
        asked_for = _values("$word", asking, other)
        assert told(answer.replace(asked_for, ""), other.user) == []


def test_each_user_reads_its_own_and_what_is_no_users(household):
    for asking, other in pairs(household):
        query = "query($user: String!) { memories(first: 100, filter: {userId: $user}) { edges { node { text } } } }"
        own = household.agent.field(query, user=asking.user)
        texts = [edge["node"]["text"] for edge in own["edges"]]

        assert COMMON in texts
        assert told(" ".join(texts), asking.user)
        assert told(" ".join(texts), other.user) == []


LISTS = {
    "summaries": "{ summaries { category userId } }",
    "summary": '{ work: summary(category: "work") { text } other: summary(category: "other") { text } }',
    "memories": "{ memories(first: 100) { edges { node { text } } } }",
    "recall": '{ recall(query: "Anna", options: {limit: 50}) { hits { text } } }',
    "context": "{ context { text } }",
    "rejections": "{ rejections { edges { node { text } } } }",
    "entities": "{ entities(first: 100) { edges { node { name aliases } } } }",
    "entity": '{ entity(name: "Anna") { name facts { text } } }',
}


@pytest.mark.parametrize("name", LISTS)
def test_what_is_asked_for_nobody_tells_of_no_user(household, name):
    answer = json.dumps(household.agent.ask(LISTS[name]), ensure_ascii=False)

    assert [told(answer, user) for user in MARKERS] == [[], []]


def test_each_user_has_a_summary_of_its_own(household):
    for asking, other in pairs(household):
        answer = json.dumps(household.agent.ask(QUERIES["summary"], user=asking.user), ensure_ascii=False)

        assert told(answer, asking.user)
        assert told(answer, other.user) == []


def test_all_users_are_read_when_they_are_asked_for(household):
    query = "{ memories(first: 100, filter: {allUsers: true}) { edges { node { text } } } }"
    texts = " ".join(edge["node"]["text"] for edge in household.agent.field(query)["edges"])

    assert told(texts, EVE)
    assert told(texts, ADAM)
    refused = '{ memories(filter: {allUsers: true, userId: "eve"}) { edges { node { text } } } }'
    assert household.agent.code(refused) == "INVALID"


def test_what_hangs_on_a_memory_named_by_its_id_is_its_users(household):
    for asking, other in pairs(household):
        found = household.agent.field(f"query($id: ID!) {{ memory(id: $id) {{ {MEMORY} }} }}", id=asking.ids["memory"])

        assert told(json.dumps(found, ensure_ascii=False), asking.user)
        assert told(json.dumps(found, ensure_ascii=False), other.user) == []


def test_two_users_annas_are_two_entities(household):
    with tenant_scope(household.tenant_id), connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT e.user_id, e.id FROM graph_alias a JOIN graph_entity e ON e.tenant_id = a.tenant_id"
            " AND e.id = a.entity_id WHERE a.name_key LIKE 'anna%%' AND e.mention_count > 0"
        )
        owners = cursor.fetchall()

    assert {user for user, _ in owners} == {EVE, ADAM}
    by_id = "query($id: ID!) { entity(id: $id) { facts { text } } }"
    for asking, other in pairs(household):
        facts = json.dumps(household.agent.field(by_id, id=asking.ids["entity"]), ensure_ascii=False)
        assert told(facts, asking.user)
        assert told(facts, other.user) == []


def test_two_users_sessions_and_external_ids_may_be_called_the_same(household):
    turns = [user.field('{ session(sessionId: "chat") { userId turns } }') for user in (household.eve, household.adam)]

    assert turns == [{"userId": EVE, "turns": 2}, {"userId": ADAM, "turns": 2}]
    assert household.eve.ids["memory"] != household.adam.ids["memory"]


CHANGES = {
    "correct": 'mutation($memory: ID!) { correct(id: $memory, text: "Nothing of the sort.") { outcome } }',
    "confirm": "mutation($memory: ID!) { confirm(id: $memory) { text } }",
    "withdrawConfirmation": "mutation($memory: ID!) { withdrawConfirmation(id: $memory) { text } }",
    "unmerge": "mutation($memory: ID!) { unmerge(id: $memory) { text } }",
    "giveFeedback": "mutation($memory: ID!) { giveFeedback(memoryId: $memory, kind: WRONG) { kind } }",
    "withdrawFeedback": "mutation($memory: ID!) { withdrawFeedback(memoryId: $memory) { text } }",
    "share": "mutation($memory: ID!) { share(id: $memory) { text } }",
    "forget": "mutation($memory: ID!) { forget(input: {ids: [$memory]}) { batchId } }",
    "restore": "mutation($batch: ID!) { restore(batchId: $batch) { items { text } } }",
    "reportOutput": 'mutation($recall: ID!) { reportOutput(recallId: $recall, output: "nothing") { used } }',
    "snoozeTrigger": """mutation($trigger: ID!) {
        snoozeTrigger(id: $trigger, until: "2040-06-12T09:00:00Z") { text } }""",
    "completeTrigger": "mutation($trigger: ID!) { completeTrigger(id: $trigger) { text } }",
    "dismissTrigger": "mutation($trigger: ID!) { dismissTrigger(id: $trigger) { text } }",
    "dismissLesson": "mutation($lesson: ID!) { dismissLesson(id: $lesson) { text } }",
    "mergeEntities": "mutation($entity: ID!) { mergeEntities(into: $entity, from: [$entity]) { name } }",
    "splitEntity": 'mutation($entity: ID!) { splitEntity(id: $entity, aliases: ["Anna"]) { name } }',
}


@pytest.mark.parametrize("name", CHANGES)
def test_one_user_changes_nothing_of_another(household, name):
    for asking, other in pairs(household):
        used = {key: value for key, value in other.ids.items() if f"${key}:" in CHANGES[name]}

        answer = asking.ask(CHANGES[name], **used)

        assert answer["errors"][0]["extensions"]["code"] == "NOT_FOUND"
        assert told(json.dumps(answer), other.user) == []


def test_what_is_no_users_is_read_by_one_and_not_changed(household):
    found = household.eve.field("{ memories(first: 100) { edges { node { id text } } } }")["edges"]
    (common,) = [edge["node"]["id"] for edge in found if edge["node"]["text"] == COMMON]

    for name in (
        "confirm", "withdrawConfirmation", "unmerge", "correct", "forget", "giveFeedback", "withdrawFeedback"
    ):  # fmt: skip
        assert household.eve.code(CHANGES[name], memory=common) == "FORBIDDEN"
    by_query = 'mutation { forget(input: {query: "When does the harbour ferry leave?"}) { items { text } } }'
    assert COMMON not in [item["text"] for item in household.eve.field(by_query)["items"]]


@pytest.fixture
def eves_key(household):
    with tenant_scope(household.tenant_id):
        made = services.create_key(agent_id=household.agent_id, scopes=("read", "write", "share"), user_id=EVE)
    return Teller(made.token)


def test_a_bound_key_reads_and_writes_for_its_user(household, eves_key):
    assert eves_key.field("{ viewer { userId } }") == {"userId": EVE}
    texts = json.dumps(eves_key.field("{ memories(first: 100) { edges { node { text } } } }"), ensure_ascii=False)
    assert told(texts, EVE)
    assert told(texts, ADAM) == []

    written = eves_key.field(
        "mutation($input: RememberInput!) { remember(input: $input) { memory { userId } } }",
        input={"text": "Anna Quillfeather sings in the cathedral choir."},
    )
    assert written["memory"] == {"userId": EVE}


NAMING_ANOTHER = {
    "recall": '{ recall(query: "Anna", options: {filter: {userId: "adam"}}) { id } }',
    "all users": '{ recall(query: "Anna", options: {filter: {allUsers: true}}) { id } }',
    "entities": '{ entities(userId: "adam") { edges { node { name } } } }',
    "session": '{ session(sessionId: "chat", userId: "adam") { id } }',
    "capture": 'mutation { captureTurn(input: {sessionId: "x", userId: "adam", userInput: "Hello."}) { duplicate } }',
    "start": 'mutation { startSession(input: {sessionId: "x", userId: "adam"}) { text } }',
    "observe": 'mutation { observe(input: {sessionId: "x", userId: "adam", text: "Hello."}) { pending } }',
    "branch": """mutation { branchSession(sessionId: "chat", input: {userId: "adam", newSessionId: "x"}) { turns } }""",
    "heartbeat": 'mutation { heartbeat(sessionId: "chat", userId: "adam") { pending } }',
    "end": 'mutation { endSession(sessionId: "chat", options: {userId: "adam"}) { pending } }',
    "remember": 'mutation { remember(input: {text: "The bakery opens at seven.", userId: "adam"}) { outcome } }',
    "forget": 'mutation { forget(input: {userId: "adam"}) { batchId } }',
}


@pytest.mark.parametrize("name", NAMING_ANOTHER)
def test_a_bound_key_cannot_name_another_user(household, eves_key, name):
    for bound in (eves_key, household.eve):
        error = bound.ask(NAMING_ANOTHER[name])["errors"][0]

        assert error["extensions"]["code"] == "FORBIDDEN"
        assert error["message"] == "This key speaks for one user and cannot name another."


def test_a_bound_key_ingests_its_users_lines_only(eves_key):
    def ingest(**fields):
        line = {
            "external_id": uuid4().hex,
            "session_id": "bulk",
            "content": "The choir rehearses on Fridays.",
            **fields,
        }
        headers = {"Authorization": f"Bearer {eves_key.token}"}
        kind = "application/x-ndjson"
        return Client().post("/api/v1/ingest", data=json.dumps(line), content_type=kind, headers=headers)

    assert ingest(user_id=ADAM).status_code == 403
    assert ingest().json()["accepted"] == 1
    assert eves_key.field('{ session(sessionId: "bulk") { userId } }') == {"userId": EVE}


def test_a_header_of_another_user_does_not_open_a_bound_key(eves_key):
    assert Teller(eves_key.token, ADAM).send("get", "/api/v1/memories").status_code == 403
    assert Teller(eves_key.token, EVE).send("get", "/api/v1/memories").status_code == 200


def test_keys_are_bound_by_both_apis_and_never_to_an_administrator(household):
    create = "mutation($input: ApiKeyInput!) { createApiKey(input: $input) { token key { userId } } }"

    made = household.agent.field(create, input={"scopes": ["READ"], "userId": EVE})
    by_rest = household.agent.send("post", "/api/v1/keys", {"scopes": ["read"], "user_id": EVE}).json()

    assert (made["key"], by_rest["key"]["user_id"]) == ({"userId": EVE}, EVE)
    for token in (made["token"], by_rest["token"]):
        assert Teller(token).field("{ viewer { userId } }") == {"userId": EVE}
    for scope in ("ADMIN", "REVIEW"):
        assert household.agent.code(create, input={"scopes": ["READ", scope], "userId": EVE}) == "INVALID"


def test_a_rotated_key_stays_bound(household):
    with tenant_scope(household.tenant_id):
        made = services.create_key(agent_id=household.agent_id, scopes=("read",), user_id=EVE)
        fresh = services.rotate_key(key_id=made.key.id)

    assert Teller(fresh.token).field("{ viewer { userId } }") == {"userId": EVE}


# Whose key it is, not whose row: administrators list them all.
NOT_OF_A_USER = {"tenants_api_key"}


@pytest.fixture
def tables(database):
    """Every table of the catalogue with a user of the caller's."""
    with unscoped("migrate data"), connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id'
               JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
               AND a.atttypid = 'varchar'::regtype AND NOT a.attisdropped"""
        )
        return {name for (name,) in cursor.fetchall()} - NOT_OF_A_USER


def test_every_table_with_a_user_restricts_every_command_to_it(tables):
    with unscoped("migrate data"), connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname, array_agg(p.polcmd::text), bool_and(
                   coalesce(pg_get_expr(p.polqual, c.oid), pg_get_expr(p.polwithcheck, c.oid)) LIKE '%%app.user%%')
               FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
               WHERE NOT p.polpermissive AND 'memory_app'::regrole = ANY (p.polroles) GROUP BY c.relname"""
        )
        restricted = {name for name, commands, minds in cursor.fetchall() if set("rawd") <= set(commands) and minds}

    assert len(tables) > 15
    assert tables - restricted == set()


def _users_in(household, tables, whose, reach=Reach.SHARED):
    every = " UNION ALL ".join(f"SELECT '{name}', user_id FROM {name}" for name in sorted(tables))
    within = tenant_scope(household.tenant_id, agent_id=household.agent_id, reach=reach, whose=whose)
    with within, connection.cursor() as cursor:
        cursor.execute(f"SELECT DISTINCT * FROM ({every}) AS rows (name, user_id)")
        return set(cursor.fetchall())


@pytest.mark.parametrize("reach", [Reach.OWN, Reach.SHARED, Reach.TENANT])
def test_the_role_selects_no_row_of_another_user(household, tables, reach):
    seen = {who: _users_in(household, tables, Whose(who), reach) for who in (EVE, ADAM, "*", "nobody")}
    all_of_them = _users_in(household, tables, EVERYONE, reach)

    assert {user for _, user in seen[EVE]} <= {EVE, None}
    assert {user for _, user in seen[ADAM]} <= {ADAM, None}
    assert {user for name in ("*", "nobody") for _, user in seen[name]} == {None}
    assert {user for _, user in _users_in(household, tables, NOBODY, reach)} == {None}
    assert seen[EVE] | seen[ADAM] == all_of_them
    assert {name for name, user in seen[EVE] if user == EVE} == {name for name, user in seen[ADAM] if user == ADAM}


def test_without_the_setting_no_users_row_is_there(household):
    with tenant_scope(household.tenant_id), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.user', '', true)")
        cursor.execute("SELECT DISTINCT user_id FROM memory_item")
        assert cursor.fetchall() == [(None,)]


def test_the_role_writes_no_row_of_another_user(household):
    def change(sql, whose):
        within = tenant_scope(household.tenant_id, agent_id=household.agent_id, whose=whose)
        with within, connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.rowcount

    assert change("UPDATE memory_item SET text = text WHERE user_id = 'adam'", Whose(EVE)) == 0
    assert change("UPDATE memory_item SET text = text WHERE user_id IS NULL", Whose(EVE)) == 0
    assert change("DELETE FROM graph_mention WHERE user_id = 'adam'", NOBODY) == 0
    for stolen in ("'adam'", "NULL"):
        with pytest.raises(DatabaseError):
            change(f"UPDATE memory_item SET user_id = {stolen}", Whose(EVE))
