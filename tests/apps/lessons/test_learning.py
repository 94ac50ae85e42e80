"""Lessons follow memory, and only what users say makes one."""

from datetime import UTC, datetime

import pytest

from apps.core import scope
from apps.lessons import services
from apps.lessons.models import Lesson, LessonVersion
from apps.lessons.results import Taught
from apps.memory import services as memory
from apps.memory.requests import ForgetRequest, NewMemory
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Forbidden, NotFound
from memory_platform.model import ClaimRelation, Kind, Visibility
from tests.cast import ADAM, MARA

FRIDAY = "Never deploy on a Friday."
THURSDAY = "Never deploy on a Thursday or a Friday."
SAYS = ClaimRelation(same=1.0, distinct=0.0)
UPDATES = ClaimRelation(update=1.0, distinct=0.0)
CORRECTS = ClaimRelation(correction=1.0, distinct=0.0)


def test_what_a_user_wants_is_in_the_file_with_its_evidence(world):
    said = world.hear(FRIDAY)
    world.hear("I prefer tabs over spaces.", kind=Kind.PREFERENCE)
    world.hear("We deploy on Thursdays.", kind=Kind.FACT)

    assert world.learn().made == 2
    rule, preference = world.lessons()
    assert (rule.text, rule.pattern, rule.instead_of, rule.heard) == (FRIDAY, "rule", "", 1)
    assert [(one.resource_id, one.quote) for one in rule.evidence] == [(said, FRIDAY)]
    assert preference.pattern == "preference"
    assert world.file().startswith(f"# Lessons\n\n## Rules\n- {FRIDAY} (")
    assert world.learn() == Taught(0, 0)


def test_it_was_heard_on_a_day_of_the_tenants(world):
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"time_zone": "Pacific/Auckland"})
    world.hear(FRIDAY, at=datetime(2026, 5, 4, 23, 30, tzinfo=UTC))
    world.learn()

    assert "last on 2026-05-05)" in world.file()


def test_no_assistant_and_no_tool_teaches(world):
    world.hear(FRIDAY, by_agent=True)
    world.hear("No meetings before ten.", kind=Kind.PREFERENCE, by_agent=True)
    world.learn()

    assert world.texts() == []


def test_nor_does_what_an_agent_remembers_by_itself(world):
    memory.remember(NewMemory(text=FRIDAY, kind=Kind.RULE, user_id=MARA.user_id), within=world.reader(MARA.user_id))
    world.learn()

    assert world.texts() == []


def test_what_replaces_a_lesson_takes_its_place(world):
    world.hear(FRIDAY)
    world.learn()
    world.judge.relations[FRIDAY, THURSDAY] = UPDATES
    world.hear(THURSDAY, kind=Kind.RULE)
    world.learn()

    assert world.texts() == [THURSDAY]
    assert world.lessons()[0].replaces == (FRIDAY,)
    assert world.statuses() == ["superseded", "active"]
    with scope.enter(world.worker):
        old, new = Lesson.objects.filter(tenant_id=world.tenant_id).order_by("id")
        assert old.replaced_by_id == new.id
        told = LessonVersion.objects.filter(tenant_id=world.tenant_id, lesson=old).order_by("id")
        assert list(told.values_list("operation", "before", "after")) == [
            ("learnt", "", "active"),
            ("superseded", "active", "superseded"),
        ]


def test_a_correction_names_what_was_wrong_until_that_is_forgotten(world):
    wrong, right = "The launch is on 22 June.", "The launch is on 29 June."
    world.hear(wrong, kind=Kind.FACT)
    world.judge.relations[wrong, right] = CORRECTS
    world.hear(right, kind=Kind.FACT)
    world.learn()

    (lesson,) = world.lessons()
    assert (lesson.pattern, lesson.text, lesson.instead_of) == ("correction", right, wrong)
    world.forget(ForgetRequest(item_ids=(world.item_id(wrong),)))
    assert world.lessons()[0].instead_of == ""


def test_a_mere_change_is_no_correction(world):
    before, after = "The launch is on 22 June.", "The launch is on 29 June now."
    world.hear(before, kind=Kind.FACT)
    world.judge.relations[before, after] = UPDATES
    world.hear(after, kind=Kind.FACT)
    world.learn()

    assert world.texts() == []


def test_what_is_forgotten_is_gone_at_once_and_comes_back_when_it_is_restored(world):
    world.hear(FRIDAY)
    world.learn()
    batch = world.forget(ForgetRequest(item_ids=(world.item_id(FRIDAY),)))

    assert world.texts() == []
    world.learn()
    assert world.statuses() == ["ended"]
    with scope.enter(world.worker):
        memory.restore(batch)
    world.learn()
    assert world.texts() == [FRIDAY]


def test_a_dismissed_lesson_does_not_come_back_in_other_words(world):
    world.hear(FRIDAY)
    world.learn()
    (lesson,) = world.lessons()
    with scope.enter(world.reader(MARA.user_id)):
        assert services.dismiss(lesson.id).status == "dismissed"
        services.dismiss(lesson.id)
    again = "No deploy, ever, on any Friday."
    world.judge.relations[FRIDAY, again] = SAYS
    world.hear(again)
    world.learn()

    assert world.texts() == []
    assert "active" not in world.statuses()


def test_lessons_are_their_users_and_their_agents(world, other_agent):
    world.hear(FRIDAY, user=MARA.user_id)
    world.hear("No meetings before ten.", user=None)
    world.learn()

    assert world.texts(ADAM.user_id) == ["No meetings before ten."]
    assert world.lessons(MARA.user_id, agent_id=other_agent.id) == []
    (lesson,) = [one for one in world.lessons(MARA.user_id) if one.text == FRIDAY]
    for who in (world.reader(ADAM.user_id), world.reader(MARA.user_id, agent_id=other_agent.id)):
        with scope.enter(who), pytest.raises(NotFound):
            services.dismiss(lesson.id)
    (nobodys,) = world.lessons(ADAM.user_id)
    with scope.enter(world.reader(ADAM.user_id)), pytest.raises(Forbidden):
        services.dismiss(nobodys.id)
    assert world.statuses() == ["active", "active"]


def test_a_shared_lesson_is_its_agents_to_dismiss(world, other_agent):
    world.hear(FRIDAY, visibility=Visibility.SHARED)
    world.learn()
    reader = scope.Scope(world.tenant_id, other_agent.id, scope.Reach.SHARED, world.reader(MARA.user_id).whose)
    (lesson,) = world.lessons()

    with scope.enter(reader), pytest.raises(Forbidden):
        services.dismiss(lesson.id)
