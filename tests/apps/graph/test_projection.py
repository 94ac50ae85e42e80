"""The copy of the graph on another server: what jobs put there, rebuilding, comparing, mending."""

from collections.abc import Callable, Iterator
from uuid import UUID, uuid4

import pytest

from apps import environment
from apps.core import providers, scope
from apps.graph import services as graph
from apps.graph import stores, topics, truth
from apps.graph.models import Mention, Projection
from apps.graph.services import drift, exporting
from apps.jobs import registry
from apps.jobs.models import Job, JobState
from memory_platform.adapters.graph_memory import MemoryGraph, checksums
from memory_platform.errors import Conflict
from memory_platform.knowledge.graph import GraphChecksums, Moment, Node, NodeKind, Viewpoint
from tests.conftest import neo4j_graph

from .conftest import World, day

NOW = Moment.at(day(100))


@pytest.fixture(params=["memory", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryGraph]:
    """A server the graph is copied to from now on."""
    made = MemoryGraph() if request.param == "memory" else neo4j_graph(request.getfixturevalue("neo4j_server"))
    monkeypatch.setattr(providers, "graph_server", lambda: made)
    monkeypatch.setitem(registry._subscribers, topics.CHANGED, {exporting.EXPORT_JOB})
    settings = environment.environment().model_copy(update={"neo4j_from_depth": 2})
    monkeypatch.setattr(stores, "environment", lambda: settings)
    stores.warm()
    yield made
    made.close()


def expected(world: World) -> GraphChecksums:
    with scope.enter(world.worker):
        return checksums(truth.every_node(world.tenant_id), truth.every_edge(world.tenant_id))


def outcomes(world: World, name: str) -> list[dict[str, int | str]]:
    with scope.enter(world.worker):
        done = Job.objects.filter(tenant_id=world.tenant_id, name=name, state=JobState.DONE)
        return list(done.order_by("id").values_list("outcome", flat=True))


def ask(world: World, service: Callable[[], UUID], run_jobs: Callable[[], int], name: str) -> dict[str, int | str]:
    with scope.enter(world.worker):
        service()
    run_jobs()
    return outcomes(world, name)[-1]


def tell(world: World) -> None:
    world.learn("Anna Berg works at Brightwave because Carl Voss hired her.", session="one")
    world.learn("Anna Berg lives in Lisbon.", at=1, session="one")
    world.learn("Ben met Anna Berg in Lisbon.", at=2, session="two")


def test_the_first_change_copies_all_that_was_there_before(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    assert server.checksums(world.tenant_id) == GraphChecksums({}, {})

    run_jobs()

    true = expected(world)
    assert server.checksums(world.tenant_id) == true
    assert true.counts["node.entity"] >= 4
    assert {"edge.mentions", "edge.temporal", "edge.derived_from"} <= true.counts.keys()
    with scope.enter(world.worker):
        assert stores.status().state == "complete"


def test_what_changes_afterwards_is_copied_in_whichever_order(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    run_jobs()

    world.learn("Anna Berg lives in Porto.", at=5, session="one")
    batch = world.forget(items=(world.item_id("Ben met Anna Berg in Lisbon."),))
    run_jobs()
    forgotten = server.checksums(world.tenant_id)
    assert forgotten == expected(world)
    world.restore(batch)
    run_jobs()

    assert server.checksums(world.tenant_id) == expected(world)
    assert server.checksums(world.tenant_id) != forgotten


def test_the_copy_answers_what_sql_answers(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    world.learn("Caroline joined Brightwave.", at=3, agent=None)
    run_jobs()
    with scope.enter(world.worker):
        anna = world.entities()["Anna Berg"].id
        carl = world.entities()["Carl Voss"].id
        for viewpoint in (
            Viewpoint(world.tenant_id, None, "tenant"),
            Viewpoint(world.tenant_id, world.agent_id, "own"),
            Viewpoint(world.tenant_id, uuid4(), "shared"),
        ):
            for depth in (1, 2, 3, 4):
                wanted = {"depth": depth, "limit": 500, "viewpoint": viewpoint, "moment": NOW, "timeout": 30}
                by_sql = stores.SQL.neighbourhood([anna], **wanted)
                copied = server.neighbourhood([anna], **wanted)
                assert copied.nodes == by_sql.nodes
                assert set(copied.edges) == set(by_sql.edges)
            ends = (Node(NodeKind.ENTITY, anna), Node(NodeKind.ENTITY, carl))
            ways = [
                store.path(*ends, max_depth=4, viewpoint=viewpoint, moment=NOW, timeout=30)
                for store in (stores.SQL, server)
            ]
            assert [None if way is None else len(way) for way in ways] in ([None, None], [len(ways[0] or ())] * 2)


def test_a_merge_and_a_split_reach_the_copy(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    world.learn("Annie planned the trip with Ben.", at=4)
    run_jobs()
    entities = world.entities()
    into, other = entities["Anna Berg"], entities["Ben"]

    with scope.enter(world.worker):
        graph.merge_entities(into.id, [other.id])
    run_jobs()
    assert server.checksums(world.tenant_id) == expected(world)
    with scope.enter(world.worker):
        graph.split_entity(into.id, ["Ben"])
    run_jobs()

    assert server.checksums(world.tenant_id) == expected(world)


def test_checking_finds_nothing_and_then_the_kinds_that_differ(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    run_jobs()

    clean = ask(world, graph.check, run_jobs, drift.CHECK_JOB)
    with scope.enter(world.worker):
        lost = Mention.objects.filter(tenant_id=world.tenant_id, unit=NodeKind.ITEM)[:1].get()
    server.remove(world.tenant_id, [Node(NodeKind.ITEM, lost.unit_id)])
    found = ask(world, graph.check, run_jobs, drift.CHECK_JOB)

    assert (clean["drift"], clean["kinds"], clean["buckets"]) == (0, "", 0)
    assert clean["truth.node.item"] == clean["copy.node.item"]
    assert found["drift"] >= 3
    assert {"node.item", "edge.mentions", "edge.derived_from"} <= set(str(found["kinds"]).split(","))
    assert found["copy.node.item"] == found["truth.node.item"] - 1


def test_repair_copies_only_what_differs(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    run_jobs()
    with scope.enter(world.worker):
        lost = Mention.objects.filter(tenant_id=world.tenant_id, unit=NodeKind.ITEM)[:1].get()
        version = Projection.objects.get(tenant_id=world.tenant_id).version
    server.remove(world.tenant_id, [Node(NodeKind.ITEM, lost.unit_id)])

    done = ask(world, graph.repair, run_jobs, drift.REPAIR_JOB)

    assert done["jobs"] == 1
    assert server.checksums(world.tenant_id) == expected(world)
    assert ask(world, graph.check, run_jobs, drift.CHECK_JOB)["drift"] == 0
    with scope.enter(world.worker):
        assert Projection.objects.get(tenant_id=world.tenant_id).version == version + 1


def test_repair_takes_away_what_should_not_be_there(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    run_jobs()
    with scope.enter(world.worker):
        Mention.objects.filter(tenant_id=world.tenant_id, unit=NodeKind.ITEM)[:1].get().delete()

    ask(world, graph.repair, run_jobs, drift.REPAIR_JOB)

    assert server.checksums(world.tenant_id) == expected(world)


def test_a_lost_copy_is_built_anew_by_the_next_change(server: MemoryGraph, world: World, run_jobs) -> None:
    tell(world)
    run_jobs()
    server.clear(world.tenant_id)

    world.learn("Melanie knows Anna Berg.", at=9)
    run_jobs()

    assert server.checksums(world.tenant_id) == expected(world)


def test_rebuilding_drops_what_was_there_and_copies_in_pages(
    server: MemoryGraph, world: World, run_jobs, monkeypatch
) -> None:
    monkeypatch.setattr(exporting, "NODES_AT_ONCE", 2)
    monkeypatch.setattr(exporting, "STEP_SECONDS", 0.0)
    tell(world)
    run_jobs()
    steps = len(outcomes(world, exporting.COPY_JOB))
    assert steps > 4

    with scope.enter(world.worker):
        graph.rebuild_projection()
        assert stores.status().state == "building"
    run_jobs()

    assert len(outcomes(world, exporting.COPY_JOB)) == 2 * steps
    assert server.checksums(world.tenant_id) == expected(world)
    with scope.enter(world.worker):
        assert stores.status().state == "complete"


def test_without_a_server_there_is_nothing_to_rebuild(world: World) -> None:
    with scope.enter(world.worker):
        for service in (graph.rebuild_projection, graph.check, graph.repair):
            with pytest.raises(Conflict, match="No Neo4j is configured"):
                service()
        assert stores.status().server is None


def test_a_copy_is_read_only_when_it_is_complete_and_current(
    server: MemoryGraph, world: World, run_jobs, monkeypatch
) -> None:
    tell(world)
    with scope.enter(world.worker):
        assert stores.chosen(2).degraded
    run_jobs()
    with scope.enter(world.worker):
        assert stores.chosen(2).store.name == server.name
        assert stores.chosen(1).store is stores.SQL
    world.learn("Melanie knows Anna Berg.", at=9)
    with scope.enter(world.worker):
        assert stores.chosen(2).store.name == server.name
    monkeypatch.setattr(stores, "LAG_SECONDS", 0.0)
    with scope.enter(world.worker):
        assert stores.chosen(2).degraded
        assert stores.status().state == "lagging"


def test_sql_answers_every_depth_unless_the_deployment_says_otherwise(
    server: MemoryGraph, world: World, run_jobs, monkeypatch
) -> None:
    tell(world)
    run_jobs()

    with scope.enter(world.worker):
        assert [stores.chosen(depth).store.name for depth in (1, 2, 3, 4)] == ["sql", *[server.name] * 3]
        monkeypatch.setattr(stores, "environment", environment.environment)
        assert {stores.chosen(depth).store for depth in (1, 2, 3, 4)} == {stores.SQL}
