"""Projecting: the present state of units becomes rows, whatever the order, the number of times or of workers."""

import threading

from django.db import connection

from apps.core import scope
from apps.graph.models import Alias, Entity
from apps.memory.documents import CONDENSED
from apps.memory.models import Item
from memory_platform.knowledge.graph import EntityType
from tests.apps.graph.conftest import World, day
from tests.cast import MARA


def test_an_item_and_its_episode_mention_whom_they_name(world: World):
    resource_id = world.learn("Yesterday Anna Berg moved to Lisbon.", speaker="Caroline")
    item_id = world.item_id("Yesterday Anna Berg moved to Lisbon.")

    assert {(unit, unit_id, key, speaks) for unit, unit_id, key, _, speaks, *_ in world.mentions()} == {
        ("item", item_id, "anna berg", False),
        ("item", item_id, "lisbon", False),
        ("episode", resource_id, "anna berg", False),
        ("episode", resource_id, "lisbon", False),
        ("episode", resource_id, "caroline", True),
    }
    entities = world.entities()
    assert {name: (one.type, one.mention_count) for name, one in entities.items()} == {
        "Anna Berg": (EntityType.PERSON, 1),
        "Lisbon": (EntityType.PLACE, 1),
        "Caroline": (EntityType.PERSON, 1),
    }
    assert entities["Lisbon"].first_seen_at == day(0)
    assert world.relations() == {("anna berg", "lives_in", "lisbon", False, day(0), None)}


def test_projecting_again_changes_nothing(world: World):
    world.learn("Anna Berg works at Brightwave.")
    before = (world.mentions(), world.relations(), {one.id for one in world.entities().values()})

    (again,) = world.project()

    assert (world.mentions(), world.relations(), {one.id for one in world.entities().values()}) == before
    assert again.entities == 0


def test_a_newer_value_closes_the_older_one_in_whatever_order_they_come(world: World):
    world.hear("Anna Berg works at Brightwave.", at=0)
    world.hear("Anna Berg joined Heliograph Inc as a lead.", at=10)
    world.hear("Anna Berg moved to Lisbon.", at=5)
    expected = {
        ("anna berg", "works_at", "brightwave", False, day(0), day(10)),
        ("anna berg", "works_at", "heliograph inc", False, day(10), None),
        ("anna berg", "lives_in", "lisbon", False, day(5), None),
    }

    for backwards in (False, True):
        for one_by_one in (False, True):
            world.clear()
            world.project(backwards=backwards, one_by_one=one_by_one)

            assert world.relations() == expected


def test_a_negation_ends_what_it_denies(world: World):
    world.hear("Anna Berg uses PostgreSQL.", at=0)
    world.hear("Anna Berg no longer uses PostgreSQL.", at=3)
    world.project()

    assert ("anna berg", "uses", "postgresql", False, day(0), day(3)) in world.relations()


def test_first_names_join_full_ones_unless_two_people_share_them(world: World):
    world.hear("They saw Anna at noon.", at=0)
    world.hear("They saw Anna Berg at noon.", at=1)
    world.project()
    assert frozenset({"anna", "anna berg"}) in world.partition()
    assert "Anna Berg" in world.entities()

    world.hear("They saw Anna Schmidt at night.", at=2)
    apart = {frozenset({"anna"}), frozenset({"anna berg"}), frozenset({"anna schmidt"})}
    for backwards in (False, True):
        world.clear()
        world.project(backwards=backwards, one_by_one=True)

        assert world.partition() == apart
        assert {name: one.mention_count for name, one in world.entities().items()} == {
            "Anna": 1, "Anna Berg": 1, "Anna Schmidt": 1,
        }  # fmt: skip


def test_a_nickname_is_the_speakers_whoever_is_read_first(world: World):
    world.hear("They asked Mel about it.", at=0, speaker="Caroline")
    world.hear("They asked Caro about it.", at=1, speaker="Melanie")
    for backwards in (False, True):
        for one_by_one in (False, True):
            world.clear()
            world.project(backwards=backwards, one_by_one=one_by_one)

            assert world.partition() == {frozenset({"mel", "melanie"}), frozenset({"caro", "caroline"})}
            assert {name: one.mention_count for name, one in world.entities().items()} == {"Melanie": 2, "Caroline": 2}


def test_a_role_is_a_name_of_who_has_it_now(world: World):
    world.learn("I saw that my boss Anna was late.", "The user's boss Anna was late.", at=0)
    assert _entity_of(world, "my boss") == "Anna"

    world.learn("Now Ben is my boss.", "Ben is the user's boss.", at=5)
    assert _entity_of(world, "my boss") == "Ben"
    assert ("user", "boss", "anna", False, day(0), day(5)) in world.relations()


def test_what_is_forgotten_is_gone_and_restored_it_is_back(world: World):
    resource_id = world.learn("Anna Berg works at Brightwave.")
    before = (world.mentions(), world.relations())
    item_id = world.item_id("Anna Berg works at Brightwave.")

    batch = world.forget(items=(item_id,), episodes=(resource_id,))

    assert (world.mentions(), world.relations(), world.entities()) == (set(), set(), {})

    world.restore(batch)

    assert (world.mentions(), world.relations()) == before
    assert set(world.entities()) == {"Anna Berg", "Brightwave"}


def test_what_ends_for_an_item_ends_for_its_mentions_and_relations(world: World):
    from apps.memory.models import Item  # noqa: PLC0415

    world.learn("Anna Berg works at Brightwave.")
    with scope.enter(world.worker):
        Item.objects.filter(tenant_id=world.tenant_id).update(valid_until=day(4), status="superseded")
    world.project()

    assert {row[6] for row in world.mentions() if row[0] == "item"} == {day(4)}
    assert world.relations() == {("anna berg", "works_at", "brightwave", False, day(0), day(4))}


def test_a_message_that_takes_up_the_one_before_is_its_effect(world: World):
    first = world.hear("The disk of Orion was full.", at=0)
    second = world.hear("Therefore we moved Orion away.", at=0.1)
    world.project()

    from apps.graph.models import Relation  # noqa: PLC0415

    with scope.enter(world.worker):
        row = Relation.objects.get(tenant_id=world.tenant_id, kind="causal")
    assert (row.from_unit_id, row.to_unit_id, row.object_text, row.confidence) == (first, second, "therefore", 0.7)


def test_two_workers_at_once_leave_no_doubles(world: World):
    for number in range(6):
        world.hear(f"They saw Anna Berg and Ben in Lisbon at {number + 1} o'clock.", at=number)
    barrier = threading.Barrier(2)
    failures = []

    def work() -> None:
        try:
            barrier.wait()
            world.project()
        except Exception as error:  # noqa: BLE001
            failures.append(error)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert failures == []
    assert world.partition() == {frozenset({"anna berg"}), frozenset({"ben"}), frozenset({"lisbon"})}
    assert {one.mention_count for one in world.entities().values()} == {6}


def test_observing_has_the_graph_projected_by_jobs(world: World, run_jobs):
    world.hear("Anna Berg works at Brightwave.")
    run_jobs()

    assert set(world.entities()) == {"Anna Berg", "Brightwave"}


def test_audiences_do_not_share_entities(world: World, other_agent):
    world.hear("They saw Anna Berg at noon.")
    world.hear("They saw Anna Berg at noon.", agent=other_agent.id)
    world.hear("They saw Anna Berg at noon.", user=MARA.user_id, session="other")
    world.project()

    with scope.enter(world.worker):
        rows = Alias.objects.filter(tenant_id=world.tenant_id, name_key="anna berg")
        owners = {(one.agent_id, one.user_id) for one in rows}
        assert owners == {(world.agent_id, None), (other_agent.id, None), (world.agent_id, MARA.user_id)}
        assert Entity.objects.filter(tenant_id=world.tenant_id).count() == 3


def _entity_of(world: World, key: str) -> str:
    with scope.enter(world.worker):
        return Alias.objects.get(tenant_id=world.tenant_id, name_key=key).entity.canonical_name


def test_an_insight_names_but_states_nothing(world):
    world.learn("Anna Berg lives in Oslo.")
    said = world.relations()
    assert said
    world.clear()

    with scope.enter(world.worker):
        Item.objects.update(verdict_reason=CONDENSED)
    world.project()

    assert world.relations() == set()
    assert "Anna Berg" in world.entities()
