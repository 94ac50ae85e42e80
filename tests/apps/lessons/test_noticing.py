"""What a user asks for in several sessions is a lesson, as long as the messages are there."""

from apps.core import scope
from apps.lessons import services
from apps.lessons.models import Lesson
from apps.memory import services as memory
from apps.memory.requests import ForgetRequest
from memory_platform.model import ClaimRelation
from tests.cast import ADAM, MARA

ASKED = "Which tickets of the harbour are open?"


def test_the_third_session_that_asks_makes_it_one(world):
    messages = [world.ask(ASKED, session=day) for day in ("monday", "tuesday")]
    assert world.texts() == []
    messages.append(world.ask(ASKED, session="wednesday"))

    (lesson,) = world.lessons()
    assert (lesson.text, lesson.pattern, lesson.heard) == (ASKED, "request", 3)
    assert [one.resource_id for one in lesson.evidence] == messages
    messages.append(world.ask(ASKED, session="thursday"))
    (again,) = world.lessons()
    assert (again.id, again.heard) == (lesson.id, 4)


def test_the_same_words_are_one_request_whatever_the_judge_of_claims_makes_of_them(world):
    world.judge.relations[ASKED, ASKED] = ClaimRelation()
    for session in ("monday", "tuesday", "wednesday"):
        world.ask(ASKED, session=session)

    assert world.texts() == [ASKED]


def test_asking_again_in_one_session_or_by_another_user_does_not(world):
    for user in (MARA.user_id, MARA.user_id, ADAM.user_id, ADAM.user_id):
        world.ask(ASKED, session=f"of-{user}", user=user)
    assert world.texts(MARA.user_id) == world.texts(ADAM.user_id) == []


def test_what_the_judge_takes_for_another_thing_is_not_counted(world):
    for place, session in enumerate(("monday", "tuesday", "wednesday")):
        world.ask(f"Which tickets of pier {place} are open?", session=session)
    assert world.texts() == []


def test_it_goes_with_the_messages_it_rests_on_and_its_words_go_too(world):
    messages = [world.ask(ASKED, session=day) for day in ("monday", "tuesday", "wednesday")]
    batch = world.forget(ForgetRequest(user_id=MARA.user_id))

    assert world.texts() == []
    services.notice(messages, within=world.worker)
    with scope.enter(world.worker):
        row = Lesson.objects.get(tenant_id=world.tenant_id)
        assert (row.status, row.text, row.resources) == ("ended", "", [])
        memory.restore(batch)
    services.notice(messages, within=world.worker)
    assert world.texts() == [ASKED]
