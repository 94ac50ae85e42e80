"""A run goes on where it was cut off, lets others have their turn, and asks for what was left undone."""

from collections.abc import Iterator
from itertools import chain

import pytest
from django.db import OperationalError

from apps.core import scope
from apps.core.ids import new_id
from apps.index.models import Document
from apps.jobs import services as jobs
from apps.jobs.models import Job, Schedule
from apps.jobs.registry import JobContext, Unfinished
from apps.journal.models import Entry
from apps.maintenance import services, steps
from apps.maintenance.steps import Step
from apps.resources import services as resources
from apps.resources.models import Resource
from apps.resources.services import NewTurn
from memory_platform.errors import NotFound
from tests.apps.maintenance.conftest import NOW


@pytest.fixture
def recorded(monkeypatch):
    """The nightly run consists of three steps that note their names; `recorded.failing` holds errors of `second`."""
    seen: list[str] = []
    failing: list[Exception] = []

    def step(name: str) -> Step:
        def act(run: steps.Run) -> Iterator[int]:
            seen.append(name)
            if name == "second" and failing:
                raise failing.pop(0)
            yield len(seen)

        return Step(name, lambda _run: 0, act)

    monkeypatch.setitem(steps.RUNS, "nightly", tuple(map(step, ("first", "second", "third"))))
    return seen, failing


def start(memory, name="nightly"):
    with scope.enter(memory.worker):
        return services.start(name, dry_run=False)


def test_a_dry_run_tells_of_each_step_when_it_is_counted(memory, recorded):
    seen, told = recorded[0], {}

    for name in ("first", "second", "third"):
        job = JobContext(new_id(), memory.tenant_id, {}, 1, "", dict(told))
        with pytest.raises(Unfinished) as counted:
            services.counted("nightly", job)
        told |= counted.value.outcome
        assert counted.value.outcome == {name: 0}

    assert services.counted("nightly", JobContext(new_id(), memory.tenant_id, {}, 1, "", told)) == {}
    assert seen == []


def test_a_run_that_dies_goes_on_at_its_step(memory, recorded):
    seen, failing = recorded
    failing.append(OperationalError("gone"))
    job_id = start(memory)
    jobs.drain("test", tenant_id=memory.tenant_id)
    assert seen == ["first", "second"]
    with scope.enter(memory.worker):
        assert Job.objects.get(id=job_id).outcome == {"first": 1}
        Job.objects.filter(id=job_id).update(run_after="2020-01-01T00:00:00Z")

    jobs.drain("another", tenant_id=memory.tenant_id)

    assert seen == ["first", "second", "second", "third"]
    assert memory.outcome(job_id) == {"first": 1, "second": 3, "third": 4}


def test_a_step_that_fails_keeps_no_other_from_being_taken_and_its_days_are_the_next_runs(memory, recorded):
    seen, failing = recorded
    failing.append(ValueError("a secret of a memory"))
    job_id = start(memory)
    jobs.drain("test", tenant_id=memory.tenant_id)

    assert seen == ["first", "second", "third"]
    with scope.enter(memory.worker):
        job = Job.objects.get(id=job_id)
        assert (job.state, job.error) == ("failed", "error:StepsFailed")
        assert job.outcome == {"first": 1, "second": 0, "second_failed": "ValueError", "third": 3}
        (entry,) = Entry.objects.filter(operation__startswith="maintenance.nightly")
        assert (entry.operation, entry.data["second_failed"]) == ("maintenance.nightly_failed", "ValueError")
        assert Schedule.objects.get(tenant_id=memory.tenant_id, name="nightly").error == "error:StepsFailed"


def test_a_run_of_which_a_step_failed_is_tried_again_from_its_beginning(memory, recorded):
    seen, failing = recorded
    failing.append(ValueError("a bug"))
    job_id = start(memory)
    jobs.drain("test", tenant_id=memory.tenant_id)
    with scope.enter(memory.worker):
        jobs.retry(job_id)
        Job.objects.filter(id=job_id).update(run_after="2020-01-01T00:00:00Z")

    jobs.drain("test", tenant_id=memory.tenant_id)

    assert seen == ["first", "second", "third"] * 2
    assert memory.outcome(job_id) == {"first": 4, "second": 5, "third": 6}
    with scope.enter(memory.worker):
        assert Schedule.objects.get(tenant_id=memory.tenant_id, name="nightly").error == ""


def test_a_step_is_a_turn(memory, recorded):
    seen, _ = recorded
    start(memory)

    assert jobs.drain("test", limit=1, tenant_id=memory.tenant_id) == 1
    assert seen == ["first"]


def test_a_step_that_takes_long_lets_others_in_between_its_portions_and_counts_them_together(memory, monkeypatch):
    left = [3, 2, 1]

    def act(run: steps.Run) -> Iterator[int]:
        while left:
            yield left.pop()

    long = (Step("long", lambda _run: len(left), act, asks=True), Step("last", lambda _run: 0, lambda _run: iter([7])))
    monkeypatch.setitem(steps.RUNS, "nightly", long)
    monkeypatch.setattr(services, "TURN_SECONDS", 0.0)
    job_id = start(memory)

    jobs.drain("test", limit=2, tenant_id=memory.tenant_id)
    assert left == [3]
    with scope.enter(memory.worker):
        assert Job.objects.get(id=job_id).outcome == {"long_so_far": 3}

    monkeypatch.setattr(services, "TURN_SECONDS", 60.0)
    jobs.drain("test", tenant_id=memory.tenant_id)
    assert memory.outcome(job_id) == {"long_so_far": 3, "long": 6, "last": 7}
    with scope.enter(memory.worker):
        (entry,) = Entry.objects.filter(operation="maintenance.nightly")
    assert (entry.data["long"], "long_so_far" in entry.data) == (6, False)


def test_while_a_run_is_under_way_starting_it_again_names_the_same_job(memory, recorded):
    first = start(memory)
    jobs.drain("test", limit=1, tenant_id=memory.tenant_id)

    assert start(memory) == first


def test_the_schedule_tells_what_the_run_counted(memory):
    job_id = start(memory, "weekly")
    jobs.drain("test", tenant_id=memory.tenant_id)

    with scope.enter(memory.worker):
        row = Schedule.objects.get(tenant_id=memory.tenant_id, name="weekly")
    assert (row.job_id, row.counts, row.error) == (job_id, {"condensed": 0, "summarised": 0}, "")


def test_unknown_maintenance_is_refused(memory):
    with pytest.raises(NotFound) as refused:
        start(memory, "yearly")

    assert refused.value.field == "job"


def test_a_tenant_starts_with_a_nightly_a_weekly_and_a_monthly_run(memory):
    with scope.enter(memory.worker):
        rows = Schedule.objects.filter(tenant_id=memory.tenant_id).values_list("name", "cron")
        assert {("nightly", "0 2 * * *"), ("weekly", "0 1 * * 0"), ("monthly", "0 3 1 * *")} <= set(rows)


def test_each_month_the_index_is_built_anew(memory):
    item_id = memory.hold("We deploy on Thursdays.")

    assert memory.run("monthly", dry_run=True)["reindexed"] == 0
    memory.run("monthly")

    with scope.enter(memory.worker):
        assert Document.objects.get(unit_id=item_id).text == "We deploy on Thursdays."
    assert memory.run("monthly")["reindexed"] == 1


def test_todays_messages_that_were_never_read_are_read(memory):
    turn = NewTurn(session_id="monday", user_input="My sister Ada lives in Oslo.", agent_id=memory.agent_id)
    with scope.enter(memory.worker):
        captured = resources.capture(turn)
        Job.objects.filter(tenant_id=memory.tenant_id).delete()

    assert memory.run()["read"] == 1

    with scope.enter(memory.worker):
        (job,) = Job.objects.filter(tenant_id=memory.tenant_id, name="memory.observe")
        assert job.arguments == {"resources": [str(captured.resource_ids[0])]}
    assert memory.run()["read"] == 0


@pytest.mark.parametrize("step", ["compared", "read"])
def test_jobs_are_asked_for_a_batch_at_a_time_and_for_all(memory, step, monkeypatch):
    monkeypatch.setattr("apps.memory.services.ageing.ITEMS_AT_ONCE", 3)
    made = {"compared": said_today, "read": captured_today}[step](memory)
    (taken,) = [each for each in steps.NIGHTLY if each.name == step]
    run = steps.Run("nightly", memory.worker, NOW)

    portions = [list(taken.act(run)), list(taken.act(run))]

    assert portions == [[3, 3, 1]] * 2
    with scope.enter(memory.worker):
        asked = Job.objects.filter(name={"compared": "memory.dedup", "read": "memory.observe"}[step])
        named = [one for job in asked for one in chain.from_iterable(job.arguments.values())]
    assert sorted(named) == sorted(made)


def said_today(memory) -> list[str]:
    return [str(memory.hold(f"item {number}", days=0.1)) for number in range(7)]


def captured_today(memory) -> list[str]:
    with scope.enter(memory.worker):
        for number in range(7):
            said = f"My sister Ada has {number} cats."
            resources.capture(NewTurn(session_id=f"day {number % 2}", user_input=said, agent_id=memory.agent_id))
        Job.objects.filter(tenant_id=memory.tenant_id).delete()
        return [str(one) for one in Resource.objects.values_list("id", flat=True)]
