"""An open question about an item is answered by a later turn that says one side again, or by a person."""

import pytest

from apps.core import scope
from apps.journal.models import Entry
from apps.memory import selectors, services
from apps.memory.models import ItemVersion
from memory_platform.model import Slot
from tests.apps.memory.conftest import CONFLICT, PROBABLE_UPDATE, SAME, START, fact
from tests.apps.memory.test_open_links import BERGEN, OSLO, doubts, open_links
from tests.cast import ADAM, MARA

BERGEN_AGAIN = "It is in Bergen that Anna lives."


@pytest.fixture
def doubted(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO), session="first")
    world.learn("b", fact(BERGEN), day=2, session="second")


@pytest.fixture
def contradicted(world):
    world.judged(CONFLICT, OSLO, BERGEN)
    world.learn("a", fact(OSLO), session="first")
    world.learn("b", fact(BERGEN), day=2, session="second")


def operations(world, text: str) -> list[str]:
    with scope.enter(world.worker):
        rows = ItemVersion.objects.filter(tenant_id=world.tenant_id, item__text=text).order_by("id")
        return list(rows.exclude(item__status_reason="merged").values_list("operation", flat=True))


def closed(world, text: str) -> tuple[str, str, float]:
    """How it stands, why, and the day from START until which it was true."""
    item = world.item(text)
    return item.status, item.status_reason, (item.valid_until - START).days


@pytest.mark.usefixtures("doubted")
def test_who_says_the_newer_again_closes_the_older_as_of_when_the_newer_was_said(world):
    world.learn("Bergen, as I said.", fact(BERGEN), day=5, session="third")

    assert closed(world, OSLO) == ("superseded", "settled", 2)
    assert world.searchable() == {BERGEN}
    assert open_links(world) == []
    assert operations(world, OSLO) == ["stored", "superseded"]
    explained = world.query(lambda: selectors.explain(world.item(BERGEN).id))
    assert [(link.text, link.reason) for link in explained.supersedes] == [(OSLO, "settled")]


@pytest.mark.usefixtures("doubted")
def test_other_words_for_the_newer_settle_too(world):
    world.judged(SAME, BERGEN, BERGEN_AGAIN)

    world.learn("c", fact(BERGEN_AGAIN), day=5, session="third")

    assert closed(world, OSLO) == ("superseded", "settled", 2)
    assert world.searchable() == {BERGEN}


@pytest.mark.usefixtures("doubted")
def test_a_fresher_wording_of_the_newer_settles_and_stands_for_it(world):
    world.judged(SAME, BERGEN, BERGEN_AGAIN)

    world.learn("c", fact(BERGEN_AGAIN), day=2.1, session="second")

    assert world.item(OSLO).status == "superseded"
    assert world.searchable() == {BERGEN_AGAIN}


@pytest.mark.usefixtures("doubted")
def test_who_says_the_older_again_has_not_given_it_up(world):
    world.learn("Oslo, as ever.", fact(OSLO), day=5, session="third")

    assert (world.item(OSLO).status, world.item(OSLO).open_links) == ("active", ())
    assert world.searchable() == {OSLO, BERGEN}
    assert open_links(world) == []
    assert operations(world, OSLO) == ["stored", "settled", "merged"]
    with scope.enter(world.worker):
        assert Entry.objects.filter(tenant_id=world.tenant_id, operation="memory.settled").count() == 1


@pytest.mark.usefixtures("contradicted")
@pytest.mark.parametrize(("again", "other", "until"), [(BERGEN, OSLO, 2), (OSLO, BERGEN, 5)])
def test_of_two_that_cannot_both_be_true_the_one_said_last_holds(world, again, other, until):
    world.learn("As I said.", fact(again), day=5, session="third")

    assert closed(world, other) == ("superseded", "settled", until)
    assert (world.searchable(), open_links(world)) == ({again}, [])


@pytest.mark.usefixtures("doubted")
def test_what_was_said_before_the_question_arose_answers_nothing(world):
    world.learn("Oslo.", fact(OSLO), day=1, session="third")

    assert world.item(OSLO).open_links == doubts(world.item(BERGEN))


@pytest.mark.usefixtures("doubted")
def test_an_assistant_settles_nothing(world):
    world.answer("You live in Bergen.", fact(BERGEN), day=5, session="third")

    assert world.item(OSLO).open_links == doubts(world.item(BERGEN))


def test_another_speaker_settles_nothing(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO, said_by="Ann"), session="first")
    world.learn("b", fact(BERGEN, said_by="Ben"), day=2, session="second")

    world.learn("c", fact(BERGEN, said_by="Ben"), day=5, session="third")
    assert world.item(OSLO).open_links == doubts(world.item(BERGEN))

    world.learn("d", fact(BERGEN, said_by="Ann"), day=6, session="fourth")
    assert world.item(OSLO).status == "superseded"


def test_another_users_words_settle_nothing(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO), session="first", user=MARA.user_id)
    world.learn("b", fact(BERGEN), day=2, session="second", user=MARA.user_id)

    world.learn("c", fact(BERGEN), day=5, session="third", user=ADAM.user_id)

    assert world.item(OSLO).open_links != ()


def test_a_question_that_arises_and_is_answered_in_one_import_is_settled(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    said = [
        world.hear("a", fact(OSLO), session="first"),
        world.hear("b", fact(BERGEN), day=2, session="second"),
        world.hear("c", fact(BERGEN), day=5, session="third"),
    ]

    world.observe(*said)

    assert closed(world, OSLO) == ("superseded", "settled", 2)
    assert open_links(world) == []


def test_a_doubt_follows_the_fresher_wording_of_what_raised_it(world):
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.judged(SAME, BERGEN, BERGEN_AGAIN)
    world.learn("a", fact(OSLO, said_by="Ann"), session="first")
    world.learn("b", fact(BERGEN, said_by="Ben"), day=2, session="second")

    world.learn("c", fact(BERGEN_AGAIN, said_by="Ben"), day=2.1, session="second")

    assert world.item(OSLO).open_links == doubts(world.item(BERGEN_AGAIN))


def test_what_gives_the_settled_state_the_same_value_is_closed_with_it(world):
    lived, as_ever = Slot("Anna", "live", "in Oslo"), "Oslo it is, and Anna has no plans beyond it."
    world.judged(PROBABLE_UPDATE, OSLO, BERGEN)
    world.learn("a", fact(OSLO, slot=lived), fact(as_ever, slot=lived), session="first")
    world.learn("b", fact(BERGEN), day=2, session="second")

    world.learn("c", fact(BERGEN), day=5, session="third")

    assert world.searchable() == {BERGEN}
    assert closed(world, as_ever) == ("superseded", "settled", 2)


@pytest.mark.usefixtures("doubted")
def test_who_confirms_the_newer_closes_the_older(world):
    with scope.enter(world.agent):
        services.confirm(world.item(BERGEN).id)

    assert closed(world, OSLO) == ("superseded", "settled", 2)
    assert open_links(world) == []


@pytest.mark.usefixtures("contradicted")
def test_who_confirms_one_side_of_a_contradiction_closes_the_other(world):
    with scope.enter(world.agent):
        services.confirm(world.item(OSLO).id)

    assert world.item(BERGEN).status == "superseded"
    assert world.item(OSLO).open_links == ()


@pytest.mark.usefixtures("doubted")
@pytest.mark.parametrize("wrong", [OSLO, BERGEN])
def test_who_corrects_either_side_settles_the_question(world, wrong):
    services.correct(world.item(wrong).id, "Anna lives in Narvik.", within=world.agent)

    right = BERGEN if wrong == OSLO else OSLO
    assert (world.item(right).status, world.item(right).open_links) == ("active", ())
