"""What is only likely closes nothing: it stays an open question about an item until somebody answers it."""

from datetime import timedelta

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.memory import selectors, services
from apps.memory.models import ItemLink, Rejection
from apps.memory.requests import ForgetRequest
from apps.memory.results import OpenLink, OpenLinkKind
from memory_platform.model import Strength
from tests.apps.memory.conftest import (
    CONFLICT,
    PROBABLE_UPDATE,
    REFINES,
    START,
    UPDATE,
    fact,
)

OSLO, BERGEN, TROMSO = (f"Anna lives in {place}." for place in ("Oslo", "Bergen", "Tromsø"))


def open_links(world) -> list[tuple[str, str, str]]:
    """(kind, from text, to text) of the links that are open, by age."""
    rows = ItemLink.objects.filter(tenant_id=world.tenant_id, closed_at=None).order_by("id")
    kinds = (ItemLink.Kind.CONTRADICTS, ItemLink.Kind.PROBABLY_SUPERSEDED)
    return world.query(
        lambda: [(row.kind, row.from_item.text, row.to_item.text) for row in rows.filter(kind__in=kinds)]
    )


def doubts(*items) -> tuple[OpenLink, ...]:
    return tuple(OpenLink(OpenLinkKind.PROBABLY_SUPERSEDED, item.id) for item in items)


def test_what_has_probably_been_replaced_stays_and_is_doubted(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN), day=2)

    old, new = world.item(OSLO), world.item(BERGEN)
    assert (old.status, old.valid_until, round(old.base_confidence, 3)) == ("active", None, 0.9)
    assert (old.open_links, new.open_links) == (doubts(new), ())
    assert old.doubted_by == (new.id,)
    assert old.contradicted_by == ()
    assert world.searchable() == {OSLO, BERGEN}


def test_an_older_claim_that_arrives_late_is_doubted_itself(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("b", fact(BERGEN), day=2)
    world.learn("a", fact(OSLO), day=0)

    old, new = world.item(OSLO), world.item(BERGEN)
    assert (old.open_links, new.open_links) == (doubts(new), ())


def test_two_that_cannot_both_be_true_contradict_each_other(world):
    world.judged(CONFLICT, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN), day=2)

    old, new = world.item(OSLO), world.item(BERGEN)
    assert old.open_links == (OpenLink(OpenLinkKind.CONTRADICTS, new.id),)
    assert new.open_links == (OpenLink(OpenLinkKind.CONTRADICTS, old.id),)
    assert world.query(selectors.stats).open_contradictions == 1


def test_a_detail_closes_and_doubts_nothing(world):
    world.judged(REFINES, OSLO, "Anna lives in Oslo with two cats.")
    world.learn("a", fact(OSLO))
    world.learn("b", fact("Anna lives in Oslo with two cats."), day=2)

    assert world.item(OSLO).open_links == ()
    assert world.texts(status="active") == [OSLO, "Anna lives in Oslo with two cats."]


def test_a_later_update_that_is_sure_ends_the_doubt_with_what_was_doubted(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.judged(UPDATE, OSLO, TROMSO)
    world.judged(UPDATE, BERGEN, TROMSO)
    for day, text in enumerate((OSLO, BERGEN, TROMSO)):
        world.learn(text, day=day)

    assert world.searchable() == {TROMSO}
    assert [world.item(text).open_links for text in (OSLO, BERGEN, TROMSO)] == [(), (), ()]


def test_a_doubt_ends_with_the_item_that_raised_it(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN), day=2)

    with scope.enter(world.agent):
        services.forget(ForgetRequest(item_ids=(world.item(BERGEN).id,)))

    assert world.item(OSLO).open_links == ()


def test_who_confirms_what_was_doubted_answers_the_question(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN), day=2)

    with scope.enter(world.agent):
        confirmed = services.confirm(world.item(OSLO).id)

    assert (confirmed.status, confirmed.open_links) == ("active", ())
    assert open_links(world) == []


def test_what_is_compared_again_is_not_asked_about_again(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN), day=2)
    both = [world.item(OSLO).id, world.item(BERGEN).id]

    services.compare(both, within=world.worker)

    assert open_links(world) == [("probably_superseded", BERGEN, OSLO)]
    with scope.enter(world.agent):
        services.confirm(world.item(OSLO).id)
    services.compare(both, within=world.worker)
    assert open_links(world) == []


def test_an_episode_names_what_has_probably_replaced_its_fact(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    oslo = world.learn("a", fact(OSLO))
    bergen = world.learn("b", fact(BERGEN), day=2)

    states = world.query(lambda: selectors.episode_states([oslo, bergen]))

    assert (states[oslo].all_gone, states[oslo].doubted_by) == (False, (world.item(BERGEN).id,))
    assert states[bergen].doubted_by == ()


def test_a_weaker_claim_leaves_its_rejection_as_an_open_link(world):
    world.judged(UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO))
    world.learn("b", fact(BERGEN, strength=Strength.INFERRED, confidence=0.5), day=2)

    (rejection,) = world.query(lambda: list(Rejection.objects.filter(tenant_id=world.tenant_id)))
    assert world.item(OSLO).open_links == (OpenLink(OpenLinkKind.CONTRADICTS, rejection.id),)


def test_agents_that_probably_replace_each_others_facts_dispute(world, other_agent):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    for agent_id, text, day in ((world.agent_id, OSLO, 0), (other_agent.id, BERGEN, 2)):
        within = Scope(world.tenant_id, agent_id, Reach.SHARED)
        services.remember(shared(text, day), within=within)

    assert open_links(world) == [("contradicts", BERGEN, OSLO)]


def shared(text: str, day: int):
    from apps.memory.requests import NewMemory  # noqa: PLC0415
    from memory_platform.model import Visibility  # noqa: PLC0415

    return NewMemory(text=text, visibility=Visibility.SHARED, occurred_at=START + timedelta(days=day))
