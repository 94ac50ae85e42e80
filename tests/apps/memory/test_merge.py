import pytest

from apps.core import scope
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.memory import selectors, services
from apps.memory.models import Item
from apps.memory.requests import NewMemory
from apps.memory.services.comparing import compare
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.model import Status, Visibility
from tests.apps.memory.conftest import SAME, UPDATE, fact

FIRST, SECOND = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."


def unmerge(world, text: str):
    (row,) = [item for item in world.items(text=text) if item.status_reason in {"merged", "fresher_wording"}]
    with scope.enter(world.agent):
        return services.unmerge(row.id)


@pytest.fixture(autouse=True)
def paraphrases(world):
    world.judged(SAME, FIRST, SECOND, FIRST)


def test_a_merge_taken_back_leaves_both_as_they_were(world, run_jobs):
    one = world.learn("a", fact(FIRST), session="monday")
    before = world.items(text=FIRST)[0]
    two = world.learn("b", fact(SECOND), session="tuesday", day=1)

    back = unmerge(world, SECOND)

    after = world.items(text=FIRST)[0]
    assert [getattr(after, name) for name in ("confidence", "merged_count", "said_at", "last_confirmed_at")] == [
        getattr(before, name) for name in ("confidence", "merged_count", "said_at", "last_confirmed_at")
    ]
    assert [source.resource_id for source in world.item(FIRST).sources] == [one]
    assert [source.resource_id for source in back.sources] == [two]
    assert (back.status, back.base_confidence) == ("active", 0.9)
    assert world.searchable() == {FIRST, SECOND}
    run_jobs()
    with pytest.raises(Conflict), scope.enter(world.agent):
        services.unmerge(back.id)


def test_a_merge_taken_back_after_a_later_one_keeps_what_that_one_added(world):
    world.learn("a", fact(FIRST, said_by="Anna", confidence=0.5), session="monday", speaker="Anna")
    world.learn("b", fact(SECOND, said_by="Ben"), session="tuesday", day=1, speaker="Ben")
    world.learn("c", fact(FIRST, said_by="Carla"), session="wednesday", day=2, speaker="Carla")
    assert round(world.item(FIRST).base_confidence, 3) == 0.6

    unmerge(world, SECOND)

    item = world.item(FIRST)
    assert (round(item.base_confidence, 3), item.merged_count, len(item.sources)) == (0.5, 1, 2)


def test_a_fresher_wording_taken_back_lets_the_old_one_stand_beside_it(world):
    one = world.learn("a", fact(FIRST))
    two = world.learn("b", fact(SECOND), day=0.1)
    assert world.searchable() == {SECOND}

    unmerge(world, FIRST)

    assert world.searchable() == {FIRST, SECOND}
    assert [source.resource_id for source in world.item(FIRST).sources] == [one]
    assert [source.resource_id for source in world.item(SECOND).sources] == [two]


@pytest.mark.parametrize("place", [("monday", "tuesday"), ("monday", "monday")], ids=["merged", "reworded"])
def test_what_was_taken_apart_is_not_merged_again_by_night(world, place):
    for day, (text, session) in enumerate(zip((FIRST, SECOND), place, strict=True)):
        world.learn(text, fact(text), session=session, day=day / 10)
    unmerge(world, SECOND if len(set(place)) == 2 else FIRST)

    for _ in range(2):
        compare([item.id for item in world.items()], within=world.worker)

    assert world.texts(status="active") == [FIRST, SECOND]


def test_a_merge_into_what_was_replaced_since_is_undone_after_that(world):
    third = "Anna works at Bosch as an engineer."
    world.judged(UPDATE, FIRST, third)
    world.learn("a", fact(FIRST), session="monday")
    world.learn("b", fact(SECOND), session="tuesday", day=1)
    world.learn("c", fact(third), session="wednesday", day=2)
    assert [item.status for item in world.items(text=FIRST)] == ["superseded"]
    before = world.query(lambda: list(Item.objects.filter(tenant_id=world.tenant_id).order_by("id").values()))

    with pytest.raises(Conflict, match="merged, replaced or forgotten since"):
        unmerge(world, SECOND)

    after = world.query(lambda: list(Item.objects.filter(tenant_id=world.tenant_id).order_by("id").values()))
    assert after == before


def test_what_is_merged_nowhere_stays_as_it_is(world):
    world.learn("a", fact(FIRST), session="monday")
    (held,) = world.items()

    for item_id, problem in ((held.id, Conflict), (new_id(), NotFound)):
        with pytest.raises(problem), scope.enter(world.agent):
            services.unmerge(item_id)

    assert [(item.status, item.change_number) for item in world.items()] == [("active", held.change_number)]


def test_a_merge_with_what_another_agent_shared_is_a_persons_to_undo(world, other_agent):
    ours, theirs = (Scope(world.tenant_id, agent_id, Reach.SHARED) for agent_id in (world.agent_id, other_agent.id))
    for within in (theirs, ours):
        services.remember(NewMemory(text=FIRST, visibility=Visibility.SHARED), within=within)
    (merged,) = world.items(status_reason="merged")

    with pytest.raises(Forbidden), scope.enter(ours):
        services.unmerge(merged.id)
    assert len(world.items(status_reason="merged")) == 1
    with scope.enter(world.worker):
        back = services.unmerge(merged.id)

    assert (back.status, back.agent_id) == (Status.ACTIVE, world.agent_id)
    assert [item.merged_count for item in world.items()] == [0, 0]


def test_explain_names_what_was_merged(world):
    world.learn("a", fact(FIRST), session="monday")
    world.learn("b", fact(SECOND), session="tuesday", day=1)
    merged = world.items(status_reason="merged")[0]

    why = world.query(lambda: selectors.explain(world.items(text=FIRST)[0].id))
    part = world.query(lambda: selectors.explain(merged.id))

    assert [(link.text, link.reason, link.open) for link in why.merged] == [(SECOND, "paraphrase", True)]
    assert [version.operation for version in why.versions] == ["stored", "merged"]
    assert part.merged_into.text == FIRST
