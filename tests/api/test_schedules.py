"""Schedules and maintenance over both APIs."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import time_machine

from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.jobs.models import Job
from apps.maintenance import steps
from apps.memory import services as memory
from apps.memory.requests import ForgetRequest
from apps.tenants import services as tenants
from apps.tenants.models import Policy

RUN = "mutation($input: MaintenanceInput!) { runMaintenance(input: $input) { jobId } }"


def outcome(caller, job_id) -> dict[str, int]:
    (job,) = caller.get("/api/v1/jobs", ids=job_id).json()["items"]
    assert job["state"] == "done"
    return {each["name"]: each["count"] for each in job["outcome"]}


def test_schedules_are_listed_in_both_apis(caller):
    asked = caller.field("{ schedules { name cron timeZone enabled nextRunAt lastRunAt jobId error } }")
    listed = caller.get("/api/v1/schedules").json()["items"]

    nightly = next(each for each in asked if each["name"] == "nightly")
    due = datetime.fromisoformat(nightly.pop("nextRunAt"))
    assert nightly == {
        "name": "nightly",
        "cron": "0 2 * * *",
        "timeZone": "UTC",
        "enabled": True,
        "lastRunAt": None,
        "jobId": None,
        "error": None,
    }
    assert due.hour == 2
    assert [each["name"] for each in listed] == [each["name"] for each in asked]


def test_maintenance_runs_in_a_job_that_tells_its_counts(caller, tenant):
    job_id = caller.field(RUN, input={"job": "weekly"})["jobId"]
    jobs.drain("test", tenant_id=tenant.id)

    assert outcome(caller, job_id)["summarised"] == 0
    weekly = next(each for each in caller.get("/api/v1/schedules").json()["items"] if each["name"] == "weekly")
    counts = [{"name": name, "count": 0} for name in ("condensed", "summarised")]
    assert (weekly["job_id"], weekly["counts"]) == (job_id, counts)


def test_a_dry_run_counts(caller, tenant):
    started = caller.post("/api/v1/maintenance", {"job": "nightly", "dry_run": True}).json()
    jobs.drain("test", tenant_id=tenant.id)

    assert started["steps"] == [step.name for step in steps.NIGHTLY]
    assert outcome(caller, started["job_id"]) == dict.fromkeys(started["steps"], 0)


def test_it_needs_the_scope_admin(make_caller, tenant):
    assert make_caller("read", "write").code(RUN, input={"job": "nightly"}) == "FORBIDDEN"
    with tenant_scope(tenant.id):
        assert not Job.objects.filter(name__startswith="maintenance").exists()


def test_unknown_maintenance_is_refused_with_what_there_is(caller):
    refused = caller.post("/api/v1/maintenance", {"job": "yearly"})

    assert refused.status_code == 404
    assert refused.json()["error"]["hint"] == "There are nightly, weekly, monthly."


def test_the_health_of_the_memory_is_told_in_numbers_and_words(caller, tenant):
    caller.post("/api/v1/memories", {"text": "Mara lives in Oslo."})
    caller.post("/api/v1/recall", {"query": "Where does Mara live?"})

    told = caller.field("{ healthReport { markdown counts { name count } } }")

    counts = {each["name"]: each["count"] for each in told["counts"]}
    assert (counts["items.active"], counts["recent.stored"], counts["recent.tier2.recalls"]) == (1, 1, 1)
    assert "| active | 1 |" in told["markdown"]
    assert caller.get("/api/v1/health-report").json()["markdown"].startswith("# Health of the memory, ")


def test_how_far_back_the_report_looks_is_the_tenants(caller, tenant):
    with time_machine.travel(datetime.now(tz=UTC) - timedelta(days=40), tick=True):
        caller.post("/api/v1/recall", {"query": "Where does Mara live?"})
    for numbers, recalls in (({"report_days": 30}, 0), ({"report_days": 60}, 1)):
        with tenant_scope(tenant.id):
            tenants.change(Policy.objects.get(tenant_id=tenant.id), numbers)

        report = caller.get("/api/v1/health-report").json()
        tiers = caller.field("{ stats { tiers { recalls } } }")["tiers"]

        counts = {each["name"]: each["count"] for each in report["counts"]}
        assert report["days"] == numbers["report_days"]
        assert f"## The last {report['days']} days\n" in report["markdown"]
        assert counts.get("recent.tier2.recalls", 0) == sum(each["recalls"] for each in tiers) == recalls


def test_the_monthly_run_keeps_the_report(caller, tenant):
    job_id = caller.field(RUN, input={"job": "monthly"})["jobId"]
    jobs.drain("test", tenant_id=tenant.id)

    assert outcome(caller, job_id)["now.open_contradictions"] == 0


def forgotten_by_night(caller, tenant) -> tuple[str, str]:
    """A memory, and the batch in which a scope of no agent forgot it: as the journal tells it."""
    memory_id = caller.post("/api/v1/memories", {"text": "Mara lives in Oslo."}).json()["memory"]["id"]
    with tenant_scope(tenant.id):
        memory.forget(ForgetRequest(item_ids=(UUID(memory_id),), reason="stale"))
    (entry,) = caller.get("/api/v1/journal", operation="memory.forgot").json()["items"]
    return memory_id, entry["subject_id"]


def test_what_a_night_forgot_an_admin_gives_back(caller, tenant):
    memory_id, batch_id = forgotten_by_night(caller, tenant)

    back = caller.post("/api/v1/restore", {"batch_id": batch_id}).json()

    assert [each["id"] for each in back["items"]] == [memory_id]
    assert caller.get(f"/api/v1/memories/{memory_id}").json()["status"] == "active"


def test_what_a_night_forgot_is_not_given_back_to_a_key_that_writes(caller, make_caller, tenant):
    _, batch_id = forgotten_by_night(caller, tenant)

    assert make_caller("read", "write").post("/api/v1/restore", {"batch_id": batch_id}).status_code == 404


def test_a_schedule_runs_now_and_is_not_begun_twice(caller):
    first = caller.field('mutation { runSchedule(name: "triage") { jobId } }')["jobId"]

    assert caller.post("/api/v1/schedules/triage/run", {}).json() == {"job_id": first}
    assert caller.post("/api/v1/schedules/yearly/run", {}).status_code == 404


def test_a_schedule_is_changed_and_planned_anew(caller):
    changed = caller.post("/api/v1/schedules/nightly", {"cron": "30 4 * * *", "enabled": True}).json()

    assert (changed["cron"], changed["enabled"]) == ("30 4 * * *", True)
    assert datetime.fromisoformat(changed["next_run_at"]).hour in {4, 5}
    (entry,) = caller.get("/api/v1/journal", operation="schedule.changed").json()["items"]
    assert entry["data"]["changes"]["cron"] == {"was": "0 2 * * *", "is": "30 4 * * *"}


def test_what_is_no_change_of_a_schedule_is_refused(caller):
    for given in ({}, {"cron": "whenever"}, {"cron": "0 2 31 2 *"}, {"cron": "*" * 101}, {"time_zone": "UTC"}):
        assert caller.post("/api/v1/schedules/nightly", given).status_code in {400, 422}
    assert caller.post("/api/v1/schedules/yearly", {"enabled": False}).status_code == 404
    assert caller.get("/api/v1/journal", operation="schedule.changed").json()["items"] == []


def test_a_job_that_failed_is_tried_again(caller, tenant):
    with tenant_scope(tenant.id):
        job_id = jobs.enqueue("maintenance.count_nightly", {})
        Job.objects.filter(id=job_id).update(state="failed", error="attempts_exhausted:Unavailable", attempts=8)

    again = caller.field("mutation($id: ID!) { retryJob(id: $id) { state attempts error } }", id=str(job_id))

    assert again == {"state": "QUEUED", "attempts": 0, "error": None}
    assert jobs.drain("test", tenant_id=tenant.id) == len(steps.NIGHTLY) + 1
    assert caller.post(f"/api/v1/jobs/{job_id}/retry", {}).json()["error"]["code"] == "CONFLICT"
    (entry,) = caller.get("/api/v1/journal", operation="job.retried").json()["items"]
    assert entry["data"] == {"name": "maintenance.count_nightly", "error": "attempts_exhausted:Unavailable"}


def test_the_same_job_is_not_queued_twice_by_trying_again(caller, tenant):
    with tenant_scope(tenant.id):
        failed = jobs.enqueue("maintenance.count_nightly", {}, dedup_key="once")
        Job.objects.filter(id=failed).update(state="failed")
        jobs.enqueue("maintenance.count_nightly", {}, dedup_key="once")

    assert caller.post(f"/api/v1/jobs/{failed}/retry", {}).json()["error"]["message"] == "The same is queued already."
