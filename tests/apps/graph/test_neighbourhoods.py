"""The entities around one, and what ties them, at any moment."""

from uuid import uuid4

import pytest

from apps.core import scope
from apps.graph import neighbourhoods, selectors
from apps.graph.models import Mention, Relation
from tests.apps.graph.conftest import World, day


@pytest.fixture
def moved(world: World) -> World:
    """Anna Berg went from Brightwave to Heliograph Inc, where Ben works; once she was in Lisbon with him."""
    world.hear("Anna Berg works at Brightwave.", at=0)
    world.hear("Anna Berg joined Heliograph Inc as a lead.", at=10)
    world.hear("Ben works at Heliograph Inc.", at=11)
    world.hear("They saw Anna Berg with Ben in Lisbon.", at=12)
    world.project()
    return world


def around(world: World, name: str, **options):
    with scope.enter(world.reader()):
        (seed,) = selectors.seeds([name], fuzzy=False)
        return neighbourhoods.around(seed.id, **options)


def ties(found) -> set[tuple[str, str, str]]:
    names = {one.id: one.name for one in (found.center, *found.neighbours)}
    return {(names[tie.start], tie.predicate, names[tie.end]) for tie in found.ties}


def test_what_is_stated_comes_first_and_company_after(moved: World):
    found = around(moved, "Anna Berg")

    assert found.center.name == "Anna Berg"
    assert found.neighbours[0].name == "Heliograph Inc"
    assert ties(found) == {
        ("Anna Berg", "works_at", "Heliograph Inc"),
        ("Ben", "works_at", "Heliograph Inc"),
        ("Anna Berg", "", "Ben"),
        ("Anna Berg", "", "Lisbon"),
        ("Anna Berg", "", "Brightwave"),
    }
    assert not found.truncated


def test_of_the_past_what_was_true_then(moved: World):
    found = around(moved, "Anna Berg", valid_at=day(5))

    assert ties(found) == {("Anna Berg", "works_at", "Brightwave")}


def test_what_was_known_then_holds_nothing_that_was_said_later(moved: World):
    with scope.enter(moved.worker):
        for model in (Mention, Relation):
            model.objects.filter(tenant_id=moved.tenant_id, valid_from__lt=day(1)).update(recorded_at=day(0))

    assert ties(around(moved, "Anna Berg", as_of=day(5))) <= {("Anna Berg", "works_at", "Brightwave")}
    assert ties(around(moved, "Anna Berg", as_of=day(-5))) == set()


def test_no_more_than_were_asked_for(moved: World):
    found = around(moved, "Anna Berg", limit=1)

    assert [one.name for one in found.neighbours] == ["Heliograph Inc"]
    assert found.truncated


def test_another_agents_entity_is_not_there(moved: World):
    with scope.enter(moved.reader(uuid4())):
        assert neighbourhoods.around(uuid4()) is None
    with scope.enter(moved.reader()):
        (seed,) = selectors.seeds(["Anna Berg"], fuzzy=False)
    with scope.enter(moved.reader(uuid4())):
        assert neighbourhoods.around(seed.id) is None
