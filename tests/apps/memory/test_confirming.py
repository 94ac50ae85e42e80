"""Vouching for a memory is taken back with all that followed from it."""

import pytest

from apps.core import scope
from apps.journal.models import Entry
from apps.memory import selectors, services
from apps.memory.models import ItemFeedback
from apps.memory.requests import ForgetRequest
from memory_platform.errors import Conflict
from memory_platform.lifecycle.feedback import Opinion
from tests.apps.memory.conftest import CONFLICT, fact, held
from tests.apps.memory.test_open_links import BERGEN, OSLO, open_links

TEXT = "Anna works at Siemens as an engineer."
COLUMNS = (
    "confidence",
    "reinforced_at",
    "last_confirmed_at",
    "protected",
    "verdict",
    "verdict_reason",
    "status",
    "status_reason",
    "valid_until",
    "retracted_at",
)


def standing(world, text: str) -> dict[str, object]:
    (row,) = world.items(text=text)
    return {name: getattr(row, name) for name in COLUMNS}


def act(world, verb, text: str):
    (row,) = world.items(text=text)
    with scope.enter(world.agent):
        return verb(row.id)


@pytest.mark.parametrize("learnt", [fact(TEXT), held(TEXT)])
def test_a_memory_is_as_it_was_before_it_was_confirmed(world, learnt):
    world.learn("a", learnt)
    before, found = standing(world, TEXT), world.searchable()
    act(world, services.confirm, TEXT)
    assert standing(world, TEXT)["protected"] is True

    views = [act(world, services.withdraw_confirmation, TEXT) for _ in range(2)]

    assert (standing(world, TEXT), world.searchable()) == (before, found)
    assert [view.protected for view in views] == [False, False]
    with scope.enter(world.worker):
        assert Entry.objects.filter(operation="memory.confirmation_withdrawn").count() == 1


def test_what_nobody_confirmed_is_left_alone(world):
    world.learn("a", fact(TEXT))
    before = standing(world, TEXT)

    act(world, services.withdraw_confirmation, TEXT)

    assert standing(world, TEXT) == before


def test_only_the_last_confirmation_is_taken_back(world):
    world.learn("a", fact(TEXT))
    act(world, services.confirm, TEXT)
    first = standing(world, TEXT)
    act(world, services.confirm, TEXT)

    act(world, services.withdraw_confirmation, TEXT)

    assert standing(world, TEXT) == first


def test_a_complaint_that_was_answered_stands_again(world):
    world.learn("a", fact(TEXT))
    learnt = standing(world, TEXT)
    act(world, lambda item_id: services.give_feedback(item_id, Opinion.WRONG), TEXT)
    complained = standing(world, TEXT)
    act(world, services.confirm, TEXT)

    act(world, services.withdraw_confirmation, TEXT)

    assert standing(world, TEXT) == complained
    with scope.enter(world.worker):
        assert ItemFeedback.objects.filter(closed_at=None).count() == 1
    act(world, services.withdraw_feedback, TEXT)
    assert standing(world, TEXT) == learnt


def test_of_two_that_cannot_both_be_true_both_are_open_again(world):
    world.judged(CONFLICT, OSLO, BERGEN)
    world.learn("a", fact(OSLO), session="first")
    world.learn("b", fact(BERGEN), day=2, session="second")
    before, links, found = standing(world, OSLO), open_links(world), world.searchable()
    act(world, services.confirm, BERGEN)
    assert (standing(world, OSLO)["status"], open_links(world)) == ("superseded", [])

    act(world, services.withdraw_confirmation, BERGEN)

    assert (standing(world, OSLO), open_links(world), world.searchable()) == (before, links, found)
    explained = world.query(lambda: selectors.explain(world.item(BERGEN).id))
    assert [link.open for link in explained.supersedes] == [False]


def test_what_changed_since_is_not_taken_back(world):
    world.learn("a", fact(TEXT))
    act(world, services.confirm, TEXT)
    act(world, lambda item_id: services.give_feedback(item_id, Opinion.WRONG), TEXT)
    before = standing(world, TEXT)

    with pytest.raises(Conflict):
        act(world, services.withdraw_confirmation, TEXT)

    assert standing(world, TEXT) == before


def test_what_was_forgotten_since_is_not_taken_back(world):
    world.learn("a", fact(TEXT))
    act(world, services.confirm, TEXT)
    act(world, lambda item_id: services.forget(ForgetRequest(item_ids=(item_id,))), TEXT)

    with pytest.raises(Conflict):
        act(world, services.withdraw_confirmation, TEXT)

    assert standing(world, TEXT)["status"] == "deleted"
