"""Merging and splitting entities: reversible, journalled, within one audience, and never undone by a rule."""

from uuid import UUID, uuid4

import pytest

from apps.core import scope
from apps.graph import selectors, services
from apps.graph.models import Alias, Entity
from apps.journal.models import Entry
from memory_platform.errors import Forbidden, Invalid, NotFound
from memory_platform.model import Visibility
from tests.apps.graph.conftest import World, day
from tests.cast import MARA


def entity_id(world: World, key: str, **owner) -> UUID:
    with scope.enter(world.worker):
        return Alias.objects.get(tenant_id=world.tenant_id, name_key=key, **owner).entity_id


def merge(world: World, into: str, *keys: str):
    with scope.enter(world.reader()):
        return services.merge_entities(entity_id(world, into), [entity_id(world, key) for key in keys])


def split(world: World, key: str, *names: str):
    with scope.enter(world.reader()):
        return services.split_entity(entity_id(world, key), names)


def journal(world: World, operation: str) -> list[dict]:
    with scope.enter(world.worker):
        return list(Entry.objects.filter(tenant_id=world.tenant_id, operation=operation).values_list("data", flat=True))


@pytest.fixture
def met(world: World) -> World:
    world.hear("They saw Anna Berg at noon.", at=0)
    world.hear("Quillon Anders works at Brightwave.", at=1)
    world.project()
    return world


def test_merging_moves_names_mentions_and_relations(met: World):
    ours, theirs = entity_id(met, "anna berg"), entity_id(met, "quillon anders")

    merged = merge(met, "anna berg", "quillon anders")

    assert (merged.id, merged.mention_count) == (ours, 2)
    assert {merged.name, *merged.aliases} >= {"Anna Berg", "Quillon Anders"}
    assert {row[0] for row in met.relations()} == {_key(met, ours)}
    with scope.enter(met.reader()):
        assert selectors.entity(entity_id=theirs).id == ours
    assert len(journal(met, "graph.merged")) == 1


def test_merging_again_changes_nothing(met: World):
    ours, theirs = entity_id(met, "anna berg"), entity_id(met, "quillon anders")
    merge(met, "anna berg", "quillon anders")

    with scope.enter(met.reader()):
        services.merge_entities(ours, [theirs])

    assert len(journal(met, "graph.merged")) == 1


def test_splitting_takes_a_merge_back_to_the_entity_it_was(met: World):
    before = (met.mentions(), met.relations(), met.partition())
    theirs = entity_id(met, "quillon anders")
    merge(met, "anna berg", "quillon anders")

    back = split(met, "anna berg", "Quillon Anders")

    assert back.id == theirs
    assert (met.mentions(), met.relations(), met.partition()) == before
    assert len(journal(met, "graph.split")) == 1
    with scope.enter(met.worker):
        assert Entity.objects.get(tenant_id=met.tenant_id, id=theirs).merged_into_id is None


def test_what_a_person_decided_outlives_projecting_anew(met: World):
    merge(met, "anna berg", "quillon anders")
    after = (met.mentions(), met.relations(), met.partition())

    met.project()
    assert (met.mentions(), met.relations(), met.partition()) == after

    split(met, "anna berg", "Quillon Anders")
    apart = met.partition()
    met.project()
    assert met.partition() == apart


def test_a_wrong_join_by_rule_can_be_split(world: World):
    world.hear("They saw Anna at noon.", at=0)
    world.hear("They saw Anna Berg at noon.", at=1)
    world.project()

    apart = split(world, "anna berg", "Anna")

    assert (apart.name, apart.mention_count) == ("Anna", 1)
    assert world.partition() == {frozenset({"anna"}), frozenset({"anna berg"})}
    world.project()
    assert world.partition() == {frozenset({"anna"}), frozenset({"anna berg"})}


def test_a_merge_lets_a_newer_value_close_the_older_one(world: World):
    world.hear("Carl Voss lives in Lisbon.", at=0)
    world.hear("Carl Foss lives in Munich.", at=5)
    world.project()

    merge(world, "carl voss", "carl foss")

    assert {row[2]: row[5] for row in world.relations()} == {"lisbon": day(5), "munich": None}


def test_entities_of_different_audiences_do_not_merge(met: World):
    met.learn("They saw Ben at noon.", user=MARA.user_id, session="other")
    ours, theirs = entity_id(met, "anna berg"), entity_id(met, "ben", user_id=MARA.user_id)

    with scope.enter(met.worker), pytest.raises(Invalid, match="different audiences"):
        services.merge_entities(ours, [theirs])

    assert entity_id(met, "ben", user_id=MARA.user_id) == theirs


def test_an_agent_does_not_change_shared_entities(met: World):
    met.learn("They saw Ben and Carl Voss at noon.", visibility=Visibility.SHARED, session="other")
    ours, theirs = entity_id(met, "ben"), entity_id(met, "carl voss")

    with scope.enter(met.reader(shared=True)), pytest.raises(Forbidden):
        services.merge_entities(ours, [theirs])
    with scope.enter(met.worker):
        assert services.merge_entities(ours, [theirs]).mention_count == 1


def test_what_another_agent_or_nobody_has_is_not_found_alike(met: World, other_agent):
    ours, theirs = entity_id(met, "anna berg"), entity_id(met, "quillon anders")

    with scope.enter(met.reader(other_agent.id)), pytest.raises(NotFound) as foreign:
        services.merge_entities(ours, [theirs])
    with scope.enter(met.reader()), pytest.raises(NotFound) as unknown:
        services.merge_entities(ours, [uuid4()])
    with scope.enter(met.reader(other_agent.id)), pytest.raises(NotFound):
        services.split_entity(ours, ["Anna Berg"])

    assert str(foreign.value) == str(unknown.value)


@pytest.mark.parametrize(("names", "error"), [((), NotFound), (("Nobody",), NotFound), (("Anna Berg",), Invalid)])
def test_a_split_needs_names_that_leave_and_one_that_stays(met: World, names, error):
    before = met.partition()

    with pytest.raises(error):
        split(met, "anna berg", *names)

    assert met.partition() == before


def test_merging_nothing_or_into_itself_is_invalid(met: World):
    ours = entity_id(met, "anna berg")

    for from_ids in ([], [ours]):
        with scope.enter(met.reader()), pytest.raises(Invalid):
            services.merge_entities(ours, from_ids)


def _key(world: World, entity: UUID) -> str:
    with scope.enter(world.worker):
        return Entity.objects.get(tenant_id=world.tenant_id, id=entity).name_key
