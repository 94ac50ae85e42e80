"""What every graph store answers alike: in memory, in SQL over the truth tables, in a real Neo4j."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_platform.adapters.graph_memory import MemoryGraph
from memory_platform.knowledge.graph import Edge, Moment, Node, NodeKind, RelationKind, Subgraph, Viewpoint
from memory_platform.model import EVERYONE, NOBODY, Visibility, Whose
from memory_platform.ports import GraphStore
from tests.conftest import neo4j_graph
from tests.ports import graph_truth
from tests.ports.graph_worlds import LATER, START, World, at, day

Loaded = Callable[[World], GraphStore]


@pytest.fixture(scope="module")
def neo4j(request: pytest.FixtureRequest) -> Iterator[Loaded]:
    graph = neo4j_graph(request.getfixturevalue("neo4j_server"))

    def load(world: World) -> GraphStore:
        graph.put(world.batch())
        return graph

    yield load
    graph.close()


@pytest.fixture(scope="module")
def memory() -> Loaded:
    graph = MemoryGraph()

    def load(world: World) -> GraphStore:
        graph.put(world.batch())
        return graph

    return load


@pytest.fixture
def sql(database: None) -> Loaded:
    return graph_truth.load


@pytest.fixture(params=["memory", "sql", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def load(request: pytest.FixtureRequest) -> Loaded:
    return request.getfixturevalue(request.param)


def around(
    store: GraphStore,
    viewpoint: Viewpoint,
    *seeds: Node,
    depth: int = 1,
    limit: int = 100,
    moment: Moment = LATER,
    kinds: frozenset[RelationKind] | None = None,
) -> Subgraph:
    ids = [seed.id for seed in seeds]
    return store.neighbourhood(
        ids, depth=depth, limit=limit, viewpoint=viewpoint, moment=moment, kinds=kinds, timeout=30
    )


def nodes(subgraph: Subgraph) -> set[Node]:
    return {each.node for each in subgraph.nodes}


def way(store: GraphStore, viewpoint: Viewpoint, start: Node, end: Node, **options: object) -> tuple[Edge, ...] | None:
    wanted = {"max_depth": 4, "moment": LATER, "timeout": 30, **options}
    return store.path(start, end, viewpoint=viewpoint, **wanted)


def test_one_hop_reaches_the_units_and_two_what_else_they_mention(load: Loaded) -> None:
    world = World()
    ada, engine = world.entity("Ada"), world.entity("Engine")
    first, second = world.item(1), world.episode(2)
    world.mentions(first, ada, engine)
    world.mentions(second, ada)
    store = load(world)

    near = around(store, world.everything(), ada, depth=1)
    far = around(store, world.everything(), ada, depth=2)

    assert [each.node for each in near.nodes] == [ada, second, first]
    assert {(each.node, each.label, each.degree) for each in near.nodes} == {
        (ada, "Ada", 2),
        (first, "", 1),
        (second, "", 1),
    }
    assert {(edge.kind, edge.start, edge.end) for edge in near.edges} == {
        (RelationKind.MENTIONS, first, ada),
        (RelationKind.MENTIONS, second, ada),
    }
    assert nodes(far) == {ada, first, second, engine}
    assert (near.truncated, far.truncated) == (False, False)


def test_edges_between_nodes_of_the_answer_are_part_of_it_with_all_they_say(load: Loaded) -> None:
    world = World()
    ada, london = world.entity("Ada"), world.entity("London")
    item, episode = world.item(1, until=40), world.episode(1)
    world.mentions(item, ada)
    world.mentions(episode, ada)
    world.states(item, ada, "lives in", london, confidence=0.75)
    world.relates(RelationKind.DERIVED_FROM, item, episode)
    store = load(world)

    near = around(store, world.everything(), ada, moment=at(10))

    assert set(near.edges) == {
        Edge(RelationKind.MENTIONS, item, ada, valid_from=day(1), valid_until=day(40), evidence=item.id),
        Edge(RelationKind.MENTIONS, episode, ada, valid_from=day(1), evidence=episode.id),
        Edge(RelationKind.FACT, ada, london, "lives in", 1.0, 0.75, day(1), day(40), item.id),
        Edge(RelationKind.DERIVED_FROM, item, episode, valid_from=day(1), valid_until=day(40), evidence=item.id),
    }


def test_only_the_wanted_kinds_are_followed_and_answered(load: Loaded) -> None:
    world = World()
    ada, london = world.entity("Ada"), world.entity("London")
    item = world.item(1)
    world.mentions(item, ada, london)
    world.states(item, ada, "lives in", london)
    store = load(world)

    near = around(store, world.everything(), ada, depth=3, kinds=frozenset({RelationKind.FACT}))

    assert nodes(near) == {ada, london}
    assert [edge.kind for edge in near.edges] == [RelationKind.FACT]


def test_causes_and_the_order_of_episodes_are_walked_in_both_directions(load: Loaded) -> None:
    world = World()
    ada = world.entity("Ada")
    chain = [world.episode(number) for number in range(4)]
    world.mentions(chain[2], ada)
    for before, after in pairwise(chain):
        world.relates(RelationKind.TEMPORAL, before, after)
    world.relates(RelationKind.CAUSAL, chain[0], chain[3])
    store = load(world)

    assert nodes(around(store, world.everything(), ada, depth=2)) == {ada, chain[1], chain[2], chain[3]}
    assert nodes(around(store, world.everything(), ada, depth=3)) == {ada, *chain}


def test_a_tenant_never_sees_another_ones_rows(load: Loaded) -> None:
    mine, foreign = World(), World()
    ada, other = mine.entity("Ada"), foreign.entity("Ada")
    item, secret = mine.item(), foreign.item()
    mine.mentions(item, ada)
    foreign.mentions(secret, other)
    load(foreign)
    store = load(mine)

    assert nodes(around(store, mine.everything(), ada, other, depth=4)) == {ada, item}
    assert around(store, foreign.everything(), ada).nodes == ()
    assert way(store, mine.everything(), ada, secret) is None


def test_each_reach_sees_its_rows_and_no_more(load: Loaded) -> None:
    world, other = World(), uuid4()
    seed = world.entity("Ada")
    theirs = world.entity("Ada", agent=other)
    common = world.entity("Ada", visibility=Visibility.SHARED)
    own_private, own_shared = world.item(1), world.item(2, visibility=Visibility.SHARED)
    other_private = world.item(3, agent=other)
    other_shared = world.item(4, agent=other, visibility=Visibility.SHARED)
    world.mentions(own_private, seed)
    world.mentions(other_private, theirs)
    for unit in (own_shared, other_shared):
        world.mentions(unit, common)
    store = load(world)

    def units(viewpoint: Viewpoint) -> set[Node]:
        return {node for node in nodes(around(store, viewpoint, seed, theirs, common)) if node.kind is NodeKind.ITEM}

    assert units(world.own()) == {own_private}
    assert units(world.shared()) == {own_private, own_shared, other_shared}
    assert units(world.shared(other)) == {other_private, own_shared, other_shared}
    assert units(world.everything()) == {own_private, own_shared, other_private, other_shared}
    assert units(world.own(uuid4())) == set()


def test_entities_of_one_name_are_one_node_under_the_smallest_readable_id(load: Loaded) -> None:
    world, other = World(), uuid4()
    mine, common = world.entity("Ada"), world.entity("ADA", visibility=Visibility.SHARED)
    theirs = world.entity("ada", agent=other)
    private, shared = world.item(1), world.item(2, visibility=Visibility.SHARED)
    hidden = world.item(3, agent=other)
    world.mentions(private, mine)
    world.mentions(shared, common)
    world.mentions(hidden, theirs)
    store = load(world)

    near = around(store, world.shared(), mine)
    same = around(store, world.shared(), common, mine)

    standing = min(mine, common)
    assert nodes(near) == nodes(same) == {standing, private, shared}
    assert {(edge.start, edge.end) for edge in near.edges} == {(private, standing), (shared, standing)}
    assert next(each.degree for each in near.nodes if each.node == standing) == 2
    assert way(store, world.shared(), mine, common) == ()
    assert len(way(store, world.shared(), private, shared) or ()) == 2
    assert nodes(around(store, world.own(), mine)) == {mine, private}


def test_with_a_user_only_that_users_rows_and_nobodys_exist(load: Loaded) -> None:
    world = World()
    ada, of_eve = world.entity("Ada", user_id="adam"), world.entity("Ada", user_id="eve")
    nobodys = world.entity("Ada")
    adams, eves, plain = world.item(1, user_id="adam"), world.item(2, user_id="eve"), world.item(3)
    world.mentions(adams, ada)
    world.mentions(eves, of_eve)
    world.mentions(plain, nobodys)
    store = load(world)
    of_adam = Viewpoint(world.tenant_id, world.agent, "own", Whose("adam"))

    assert nodes(around(store, of_adam, ada, of_eve, nobodys)) == {min(ada, nobodys), adams, plain}
    assert nodes(around(store, world.own(), ada)) == {min(ada, of_eve, nobodys), adams, eves, plain}
    assert around(store, Viewpoint(world.tenant_id, world.agent, "own", NOBODY), ada).nodes == ()
    assert nodes(around(store, Viewpoint(world.tenant_id, world.agent, "own", Whose("*")), nobodys)) == {nobodys, plain}


def test_a_past_moment_shows_what_was_true_and_believed_then(load: Loaded) -> None:
    world = World()
    ada = world.entity("Ada")
    ended, current = world.item(0, until=10, recorded=0), world.item(10, recorded=10)
    late = world.item(0, recorded=20)
    taken_back = world.item(0, recorded=0, retracted=5)
    for item in (ended, current, late, taken_back):
        world.mentions(item, ada)
    store = load(world)

    def units(moment: Moment) -> set[Node]:
        return nodes(around(store, world.own(), ada, moment=moment)) - {ada}

    assert units(at(-1)) == set()
    assert units(at(0)) == {ended, taken_back}
    assert units(at(5)) == {ended}
    assert units(at(10)) == {current}
    assert units(at(20)) == {current, late}
    assert units(Moment(believed_at=day(20), true_at=day(3))) == {ended, late}


def test_the_limit_keeps_what_is_nearest_and_newest_and_says_that_it_cut(load: Loaded) -> None:
    world = World()
    hub, beside = world.entity("Hub"), world.entity("Beside")
    items = [world.item(number) for number in range(12)]
    for item in items:
        world.mentions(item, hub)
    world.states(items[0], hub, "knows", beside)
    store = load(world)

    cut = around(store, world.own(), hub, depth=3, limit=5)
    whole = around(store, world.own(), hub, depth=3, limit=14)

    assert [each.node for each in cut.nodes] == [hub, beside, items[11], items[10], items[9]]
    assert cut.truncated is True
    assert {edge.start for edge in cut.edges} == {hub, *items[9:]}
    assert (len(whole.nodes), whole.truncated) == (14, False)
    assert next(each.degree for each in cut.nodes if each.node == hub) == 12


def test_unknown_seeds_and_no_seeds_have_no_neighbourhood(load: Loaded) -> None:
    world = World()
    ada = world.entity("Ada")
    store = load(world)

    assert around(store, world.own(), Node(NodeKind.ENTITY, uuid4())) == Subgraph()
    assert around(store, world.own()) == Subgraph()
    assert nodes(around(store, world.own(), ada, Node(NodeKind.ENTITY, uuid4()))) == {ada}


def test_a_shortest_path_is_found_whatever_the_direction_of_its_edges(load: Loaded) -> None:
    world = World()
    ada, charles, engine, paris = (world.entity(name) for name in ("Ada", "Charles", "Engine", "Paris"))
    first, second, third = world.item(1), world.item(2), world.item(3)
    world.mentions(first, ada, engine)
    world.mentions(second, engine, charles)
    world.mentions(third, paris)
    world.states(second, charles, "built", engine)
    store = load(world)

    found = way(store, world.own(), ada, charles)

    assert found is not None
    assert [edge.kind for edge in found] == [RelationKind.MENTIONS, RelationKind.MENTIONS, RelationKind.FACT]
    assert [(edge.start, edge.end) for edge in found] == [(first, ada), (first, engine), (charles, engine)]
    assert found[2].predicate == "built"
    assert way(store, world.own(), ada, charles, max_depth=2) is None
    assert way(store, world.own(), ada, paris) is None
    assert way(store, world.own(), ada, ada) == ()
    assert way(store, world.own(), first, charles, max_depth=2) is not None
    assert way(store, world.own(), ada, Node(NodeKind.ENTITY, uuid4())) is None


def test_a_path_does_not_lead_over_what_its_reader_cannot_see(load: Loaded) -> None:
    world, other = World(), uuid4()
    ada, engine = world.entity("Ada"), world.entity("Engine")
    hidden, ended, late = world.item(0, agent=other), world.item(0, until=5), world.item(0, recorded=50)
    for item in (hidden, ended, late):
        world.mentions(item, ada, engine)
    store = load(world)

    assert way(store, world.own(), ada, engine, moment=at(4)) is not None
    assert way(store, world.own(), ada, engine, moment=at(6)) is None
    assert way(store, world.own(), ada, engine, moment=at(60)) is not None
    assert way(store, world.own(uuid4()), ada, engine) is None
    assert way(store, world.everything(), ada, engine, moment=at(6)) is not None


AUDIENCES = st.sampled_from(["private", "other", "shared", "user"])
MAXIMUM_HOPS = 4


WHOSE = st.sampled_from([EVERYONE, NOBODY, Whose("adam")])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, UUID]:
    """At most six entities of three names, eight units and twenty edges, over four audiences."""
    world, other = World(), uuid4()

    def audience() -> dict[str, object]:
        kind = draw(AUDIENCES)
        return {
            "agent": other if kind == "other" else None,
            "visibility": Visibility.SHARED if kind == "shared" else Visibility.PRIVATE,
            "user_id": "adam" if kind == "user" else None,
        }

    entities = [
        world.entity(draw(st.sampled_from(["Ada", "Charles", "Engine"])), **audience())
        for _ in range(draw(st.integers(1, 6)))
    ]
    units = []
    for _ in range(draw(st.integers(0, 8))):
        make = draw(st.sampled_from([world.item, world.episode]))
        begin = draw(st.integers(0, 9))
        # What was said stays said: only an item ceases to be true.
        until = draw(st.none() | st.integers(begin + 1, 20)) if make == world.item else None
        # A message is believed from when it was said at the latest.
        recorded = draw(st.integers(0, 9 if make == world.item else begin))
        units.append(make(begin, until=until, recorded=recorded, **audience()))
    for _ in range(draw(st.integers(0, 20)) if units else 0):
        unit = draw(st.sampled_from(units))
        kind = draw(st.sampled_from(["mentions", "states", "temporal", "causal"]))
        if kind == "mentions":
            world.mentions(unit, draw(st.sampled_from(entities)))
        elif kind == "states":
            world.states(unit, draw(st.sampled_from(entities)), "knows", draw(st.sampled_from(entities)))
        else:
            world.relates(RelationKind(kind), unit, draw(st.sampled_from(units)))
    return world, other


@pytest.mark.neo4j
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=worlds(), depth=st.integers(1, 4), reach=st.sampled_from(["own", "shared", "tenant"]), data=st.data())
def test_neo4j_answers_any_small_world_as_memory_does(
    memory: Loaded,
    neo4j: Loaded,
    drawn: tuple[World, UUID],
    depth: int,
    reach: str,
    data: st.DataObject,
) -> None:
    world, other = drawn
    agent = data.draw(st.sampled_from([world.agent, other, None]))
    viewpoint = Viewpoint(world.tenant_id, agent, reach, data.draw(WHOSE))
    moment = Moment(day(data.draw(st.integers(0, 20))), day(data.draw(st.integers(0, 20))))
    entities = [node for node in world.nodes if node.kind is NodeKind.ENTITY]
    seeds = data.draw(st.lists(st.sampled_from(entities), min_size=1, max_size=3))
    plain, real = memory(world), neo4j(world)

    expected = around(plain, viewpoint, *seeds, depth=depth, moment=moment)
    answered = around(real, viewpoint, *seeds, depth=depth, moment=moment)

    assert answered.nodes == expected.nodes
    assert set(answered.edges) == set(expected.edges)
    assert len(answered.edges) == len(expected.edges)
    start, end = (data.draw(st.sampled_from(list(world.nodes))) for _ in range(2))
    ways = [way(store, viewpoint, start, end, moment=moment, max_depth=depth) for store in (plain, real)]
    assert (ways[0] is None) == (ways[1] is None)
    assert len(ways[0] or ()) == len(ways[1] or ())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=worlds(), depth=st.integers(1, 4), reach=st.sampled_from(["own", "shared", "tenant"]), data=st.data())
def test_sql_answers_any_small_world_as_memory_does(
    memory: Loaded,
    sql: Loaded,
    drawn: tuple[World, UUID],
    depth: int,
    reach: str,
    data: st.DataObject,
) -> None:
    world, other = drawn
    # A session's order is a row's place in it, not any edge one may draw.
    world.edges = {key: each for key, each in world.edges.items() if each.edge.kind is not RelationKind.TEMPORAL}
    agent = data.draw(st.sampled_from([world.agent, other]))
    viewpoint = Viewpoint(world.tenant_id, None if reach == "tenant" else agent, reach, data.draw(WHOSE))
    moment = Moment(day(data.draw(st.integers(0, 20))), day(data.draw(st.integers(0, 20))))
    entities = [node for node in world.nodes if node.kind is NodeKind.ENTITY]
    seeds = data.draw(st.lists(st.sampled_from(entities), min_size=1, max_size=3))
    plain, real = memory(world), sql(world)

    expected = around(plain, viewpoint, *seeds, depth=depth, moment=moment)
    answered = around(real, viewpoint, *seeds, depth=depth, moment=moment)

    assert answered.nodes == expected.nodes
    assert {replace(edge, evidence=None) for edge in answered.edges} == {
        replace(edge, evidence=None) for edge in expected.edges
    }
    start, end = (data.draw(st.sampled_from(list(world.nodes))) for _ in range(2))
    ways = [way(store, viewpoint, start, end, moment=moment, max_depth=depth) for store in (plain, real)]
    assert (ways[0] is None) == (ways[1] is None)
    assert len(ways[0] or ()) == len(ways[1] or ())


def test_the_worlds_begin_where_their_days_are_counted_from() -> None:
    assert day(0) == START
