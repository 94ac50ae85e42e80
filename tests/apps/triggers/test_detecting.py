"""What was observed becomes triggers, once; moves, cancellations and memories that change take them along."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import clock, scope
from apps.core.paging import PageRequest
from apps.core.scope import Reach
from apps.jobs.models import Job
from apps.jobs.registry import subscribers
from apps.journal.models import Entry
from apps.memory import services as memory
from apps.memory import topics
from apps.memory.requests import ForgetRequest, NewMemory
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from apps.triggers import selectors, services
from apps.triggers.models import FutureTrigger
from apps.triggers.requests import TriggerFilter
from apps.triggers.services import alarms
from tests.apps.triggers.conftest import World, day
from tests.cast import ADAM, MARA


def jobs(world: World, name: str) -> list[Job]:
    with scope.enter(world.worker):
        return list(Job.objects.filter(tenant_id=world.tenant_id, name=name, state="queued"))


def listed(world: World) -> list[str]:
    with scope.enter(world.reader()):
        return [one.text for one in selectors.triggers(filter=TriggerFilter(), page=PageRequest()).rows]


def test_a_message_becomes_a_trigger_that_stands_on_its_memory(world: World) -> None:
    text = f"The launch is on {day(40)}."
    assert world.learn(text).made == 1

    [row] = world.rows()
    assert (row.text, row.precision, row.status, row.time_zone) == (text, "day", "waiting", "UTC")
    assert row.at.date() == (clock.now() + timedelta(days=40)).date()
    assert row.item_id == world.item_id(text)
    assert row.preload == [row.item_id]
    assert (row.agent_id, row.user_id, row.visibility) == (world.agent_id, None, "private")


def test_reading_a_message_again_changes_nothing(world: World) -> None:
    resource_id = world.hear(f"The launch is on {day(40)}.")
    services.detect([resource_id], within=world.worker)
    assert services.detect([resource_id], within=world.worker).made == 0
    assert len(world.rows()) == 1


def test_what_is_done_stays_done_when_its_message_is_read_again(world: World) -> None:
    resource_id = world.hear(f"The launch is on {day(40)}.")
    services.detect([resource_id], within=world.worker)
    with scope.enter(world.reader()):
        services.complete(world.rows()[0].id)
    services.detect([resource_id], within=world.worker)
    assert world.statuses() == [("done", "")]


def test_who_observes_has_triggers_read_and_followed_without_knowing(world: World) -> None:
    assert "triggers.detect" in subscribers(topics.EPISODES_CHANGED)
    assert "triggers.follow" in subscribers(topics.ITEMS_CHANGED)
    world.hear(f"The launch is on {day(40)}.")
    assert len(jobs(world, "triggers.detect")) == 1


def test_the_same_time_told_again_is_one_trigger(world: World) -> None:
    world.learn(f"The launch party is on {day(40)}.")
    assert world.learn(f"Yes, our launch party is on {day(40)}.").made == 0
    assert len(world.rows()) == 1


def test_a_move_ends_what_it_moves(world: World) -> None:
    world.learn(f"My dentist appointment is on {day(40)}.")
    found = world.learn(f"The dentist moved my appointment to {day(42)}.")
    assert (found.made, found.ended) == (1, 1)
    old, new = world.rows()
    assert (old.status, old.ending, old.replaced_by_id) == ("ended", "moved", new.id)
    assert new.status == "waiting"


def test_a_cancellation_ends_without_a_new_one(world: World) -> None:
    world.learn(f"My dentist appointment is on {day(40)}.")
    assert world.learn(f"The dentist appointment on {day(40)} is cancelled.").made == 0
    assert world.statuses() == [("ended", "cancelled")]


def test_the_day_before_is_reckoned_from_a_message_before(world: World) -> None:
    world.learn(f"The launch is on {day(40)}.")
    world.learn("Remind me the day before the launch.")
    assert [row.at.date() for row in world.rows()] == [(clock.now() + timedelta(days=days)).date() for days in (40, 39)]


def test_the_day_before_is_reckoned_from_a_message_read_along(world: World) -> None:
    heard = [world.hear(f"The launch is on {day(40)}."), world.hear("Remind me the day before the launch.")]
    services.detect(heard, within=world.worker)
    assert [row.at.date() for row in world.rows()] == [(clock.now() + timedelta(days=days)).date() for days in (40, 39)]


def test_an_import_of_history_makes_no_triggers_of_what_is_over(world: World) -> None:
    past = clock.now() - timedelta(days=300)
    assert world.learn("The audit is in two weeks.", at=past).made == 0
    assert world.learn("We have yoga every Monday at 18:00.", at=past).made == 1
    [row] = world.rows()
    assert row.at > clock.now()
    assert row.begins_at < clock.now()
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"trigger_missed_days": 400})
    assert world.learn("The inspection is in two weeks.", at=past).made == 1


def test_users_are_apart(world: World) -> None:
    world.learn(f"My dentist appointment is on {day(40)}.", user=MARA.user_id)
    world.learn(f"The dentist moved my appointment to {day(42)}.", user=ADAM.user_id)
    assert world.statuses() == [("waiting", ""), ("waiting", "")]
    with scope.enter(world.reader(user=ADAM.user_id)):
        assert [one.user_id for one in selectors.triggers(filter=TriggerFilter(), page=PageRequest()).rows] == [
            ADAM.user_id
        ]


def test_a_superseded_memory_takes_its_trigger_along(world: World) -> None:
    text = f"The launch is on {day(40)}."
    world.learn(text)
    item_id = world.item_id(text)
    memory.correct(item_id, "There will be no launch at all.", within=world.reader())
    assert services.follow([item_id], within=world.worker) == 1
    assert world.statuses() == [("ended", "superseded")]
    assert services.follow([item_id], within=world.worker) == 0


def test_a_corrected_date_moves_its_trigger(world: World) -> None:
    text, corrected = f"The launch is on {day(40)}.", f"The launch is on {day(57)}."
    world.learn(text)
    memory.correct(world.item_id(text), corrected, within=world.reader())
    ids = [world.item_id(text), world.item_id(corrected)]
    assert [services.detect_told(ids, within=world.worker).made for _ in range(2)] == [1, 0]
    services.follow(ids, within=world.worker)

    old, new = world.rows()
    assert (old.status, old.ending, old.replaced_by_id) == ("ended", "superseded", new.id)
    assert (new.text, new.at.date()) == (corrected, (clock.now() + timedelta(days=57)).date())
    assert (new.status, new.item_id, new.preload) == ("waiting", ids[1], [ids[1]])
    with scope.enter(world.reader()):
        services.dismiss(new.id)
    assert services.detect_told(ids, within=world.worker).made == 0


def test_a_correction_that_keeps_the_date_keeps_a_trigger_with_the_right_words(world: World) -> None:
    text, corrected = f"The launch in Rome is on {day(40)}.", f"The launch in Milan is on {day(40)}."
    world.learn(text)
    memory.correct(world.item_id(text), corrected, within=world.reader())
    ids = [world.item_id(text), world.item_id(corrected)]
    services.detect_told(ids, within=world.worker)
    services.follow(ids, within=world.worker)
    assert listed(world) == [corrected]


def test_what_is_remembered_with_a_time_ahead_makes_a_trigger(world: World) -> None:
    text = f"The lease ends on {day(30)}."
    memory.remember(NewMemory(text, user_id=MARA.user_id), within=world.reader(user=MARA.user_id))
    memory.remember(NewMemory("We keep bees."), within=world.reader())
    ids = [world.item_id(text), world.item_id("We keep bees.")]
    assert services.detect_told(ids, within=world.worker).made == 1
    [row] = world.rows()
    assert (row.text, row.user_id, row.item_id, row.resource_id) == (text, "mara", ids[0], None)


def test_what_was_shared_or_looked_after_makes_no_second_trigger(world: World) -> None:
    text = f"The lease ends on {day(30)}."
    memory.remember(NewMemory(text), within=world.reader())
    own = world.item_id(text)
    services.detect_told([own], within=world.worker)
    shared = memory.share(own, within=replace(world.reader(), reach=Reach.SHARED)).id
    assert services.detect_told([own, shared], within=world.worker).made == 0

    [row] = world.rows()
    with scope.enter(world.reader()):
        services.dismiss(row.id)
    assert services.detect_told([own, shared], within=world.worker).made == 0


def test_what_was_superseded_before_it_was_read_makes_no_trigger(world: World) -> None:
    text = f"The launch is on {day(40)}."
    resource_id = world.hear(text)
    memory.correct(world.item_id(text), "There will be no launch at all.", within=world.reader())
    assert services.detect([resource_id], within=world.worker).made == 0


def test_a_forgotten_memory_hides_its_trigger_at_once_and_gives_it_back(world: World) -> None:
    text = f"The launch is on {day(40)}."
    world.learn(text)
    item_id = world.item_id(text)
    batch_id = world.forget(ForgetRequest(item_ids=(item_id,)))
    assert listed(world) == []

    services.follow([item_id], within=world.worker)
    assert world.statuses() == [("ended", "forgotten")]
    with scope.enter(world.worker):
        memory.restore(batch_id)
    services.follow([item_id], within=world.worker)
    assert world.statuses() == [("waiting", "")]
    assert listed(world) == [text]


def test_a_forgotten_message_hides_its_trigger_at_once_and_gives_it_back(world: World) -> None:
    text = f"The launch is on {day(40)}."
    resource_id = world.hear(text, user=MARA.user_id)
    services.detect([resource_id], within=world.worker)
    batch_id = world.forget(ForgetRequest(user_id=MARA.user_id))
    assert listed(world) == []

    services.detect([resource_id], within=world.worker)
    assert world.statuses() == [("ended", "forgotten")]
    with scope.enter(world.worker):
        memory.restore(batch_id)
    services.detect([resource_id], within=world.worker)
    services.follow([world.item_id(text)], within=world.worker)
    assert world.statuses() == [("waiting", "")]


def follow_all(world: World, resource_id: UUID, item_id: UUID) -> None:
    services.detect([resource_id], within=world.worker)
    services.follow([item_id], within=world.worker)


@pytest.mark.parametrize("is_of_user", [False, True], ids=["a memory", "a message"])
def test_what_was_put_off_when_it_was_forgotten_is_given_back_put_off(world: World, *, is_of_user: bool) -> None:
    text, until = f"The launch is on {day(40)}.", clock.now() + timedelta(days=3)
    resource_id = world.hear(text, user=MARA.user_id)
    services.detect([resource_id], within=world.worker)
    item_id = world.item_id(text)
    with scope.enter(world.reader()):
        services.snooze(world.rows()[0].id, until)
    batch_id = world.forget(ForgetRequest(user_id=MARA.user_id) if is_of_user else ForgetRequest(item_ids=(item_id,)))
    follow_all(world, resource_id, item_id)
    assert world.statuses() == [("ended", "forgotten")]
    with scope.enter(world.worker):
        Job.objects.filter(tenant_id=world.tenant_id).delete()
        memory.restore(batch_id)

    follow_all(world, resource_id, item_id)

    assert [(row.status, row.ending, row.snoozed_until) for row in world.rows()] == [("snoozed", "", until)]
    assert until in [job.run_after for job in jobs(world, alarms.FIRE_JOB)]


def test_the_backfill_reads_what_was_said_before(world: World) -> None:
    resource_id = world.hear(f"The launch is on {day(40)}.")
    with scope.enter(world.worker):
        Job.objects.filter(tenant_id=world.tenant_id).delete()
        assert services.backfill() == 1
    [job] = jobs(world, "triggers.detect")
    assert job.arguments == {"resources": [str(resource_id)]}


def test_the_journal_tells_counts_and_no_content(world: World) -> None:
    world.learn(f"The launch is on {day(40)}.")
    with scope.enter(world.worker):
        [entry] = Entry.objects.filter(tenant_id=world.tenant_id, operation="trigger.detected")
    assert entry.data == {"messages": 1, "made": 1, "ended": 0, "forgotten": 0}


def test_other_agents_do_not_see_private_triggers(world: World, other_agent: SimpleNamespace) -> None:
    world.learn(f"The launch is on {day(40)}.")
    with scope.tenant_scope(world.tenant_id, agent_id=other_agent.id):
        assert FutureTrigger.objects.count() == 0


@pytest.mark.parametrize(("numbers", "made"), [({}, 1), ({"trigger_worth_from": 0.95}, 0)])
def test_how_useful_what_names_a_day_must_be_is_the_tenants(world: World, numbers: dict[str, float], made: int) -> None:
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), numbers)

    assert world.learn("The launch is tomorrow.").made == made
