"""Overview, jobs, schedules and journal, as people use them."""

from decimal import Decimal
from uuid import uuid4

import pytest

from apps.budgets import balances
from apps.budgets import services as budgets
from apps.budgets.models import Usage
from apps.core.clock import now
from apps.core.context import acting_as
from apps.core.scope import tenant_scope
from apps.erasure import services as erasing
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.jobs import services as jobs
from apps.jobs.models import Job, JobState, Schedule
from apps.journal.models import Entry
from apps.journal.services import record
from apps.memory.models import ItemLink
from apps.tenants import services as tenants
from apps.tenants.models import Membership, Policy
from memory_platform.model import JournalLine


@pytest.fixture
def browser(person_of, tenant):
    """A member of the tenant at the console, an owner unless another role is named."""
    return lambda role="owner": person_of(tenant, role)


@pytest.fixture
def failed(tenant):
    with tenant_scope(tenant.id):
        job_id = jobs.enqueue("maintenance.count_nightly", {})
        Job.objects.filter(id=job_id).update(
            state="failed", error="attempts_exhausted:Unavailable", attempts=8, finished_at=now(), outcome={"items": 3}
        )
    return job_id


def entry_of(tenant, operation):
    with tenant_scope(tenant.id):
        return Entry.objects.get(operation=operation)


def test_the_overview_names_what_needs_somebody(browser, failed):
    page = browser().get("/console/overview/").content.decode()

    assert "1 job failed" in page
    assert "/console/jobs/?state=failed" in page


WAITS = {
    "1 proposal waits for a decision": "/console/review/?kind=proposal",
    "1 memory may have been replaced": "/console/review/?kind=replacement",
    "1 erasure waits for approval": "/console/review/?kind=erasure",
}
MAY_SEE = ["1 proposal waits for a decision", "1 memory may have been replaced"]


@pytest.fixture
def waits(tenant, propose, learn, dispute):
    """A proposal, a memory that was perhaps replaced, and an erasure that a second person has to approve."""
    propose("The harbour office opens at nine.")
    dispute("We deploy on Thursdays.", "We deploy on Fridays.", ItemLink.Kind.PROBABLY_SUPERSEDED)
    learn("The crane is repaired in March.", user_id="eve")
    with tenant_scope(tenant.id):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"erasure_approval": "second_person"})
        subject = Subject(ErasureKind.USER, user_id="eve")
        erasing.request(subject, erasing.preview(subject).fingerprint, reason="She asked for it.")


@pytest.mark.parametrize(
    ("role", "seen"),
    [("owner", [*WAITS]), ("admin", [*WAITS]), ("operator", MAY_SEE), ("member", [])],
)
def test_the_overview_tells_what_waits_to_those_who_may_deal_with_it(browser, waits, role, seen):
    person = browser(role)

    page = person.get("/console/overview/")

    alerts = page.context["alerts"] or []
    assert [(each.told, each.url) for each in alerts] == [(told, WAITS[told]) for told in seen]
    assert [told for told in WAITS if told in page.content.decode()] == seen
    assert {person.get(each.url).status_code for each in alerts} <= {200}


@pytest.fixture
def spend(tenant):
    """So much of a budget of ten dollars, eight of them soft."""

    def meter(usd):
        with tenant_scope(tenant.id):
            budgets.set_budget(agent_id=None, period="month", soft_usd=Decimal(8), hard_usd=Decimal(10))
            Usage.objects.create(tenant_id=tenant.id, operation="recall", cost_usd=Decimal(usd))
        balances.forget(tenant.id)

    return meter


@pytest.mark.parametrize(
    ("usd", "seen"),
    [("7", []), ("8", [("warning", "1 budget is near the end")]), ("10", [("error", "1 budget is spent")])],
)
def test_the_overview_tells_of_budgets_that_come_to_their_end(browser, spend, usd, seen):
    spend(usd)
    admin = browser("admin")

    alerts = admin.get("/console/overview/").context["alerts"]

    assert [(each.kind, each.told) for each in alerts] == seen
    assert {admin.get(each.url).status_code for each in alerts} <= {200}
    assert browser("operator").get("/console/overview/").context["alerts"] == []


def test_the_overview_is_quiet_while_nothing_waits(browser):
    assert browser().get("/console/overview/").context["alerts"] == []


def test_who_only_looks_is_not_told_what_to_do(browser, failed):
    page = browser("member").get("/console/overview/").content.decode()

    assert "1 job failed" not in page
    assert "Cost this month" not in page


def test_jobs_are_listed_by_state_and_name(browser, failed):
    owner = browser()

    listed = owner.get("/console/jobs/", {"state": "failed", "name": "maintenance.count_nightly"})
    others = owner.get("/console/jobs/", {"state": "done"})

    assert [job.id for job in listed.context["cut"].rows] == [failed]
    assert b"attempts_exhausted:Unavailable" in listed.content
    assert others.context["cut"].rows == ()


@pytest.mark.parametrize("query", [{"state": "lost"}, {"name": "<script>"}])
def test_what_is_no_filter_is_said_beside_it(browser, query):
    page = browser().get("/console/jobs/", query)

    assert page.status_code == 200
    assert b"not one of the available choices" in page.content
    assert b"<script>&" not in page.content


def test_a_cursor_that_is_none_is_refused_in_words(browser):
    page = browser().get("/console/jobs/", {"after": "nothing"})

    assert page.status_code == 422
    assert b"is not a cursor of this list" in page.content


def test_an_operator_has_a_job_tried_again(browser, failed, tenant):
    operator = browser("operator")

    page = operator.post(f"/console/jobs/{failed}/retry/", follow=True)

    assert b"maintenance.count_nightly is tried again." in page.content
    entry = entry_of(tenant, "job.retried")
    assert (entry.actor, entry.subject_id) == (operator.actor, failed)


def test_a_job_that_is_done_is_not_tried_again(browser, failed, tenant):
    with tenant_scope(tenant.id):
        Job.objects.filter(id=failed).update(state=JobState.DONE)

    page = browser().post(f"/console/jobs/{failed}/retry/")

    assert (page.status_code, b"The job is done." in page.content) == (409, True)
    assert browser().post(f"/console/jobs/{uuid4()}/retry/").status_code == 404


def test_an_admin_changes_a_schedule_as_themselves(browser, tenant):
    admin = browser("admin")

    page = admin.post("/console/schedules/nightly/", {"cron": "15 4 * * *"}, follow=True)

    assert b"nightly is changed." in page.content
    assert entry_of(tenant, "schedule.changed").actor == admin.actor
    with tenant_scope(tenant.id):
        assert Schedule.objects.filter(name="nightly").values_list("cron", "enabled").get() == ("15 4 * * *", False)


@pytest.mark.parametrize("cron", ["", "whenever", "* * * * * * * *", "x" * 101])
def test_what_is_no_time_is_refused_in_words(browser, tenant, cron):
    page = browser().post("/console/schedules/nightly/", {"cron": cron, "enabled": "on"})

    assert page.status_code in {400, 422}
    assert b"That did not work" in page.content
    with tenant_scope(tenant.id):
        assert Schedule.objects.get(name="nightly").cron == "0 2 * * *"


def test_an_operator_sees_schedules_and_changes_none(browser):
    operator = browser("operator")

    assert b"Save" not in operator.get("/console/schedules/").content
    assert operator.post("/console/schedules/nightly/run/").status_code == 403


def test_a_schedule_runs_now_or_only_counts(browser, tenant):
    owner = browser()

    assert b" runs nightly." in owner.post("/console/schedules/nightly/run/", follow=True).content
    assert b"counts what nightly would change." in owner.post("/console/schedules/nightly/count/", follow=True).content
    with tenant_scope(tenant.id):
        assert set(Job.objects.filter(name__startswith="maintenance").values_list("name", flat=True)) == {
            "maintenance.nightly",
            "maintenance.count_nightly",
        }


def test_the_journal_is_filtered(browser, tenant, agent):
    with tenant_scope(tenant.id, agent_id=agent.id):
        record(JournalLine("memory.remember", "memory", uuid4(), {"items": 3, "reason": "useful"}))
    owner = browser()

    def found(**query):
        return [entry.operation for entry in owner.get("/console/journal/", query).context["cut"].rows]

    assert found(operation="memory.remember") == ["memory.remember"]
    assert found(agent="assistant", operation="memory.remember") == ["memory.remember"]
    assert found(agent="nobody") == []
    assert found(since="2099-01-01T00:00") == []
    assert "memory.remember" not in found(until="2020-01-01T00:00")
    assert "memory.remember" in found(actor="", since="2020-01-01T00:00")


def test_a_member_stands_in_the_journal_by_name(browser, failed):
    operator = browser("operator")
    operator.post(f"/console/jobs/{failed}/retry/")

    page = operator.get("/console/journal/", {"operation": "job.retried"})

    assert operator.name in page.content.decode()


def test_whom_an_entry_tells_of_stands_in_the_journal_by_name(browser, tenant):
    admin = browser("admin")
    with tenant_scope(tenant.id):
        record(JournalLine("erasure.approved", "erasure", uuid4(), {"by": admin.actor}))

    page = admin.get("/console/journal/", {"operation": "erasure.approved"}).content.decode()

    assert f"By <b>{admin.name}</b>" in page


@pytest.fixture
def written(tenant, agent, browser):
    """Entries of a person, of the agent, and of a job for that agent; the person's browser."""
    person, about = browser("admin"), JournalLine("memory.remember", "memory", uuid4(), {})
    with tenant_scope(tenant.id, agent_id=agent.id):
        for actor in (person.actor, "agent", "worker"):
            with acting_as(actor):
                record(about)
    return person


def actors(page):
    return [entry.actor for entry in page.context["cut"].rows if entry.operation == "memory.remember"]


def test_the_journal_is_filtered_by_names(browser, written):
    """The address keeps the label."""
    owner = browser()
    page = owner.get("/console/journal/", {"actor": written.actor})
    told = page.content.decode()

    assert actors(page) == [written.actor]
    assert f'<option value="{written.actor}" selected>{written.name}</option>' in told
    assert '<option value="agent:assistant">assistant</option>' in told
    assert '<option value="worker">a job</option>' in told
    for label, wanted in {"member": [written.actor], "agent:assistant": ["agent"], "worker": ["worker"]}.items():
        assert actors(owner.get("/console/journal/", {"actor": label})) == wanted
    assert 'href="?actor=agent%3Aassistant"' in owner.get("/console/journal/").content.decode()


def test_who_left_is_still_found_in_the_journal(browser, written, tenant):
    owner = browser()
    with tenant_scope(tenant.id):
        Membership.objects.filter(user_id=int(written.actor.removeprefix("member:"))).delete()

    page = owner.get("/console/journal/", {"actor": written.actor})

    assert actors(page) == [written.actor]
    assert f"selected>{written.actor.replace(':', ' ')} (left)</option>" in page.content.decode()
    assert written.name not in page.content.decode()


def test_whom_another_tenant_has_is_not_named(browser, make_tenant, person_of):
    stranger = person_of(make_tenant(), "owner")

    assert stranger.name not in browser().get("/console/journal/", {"actor": stranger.actor}).content.decode()


def test_two_agents_at_once_are_said_to_be_none(browser, written):
    page = browser().get("/console/journal/", {"actor": "agent:assistant", "agent": "another"})

    assert "Another agent is named under Who." in page.content.decode()


WRONG = [
    {"subject": "x"},
    {"since": "yesterday"},
    {"operation": "x" * 201},
    {"operation": "\0"},
    *({"actor": actor} for actor in ("nobody", "agent:nobody", "member:x", "member:1\0", "member:٣", "x" * 2_000)),
]


@pytest.mark.parametrize("query", WRONG)
def test_what_is_no_filter_of_the_journal_is_said_beside_it(browser, query):
    page = browser().get("/console/journal/", query)

    assert page.status_code == 200
    assert b'class="wrong"' in page.content
