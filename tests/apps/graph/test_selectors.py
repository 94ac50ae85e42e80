"""Reading entities, profiles, seeds and ways, at any moment."""

from uuid import uuid4

import pytest

from apps.core import scope
from apps.core.paging import PageRequest
from apps.graph import selectors
from memory_platform.errors import NotFound
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.model import Visibility
from tests.apps.graph.conftest import World, day


def read(world: World, function, *arguments, **options):
    with scope.enter(world.reader()):
        return function(*arguments, **options)


def profile(world: World, name: str, **options):
    return read(world, selectors.entity, name=name, **options)


def named(world: World, *names: str, **options) -> list[tuple[str, float]]:
    return [(seed.name, seed.similarity) for seed in read(world, selectors.seeds, names, **options)]


def test_a_profile_says_what_holds_what_held_with_whom_and_by_whom(world: World):
    world.hear("Anna Berg works at Brightwave.", at=0, speaker="Caroline")
    world.hear("Anna Berg joined Heliograph Inc as a lead.", at=10, speaker="Melanie")
    world.hear("They saw Anna Berg with Ben in Lisbon.", at=11, speaker="Melanie")
    world.project()

    found = profile(world, "anna berg")

    assert (found.name, found.type, found.mention_count) == ("Anna Berg", EntityType.PERSON, 3)
    assert (found.first_seen_at, found.last_seen_at) == (day(0), day(11))
    assert [(one.predicate, one.object, one.valid_until) for one in found.timeline] == [
        ("works_at", "Brightwave", day(10)),
        ("works_at", "Heliograph Inc", None),
    ]
    assert found.facts[0].text == "Anna Berg joined Heliograph Inc as a lead."
    assert {(one.name, one.predicate) for one in found.related} == {
        ("Heliograph Inc", "works_at"), ("Ben", ""), ("Lisbon", ""), ("Brightwave", ""),
    }  # fmt: skip
    assert [(one.name, one.count) for one in found.who_said] == [("Melanie", 2), ("Caroline", 1)]
    assert found.summary.startswith("Anna Berg (person), mentioned 3 times since 1 March 2025. Anna Berg joined")
    assert "(11 March 2025, Melanie)." in found.summary


def test_a_profile_of_the_past_knows_nothing_of_later(world: World):
    world.hear("Anna Berg works at Brightwave.", at=0)
    world.hear("Anna Berg joined Heliograph Inc as a lead.", at=10)
    world.project()
    with scope.enter(world.worker):
        _backdate(world)

    then = profile(world, "Anna Berg", as_of=day(5))

    assert [(one.predicate, one.object) for one in then.timeline] == [("works_at", "Brightwave")]
    assert [one.text for one in then.facts] == ["Anna Berg works at Brightwave."]
    assert (then.mention_count, then.last_seen_at) == (1, day(0))
    assert profile(world, "Anna Berg", as_of=day(-1)) is None


def test_a_profile_of_nobody_is_none(world: World):
    assert profile(world, "Nobody") is None
    assert read(world, selectors.entity, entity_id=uuid4()) is None
    assert read(world, selectors.entity, name="") is None


def test_seeds_fit_exactly_first_then_nearly(world: World):
    world.hear("They saw Anna Berg and Kubernetes in Lisbon.", at=0)
    world.hear("The release 4 of Kubernetes is out.", at=1)
    world.project()

    assert named(world, "anna berg", "LISBON") == [("Anna Berg", 1.0), ("Lisbon", 1.0)]
    assert named(world, "Kuberntes") == [("Kubernetes", 0.9)]
    assert named(world, "Anna") == [("Anna Berg", 0.9)]
    assert named(world, "Anna", "Kuberntes", fuzzy=False) == []
    assert named(world, "") == named(world) == []


def test_my_boss_is_who_has_the_role(world: World):
    world.learn("I saw that my boss Anna was late.", "The user's boss Anna was late.")

    assert named(world, "my boss", fuzzy=False) == [("Anna", 1.0)]


def test_my_boss_is_the_boss_of_the_one_speaker_who_has_one(world: World):
    world.learn("I saw that my boss Anna was late.", "Caroline's boss Anna was late.", speaker="Caroline")
    world.learn("I met Caroline's boss Anna and Ben's boss Carla.", "Ben's boss Carla was there.", speaker="Melanie")
    assert named(world, "my boss", fuzzy=False) == [("Anna", 1.0)]
    assert named(world, "my wife", "my dog", fuzzy=False) == []

    world.learn("My boss Dan is away.", "Melanie's boss Dan is away.", at=1, speaker="Melanie")
    assert named(world, "my boss", fuzzy=False) == []


def test_entities_are_listed_in_pages_the_most_mentioned_first(world: World):
    world.hear("They saw Anna Berg and Ben in Lisbon.", at=0)
    world.hear("They saw Ben in Lisbon.", at=1)
    world.hear("They saw Ben alone.", at=2)
    world.project()

    first = read(world, selectors.entities, page=PageRequest(2))
    second = read(world, selectors.entities, page=PageRequest(2, first.end_cursor))

    assert [(one.name, one.mention_count) for one in first.rows] == [("Ben", 3), ("Lisbon", 2)]
    assert ([one.name for one in second.rows], first.has_next, second.has_next) == (["Anna Berg"], True, False)
    assert [one.name for one in read(world, selectors.entities, search="berg", page=PageRequest()).rows] == [
        "Anna Berg"
    ]
    places = read(world, selectors.entities, entity_type=EntityType.PLACE, page=PageRequest()).rows
    assert [one.name for one in places] == ["Lisbon"]


def test_entities_of_one_name_in_two_audiences_are_one_to_who_reads_both(world: World, other_agent):
    world.hear("They saw Anna Berg at noon.", at=0)
    world.hear("They saw Anna Berg at night.", at=1, agent=other_agent.id, visibility=Visibility.SHARED)
    world.project()

    with scope.enter(world.reader(shared=True)):
        listed = [(one.name, one.mention_count) for one in selectors.entities(page=PageRequest()).rows]
        found = selectors.entity(name="Anna Berg")
    assert listed == [("Anna Berg", 2)]
    assert {one.text for one in found.facts} == {"They saw Anna Berg at noon.", "They saw Anna Berg at night."}
    assert [(one.name, one.mention_count) for one in read(world, selectors.entities, page=PageRequest()).rows] == [
        ("Anna Berg", 1)
    ]


def test_a_path_tells_the_facts_on_the_way_and_who_said_them(world: World):
    world.hear("Anna Berg works at Brightwave.", at=0, speaker="Caroline")
    resource_id = world.hear("Carl Voss founded Brightwave.", at=5, speaker="Melanie", session="tuesday")
    world.project()

    start, end = (read(world, selectors.seeds, [name])[0].id for name in ("Anna Berg", "Carl Voss"))
    steps = read(world, selectors.path, start, end)

    assert [(step.kind, step.predicate, step.start.text, step.end.text, step.forward) for step in steps] == [
        (RelationKind.FACT, "works_at", "Anna Berg", "Brightwave", True),
        (RelationKind.ENTITY, "founded", "Brightwave", "Carl Voss", False),
    ]
    assert [step.fact for step in steps] == ["Anna Berg works at Brightwave.", "Carl Voss founded Brightwave."]
    assert [(one.resource_id, one.speaker, one.said_at) for one in steps[1].sources] == [
        (resource_id, "Melanie", day(5))
    ]
    assert read(world, selectors.path, start, start) == ()
    assert read(world, selectors.path, start, end, max_depth=1) is None


def test_a_path_from_or_to_an_unknown_entity_is_not_found(world: World):
    world.learn("Anna Berg works at Brightwave.")
    start = read(world, selectors.seeds, ["Anna Berg"])[0].id

    for ends in ((start, uuid4()), (uuid4(), start)):
        with pytest.raises(NotFound):
            read(world, selectors.path, *ends)


def _backdate(world: World) -> None:
    """As if everything had been learnt when it was said."""
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("UPDATE memory_item SET recorded_at = valid_from WHERE tenant_id = %s", [world.tenant_id])
        cursor.execute("UPDATE graph_mention SET recorded_at = valid_from WHERE tenant_id = %s", [world.tenant_id])
        cursor.execute("UPDATE graph_relation SET recorded_at = valid_from WHERE tenant_id = %s", [world.tenant_id])
