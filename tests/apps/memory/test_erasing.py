"""What is kept of memories when others are erased stands as it did before those came."""

from datetime import timedelta

import pytest

from apps.core import clock, scope
from apps.core.erasing import Doomed
from apps.memory import services
from apps.memory.requests import NewMemory
from apps.memory.services import erasing
from tests.apps.memory.conftest import START, UPDATE

GREEN, BLUE = "Anna's favourite colour is green.", "Anna's favourite colour is blue."
UNTIL = START + timedelta(days=30)


def remember(world, text, at, **fields):
    return services.remember(NewMemory(text=text, occurred_at=at, **fields), within=world.agent).item


def replace(world, old):
    world.judged(UPDATE, GREEN, BLUE)
    return remember(world, BLUE, START + timedelta(days=1))


def correct(world, old):
    return services.correct(old.id, BLUE, within=world.agent).item


@pytest.mark.parametrize("supersede", [replace, correct])
@pytest.mark.parametrize("until", [None, UNTIL])
def test_what_only_an_erased_memory_replaced_is_true_for_as_long_as_before(world, supersede, until):
    old = remember(world, GREEN, START, valid_until=until)
    new = supersede(world, old)

    with scope.enter(world.worker):
        erasing.close(Doomed(before=clock.now(), item_ids=(new.id,)), erased={new.id})

    (item,) = (each for each in world.items() if each.id == old.id)
    assert (item.status, item.valid_until, item.retracted_at) == ("active", until, None)
