"""What every graph projection keeps: batches in any order, no older state over a newer one, tenants apart."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from memory_platform.adapters.graph_memory import MemoryGraph, buckets, checksums
from memory_platform.errors import ProjectionLost, ProviderRetryable
from memory_platform.knowledge.graph import (
    GraphBatch,
    GraphChecksums,
    Held,
    Node,
    NodeKind,
    RelationKind,
    Traces,
    bucket,
)
from tests.conftest import neo4j_graph
from tests.ports.graph_worlds import World


@pytest.fixture(params=["memory", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def graph(request: pytest.FixtureRequest) -> Iterator[MemoryGraph]:
    if request.param == "memory":
        yield MemoryGraph()
        return
    real = neo4j_graph(request.getfixturevalue("neo4j_server"))
    yield real
    real.close()


def small_world() -> tuple[World, Node, Node, Node, Node]:
    world = World()
    ada, london = world.entity("Ada"), world.entity("London")
    item, episode = world.item(1), world.episode(2)
    world.mentions(item, ada)
    world.mentions(episode, london)
    world.states(item, ada, "lives in", london)
    world.relates(RelationKind.DERIVED_FROM, item, episode)
    return world, ada, london, item, episode


def truth(world: World) -> GraphChecksums:
    return checksums(world.nodes.values(), world.edges.values())


def of(world: World, *units: Node, version: int = 1) -> GraphBatch:
    """The batch an export of these units makes: their nodes, their edges, and the entities these lead to."""
    ids = {unit.id for unit in units}
    edges = [
        each
        for each in world.edges.values()
        if each.edge.start in units or each.edge.end in units or each.edge.evidence in ids
    ]
    ends = {node for each in edges for node in (each.edge.start, each.edge.end) if node.kind is NodeKind.ENTITY}
    nodes = tuple(world.nodes[node] for node in sorted({*units, *ends}))
    return GraphBatch(world.tenant_id, version, nodes, tuple(edges), replaced=tuple(units))


def test_what_was_put_is_counted_and_summed_as_the_truth_is(graph: MemoryGraph) -> None:
    world, *_ = small_world()

    graph.put(world.batch())

    held = graph.checksums(world.tenant_id)
    assert held == truth(world)
    assert held.counts == {
        "node.entity": 2,
        "node.item": 1,
        "node.episode": 1,
        "edge.mentions": 2,
        "edge.fact": 1,
        "edge.derived_from": 1,
    }


def test_batches_may_come_twice_and_in_any_order(graph: MemoryGraph) -> None:
    world, _, _, item, episode = small_world()

    for unit in (episode, item, episode, item):
        graph.put(of(world, unit))

    assert graph.checksums(world.tenant_id) == truth(world)


def test_an_edge_waits_for_the_batch_of_its_other_end(graph: MemoryGraph) -> None:
    world, _, _, item, episode = small_world()

    graph.put(of(world, item))
    assert "edge.derived_from" not in graph.checksums(world.tenant_id).counts
    graph.put(of(world, episode))

    assert graph.checksums(world.tenant_id).counts["edge.derived_from"] == 1


def test_a_new_state_replaces_the_old_one_and_its_edges(graph: MemoryGraph) -> None:
    world, _, _, item, episode = small_world()
    graph.put(world.batch())
    paris = world.entity("Paris")
    world.edges = {key: each for key, each in world.edges.items() if each.edge.evidence != item.id}
    world.mentions(item, paris)
    world.nodes[item] = replace(
        world.nodes[item], stamp=replace(world.nodes[item].stamp, valid_until=world.nodes[episode].stamp.valid_from)
    )

    graph.put(of(world, item, version=2))

    assert graph.checksums(world.tenant_id) == truth(world)


def test_an_edge_that_moved_to_another_entity_leaves_the_old_one(graph: MemoryGraph) -> None:
    world, ada, london, item, _ = small_world()
    graph.put(world.batch())
    for key, each in world.edges.items():
        edge = replace(each.edge, start=london) if each.edge.start == ada else each.edge
        world.edges[key] = replace(each, edge=replace(edge, end=london) if edge.end == ada else edge)

    graph.put(of(world, item, version=2))

    assert graph.checksums(world.tenant_id) == truth(world)


def test_an_older_state_is_refused_as_a_whole(graph: MemoryGraph) -> None:
    world, _, _, item, _ = small_world()
    old = of(world, item, version=4)
    graph.put(world.batch(version=5))
    newer = graph.checksums(world.tenant_id)

    with pytest.raises(ProviderRetryable):
        graph.put(replace(old, nodes=(), edges=(), gone=(item,)))

    assert graph.checksums(world.tenant_id) == newer
    graph.put(world.batch(version=5))


def test_gone_and_removed_units_take_all_their_edges_along(graph: MemoryGraph) -> None:
    world, ada, _, item, episode = small_world()
    graph.put(world.batch())

    graph.put(GraphBatch(world.tenant_id, 2, gone=(item,)))

    assert graph.checksums(world.tenant_id).counts == {"node.entity": 2, "node.episode": 1, "edge.mentions": 1}
    graph.remove(world.tenant_id, [episode, ada, Node(NodeKind.ITEM, uuid4())])
    assert graph.checksums(world.tenant_id).counts == {"node.entity": 1}


def test_clearing_takes_one_tenant_and_its_version_away(graph: MemoryGraph) -> None:
    (world, *_), (other, *_) = small_world(), small_world()
    graph.put(world.batch(version=7))
    graph.put(other.batch())

    graph.clear(world.tenant_id)

    assert graph.checksums(world.tenant_id) == GraphChecksums({}, {})
    assert graph.checksums(other.tenant_id) == truth(other)
    graph.put(world.batch(version=1))
    assert graph.checksums(world.tenant_id) == truth(world)


def test_removing_a_foreign_tenants_node_changes_nothing(graph: MemoryGraph) -> None:
    (world, _, _, item, _), (other, *_) = small_world(), small_world()
    graph.put(world.batch())

    graph.remove(other.tenant_id, [item])
    graph.put(GraphBatch(other.tenant_id, 1, gone=(item,)))

    assert graph.checksums(world.tenant_id) == truth(world)


def test_preparing_twice_is_fine(graph: MemoryGraph) -> None:
    graph.prepare()
    graph.prepare()


def test_a_batch_that_continues_what_was_lost_is_refused(graph: MemoryGraph) -> None:
    world, *_ = small_world()
    following = replace(world.batch(version=2), continues=True)

    with pytest.raises(ProjectionLost):
        graph.put(following)

    assert graph.checksums(world.tenant_id).counts == {}
    graph.put(world.batch())
    graph.put(following)
    assert graph.checksums(world.tenant_id) == truth(world)


def test_the_buckets_say_where_to_look_and_what_mends_it(graph: MemoryGraph) -> None:
    world, ada, london, item, _ = small_world()
    graph.put(world.batch())
    (fact,) = (each for each in world.edges.values() if each.edge.kind is RelationKind.FACT)
    entity = world.nodes[ada]

    assert graph.buckets(world.tenant_id) == buckets(world.nodes.values(), world.edges.values())
    held = graph.held(world.tenant_id, [bucket(fact.identity), bucket(entity.identity)])
    assert held[entity.identity] == Held(entity.digest, (ada,))
    assert held[fact.identity] == Held(fact.digest, (ada, london, item, Node(NodeKind.EPISODE, item.id)))
    assert {bucket(row) for row in held} == {bucket(fact.identity), bucket(entity.identity)}


def test_traces_are_found_by_node_by_user_and_by_a_name_in_what_somebody_said(graph: MemoryGraph) -> None:
    world, _, _, item, _ = small_world()
    eve = world.entity("Eve Quillfeather", user_id="eve")
    graph.put(world.batch())

    def traces(**wanted: Any) -> int:
        return graph.traces(world.tenant_id, Traces(**wanted))

    named = {"words": r"(?<!\w)(eve\ quillfeather)(?!\w)", "users": ("eve",)}
    assert traces() == 0
    # The node, and the edges that rest on it.
    assert traces(nodes=(item,)) > 1
    assert (traces(user_id="eve"), traces(user_id="ada")) == (1, 0)
    assert (traces(**named), traces(**{**named, "users": ("",)}), traces(**named, before=UUID(int=0))) == (1, 0, 0)
    graph.remove(world.tenant_id, [item, eve])
    assert traces(nodes=(item,), user_id="eve", **named) == 0
