"""What was forgotten does not come back when the message that said it is imported again; what was erased does."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from apps.core.scope import tenant_scope
from apps.memory.models import Item, Suppression
from apps.resources.models import Resource, Session
from tests.apps.erasure.conftest import ADAM, EVE

SAID = "My sister Anna works at the harbour bakery in Lund."
BEFORE = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def line(**changes: object) -> dict[str, object]:
    given = {"external_id": "1", "session_id": "chat", "content": SAID, "user_id": EVE, "role": "user"}
    return given | {"content_at": BEFORE.isoformat()} | changes


def held(world) -> tuple[int, int, int]:
    with tenant_scope(world.tenant_id):
        rows = Item.objects.exclude(status="deleted")
        return Resource.objects.count(), Session.objects.count(), rows.count()


@pytest.fixture
def send(world):
    """Lines as `memory import` and `POST /api/v1/ingest` send them, learnt from."""

    def ingest(*lines):
        said = world.send("post", "ingest", lines[0])
        assert said.status_code == 200, said.content
        world.work()
        return said.json()

    return ingest


@pytest.fixture
def forgotten(world, send):
    """The message learnt from, and what came of it forgotten; the batch."""
    assert send(line())["accepted"] == 1
    with tenant_scope(world.tenant_id):
        ids = [str(one) for one in Item.objects.values_list("id", flat=True)]
    assert ids
    return world.post("forget", ids=ids)["batch_id"]


@pytest.mark.parametrize(
    "again",
    [
        {},
        {"session_id": "imported-again"},
        {"session_id": "imported-again", "external_id": "other"},
        {"session_id": "imported-again", "content_at": None},
    ],
)
def test_a_copy_of_a_forgotten_message_is_not_learnt_from(world, send, forgotten, again):
    before = held(world)

    answer = send(line(**again))

    assert (answer["forgotten"], answer["accepted"], answer["duplicate"]) == (1, 0, 0)
    with tenant_scope(world.tenant_id):
        message = Resource.objects.get()
    assert answer["results"] == [
        {
            "line": 1,
            "status": "forgotten",
            "resource_id": str(message.id),
            "error": "Not stored again: it was forgotten. Restore that to have it back.",
            "field": None,
        }
    ]
    assert held(world) == before
    assert world.recalled("Where does my sister work?", EVE) == []


@pytest.mark.parametrize(
    "other",
    [
        {"user_id": ADAM},
        {"content": "My sister Anna works at the harbour bakery in Lund, too."},
        {"external_id": "2", "content_at": None},
    ],
)
def test_what_somebody_else_says_or_says_anew_is_learnt(send, forgotten, other):
    assert send(line(session_id="another", **other))["accepted"] == 1


def test_the_same_words_at_a_later_time_are_said_anew(send, forgotten):
    later = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()

    assert send(line(session_id="another", external_id="2", content_at=later))["accepted"] == 1


def test_what_was_restored_is_a_message_like_any_other(world, send, forgotten):
    world.post("restore", batch_id=forgotten)

    assert send(line())["duplicate"] == 1
    assert send(line(session_id="another"))["accepted"] == 1


def test_everything_of_a_user_that_was_forgotten_does_not_come_back_by_their_export(world):
    world.fill(EVE, "chat")
    lines = world.exported(user_id=EVE)
    world.post("forget", user_id=EVE)
    before = held(world)

    done = world.post("imports", lines=lines)
    world.work()

    assert (done["accepted"], done["duplicate"]) == (0, 0)
    told = [each for each in lines if each["line"] in {"message", "trigger", "feedback"} or each.get("is_imported")]
    assert done["forgotten"] == len(told)
    assert held(world) == before


def test_what_was_erased_leaves_nothing_by_which_its_copy_could_be_known(world, send, forgotten):
    assert world.erase(user_id=EVE)["state"] == "done"

    with tenant_scope(world.tenant_id):
        assert Suppression.objects.count() == 0
    assert send(line())["accepted"] == 1
    assert json.dumps(world.recalled("Where does my sister work?", EVE)) != "[]"
