"""Nothing of one agent, user or tenant shows in another's entities, names, summaries, neighbourhoods or ways."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from apps.core import scope
from apps.core.paging import PageRequest
from apps.core.scope import Reach, Scope
from apps.graph import selectors, stores, viewpoints
from apps.graph.models import Alias, Entity, Mention, Relation
from memory_platform.knowledge.graph import Node, NodeKind
from memory_platform.model import EVERYONE, NOBODY, Visibility, Whose
from tests.apps.graph.conftest import World
from tests.cast import ADAM, MARA

SECRET = "Zorblax"


@pytest.fixture
def told(world: World, other_agent: SimpleNamespace) -> World:
    """The other agent knows a secret of Anna Berg, whom both know; only one shared message mentions her."""
    world.hear("They saw Anna Berg in Lisbon.", at=0)
    world.hear("They saw Anna Berg and Ben in Munich.", at=1, agent=other_agent.id, visibility=Visibility.SHARED)
    world.hear(f"Anna Berg works at {SECRET} Inc now.", at=2, agent=other_agent.id, session="secret")
    world.hear(f"Anna Berg depends on {SECRET} Inc.", at=3, user=MARA.user_id, session="user")
    world.project()
    return world


def everything_seen(reader: Scope, whose: Whose = EVERYONE) -> str:
    """All words the graph shows to a reader who asks for everything."""
    with scope.enter(replace(reader, whose=whose)):
        page = selectors.entities(page=PageRequest(100)).rows
        profiles = [selectors.entity(entity_id=one.id) for one in page]
        seeds = selectors.seeds([SECRET, f"{SECRET} Inc", "Anna Berg", "Ben"])
        around = stores.SQL.neighbourhood(
            [one.id for one in page],
            depth=4,
            limit=1000,
            viewpoint=viewpoints.viewpoint(),
            moment=viewpoints.moment(),
            timeout=10,
        )
        ways = [selectors.path(first.id, second.id) for first in page for second in page if first.id < second.id]
    return repr((page, profiles, seeds, [node.label for node in around.nodes], ways))


@pytest.mark.parametrize("shared", [False, True])
def test_an_agent_sees_nothing_of_what_another_keeps_to_itself(told: World, shared):
    words = everything_seen(told.reader(shared=shared))

    assert ("Munich" in words) is shared
    assert "works at" not in words
    assert "works_at" not in words
    with scope.enter(told.reader(shared=shared)):
        visible = {str(one) for one in Mention.objects.values_list("agent_id", flat=True)}
        foreign = Mention.objects.filter(visibility="private").exclude(agent_id=told.agent_id)
        assert not foreign.exists()
        assert not Relation.objects.exclude(agent_id=told.agent_id).filter(visibility="private").exists()
        assert not Alias.objects.filter(visibility="private").exclude(agent_id=told.agent_id).exists()
        assert not Entity.objects.filter(visibility="private").exclude(agent_id=told.agent_id).exists()
    assert str(told.agent_id) in visible


def test_a_secret_stays_with_the_user_it_was_told_for(told: World):
    assert SECRET in everything_seen(told.reader(), Whose(MARA.user_id))
    for others in (Whose(ADAM.user_id), NOBODY):
        assert SECRET not in everything_seen(told.reader(), others)


def test_the_other_agent_reads_its_secret_and_not_ours(told: World, other_agent: SimpleNamespace):
    words = everything_seen(told.reader(other_agent.id))

    assert SECRET in words
    assert "Lisbon" not in words


def test_a_shared_entity_is_made_of_shared_words_only(told: World):
    with scope.enter(told.worker):
        shared = Entity.objects.filter(tenant_id=told.tenant_id, visibility="shared")
        assert {one.canonical_name for one in shared} == {"Anna Berg", "Ben", "Munich"}
        assert {one.agent_id for one in shared} == {None}
        assert {one.mention_count for one in shared} == {1}


def test_another_tenant_sees_and_reaches_nothing(told: World, make_tenant):
    stranger = Scope(make_tenant().id, None, Reach.TENANT)
    with scope.enter(told.worker):
        ids = list(Entity.objects.filter(tenant_id=told.tenant_id).values_list("id", flat=True))

    with scope.enter(stranger):
        assert selectors.entities(page=PageRequest()).rows == ()
        assert selectors.seeds(["Anna Berg", "Ben"]) == []
        assert [selectors.entity(entity_id=one) for one in ids] == [None] * len(ids)
        around = stores.SQL.neighbourhood(
            ids, depth=4, limit=1000, viewpoint=viewpoints.viewpoint(), moment=viewpoints.moment(), timeout=10
        )
        assert around.nodes == ()
        way = stores.SQL.path(
            Node(NodeKind.ENTITY, ids[0]),
            Node(NodeKind.ENTITY, ids[1]),
            max_depth=4,
            viewpoint=viewpoints.viewpoint(),
            moment=viewpoints.moment(),
            timeout=10,
        )
        assert way is None


def test_what_was_forgotten_is_not_shown_even_before_the_graph_knows(told: World):
    from apps.memory import services as memory  # noqa: PLC0415
    from apps.memory.requests import ForgetRequest  # noqa: PLC0415

    item_id = told.item_id("They saw Anna Berg in Lisbon.")
    with scope.enter(told.worker):
        memory.forget(ForgetRequest(item_ids=(item_id,), by_query=True))

    with scope.enter(told.reader()):
        (ours,), (seed,) = selectors.seeds(["Anna Berg"]), selectors.seeds(["Lisbon"])
        around = stores.SQL.neighbourhood(
            [seed.id], depth=1, limit=100, viewpoint=viewpoints.viewpoint(), moment=viewpoints.moment(), timeout=10
        )
        profile = selectors.entity(name="Lisbon")
        way = selectors.path(ours.id, seed.id)
    assert [node.node.id for node in around.nodes] == [seed.id]
    assert (profile.facts, profile.timeline, profile.who_said) == ((), (), ())
    assert "They saw" not in profile.summary
    assert way is None


def test_a_copy_that_has_not_heard_of_forgetting_shows_no_words_of_it(told: World, monkeypatch):
    from apps.memory import services as memory  # noqa: PLC0415
    from apps.memory.requests import ForgetRequest  # noqa: PLC0415

    with scope.enter(told.reader()):
        (ours,), (seed,) = selectors.seeds(["Anna Berg"]), selectors.seeds(["Lisbon"])
        ends = (Node(NodeKind.ENTITY, ours.id), Node(NodeKind.ENTITY, seed.id))
        stale = stores.path(*ends, max_depth=4, viewpoint=viewpoints.viewpoint(), moment=viewpoints.moment())
    item_id = told.item_id("They saw Anna Berg in Lisbon.")
    with scope.enter(told.worker):
        memory.forget(ForgetRequest(item_ids=(item_id,), by_query=True))
    monkeypatch.setattr(stores, "path", lambda *_, **__: stale)

    assert stale
    with scope.enter(told.reader()):
        assert selectors.path(ours.id, seed.id) is None
