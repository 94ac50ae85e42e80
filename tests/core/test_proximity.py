"""Nearness in a subgraph: exact small cases and the laws every subgraph obeys."""

import math
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.knowledge.graph import Edge, Node, NodeKind, RelationKind, Subgraph, SubgraphNode
from memory_platform.knowledge.proximity import proximity


def entity(number: int) -> Node:
    return Node(NodeKind.ENTITY, UUID(int=number))


def item(number: int) -> Node:
    return Node(NodeKind.ITEM, UUID(int=1000 + number))


def graph(*pairs: tuple[Node, Node], degrees: dict[Node, int] | None = None, weight: float = 1.0) -> Subgraph:
    nodes = {node for pair in pairs for node in pair}
    return Subgraph(
        tuple(SubgraphNode(node, "", (degrees or {}).get(node, 0)) for node in sorted(nodes)),
        tuple(Edge(RelationKind.MENTIONS, start, end, weight=weight) for start, end in pairs),
    )


def test_a_unit_one_hop_away_gets_half_of_the_seed_through_the_squash():
    near = proximity(graph((item(1), entity(1))), {entity(1): 1.0}, depth=1)

    assert near[entity(1)] == pytest.approx(1 - math.exp(-1))
    assert near[item(1)] == pytest.approx(1 - math.exp(-0.5))


def test_two_hops_halve_again_and_weight_counts_at_each():
    way = graph((item(1), entity(1)), (item(1), entity(2)), weight=0.5)

    near = proximity(way, {entity(1): 1.0})

    assert near[entity(2)] == pytest.approx(1 - math.exp(-(0.25**2)))


def test_what_mentions_two_of_the_seeds_is_nearer_than_what_mentions_one():
    both = graph((item(1), entity(1)), (item(1), entity(2)), (item(2), entity(1)))

    near = proximity(both, {entity(1): 1.0, entity(2): 1.0}, depth=1)

    assert near[item(1)] > near[item(2)]


def test_a_rare_entity_counts_more_than_a_hub():
    degrees = {entity(1): 2, entity(2): 2000}
    near = proximity(
        graph((item(1), entity(1)), (item(2), entity(2)), degrees=degrees), {entity(1): 1.0, entity(2): 1.0}, depth=1
    )

    assert near[item(1)] == pytest.approx(1 - math.exp(-0.5 / math.log(math.e + 2)))
    assert near[item(2)] == pytest.approx(1 - math.exp(-0.5 / math.log(math.e + 2000)))


def test_a_walk_does_not_turn_straight_back():
    near = proximity(graph((item(1), entity(1))), {entity(1): 1.0}, depth=4)

    assert near[entity(1)] == pytest.approx(1 - math.exp(-1))


def test_what_lies_beyond_the_depth_or_apart_is_left_out():
    chain = graph((item(1), entity(1)), (item(1), entity(2)), (item(2), entity(3)))

    assert set(proximity(chain, {entity(1): 1.0}, depth=1)) == {entity(1), item(1)}
    assert set(proximity(chain, {entity(1): 1.0}, depth=4)) == {entity(1), item(1), entity(2)}


def test_a_seed_outside_the_subgraph_counts_for_itself():
    assert proximity(Subgraph(), {entity(9): 0.5}) == {entity(9): pytest.approx(1 - math.exp(-0.5))}


_NODES = st.one_of(st.integers(0, 4).map(entity), st.integers(0, 6).map(item))
_PAIRS = st.lists(st.tuples(_NODES, _NODES), max_size=25)
_SEEDS = st.dictionaries(st.integers(0, 4).map(entity), st.floats(0, 1), min_size=1, max_size=3)
_DEGREES = {entity(number): number * 7 for number in range(5)}


@given(_PAIRS, _SEEDS, st.integers(0, 4))
def test_nearness_stays_between_zero_and_one(pairs, seeds, depth):
    near = proximity(graph(*pairs, degrees=_DEGREES), seeds, depth=depth)

    assert all(0 < value <= 1 for value in near.values())


@given(_PAIRS, st.tuples(_NODES, _NODES), _SEEDS)
def test_another_edge_never_lowers_anything(pairs, extra, seeds):
    before = proximity(graph(*pairs, degrees=_DEGREES), seeds)
    after = proximity(graph(*pairs, extra, degrees=_DEGREES), seeds)

    assert all(after.get(node, 0.0) >= value - 1e-9 for node, value in before.items())


@given(_PAIRS, _SEEDS, st.integers(0, 4))
def test_only_what_the_hops_reach_is_near(pairs, seeds, depth):
    reached = {node for node, weight in seeds.items() if weight > 0}
    for _ in range(depth):
        reached |= {b for a, b in pairs if a in reached} | {a for a, b in pairs if b in reached}

    assert set(proximity(graph(*pairs), seeds, depth=depth)) <= reached


def test_how_much_passes_depends_on_the_kind_of_relation():
    cause, mention = (item(2), item(1)), (item(1), entity(1))
    way = Subgraph(
        edges=(Edge(RelationKind.MENTIONS, *mention), Edge(RelationKind.CAUSAL, *cause)),
    )

    near = proximity(way, {entity(1): 1.0}, passes={RelationKind.MENTIONS: 0.5, RelationKind.CAUSAL: 1.0})
    apart = proximity(way, {entity(1): 1.0}, passes={RelationKind.MENTIONS: 1.0})

    assert near[item(1)] == pytest.approx(1 - math.exp(-0.5 * 0.5 / 1))
    assert near[item(2)] == pytest.approx(1 - math.exp(-0.5 * 0.5 * 0.5))
    assert item(2) not in apart
