import pytest
from graphql import parse

from apps.api.graphql.complexity import MAXIMUM_ALIASES, MAXIMUM_COST, MAXIMUM_DEPTH, weigh


def _weigh(text, **variables):
    return weigh(parse(text), variables)


def test_what_lies_below_a_list_is_multiplied():
    assert _weigh("{ memories(first: 50) { edges { node { id text } } } }").cost == 1 + 50 * 4
    assert _weigh("{ memories { edges { cursor } } }").cost == 1 + 20 * 2
    assert _weigh('{ recall(query: "x", options: {limit: 30}) { hits { id } } }').cost == 100 + 30 * 2


def test_a_profile_costs_what_its_lists_hold():
    assert _weigh('{ entity(name: "x") { facts { text } saidBy { name } } }').cost == 100 + (1 + 20) + (1 + 1)
    assert _weigh("{ entities(first: 3) { edges { node { aliases } } } }").cost == 5 + 3 * 3


def test_variables_count_like_values():
    query = "query($n: Int, $o: RecallOptions) { memories(first: $n) { edges { cursor } } recall(options: $o) { id } }"

    assert _weigh(query, n=1000, o={"limit": 70}).cost == 1 + 1000 * 2 + 100 + 70
    assert _weigh(query, n="many", o=None).cost == 1 + 20 * 2 + 100 + 15


def test_a_negative_length_does_not_make_a_query_cheaper():
    assert _weigh("{ memories(first: -1000) { edges { cursor } } }").cost > 0


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


@pytest.mark.parametrize("query", [DEEP, MANY, WIDE, ROUND, LONG], ids=["deep", "many", "wide", "round", "long"])
def test_too_much_is_refused_before_anything_runs(caller, query):
    answer = caller.ask(query)

    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "TOO_COMPLEX"


def test_a_variable_cannot_hide_the_size(caller):
    query = "query($n: Int) { memories(first: $n) { edges { node { versions(first: $n) { edges { cursor } } } } } }"

    assert caller.code(query, n=100) == "TOO_COMPLEX"
    assert "errors" not in caller.ask(query, n=5)


def test_the_limits_leave_room_for_the_tools(caller):
    from graphql import get_introspection_query  # noqa: PLC0415

    assert "errors" not in caller.ask(get_introspection_query())
    assert MAXIMUM_DEPTH >= 8
