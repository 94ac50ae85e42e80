"""Enqueueing, claiming, merging, retrying."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction

from apps.core.clock import now
from apps.core.context import acting_as
from apps.core.scope import NoScope, tenant_scope
from apps.jobs import registry, selectors, services
from apps.jobs.models import Job, JobState
from apps.jobs.registry import Unfinished, UnknownJob
from apps.jobs.services import NewJob, running
from memory_platform.errors import ProviderRefused, ProviderRetryable


def enqueue(tenant, name="test.job", arguments=None, **options) -> UUID:
    with tenant_scope(tenant.id):
        return services.enqueue(name, arguments or {"documents": ["1"]}, **options)


def job(tenant, job_id) -> Job:
    with tenant_scope(tenant.id):
        return Job.objects.get(id=job_id)


def make_due(tenant, job_id):
    with tenant_scope(tenant.id):
        Job.objects.filter(id=job_id).update(run_after=now() - timedelta(seconds=1))


def test_an_enqueued_job_runs_once_with_its_arguments(tenant, run_jobs, ran):
    with acting_as("agent", request_id="r-1"):
        job_id = enqueue(tenant, arguments={"documents": ["1", "2"], "why": "test"})

    assert run_jobs() == 1
    assert run_jobs() == 0

    (context,) = ran
    assert (context.id, context.tenant_id, context.attempt, context.request_id) == (job_id, tenant.id, 1, "r-1")
    assert context.arguments == {"documents": ["1", "2"], "why": "test"}
    done = job(tenant, job_id)
    assert (done.state, done.outcome, done.attempts, done.error) == (JobState.DONE, {"ran": 1}, 1, "")
    assert done.finished_at >= done.started_at >= done.created_at


def test_a_rolled_back_change_leaves_no_job(tenant, run_jobs, ran):
    def change():
        with tenant_scope(tenant.id):
            services.enqueue("test.job", {"documents": ["1"]})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()

    assert run_jobs() == 0


def test_an_unknown_name_is_refused(tenant, run_jobs):
    with pytest.raises(UnknownJob):
        enqueue(tenant, name="test.nobody")


def test_without_a_scope_nothing_is_enqueued(database, ran):
    with pytest.raises(NoScope):
        services.enqueue("test.job", {})


def test_a_job_waits_for_its_time(tenant, run_jobs, ran):
    job_id = enqueue(tenant, run_after=now() + timedelta(hours=1))

    assert run_jobs() == 0
    make_due(tenant, job_id)
    assert run_jobs() == 1


def test_while_one_is_queued_its_dedup_key_adds_nothing(tenant, run_jobs, ran):
    first = enqueue(tenant, dedup_key="fold")
    assert enqueue(tenant, dedup_key="fold") == first
    assert run_jobs() == 1

    assert enqueue(tenant, dedup_key="fold") != first
    assert run_jobs() == 1


def test_a_dedup_key_asked_for_earlier_brings_the_queued_job_forward(tenant, run_jobs, ran):
    later = enqueue(tenant, dedup_key="fold", run_after=now() + timedelta(hours=1))

    assert enqueue(tenant, dedup_key="fold") == later
    assert run_jobs() == 1


def test_dedup_keys_of_two_tenants_do_not_meet(make_tenant, ran):
    assert enqueue(make_tenant(), dedup_key="fold") != enqueue(make_tenant(), dedup_key="fold")


def test_several_jobs_keep_their_order_and_ids(tenant, run_jobs, ran):
    with tenant_scope(tenant.id):
        ids = services.enqueue_many(
            [
                NewJob("test.job", {"documents": [str(number)]}, dedup_key="k" if number == 1 else None)
                for number in range(3)
            ]
        )

    run_jobs()

    assert sorted(context.id for context in ran) == sorted(ids)
    assert len(set(ids)) == 3


def test_waiting_jobs_that_merge_run_as_one(tenant, run_jobs, ran):
    ids = [enqueue(tenant, "test.merged", {"documents": [str(number), "x"]}) for number in range(7)]

    assert run_jobs() == 2

    assert [len(context.arguments["documents"]) for context in ran] == [10, 4]
    assert [value for context in ran for value in context.arguments["documents"][::2]] == [str(n) for n in range(7)]
    with tenant_scope(tenant.id):
        shown = selectors.jobs(ids)
    assert [view.state for view in shown] == [JobState.DONE] * 7
    assert [view.outcome for view in shown] == [{"ran": 1}] * 7


def test_jobs_of_other_keys_arguments_or_tenants_do_not_merge(tenant, make_tenant, run_jobs, ran):
    enqueue(tenant, "test.merged", {"documents": ["1"]})
    enqueue(tenant, "test.merged", {"documents": ["2"]}, serial_key="a")
    enqueue(tenant, "test.merged", {"documents": ["3"], "model": "m"})
    enqueue(make_tenant(), "test.merged", {"documents": ["4"]})

    assert run_jobs() == 3

    assert [context.arguments["documents"] for context in ran] == [["1"], ["2"], ["3"]]


def test_a_merged_job_shows_how_its_leader_fares(tenant, run_jobs, ran):
    ran.failing = [ProviderRetryable("late")]
    leader, other = (enqueue(tenant, "test.merged", {"documents": [str(n)]}) for n in range(2))
    run_jobs()

    with tenant_scope(tenant.id):
        assert [view.state for view in selectors.jobs([leader, other])] == [JobState.QUEUED, JobState.QUEUED]
    make_due(tenant, leader)
    run_jobs()

    assert [context.arguments["documents"] for context in ran] == [["0", "1"], ["0", "1"]]
    with tenant_scope(tenant.id):
        assert [view.state for view in selectors.jobs([leader, other])] == [JobState.DONE, JobState.DONE]


@pytest.mark.parametrize("error", [ProviderRetryable("late"), OperationalError("gone")])
def test_trouble_that_passes_is_retried_later(tenant, run_jobs, ran, error):
    ran.failing = [error]
    job_id = enqueue(tenant)
    run_jobs()

    waiting = job(tenant, job_id)
    assert (waiting.state, waiting.error) == (JobState.QUEUED, f"retry:{type(error).__name__}")
    assert timedelta(0) < waiting.run_after - now() <= timedelta(seconds=1)
    make_due(tenant, job_id)
    run_jobs()

    done = job(tenant, job_id)
    assert (done.state, done.attempts, done.error) == (JobState.DONE, 2, "")


def test_a_provider_that_names_its_time_is_not_asked_earlier(tenant, run_jobs, ran):
    ran.failing = [ProviderRetryable("throttled", retry_after=120.0)]
    job_id = enqueue(tenant)
    run_jobs()

    assert timedelta(seconds=115) < job(tenant, job_id).run_after - now() <= timedelta(seconds=120)


def test_after_its_last_attempt_a_job_has_failed_and_says_why(tenant, run_jobs, ran):
    ran.failing = [ProviderRetryable("late")] * 3
    job_id = enqueue(tenant)
    for _ in range(3):
        make_due(tenant, job_id)
        run_jobs()

    failed = job(tenant, job_id)
    assert (failed.state, failed.attempts) == (JobState.FAILED, 3)
    assert failed.error == "attempts_exhausted:ProviderRetryable"
    assert run_jobs() == 0


@pytest.mark.parametrize("error", [ProviderRefused("the card number 4111"), ZeroDivisionError("secret")])
def test_trouble_that_stays_fails_at_once_without_its_words(tenant, run_jobs, ran, error):
    ran.failing = [error]
    job_id = enqueue(tenant)
    run_jobs()

    failed = job(tenant, job_id)
    assert (failed.state, failed.attempts, failed.error) == (JobState.FAILED, 1, f"error:{type(error).__name__}")


def test_a_job_no_handler_knows_yet_waits_for_a_newer_worker(tenant, run_jobs, ran):
    job_id = enqueue(tenant)
    registration = registry._registrations.pop("test.job")
    run_jobs()
    waiting = job(tenant, job_id)
    assert (waiting.state, waiting.error) == (JobState.QUEUED, "retry:unknown_job")

    registry._registrations["test.job"] = registration
    make_due(tenant, job_id)
    run_jobs()
    assert job(tenant, job_id).state == JobState.DONE


def test_backoff_doubles_up_to_five_minutes():
    for attempt, longest in ((1, 1.0), (2, 2.0), (5, 16.0), (9, 256.0), (10, 300.0), (40, 300.0)):
        assert longest / 2 <= services.backoff_seconds(attempt) <= longest


def test_jobs_of_one_serial_key_are_not_claimed_together(tenant, ran):
    for _ in range(3):
        enqueue(tenant, serial_key="session")
    enqueue(tenant)

    with connection.cursor() as cursor:
        cursor.execute("SELECT serial_key FROM claim_jobs('w', 10, 10, '30 seconds', NULL, %s)", [tenant.id])
        assert sorted(row[0] for row in cursor.fetchall()) == ["", "session"]
        cursor.execute("SELECT serial_key FROM claim_jobs('w', 10, 10, '30 seconds', NULL, %s)", [tenant.id])
        assert cursor.fetchall() == []


def test_a_job_that_outlived_its_lease_cannot_overwrite_its_successor(tenant, run_jobs, ran):
    job_id = enqueue(tenant)
    first = running._claim("slow", after=None, tenant_id=tenant.id)
    with tenant_scope(tenant.id):
        Job.objects.filter(id=job_id).update(locked_until=now() - timedelta(seconds=1))
    services.sweep()
    second = running._claim("quick", after=None, tenant_id=tenant.id)

    running._finish("slow", first, running._RunResult(JobState.FAILED, error="error:TooLate"))
    assert job(tenant, job_id).state == JobState.RUNNING
    running._finish("quick", second, running._RunResult(JobState.DONE))
    assert (job(tenant, job_id).state, job(tenant, job_id).attempts) == (JobState.DONE, 2)


def test_finished_jobs_are_kept_as_long_as_the_policy_says(tenant, run_jobs, ran):
    old, recent = enqueue(tenant), enqueue(tenant)
    run_jobs()
    with tenant_scope(tenant.id):
        Job.objects.filter(id=old).update(finished_at=now() - timedelta(days=30, hours=1))
        Job.objects.filter(id=recent).update(finished_at=now() - timedelta(days=29))

    services.sweep()

    with tenant_scope(tenant.id):
        assert [view.id for view in selectors.jobs([old, recent])] == [recent]


def test_jobs_of_another_tenant_are_unknown(tenant, make_tenant, ran):
    job_id = enqueue(tenant)

    with tenant_scope(make_tenant().id):
        assert selectors.jobs([job_id]) == []


def test_queue_depth_counts_by_name(tenant, ran):
    enqueue(tenant)

    depth = {row.name: row for row in selectors.queue_depth()}

    assert depth["test.job"].queued >= 1
    assert depth["test.job"].oldest_due_seconds > 0


def test_the_queue_functions_are_closed_to_a_tenants_scope(tenant):
    with pytest.raises(Exception, match="permission denied"), tenant_scope(tenant.id), transaction.atomic():
        selectors.queue_depth()


def test_a_transaction_hints_once(tenant, ran, hinted):
    with tenant_scope(tenant.id):
        for _ in range(5):
            services.enqueue("test.job", {"documents": ["1"]})
        assert hinted == []

    assert hinted == [1]


def test_hints_that_nobody_heard_yet_are_not_repeated(tenant, ran, hinted):
    for _ in range(5):
        enqueue(tenant)
    assert hinted == [1]

    services.drain("w", limit=0)
    enqueue(tenant)
    assert hinted == [1, 1]


def test_a_worker_runs_no_more_jobs_of_a_tenant_at_once_than_it_is_told(tenant, make_tenant, ran):
    other = make_tenant()
    for owner in (tenant, tenant, tenant, other):
        enqueue(owner)

    def claim(worker, owner):
        return running._claim(worker, after=None, tenant_id=owner.id, most_per_tenant=2) is not None

    assert [claim("w", tenant) for _ in range(3)] == [True, True, False]
    assert claim("w", other)
    assert claim("another", tenant)


@pytest.mark.parametrize("code", ["", "ProviderRetryable", "openai:gpt-4o-mini:extraction.v2", "node.item,edge.fact"])
def test_an_outcome_keeps_codes(tenant, run_jobs, ran, code):
    ran.outcome = {"ran": 1, "code": code}
    done = enqueue(tenant)
    run_jobs()

    assert job(tenant, done).outcome == {"ran": 1, "code": code}


@pytest.mark.parametrize("text", ["Mara moved to Lisbon.", "x" * 201, "two\nlines", "müde"])
def test_an_outcome_keeps_no_text(tenant, run_jobs, ran, text):
    ran.outcome = {"ran": 1, "said": text}
    done = enqueue(tenant)
    run_jobs()

    kept = job(tenant, done)
    assert (kept.state, kept.outcome) == (JobState.DONE, {"ran": 1})


def test_a_job_that_lets_go_of_its_thread_goes_on_after_the_others(tenant, run_jobs, ran):
    ran.failing = [Unfinished({"ran": 3, "code": "first"})]
    long, short = enqueue(tenant), enqueue(tenant)

    assert run_jobs() == 3

    assert [context.id for context in ran] == [long, short, long]
    assert [context.attempt for context in ran] == [1] * 3
    done = job(tenant, long)
    assert (done.state, done.attempts, done.outcome) == (JobState.DONE, 1, {"ran": 4, "code": "first"})
