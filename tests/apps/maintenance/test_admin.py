"""Schedules in the admin: changed with checks, shown in the tenant's time, run now."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from apps.core.scope import tenant_scope
from apps.jobs.models import Job, Schedule
from apps.journal.models import Entry
from apps.tenants import services
from apps.tenants.access import System
from apps.tenants.models import Membership, Policy
from tests.apps.maintenance.conftest import NOW

LIST = "admin:jobs_schedule_changelist"


@pytest.fixture
def login(tenant):
    def make(role):
        user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}", is_staff=True)
        with tenant_scope(tenant.id):
            services.add_member(user_id=user.pk, role=role, by=System(tenant.id))
        browser = Client(raise_request_exception=True)
        browser.force_login(user)
        return browser

    return make


@pytest.fixture
def owner(login):
    return login(Membership.Role.OWNER)


@pytest.fixture
def nightly(tenant):
    with tenant_scope(tenant.id):
        services.change(Policy.objects.get(tenant_id=tenant.id), {"time_zone": "America/New_York"})
        return Schedule.objects.get(tenant_id=tenant.id, name="nightly")


def act(browser, action, *rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return browser.post(reverse(LIST), data, follow=True).content.decode()


def change(browser, row, **fields):
    return browser.post(reverse("admin:jobs_schedule_change", args=[row.pk]), fields)


def test_the_next_run_is_told_in_the_tenants_time(owner, nightly):
    page = owner.get(reverse(LIST)).content.decode()

    assert "02:" in page
    assert "America/New_York" in page


def test_another_time_is_planned_at_once(owner, nightly, tenant):
    assert change(owner, nightly, cron="0 4 * * *", enabled="on").status_code == 302

    with tenant_scope(tenant.id):
        row = Schedule.objects.get(id=nightly.id)
    assert row.cron == "0 4 * * *"
    assert abs((row.next_run_at - nightly.next_run_at).total_seconds()) in {2 * 3600, 22 * 3600}


def test_what_is_no_cron_expression_is_said_in_the_form(owner, nightly):
    page = change(owner, nightly, cron="at night", enabled="on")

    assert "is no cron expression" in page.context["adminform"].form.errors["cron"][0]


def test_run_now_starts_one_job(owner, nightly, tenant):
    assert "runs it" in act(owner, "run_now", nightly)

    with tenant_scope(tenant.id):
        assert Job.objects.filter(name="maintenance.nightly").count() == 1


def test_a_rows_button_runs_it_for_who_may(owner, login, nightly, tenant):
    refused = login(Membership.Role.OPERATOR).post(reverse(LIST), {"run": "nightly"})
    done = owner.post(reverse(LIST), {"run": "nightly"}, follow=True).content.decode()
    unknown = owner.post(reverse(LIST), {"run": "yearly"}, follow=True).content.decode()

    assert refused.status_code == 403
    assert 'name="run" value="nightly"' in done
    assert "runs it." in done
    assert "There is no such schedule." in unknown
    with tenant_scope(tenant.id):
        assert Job.objects.filter(name="maintenance.nightly").count() == 1


def test_a_dry_run_is_a_job_that_the_page_names(owner, nightly, tenant):
    page = act(owner, "dry_run", nightly)

    with tenant_scope(tenant.id):
        (job,) = Job.objects.filter(name__startswith="maintenance.")
    assert (job.name, job.arguments) == ("maintenance.count_nightly", {})
    assert f"job {job.id} counts" in page


@pytest.mark.parametrize("role", Membership.Role.values)
def test_who_sees_the_first_page_sees_the_health_report_and_keeps_it(login, role, tenant, memory):
    browser, there = login(role), reverse("admin:health")
    memory.hold("We deploy on Thursdays.")

    page = browser.get(there)
    markdown, counts = browser.get(there, {"as": "md"}), browser.get(there, {"as": "json"})

    assert there in browser.get(reverse("admin:index")).content.decode()
    shown = page.content.decode()
    for section in page.context["report"].sections:
        assert section.title in shown
    assert '<td data-label="What">active</td><td data-label="Count">1</td>' in shown
    assert "| active | 1 |" in markdown.content.decode()
    assert (counts.json()["at"], counts.json()["counts"]["items.active"]) == (NOW.isoformat()[:-6] + "Z", 1)
    assert markdown["Content-Disposition"] == 'attachment; filename="health-2031-06-02.md"'
    assert counts["Content-Disposition"] == 'attachment; filename="health-2031-06-02.json"'


def test_the_health_report_asks_for_a_login(client):
    assert client.get(reverse("admin:health")).status_code == 302


def test_what_has_no_dry_run_is_said(owner, tenant):
    with tenant_scope(tenant.id):
        row = Schedule.objects.get(tenant_id=tenant.id, name="triggers")

    assert "There is no dry run of triggers." in act(owner, "dry_run", row)


def test_who_changed_a_schedule_is_in_the_journal(owner, nightly, tenant):
    change(owner, nightly, cron="0 4 * * *", enabled="on")

    with tenant_scope(tenant.id):
        entry = Entry.objects.filter(operation="schedule.changed", subject_id=nightly.id).latest("at")
    assert entry.data == {"changes": {"cron": {"was": "0 2 * * *", "is": "0 4 * * *"}}}
    assert entry.actor.startswith("member:")


def test_an_operator_looks_and_changes_nothing(login, nightly):
    operator = login(Membership.Role.OPERATOR)

    assert operator.get(reverse(LIST)).status_code == 200
    assert change(operator, nightly, cron="0 4 * * *").status_code == 403
