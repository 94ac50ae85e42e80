"""Entities, profiles, paths and their curation through both APIs."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.scope import tenant_scope
from apps.tenants import services
from tests.api.conftest import Caller

WORKS, BASED = "Mara Lindqvist works at Nordwind.", "The ferry company Nordwind is based in Lund."
ENTITY = """query($id: ID, $name: String, $asOf: DateTime) { entity(id: $id, name: $name, asOf: $asOf) {
  id name type aliases summary mentionCount firstSeenAt lastSeenAt facts { id text }
  timeline { kind predicate subject object memoryId validFrom validUntil } related { id name type predicate weight }
  saidBy { name count } } }"""
PATH = """query($from: ID!, $to: ID!, $maxDepth: Int!) { path(from: $from, to: $to, maxDepth: $maxDepth) {
  kind predicate forward fact start { kind id text } end { kind id text }
  sources { resourceId externalId role speaker saidAt } } }"""
MERGE = "mutation($into: ID!, $from: [ID!]!) { mergeEntities(into: $into, from: $from) { id name aliases } }"
SPLIT = "mutation($id: ID!, $aliases: [String!]!) { splitEntity(id: $id, aliases: $aliases) { id name aliases } }"


@pytest.fixture
def tell(caller, run_jobs):
    """Remember facts and bring them into the graph."""

    def remember(*texts, by=caller, **fields):
        query = "mutation($input: RememberInput!) { remember(input: $input) { memory { id } } }"
        ids = [by.field(query, input={"text": text, **fields})["memory"]["id"] for text in texts]
        run_jobs()
        return ids

    return remember


@pytest.fixture
def someone(tenant, _warm_embedder):
    """Another agent of the tenant, with the usual scopes."""
    with tenant_scope(tenant.id):
        agent = services.create_agent(slug="someone")
        return Caller(services.create_key(agent_id=agent.id, scopes=("read", "write", "share")).token)


def named(caller, name):
    return caller.field(ENTITY, name=name)


def way(caller, start, end, depth=4):
    return caller.field(PATH, **{"from": named(caller, start)["id"], "to": named(caller, end)["id"], "maxDepth": depth})


def test_a_profile_tells_facts_timeline_and_relations(caller, tell):
    works, based = tell(WORKS, BASED)

    mara, nordwind = named(caller, "Mara Lindqvist"), named(caller, "Nordwind")

    assert (mara["name"], mara["type"]) == ("Mara Lindqvist", "PERSON")
    assert [fact["id"] for fact in mara["facts"]] == [works]
    assert {fact["id"] for fact in nordwind["facts"]} == {works, based}
    assert nordwind["mentionCount"] == 2
    assert "Nordwind" in [other["name"] for other in mara["related"]]
    assert [step["memoryId"] for step in mara["timeline"]] == [works]
    assert caller.field(ENTITY, id=mara["id"]) == mara


def test_rest_tells_the_same_profile(caller, tell):
    tell(WORKS, BASED)
    asked = named(caller, "Mara Lindqvist")

    by_name = caller.get("/api/v1/entities/named", name="Mara Lindqvist").json()
    by_id = caller.get(f"/api/v1/entities/{asked['id']}").json()

    assert {**by_name, "facts": []} == {**by_id, "facts": []}
    assert (by_id["id"], by_id["name"], by_id["type"]) == (asked["id"], "Mara Lindqvist", "person")
    assert [fact["text"] for fact in by_id["facts"]] == [WORKS]
    assert [other["name"] for other in by_id["related"]] == [other["name"] for other in asked["related"]]


def test_entities_are_listed_searched_and_paged(caller, tell):
    tell(WORKS, BASED, "In May the company Nordwind hired Ines Duarte.")
    query = """query($search: String, $type: EntityType, $first: Int, $after: String) {
      entities(search: $search, type: $type, first: $first, after: $after) {
        edges { node { name type mentionCount } } pageInfo { hasNextPage endCursor } } }"""

    first = caller.field(query, first=1)
    rest = caller.field(query, after=first["pageInfo"]["endCursor"])
    people = caller.field(query, type="PERSON")

    assert first["edges"][0]["node"]["name"] == "Nordwind"
    names = [edge["node"]["name"] for edge in (*first["edges"], *rest["edges"])]
    assert {"Nordwind", "Mara Lindqvist", "Lund", "Ines Duarte"} <= set(names)
    assert len(names) == len(set(names))
    assert {edge["node"]["name"] for edge in people["edges"]} == {"Mara Lindqvist", "Ines Duarte"}
    found = caller.get("/api/v1/entities", search="duar").json()["items"]
    assert [(each["name"], each["aliases"]) for each in found] == [("Ines Duarte", [])]


@pytest.mark.usefixtures("unhurried")
def test_a_list_of_entities_is_read_at_once(caller, tell):
    tell(WORKS, BASED, "In May the company Nordwind hired Ines Duarte.")
    query = "{ entities { edges { node { id name type aliases mentionCount firstSeenAt lastSeenAt } } } }"
    caller.field(query)

    with CaptureQueriesContext(connection) as captured:
        assert len(caller.field(query)["edges"]) >= 4

    assert len(captured) <= 8


def test_a_path_leads_over_facts_of_different_memories(caller, tell):
    tell(WORKS, BASED)

    steps = way(caller, "Mara Lindqvist", "Lund")

    assert steps[0]["start"]["text"] == "Mara Lindqvist"
    assert steps[-1]["end"]["text"] == "Lund"
    assert [step["end"] for step in steps[:-1]] == [step["start"] for step in steps[1:]]
    assert {WORKS, BASED} <= {step["fact"] for step in steps}
    told = caller.get(
        "/api/v1/path", **{"from": steps[0]["start"]["id"], "to": steps[-1]["end"]["id"], "max_depth": 4}
    ).json()
    assert told["connected"] is True
    assert [step["fact"] for step in told["steps"]] == [step["fact"] for step in steps]


def test_a_path_names_its_sources(caller, run_jobs):
    turn = "mutation($input: TurnInput!) { captureTurn(input: $input) { duplicate } }"
    caller.field(turn, input={"sessionId": "a", "userInput": f"Let me tell you: {WORKS}"})
    caller.field(turn, input={"sessionId": "b", "userInput": f"One more thing. {BASED}"})
    run_jobs()

    sources = [source for step in way(caller, "Mara Lindqvist", "Lund") for source in step["sources"]]

    assert sources
    assert all(source["saidAt"] for source in sources)


def test_what_is_not_connected_has_no_path(caller, tell):
    tell(WORKS, "Tomás Pereira lives in Porto.")

    assert way(caller, "Mara Lindqvist", "Porto") is None
    ids = {"from": named(caller, "Mara Lindqvist")["id"], "to": named(caller, "Porto")["id"]}
    assert caller.get("/api/v1/path", **ids).json() == {"connected": False, "steps": []}


def test_two_names_of_one_are_merged_and_split_again(caller, tell):
    tell("The port hired Nordwind for the northern pier.", "Baltic Freight is based in Lund.")
    kept, other = named(caller, "Nordwind"), named(caller, "Baltic Freight")

    merged = caller.field(MERGE, **{"into": kept["id"], "from": [other["id"]]})

    assert merged["id"] == kept["id"]
    assert {merged["name"], *merged["aliases"]} == {"Nordwind", "Baltic Freight"}
    assert named(caller, "Baltic Freight")["id"] == kept["id"]
    split = caller.field(SPLIT, id=kept["id"], aliases=["Baltic Freight"])
    assert (split["name"], split["id"] != kept["id"]) == ("Baltic Freight", True)
    assert [fact["text"] for fact in named(caller, "Baltic Freight")["facts"]] == ["Baltic Freight is based in Lund."]


def test_rest_merges_and_splits(caller, tell):
    tell("The port hired Nordwind for the northern pier.", "Baltic Freight is based in Lund.")
    kept, other = named(caller, "Nordwind"), named(caller, "Baltic Freight")

    merged = caller.post(f"/api/v1/entities/{kept['id']}/merge", {"from": [other["id"]]})
    split = caller.post(f"/api/v1/entities/{kept['id']}/split", {"aliases": ["Baltic Freight"]})

    assert (merged.status_code, merged.json()["id"]) == (200, kept["id"])
    assert (split.status_code, split.json()["name"]) == (200, "Baltic Freight")


def test_shared_entities_are_merged_by_who_may_review(caller, someone, tell):
    tell("The port hired Nordwind for the northern pier.", "Baltic Freight is based in Lund.", visibility="SHARED")
    ids = {"into": named(someone, "Nordwind")["id"], "from": [named(someone, "Baltic Freight")["id"]]}

    assert someone.code(MERGE, **ids) == "FORBIDDEN"
    assert caller.field(MERGE, **ids)["id"] == ids["into"]
    assert named(someone, "Baltic Freight")["id"] == ids["into"]


def test_foreign_entities_are_as_unknown_ones(caller, someone, stranger, tell):
    tell(WORKS)
    known = named(caller, "Mara Lindqvist")["id"]

    for other in (someone, stranger):
        assert other.field(ENTITY, id=known) is None
        for entity_id in (known, str(uuid4())):
            assert other.code(PATH, **{"from": entity_id, "to": entity_id, "maxDepth": 2}) == "NOT_FOUND"
            assert other.code(MERGE, **{"into": entity_id, "from": [entity_id]}) == "NOT_FOUND"
            assert other.code(SPLIT, id=entity_id, aliases=["Mara"]) == "NOT_FOUND"


def test_a_memory_names_its_entities(caller, tell):
    (item_id,) = tell(WORKS)

    found = caller.field(
        "query($id: ID!) { memory(id: $id) { entities { id name type profile { aliases } } } }", id=item_id
    )

    assert {entity["name"] for entity in found["entities"]} == {"Mara Lindqvist", "Nordwind"}
    assert named(caller, "Nordwind")["id"] in {entity["id"] for entity in found["entities"]}


def test_what_cannot_be_asked_is_refused_with_its_field(caller):
    some = str(uuid4())
    told = caller.ask(ENTITY)["errors"][0]["extensions"]

    assert (told["code"], told["field"]) == ("INVALID", "id")
    assert caller.code(ENTITY, id=some, name="Mara") == "INVALID"
    assert caller.code(ENTITY, name=" ") == "INVALID"
    assert caller.code(ENTITY, id="mara") == "INVALID"
    assert caller.code(PATH, **{"from": some, "to": some, "maxDepth": 5}) == "INVALID"
    assert caller.code(MERGE, **{"into": some, "from": []}) == "INVALID"
    assert caller.code(SPLIT, id=some, aliases=[]) == "INVALID"
    assert caller.get("/api/v1/path", **{"from": some, "to": some, "max_depth": 9}).status_code == 422
    assert caller.get(f"/api/v1/entities/{some}").status_code == 404
    assert caller.field(ENTITY, name="Nobody Inparticular") is None


def test_what_was_remembered_before_there_was_a_graph_is_filled_in(caller, tell, tenant, run_jobs):
    from apps.graph.models import Entity, Mention  # noqa: PLC0415  Django must be set up first

    tell(WORKS)
    with tenant_scope(tenant.id):
        Mention.objects.filter(tenant_id=tenant.id).delete()
        Entity.objects.filter(tenant_id=tenant.id).update(mention_count=0)
    assert named(caller, "Mara Lindqvist") is None

    begun = caller.post("/api/v1/graph/backfill", {})
    run_jobs()

    assert (begun.status_code, begun.json()) == (200, {"jobs": 1})
    assert [fact["text"] for fact in named(caller, "Mara Lindqvist")["facts"]] == [WORKS]


def test_without_another_server_there_is_no_copy(caller, make_caller):
    assert caller.get("/api/v1/graph").json()["server"] is None
    for what in ("check", "repair", "rebuild"):
        refused = caller.post(f"/api/v1/graph/{what}", {})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "CONFLICT")
        assert make_caller("read", "write").post(f"/api/v1/graph/{what}", {}).status_code == 403
