import pytest
from graphql import get_introspection_query, parse

from apps.api.graphql.complexity import MAXIMUM_ALIASES, MAXIMUM_COST, MAXIMUM_DEPTH, weigh
from apps.api.graphql.documents import LONGEST_DOCUMENT, LONGEST_KEPT, DocumentCache, Documents
from apps.api.graphql.schema import schema


def _weigh(text, **variables):
    return weigh(parse(text), variables, schema._schema)


def test_what_lies_below_a_list_is_multiplied():
    assert _weigh("{ memories(first: 50) { edges { node { id text } } } }").cost == 1 + 1 + 50 * 3
    assert _weigh("{ memories { edges { cursor } } }").cost == 1 + 1 + 20
    assert _weigh('{ recall(query: "x", options: {limit: 30}) { hits { id } } }').cost == 100 + 1 + 30


def test_a_profile_costs_what_its_lists_hold():
    assert _weigh('{ entity(name: "x") { facts { text } saidBy { name } } }').cost == 100 + (1 + 20) + (1 + 3)
    assert _weigh("{ entities(first: 3) { edges { node { aliases } } } }").cost == 1 + 1 + 3 * 2


def test_a_profile_of_each_neighbour_costs_what_a_profile_costs():
    neighbours = '{ neighbourhood(id: "x", limit: 7) { neighbours { name profile { facts { text } } } } }'

    assert _weigh(neighbours).cost == 100 + 1 + 7 * (1 + 100 + 1 + 20)


def test_what_hangs_on_a_row_of_a_list_is_read_for_each():
    shared = (
        '{ recallShared(query: "x", options: {limit: 9}) { hits { memory { versions(first: 4) { edges { id } } } } } }'
    )

    assert _weigh(shared).cost == 100 + 1 + 9 * (5 + 5 + 1 + 4)


def test_a_session_is_replayed_up_to_a_turn_and_never_longer_than_a_thousand():
    replay = "query($turn: Int) { replay(sessionId: 1, turn: $turn) { userInput } }"

    assert [_weigh(replay, turn=turn).cost for turn in (None, 6, 90_000)] == [1 + 1_000, 1 + 6, 1 + 1_000]


def test_variables_count_like_values():
    query = (
        "query($n: Int, $o: RecallOptions)"
        " { memories(first: $n) { edges { cursor } } recall(options: $o) { hits { id } } }"
    )

    assert _weigh(query, n=90, o={"limit": 70}).cost == 1 + 1 + 90 + 100 + 1 + 70
    assert _weigh(query, n="many", o=None).cost == 1 + 1 + 20 + 100 + 1 + 15


def test_a_negative_length_does_not_make_a_query_cheaper():
    assert _weigh("{ memories(first: -1000) { edges { cursor } } }").cost > 0


def test_defaults_of_variables_count_like_values():
    query = (
        "query($n: Int = 100, $o: RecallOptions = {limit: 40})"
        " { memories(first: $n) { edges { cursor } } recall(options: $o) { hits { id } } }"
    )

    assert _weigh(query).cost == 1 + 1 + 100 + 100 + 1 + 40
    assert _weigh(query, n=3).cost == 1 + 1 + 3 + 100 + 1 + 40


def test_a_list_counts_what_it_holds():
    query = "query($ids: [ID!]!) { jobs(ids: $ids) { id state } }"

    assert _weigh(query, ids=["1"]).cost == 1 + 2
    assert _weigh(query, ids=["1"] * 60).cost == 1 + 60 * 2 + 61 // 10
    assert _weigh('{ jobs(ids: ["1", "2", "3"]) { id } }').cost == 1 + 3
    assert (
        _weigh("query($in: I) { viewer { tenant } }", **{"in": {"a": [[1, 2], {"b": [3] * 100}]}}).cost == 2 + 107 // 10
    )


def test_the_schema_is_weighed_as_well():
    once = _weigh("{ __schema { types { name fields { name } } } }")
    often = _weigh("{ __schema { " + " ".join(f"a{n}: types {{ fields {{ name }} }}" for n in range(20)) + " } }")
    deep = _weigh("{ __schema { types { fields { type { fields { type { fields { args { name } } } } } } } } }")

    assert (once.depth, once.aliases, once.cost) == (0, 0, 1 + (1 + 150 * (1 + 1 + 10)) // 50)
    assert often.aliases == 20
    assert deep.cost > MAXIMUM_COST > _weigh(_introspection()).cost


def test_fields_of_one_name_are_counted_in_pairs_wherever_they_stand():
    asked = weigh(
        parse(
            "query A { viewer { tenant } } query B { viewer { tenant } a: stats { ...f } } fragment f on Stats { a }"
        ),
        {},
        schema._schema,
        "A",
    )

    assert asked.comparisons == 3  # viewer, tenant, a


def _introspection():
    return get_introspection_query(
        specified_by_url=True, directive_is_repeatable=True, schema_description=True, input_value_deprecation=True
    )


def test_depth_and_aliases_are_counted_through_fragments():
    weight = _weigh("{ a: viewer { ...x } } fragment x on Viewer { b: limits { ... on Limit { name } } }")

    assert (weight.depth, weight.aliases) == (3, 2)


def test_a_fragment_bomb_is_weighed_at_once():
    bomb = " ".join(f"fragment f{n} on Memory {{ ...f{n + 1} ...f{n + 1} }}" for n in range(60))

    weight = _weigh(f'{{ memory(id: "x") {{ ...f0 }} }} {bomb} fragment f60 on Memory {{ id }}')

    assert weight.cost > MAXIMUM_COST


DEEP = "{ memories { edges { node " + "{ supersededBy " * 9 + "{ id }" + " }" * 9 + " } } }"
MANY = "{ " + " ".join(f"a{n}: viewer {{ tenant }}" for n in range(MAXIMUM_ALIASES + 1)) + " }"
WIDE = "{ memories(first: 100) { edges { node { versions(first: 100) { edges { node { id at } } } } } } }"
ROUND = "{ memories { edges { node { entities { profile { facts { entities { name } } } } } } } }"
LONG = "{ viewer { " + "tenant " * 2_500 + "} }"


MIRRORED = "{ __schema { " + " ".join(f"a{n}: types {{ name }}" for n in range(MAXIMUM_ALIASES + 1)) + " } }"
REPEATED = "{ " + "viewer { tenant } " * 110 + "}"
NESTED = "{ viewer " * 300 + "}" * 300
TOO_MUCH = {
    "deep": DEEP, "many": MANY, "wide": WIDE, "round": ROUND, "long": LONG, "mirrored": MIRRORED, "repeated": REPEATED,
    "nested": NESTED,
}  # fmt: skip


@pytest.mark.parametrize("query", TOO_MUCH.values(), ids=TOO_MUCH)
def test_too_much_is_refused_before_anything_runs(caller, query):
    answer = caller.ask(query)

    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "TOO_COMPLEX"


def test_a_variable_cannot_hide_the_size(caller):
    query = "query($n: Int) { memories(first: $n) { edges { node { versions(first: $n) { edges { cursor } } } } } }"

    assert caller.code(query, n=100) == "TOO_COMPLEX"
    assert "errors" not in caller.ask(query, n=5)


def test_the_limits_leave_room_for_the_tools(caller):
    assert "errors" not in caller.ask(_introspection())
    assert MAXIMUM_DEPTH >= 8


def test_a_document_over_the_limit_is_refused_before_it_is_parsed(caller):
    answer = caller.post("/graphql", {"query": "{ viewer { tenant } } #" + "é" * (LONGEST_DOCUMENT // 2)})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["extensions"] == {"code": "TOO_COMPLEX", "hint": "Send values as variables."}
    assert str(LONGEST_DOCUMENT) in error["message"]


@pytest.mark.parametrize(
    "query",
    [
        "query($n: Int = {}) {{ memories(first: $n) {{ totalCount }} }}",
        "query($n: Int = {}) {{ viewer {{ tenant }} }}",
        "{{ memories(first: {}) {{ totalCount }} }}",
        '{{ recall(query: "a", options: {{limit: {}}}) {{ id }} }}',
    ],
)
@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_number_that_no_computer_reads_is_the_callers_mistake(caller, query, digits):
    errors = caller.ask(query.format("9" * digits))["errors"]

    assert {error["extensions"]["code"] for error in errors} <= {"INVALID", "TOO_COMPLEX"}


def test_only_short_valid_documents_are_kept(caller):
    short, wrong = "{ viewer { agentId tenant } }", "{ viewer { nothing } }"
    long = "{ viewer { tenant } } #" + "x" * LONGEST_KEPT

    for query in (short, wrong, long):
        for _ in range(2):
            assert ("errors" in caller.ask(query)) is (query == wrong)

    assert [DocumentCache.documents.get(query) is not None for query in (short, wrong, long)] == [True, False, False]


def test_what_is_kept_is_bounded_by_its_length_and_the_oldest_goes():
    documents = Documents(most=10)
    for text in ("aaaa", "bbbb", "aaaa", "cccc"):
        documents.put(text, parse("{ a }"))
        documents.get("aaaa")

    assert [documents.get(text) is not None for text in ("aaaa", "bbbb", "cccc")] == [True, False, True]
    assert documents.characters == 8
