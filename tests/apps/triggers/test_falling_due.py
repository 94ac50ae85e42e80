"""When a time comes; and what callers do about it."""

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
import time_machine

from apps.core import clock, scope
from apps.jobs import services as jobs
from apps.jobs.models import Job, Schedule
from apps.journal.models import Event
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from apps.triggers import selectors, services
from apps.triggers.requests import NewTrigger
from apps.triggers.results import TriggerView
from apps.triggers.services import alarms
from apps.triggers.tasks import CHECK_JOB
from memory_platform.errors import Conflict, Forbidden, Invalid, NotFound
from tests.apps.triggers.conftest import World, day
from tests.cast import ADAM, MARA

NOON = (clock.now() + timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0, tzinfo=UTC)


def create(world: World, text: str = "call the bank", **given) -> TriggerView:
    with scope.enter(world.reader()):
        return services.create(NewTrigger(**{"text": text, "at": clock.now() + timedelta(hours=2), **given}))


def waiting(world: World, name: str) -> list[Job]:
    with scope.enter(world.worker):
        return list(Job.objects.filter(tenant_id=world.tenant_id, name=name, state="queued").order_by("run_after"))


def due(world: World, **given) -> list[str]:
    with scope.enter(world.reader()):
        return [one.text for one in selectors.due(**given)]


def fire(world: World) -> int:
    with scope.enter(world.worker):
        return services.fire([row.id for row in world.rows()])


def plan_anew(world: World) -> None:
    with scope.enter(world.worker):
        jobs.change_schedules({"enabled": False}, names=["triggers"])
        jobs.change_schedules({"enabled": True}, names=["triggers"])


def look(world: World) -> list[str]:
    with scope.enter(world.worker):
        return jobs.run_overdue()


def next_check(world: World) -> date:
    with scope.enter(world.worker):
        return Schedule.objects.get(tenant_id=world.tenant_id, name="triggers").next_run_at.date()


def check(world: World) -> dict[str, int]:
    with scope.enter(world.worker):
        return services.check()


def told(world: World) -> int:
    with scope.enter(world.worker):
        return Event.objects.filter(tenant_id=world.tenant_id, kind="trigger_due").count()


def test_a_job_waits_at_the_minute_and_none_for_a_whole_day(world: World) -> None:
    made = create(world)
    create(world, "tomorrow's parade", at=clock.now() + timedelta(days=1), has_time=False)
    assert [(job.arguments, job.run_after) for job in waiting(world, alarms.FIRE_JOB)] == [
        ({"triggers": [str(made.id)]}, made.at)
    ]


def test_a_whole_day_of_another_zone_and_today_do_not_wait_for_the_daily_check(world: World) -> None:
    abroad = create(world, "fair", at=clock.now() + timedelta(days=3), has_time=False, time_zone="Pacific/Auckland")
    today = create(world, "parade", at=clock.now(), has_time=False)
    assert {job.arguments["triggers"][0]: job.run_after for job in waiting(world, alarms.FIRE_JOB)} == {
        str(abroad.id): abroad.at,
        str(today.id): today.at,
    }
    assert fire(world) == 1


def test_a_whole_day_does_not_wait_for_the_days_of_a_zone_the_tenant_moved_to(world: World) -> None:
    parade = create(world, "parade", at=clock.now() + timedelta(days=3), has_time=False)
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"time_zone": "Pacific/Auckland"})

    jobs.drain("test", tenant_id=world.tenant_id)

    assert [(job.arguments, job.run_after) for job in waiting(world, alarms.FIRE_JOB)] == [
        ({"triggers": [str(parade.id)]}, parade.at)
    ]


def test_who_listens_is_told_once_when_its_time_has_come(world: World) -> None:
    made = create(world, user_id=MARA.user_id)
    fire(world)
    world.pass_time(hours=3)
    fire(world)
    check(world)

    with scope.enter(world.worker):
        told = Event.objects.filter(tenant_id=world.tenant_id, kind="trigger_due")
        assert [(row.subject_id, row.agent_id, row.user_id) for row in told] == [(made.id, world.agent_id, "mara")]


def test_it_falls_due_when_its_time_has_come_and_not_before(world: World) -> None:
    create(world)
    assert fire(world) == 0
    world.pass_time(hours=3)
    assert fire(world) == 1
    assert fire(world) == 0
    assert world.statuses() == [("due", "")]


def test_the_daily_check_finds_whole_days_and_what_was_missed(world: World) -> None:
    create(world)
    create(world, "parade", at=clock.now() + timedelta(days=1), has_time=False)
    world.pass_time(days=2)
    assert check(world) == {"due": 2, "lapsed": 0}
    assert check(world) == {"due": 0, "lapsed": 0}


def test_ticks_that_were_missed_for_days_are_made_up_for_by_one_daily_check(world: World) -> None:
    with time_machine.travel(NOON, tick=False):
        create(world, "parade", at=NOON + timedelta(days=1), has_time=False)
        plan_anew(world)
        assert "triggers" not in look(world)
    with time_machine.travel(NOON + timedelta(days=3), tick=False):
        assert "triggers" in look(world)
        assert "triggers" not in look(world)
        assert [job.arguments for job in waiting(world, CHECK_JOB)] == [{}]
        assert check(world) == {"due": 1, "lapsed": 0}
        assert next_check(world) == (NOON + timedelta(days=4)).date()


def test_what_nobody_looks_after_lapses(world: World) -> None:
    create(world)
    world.pass_time(hours=3)
    fire(world)
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"trigger_lapse_days": 10})
    world.pass_time(days=9)
    assert check(world)["lapsed"] == 0
    world.pass_time(days=2)
    assert check(world)["lapsed"] == 1
    assert world.statuses() == [("ended", "lapsed")]


def test_session_start_is_told_what_is_due_without_waiting_for_the_jobs(world: World) -> None:
    text = f"The launch is on {day(1)}."
    world.learn(text)
    create(world, "later", at=clock.now() + timedelta(days=9))
    assert due(world) == []
    world.pass_time(days=1)
    assert due(world) == [text]
    assert due(world, within=timedelta(days=9)) == ["later", text]
    assert due(world, within=timedelta(days=9), limit=1) == ["later"]
    with scope.enter(world.reader()):
        [found] = selectors.due()
    assert found.memory_ids == (world.item_id(text),)
    assert found.is_due


def test_snoozed_it_falls_due_later(world: World) -> None:
    made = create(world)
    world.pass_time(hours=3)
    fire(world)
    until = clock.now() + timedelta(hours=5)
    with scope.enter(world.reader()):
        assert services.snooze(made.id, until).status == "snoozed"
    assert due(world) == []
    assert until in [job.run_after for job in waiting(world, alarms.FIRE_JOB)]
    world.pass_time(hours=6)
    assert due(world) == ["call the bank"]
    assert fire(world) == 1


@pytest.mark.parametrize("until", [timedelta(0), timedelta(days=-1), timedelta(days=4_000)])
def test_a_snooze_lies_ahead_and_not_too_far(world: World, until: timedelta) -> None:
    made = create(world)
    with scope.enter(world.reader()), pytest.raises(Invalid):
        services.snooze(made.id, clock.now() + until)
    assert world.statuses() == [("waiting", "")]


def test_what_comes_back_may_begin_at_this_second(world: World) -> None:
    made = create(world, "water the plants", at=clock.now(), recurrence="FREQ=DAILY")

    assert timedelta(0) <= clock.now() - made.at < timedelta(minutes=1)


def test_done_it_is_over_and_what_comes_back_waits_for_its_next_time(world: World) -> None:
    once, often = create(world), create(world, "water the plants", recurrence="FREQ=DAILY")
    with scope.enter(world.reader()):
        assert services.complete(once.id).status == "done"
        assert services.complete(once.id).status == "done"
        following = services.complete(often.id)
    assert (following.status, following.at) == ("waiting", often.at + timedelta(days=1))
    with scope.enter(world.reader()):
        assert services.dismiss(often.id).status == "dismissed"
        with pytest.raises(Conflict):
            services.complete(often.id)


def test_of_what_comes_back_and_was_missed_the_latest_time_counts(world: World) -> None:
    create(world, "water the plants", recurrence="FREQ=DAILY")
    world.pass_time(days=3, hours=3)
    assert check(world) == {"due": 1, "lapsed": 0}
    assert check(world) == {"due": 0, "lapsed": 0}
    [row] = world.rows()
    assert clock.now() - timedelta(days=1) < row.at <= clock.now()
    assert (row.status, told(world)) == ("due", 1)


def test_what_comes_back_is_told_each_time_and_once(world: World) -> None:
    week, physio = timedelta(weeks=1), NOON + timedelta(hours=5, minutes=20)
    with time_machine.travel(NOON - timedelta(days=1), tick=False):
        create(world, "physio", at=physio, recurrence="FREQ=WEEKLY")
        create(world, "bins", at=NOON, has_time=False, recurrence="FREQ=WEEKLY")
    for weeks in range(3):
        with time_machine.travel(NOON + weeks * week, tick=False):
            assert (fire(world), check(world)["due"]) == (1, 0)
        with time_machine.travel(physio + weeks * week, tick=False):
            assert (fire(world), fire(world), check(world)["due"]) == (1, 0, 0)
        assert told(world) == 2 * (weeks + 1)
        assert waiting(world, alarms.FIRE_JOB)[-1].run_after == physio + (weeks + 1) * week
    assert world.statuses() == [("due", ""), ("due", "")]


def test_put_off_past_its_next_time_it_is_told_of_both_at_once(world: World) -> None:
    made = create(world, recurrence="FREQ=DAILY")
    world.pass_time(hours=3)
    fire(world)
    with scope.enter(world.reader()):
        services.snooze(made.id, clock.now() + timedelta(days=2))
    world.pass_time(days=1)
    assert fire(world) == 0
    world.pass_time(days=1)
    assert (fire(world), fire(world), told(world)) == (1, 0, 2)


def test_a_day_begins_where_the_caller_says(world: World) -> None:
    at = datetime(clock.now().year + 1, 6, 12, 15, 30)  # noqa: DTZ001  local to the zone
    made = create(world, at=at, has_time=False, time_zone="America/New_York")
    assert (made.at.isoformat(), made.day.isoformat()) == (f"{at.year}-06-12T00:00:00-04:00", f"{at.year}-06-12")
    made = create(world, at=at, time_zone="America/New_York")
    assert made.at.isoformat() == f"{at.year}-06-12T15:30:00-04:00"


@pytest.mark.parametrize(
    "given",
    [
        {"at": datetime(2020, 1, 1)},  # noqa: DTZ001  local to the zone
        {"at": datetime(2400, 1, 1)},  # noqa: DTZ001  local to the zone
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../../etc/passwd"},
        {"recurrence": "FREQ=SECONDLY"},
        {"memory_ids": tuple(uuid4() for _ in range(21))},
    ],
)
def test_what_is_no_time_zone_rule_or_too_much_is_refused(world: World, given: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        create(world, **given)
    assert world.rows() == []


def test_only_memories_that_can_be_read_are_preloaded(world: World) -> None:
    world.hear("We keep bees.")
    item_id = world.item_id("We keep bees.")
    assert create(world, memory_ids=(item_id,)).memory_ids == (item_id,)
    with pytest.raises(NotFound):
        create(world, memory_ids=(uuid4(),))


def test_another_agents_trigger_is_not_there_to_change(world: World, other_agent: SimpleNamespace) -> None:
    made = create(world)
    with scope.tenant_scope(world.tenant_id, agent_id=other_agent.id), pytest.raises(NotFound):
        services.dismiss(made.id)
    with scope.enter(world.worker), pytest.raises(Forbidden):
        services.create(NewTrigger("for nobody", clock.now() + timedelta(days=1)))
    assert world.statuses() == [("waiting", "")]


def test_what_a_user_set_is_forgotten_with_the_user_and_given_back(world: World) -> None:
    create(world, user_id=MARA.user_id)
    create(world, user_id=ADAM.user_id)
    batch_id = uuid4()
    with scope.enter(world.worker):
        assert services.forget_of_user("mara", batch_id=batch_id) == 1
    assert world.statuses() == [("ended", "forgotten"), ("waiting", "")]
    with scope.enter(world.worker):
        assert services.restore(batch_id) == 1
    assert world.statuses() == [("waiting", ""), ("waiting", "")]


def test_what_a_user_set_and_put_off_is_given_back_put_off(world: World) -> None:
    made, batch_id = create(world, user_id=MARA.user_id), uuid4()
    until = clock.now() + timedelta(days=3)
    with scope.enter(world.reader()):
        services.snooze(made.id, until)
    with scope.enter(world.worker):
        services.forget_of_user("mara", batch_id=batch_id)
        Job.objects.filter(tenant_id=world.tenant_id).delete()

        assert services.restore(batch_id) == 1

    assert [(row.status, row.snoozed_until) for row in world.rows()] == [("snoozed", until)]
    assert [job.run_after for job in waiting(world, alarms.FIRE_JOB)] == [until]
