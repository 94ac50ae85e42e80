import pytest

from apps.core import scope
from apps.index.models import Document
from apps.jobs.services import enqueue
from apps.memory import services
from apps.memory.models import Extraction
from apps.memory.requests import ForgetRequest
from memory_platform.errors import Conflict, Invalid, NotFound
from memory_platform.model import Visibility
from tests.apps.memory.conftest import SAME, UPDATE, fact
from tests.cast import ADAM, MARA

SIEMENS, CELLO = "Anna works at Siemens.", "Anna plays the cello."
ENGINEER, REWORDED = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."
GREEN, BLUE = "Bob's favourite colour is green.", "Bob's favourite colour is blue."


def forget(world, within=None, **fields):
    with scope.enter(within or world.agent):
        return services.forget(ForgetRequest(**fields))


def restore(world, batch_id):
    with scope.enter(world.agent):
        return services.restore(batch_id)


def hidden_episodes(world) -> set:
    rows = Document.objects.filter(tenant_id=world.tenant_id, unit="episode", hidden=True)
    return world.query(lambda: set(rows.values_list("unit_id", flat=True)))


def test_forgetting_hides_an_item_and_restoring_brings_it_back(world):
    world.learn(SIEMENS)
    item = world.item(SIEMENS)

    forgotten = forget(world, item_ids=(item.id,))

    assert [row.text for row in forgotten.items] == [SIEMENS]
    assert (world.item(SIEMENS).status, world.searchable()) == ("deleted", set())
    restored = restore(world, forgotten.batch_id)
    assert [row.id for row in restored.items] == [item.id]
    assert (world.item(SIEMENS).status, world.searchable()) == ("active", {SIEMENS})
    with pytest.raises(Conflict):
        restore(world, forgotten.batch_id)


def test_a_dry_run_lists_and_changes_nothing(world):
    world.learn(SIEMENS, user=MARA.user_id)

    forgotten = forget(world, user_id=MARA.user_id, dry_run=True)

    assert (forgotten.batch_id, len(forgotten.items), forgotten.episodes, forgotten.dry_run) == (None, 1, 1, True)
    assert world.searchable() == {SIEMENS}


def test_forgetting_an_unknown_item_finds_nothing(world, other_agent):
    world.learn(SIEMENS)
    item = world.item(SIEMENS)

    with pytest.raises(NotFound):
        forget(world, item_ids=(world.tenant_id,))
    with pytest.raises(NotFound):
        forget(world, within=scope.Scope(world.tenant_id, other_agent.id, scope.Reach.OWN), item_ids=(item.id,))
    with pytest.raises(Invalid):
        forget(world)
    assert world.searchable() == {SIEMENS}


def test_another_agents_batch_is_not_ours_to_restore(world, other_agent):
    world.learn(SIEMENS)
    batch_id = forget(world, item_ids=(world.item(SIEMENS).id,)).batch_id

    with scope.tenant_scope(world.tenant_id, agent_id=other_agent.id), pytest.raises(NotFound):
        services.restore(batch_id)


def test_a_forgotten_fact_observed_again_from_its_source_stays_forgotten(world):
    resource_id = world.learn("x", fact(SIEMENS), fact(CELLO))
    forget(world, item_ids=(world.item(SIEMENS).id,))
    extract_again(world, resource_id)

    observed = world.observe(resource_id)

    # Without the suppression the fact would come back as a new item.
    assert observed.suppressed == 1
    assert (world.texts(status="active"), world.searchable()) == ([CELLO], {CELLO})


def test_the_same_fact_from_a_new_source_is_learnt_anew(world):
    world.learn("x", fact(SIEMENS))
    forget(world, item_ids=(world.item(SIEMENS).id,))

    world.learn("y", fact(SIEMENS), day=1)

    assert world.searchable() == {SIEMENS}


def test_restoring_what_was_learnt_anew_leaves_one(world, run_jobs):
    world.learn("x", fact(SIEMENS), session="monday")
    batch_id = forget(world, item_ids=(world.item(SIEMENS).id,)).batch_id
    world.learn("y", fact(SIEMENS), session="tuesday", day=1)

    restore(world, batch_id)
    run_jobs()

    assert world.texts(status="active") == [SIEMENS]
    assert len(world.item(SIEMENS).sources) == 2


def test_forgetting_takes_every_wording_and_each_stays_suppressed(world):
    world.judged(SAME, ENGINEER, REWORDED)
    first = world.learn("a", fact(ENGINEER))
    second = world.learn("b", fact(REWORDED), session="tuesday", day=1)

    forgotten = forget(world, item_ids=(world.item(ENGINEER).id,))

    assert [row.text for row in forgotten.items] == [ENGINEER]
    assert {item.status for item in world.items()} == {"deleted"}
    for resource_id in (first, second):
        extract_again(world, resource_id)
    assert world.observe(first, second).suppressed == 2
    restore(world, forgotten.batch_id)
    assert world.searchable() == {ENGINEER}
    assert world.texts(status_reason="merged") == [REWORDED]


def test_forgetting_a_user_takes_items_and_episodes_and_what_is_not_yet_observed(world):
    seen = world.learn(SIEMENS, user=MARA.user_id, session="a")
    waiting = world.hear(CELLO, user=MARA.user_id, session="a")
    world.learn("Bob plays the flute.", user=ADAM.user_id, session="b")

    forgotten = forget(world, user_id=MARA.user_id)
    world.observe(waiting)

    assert forgotten.episode_ids == tuple(sorted([seen, waiting]))
    assert hidden_episodes(world) == {seen, waiting}
    assert world.searchable() == {"Bob plays the flute."}
    assert world.texts(status="active") == ["Bob plays the flute."]
    restore(world, forgotten.batch_id)
    assert hidden_episodes(world) == set()
    assert world.searchable() == {SIEMENS, "Bob plays the flute."}


def test_forgetting_by_query_takes_the_episodes_of_the_items_along(world):
    source = world.learn(SIEMENS)
    other = world.learn(CELLO)

    forgotten = forget(world, item_ids=(world.item(SIEMENS).id,), episode_ids=(), by_query=True)

    assert forgotten.episode_ids == (source,)
    assert hidden_episodes(world) == {source}
    assert other not in hidden_episodes(world)


def test_an_episode_forgotten_twice_returns_with_the_second_restore(world):
    source = world.learn(SIEMENS, user=MARA.user_id)
    first = forget(world, episode_ids=(source,), by_query=True).batch_id
    second = forget(world, user_id=MARA.user_id).batch_id

    restore(world, first)
    assert hidden_episodes(world) == {source}
    restore(world, second)
    assert hidden_episodes(world) == set()


def test_a_rebuilt_index_still_forgets(world, run_jobs):
    world.judged(UPDATE, GREEN, BLUE)
    kept, gone = (
        world.learn(CELLO, user=ADAM.user_id, session="b"),
        world.learn(SIEMENS, user=MARA.user_id, session="a"),
    )
    world.learn("c", fact(GREEN), user=ADAM.user_id, session="b")
    world.learn("d", fact(BLUE), user=ADAM.user_id, session="b", day=1)
    forget(world, user_id=MARA.user_id)
    before = documents(world)

    with scope.enter(world.worker):
        enqueue("memory.rebuild_documents", {})
    run_jobs()

    assert documents(world) == before
    assert hidden_episodes(world) == {gone}
    assert kept not in hidden_episodes(world)
    assert world.searchable() == {CELLO, BLUE}


def test_another_agents_shared_items_are_not_taken_along(world, other_agent):
    world.learn(SIEMENS, user=MARA.user_id, visibility=Visibility.SHARED)
    reader = scope.Scope(world.tenant_id, other_agent.id, scope.Reach.SHARED)

    assert forget(world, within=reader, user_id=MARA.user_id).items == ()
    assert world.searchable() == {SIEMENS}


def documents(world) -> list:
    columns = ("unit", "unit_id", "text", "hidden", "valid_until", "retracted_at", "event_time", "length", "session_id")
    rows = Document.objects.filter(tenant_id=world.tenant_id).order_by("unit", "unit_id")
    return world.query(lambda: list(rows.values_list(*columns)))


def extract_again(world, resource_id) -> None:
    """As a better extractor would: what the earlier one read counts no more."""
    with scope.enter(world.worker):
        Extraction.objects.filter(tenant_id=world.tenant_id, resource_id=resource_id).delete()
