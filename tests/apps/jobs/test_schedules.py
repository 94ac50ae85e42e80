"""What is due by a schedule is started once: however often it was missed, whoever looks, whatever the clock does."""

import threading
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import connection

from apps.core.scope import tenant_scope
from apps.jobs import planning, registry, services, tasks
from apps.jobs.models import Job, JobState, Schedule
from apps.jobs.registry import StartingSchedule
from apps.jobs.services import scheduling
from apps.jobs.services.scheduling import TENANTS_AT_ONCE
from apps.journal.models import Entry
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid, NotFound

MONDAY = datetime(2031, 3, 3, 12, 0, tzinfo=UTC)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NIGHTLY = StartingSchedule("test.nightly", "0 2 * * *", "test.job")


@pytest.fixture
def scheduled(ran, monkeypatch):
    """Tenants made from now on have one schedule: `test.nightly`, which runs `test.job`."""
    monkeypatch.setattr(registry, "_schedules", {})
    registry.schedule(NIGHTLY)
    return ran


@pytest.fixture
def nightly(scheduled, make_tenant):
    with at(MONDAY):
        return make_tenant()


def at(moment):
    return time_machine.travel(moment, tick=False)


def look(tenant) -> list[str]:
    with tenant_scope(tenant.id):
        return services.run_overdue()


def schedule(tenant) -> Schedule:
    with tenant_scope(tenant.id):
        return Schedule.objects.get(tenant_id=tenant.id)


def jobs(tenant) -> list[Job]:
    with tenant_scope(tenant.id):
        return list(Job.objects.filter(tenant_id=tenant.id, name="test.job"))


def drain(tenant):
    return services.drain("test", tenant_id=tenant.id)


def test_a_tenant_starts_with_the_schedules_in_its_zone(nightly):
    row = schedule(nightly)

    assert (row.name, row.cron, row.time_zone, row.enabled, row.last_run_at) == (
        "test.nightly",
        "0 2 * * *",
        "UTC",
        True,
        None,
    )
    assert row.next_run_at == datetime(2031, 3, 4, 2, tzinfo=UTC) + planning.spread(nightly.id)


def test_what_is_due_is_started_once_and_planned_anew(nightly):
    with at(MONDAY):
        assert look(nightly) == []
    with at(MONDAY + DAY):
        assert look(nightly) == ["test.nightly"]
        assert look(nightly) == []

    row = schedule(nightly)
    assert [job.id for job in jobs(nightly)] == [row.job_id]
    assert row.last_run_at == MONDAY + DAY
    assert row.next_run_at == datetime(2031, 3, 5, 2, tzinfo=UTC) + planning.spread(nightly.id)


def test_what_a_run_achieved_is_told_to_its_schedule(nightly):
    with at(MONDAY + DAY):
        look(nightly)
    assert schedule(nightly).finished_at is None

    assert drain(nightly) == 1

    row = schedule(nightly)
    assert (row.counts, row.error) == ({"ran": 1}, "")
    assert row.finished_at is not None


def test_what_went_wrong_is_told_to_its_schedule(nightly, scheduled):
    scheduled.failing = [ValueError("content")]
    with at(MONDAY + DAY):
        look(nightly)
    drain(nightly)

    row = schedule(nightly)
    assert (row.counts, row.error, row.finished_at is None) == ({}, "error:ValueError", False)


def test_a_run_whose_worker_dies_too_often_is_told_as_failed(nightly):
    with at(MONDAY + DAY):
        look(nightly)
    with tenant_scope(nightly.id):
        Job.objects.update(state=JobState.RUNNING, attempts=3, locked_by="gone", locked_until=MONDAY)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reclaim_jobs(ARRAY['gone'], 'test', '{}', '30 seconds')")

    row = schedule(nightly)
    assert (row.error, row.finished_at is None) == ("worker_lost", False)


def test_a_worker_that_was_off_for_a_month_runs_each_schedule_once(nightly):
    with at(MONDAY + 30 * DAY):
        while services.run_all_overdue():
            pass

    assert len(jobs(nightly)) == 1
    assert schedule(nightly).next_run_at > MONDAY + 30 * DAY


def test_without_a_worker_a_month_of_heartbeats_leaves_one_run_waiting(nightly):
    for day in range(1, 31):
        with at(MONDAY + day * DAY):
            look(nightly)

    assert len(jobs(nightly)) == 1
    assert drain(nightly) == 1
    with at(MONDAY + 31 * DAY):
        assert look(nightly) == ["test.nightly"]


def test_however_many_look_at_once_a_run_happens_once(nightly):
    barrier, started = threading.Barrier(6), []

    def process():
        barrier.wait()
        started.extend(look(nightly))
        connection.close()

    with at(MONDAY + DAY):
        threads = [threading.Thread(target=process) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert started == ["test.nightly"]
    assert len(jobs(nightly)) == 1


def test_the_tick_starts_what_is_due_of_all_tenants(scheduled, make_tenant):
    with at(MONDAY):
        several = [make_tenant() for _ in range(3)]
    with at(MONDAY + DAY):
        while services.run_all_overdue():
            pass

    assert [len(jobs(tenant)) for tenant in several] == [1, 1, 1]


def test_tenants_whose_last_run_goes_on_keep_no_other_from_its_own(scheduled, make_tenant, monkeypatch):
    monkeypatch.setattr(scheduling, "TENANTS_AT_ONCE", 1)
    with at(MONDAY):
        late = [make_tenant() for _ in range(2)]
    with at(MONDAY + DAY):
        for tenant in late:
            look(tenant)
        other = make_tenant()
    with at(MONDAY + 2 * DAY):
        while services.run_all_overdue():
            pass

    assert [len(jobs(tenant)) for tenant in (*late, other)] == [1, 1, 1]


def test_hundreds_that_are_due_at_once_are_begun_once_each_a_bounded_number_at_a_look(scheduled, make_tenant):
    """As after a night without workers; three workers look at the same time."""
    with at(MONDAY):
        many = [make_tenant() for _ in range(2 * TENANTS_AT_ONCE + 50)]
    looks: list[int] = []

    def process():
        while begun := services.run_all_overdue():
            looks.append(begun)
        connection.close()

    with at(MONDAY + DAY):
        threads = [threading.Thread(target=process) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        while services.run_all_overdue():
            pass

    assert max(looks) <= TENANTS_AT_ONCE
    assert {len(jobs(tenant)) for tenant in many} == {1}
    minutes = {schedule(tenant).next_run_at.replace(second=0) for tenant in many}
    assert len(minutes) > 50  # of 60: the next night they do not come together


def test_a_clock_that_jumps_ahead_and_back_neither_skips_nor_doubles_a_night(nightly):
    with at(MONDAY + 400 * DAY):
        assert look(nightly) == ["test.nightly"]
        drain(nightly)
    with at(MONDAY + timedelta(hours=1)):
        assert look(nightly) == []
        assert look(nightly) == []
    with at(MONDAY + DAY):
        assert look(nightly) == ["test.nightly"]
        drain(nightly)
        assert look(nightly) == []

    assert len(jobs(nightly)) == 2


def test_what_was_made_while_the_clock_ran_ahead_is_planned_anew(scheduled, make_tenant, monkeypatch):
    monkeypatch.setattr(scheduling, "TENANTS_AT_ONCE", 100_000)
    with at(MONDAY + 400 * DAY):
        tenant = make_tenant()
    with at(MONDAY):
        services.run_all_overdue()
        assert schedule(tenant).next_run_at < MONDAY + DAY
        assert look(tenant) == []
    with at(MONDAY + DAY):
        assert look(tenant) == ["test.nightly"]
        drain(tenant)
        assert look(tenant) == []


def test_what_was_edited_while_the_clock_ran_ahead_is_planned_anew(nightly):
    with at(MONDAY + DAY):
        assert look(nightly) == ["test.nightly"]
        drain(nightly)
        with tenant_scope(nightly.id):
            services.change_schedules({"enabled": False})
    with at(MONDAY + 400 * DAY), tenant_scope(nightly.id):
        services.change_schedules({"enabled": True, "cron": "0 4 * * *"})
    with at(MONDAY + timedelta(days=1, hours=1)):
        assert look(nightly) == []
        assert schedule(nightly).next_run_at < MONDAY + 3 * DAY
    with at(MONDAY + 3 * DAY):
        assert look(nightly) == ["test.nightly"]
        drain(nightly)
        assert look(nightly) == []


def test_a_clock_put_back_by_minutes_runs_the_night_once(nightly):
    due = schedule(nightly).next_run_at
    with at(due + timedelta(minutes=1)):
        look(nightly)
        drain(nightly)
    with at(due - timedelta(minutes=10)):
        assert look(nightly) == []
    with at(due + timedelta(minutes=2)):
        assert look(nightly) == []


def test_a_run_on_each_night_of_a_year_with_summer_time(nightly):
    """The clock goes on an hour at a time; where summer time begins or ends a night has one run as well."""
    with at(MONDAY), tenant_scope(nightly.id):
        policy = Policy.objects.get(tenant_id=nightly.id)
        tenants.change(policy, {"time_zone": "Europe/Berlin"})
    for start, nights in ((datetime(2031, 3, 28, 12, tzinfo=UTC), 4), (datetime(2031, 10, 24, 12, tzinfo=UTC), 4)):
        with at(start):
            look(nightly)
            drain(nightly)
        began = 0
        for hour in range(24 * nights):
            with at(start + timedelta(hours=hour)):
                began += len(look(nightly))
                drain(nightly)
        assert began == nights


def test_a_new_zone_of_the_tenant_moves_its_schedules(nightly):
    with at(MONDAY), tenant_scope(nightly.id):
        tenants.change(Policy.objects.get(tenant_id=nightly.id), {"time_zone": "America/New_York"})

    row = schedule(nightly)
    assert row.time_zone == "America/New_York"
    assert row.next_run_at == datetime(2031, 3, 4, 7, tzinfo=UTC) + planning.spread(nightly.id)


def test_what_is_no_time_zone_is_refused_by_the_tenant(nightly):
    with tenant_scope(nightly.id), pytest.raises(Invalid):
        tenants.change(Policy.objects.get(tenant_id=nightly.id), {"time_zone": "Mars/Olympus"})


def test_a_disabled_schedule_does_not_run_and_goes_on_when_enabled(nightly):
    with at(MONDAY), tenant_scope(nightly.id):
        services.change_schedules({"enabled": False}, names=["test.nightly"])
    with at(MONDAY + 3 * DAY):
        assert look(nightly) == []
        with tenant_scope(nightly.id):
            services.change_schedules({"enabled": True}, names=["test.nightly"])
        assert look(nightly) == []
    with at(MONDAY + 4 * DAY):
        assert look(nightly) == ["test.nightly"]


def test_an_edit_does_not_drop_a_run_that_is_overdue(nightly):
    with at(MONDAY + 2 * DAY):
        with tenant_scope(nightly.id):
            services.change_schedules({"cron": "0 4 * * *", "time_zone": "America/New_York"}, names=["test.nightly"])
        assert look(nightly) == ["test.nightly"]
        assert look(nightly) == []
    planned = schedule(nightly).next_run_at - planning.spread(nightly.id)
    assert planned.astimezone(ZoneInfo("America/New_York")).hour == 4


def test_a_bad_cron_expression_changes_nothing(nightly):
    with tenant_scope(nightly.id), pytest.raises(Invalid):
        services.change_schedules({"cron": "61 * * * *"}, names=["test.nightly"])

    assert schedule(nightly).cron == "0 2 * * *"


def test_run_now_starts_one_run_and_leaves_the_plan(nightly):
    planned = schedule(nightly).next_run_at
    with at(MONDAY), tenant_scope(nightly.id):
        job_id = services.start("test.nightly")
        assert services.start("test.nightly") == job_id

        begun = Entry.objects.get(tenant_id=nightly.id, operation="schedule.started")

    assert [job.id for job in jobs(nightly)] == [job_id]
    assert begun.data == {"name": "test.nightly", "job": str(job_id)}
    assert schedule(nightly).next_run_at == planned


def test_run_now_of_nothing_is_refused(nightly):
    with tenant_scope(nightly.id), pytest.raises(NotFound):
        services.start("test.yearly")


def test_tenants_that_lack_a_schedule_are_given_it(nightly):
    registry.schedule(StartingSchedule("test.weekly", "0 1 * * 0", "test.job"))

    assert services.create_missing_schedules() >= 1
    assert services.create_missing_schedules() == 0
    with tenant_scope(nightly.id):
        assert list(Schedule.objects.order_by("name").values_list("name", flat=True)) == ["test.nightly", "test.weekly"]


def test_a_schedule_nobody_registered_any_more_is_left_alone(nightly, monkeypatch):
    monkeypatch.setattr(registry, "_schedules", {})

    with at(MONDAY + DAY):
        assert look(nightly) == []
        assert services.run_all_overdue() == 0


def test_a_schedule_that_cannot_be_planned_is_disabled_and_stops_no_other(scheduled, make_tenant):
    with at(MONDAY):
        broken, other = make_tenant(), make_tenant()
    with tenant_scope(broken.id):
        Schedule.objects.filter(tenant_id=broken.id).update(cron="at night")

    with at(MONDAY + DAY):
        while services.run_all_overdue():
            pass

    row = schedule(broken)
    assert (row.enabled, row.error) == (False, "invalid:cron")
    assert [len(jobs(tenant)) for tenant in (broken, other)] == [0, 1]


def test_a_schedule_whose_job_nobody_knows_is_tried_again_the_next_night(nightly):
    registry.schedule(StartingSchedule("test.nightly", "0 2 * * *", "test.gone"))

    with at(MONDAY + DAY):
        assert look(nightly) == []

    row = schedule(nightly)
    assert (row.enabled, row.error) == (True, "unknown_job")
    assert row.next_run_at == datetime(2031, 3, 5, 2, tzinfo=UTC) + planning.spread(nightly.id)


def test_a_tenant_without_a_time_zone_keeps_none_from_its_schedules(nightly, make_tenant):
    with at(MONDAY):
        other = make_tenant()
    with tenant_scope(nightly.id):
        Policy.objects.filter(tenant_id=nightly.id).update(time_zone="Mars/Olympus")
    registry.schedule(StartingSchedule("test.weekly", "0 1 * * 0", "test.job"))

    services.create_missing_schedules()

    with tenant_scope(nightly.id):
        Policy.objects.filter(tenant_id=nightly.id).update(time_zone="UTC")
    with tenant_scope(other.id):
        assert Schedule.objects.filter(tenant_id=other.id, name="test.weekly").exists()


def test_what_was_lost_is_taken_back_whatever_schedules_do(nightly):
    with tenant_scope(nightly.id):
        job_id = services.enqueue("test.job", {})
        Job.objects.filter(id=job_id).update(
            state=JobState.RUNNING, attempts=1, locked_by="gone", locked_until=LONG_AGO
        )
        Schedule.objects.filter(tenant_id=nightly.id).update(next_run_at=LONG_AGO)
    registry.schedule(StartingSchedule("test.nightly", "0 2 * * *", ["no name: a bug"]))

    with pytest.raises(TypeError):
        tasks.sweep()

    with tenant_scope(nightly.id):
        assert Job.objects.get(id=job_id).state == JobState.QUEUED
