"""Logging in to the console, and going on in a tenant."""

import hashlib
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.test import Client

from apps.core.limiter import LOGINS_PER_MINUTE
from apps.core.scope import tenant_scope
from apps.tenants import services
from apps.tenants.access import System

STATIC = Path(__file__).parents[3] / "apps" / "console" / "static" / "console"
PASSWORD = "a long enough password"


@pytest.fixture
def person(database):
    return User.objects.create_user(f"person-{uuid4().hex[:8]}", password=PASSWORD)


def join(tenant, person, role="operator"):
    with tenant_scope(tenant.id):
        services.add_member(user_id=person.pk, role=role, by=System(tenant.id))


def log_in(person, password=PASSWORD, there="/console/login/"):
    browser = Client(REMOTE_ADDR=f"198.51.100.{uuid4().int % 250}")
    return browser, browser.post(there, {"username": person.username, "password": password})


def test_a_member_logs_in_and_comes_back_to_where_they_were_going(person, tenant):
    join(tenant, person)

    browser, answer = log_in(person, there="/console/login/?next=/console/overview/")

    assert (answer.status_code, answer["Location"]) == (302, "/console/overview/")
    assert tenant.slug in browser.get("/console/overview/").content.decode()


@pytest.mark.parametrize("elsewhere", ["https://example.org/", "//example.org", "javascript:alert(1)"])
def test_nobody_is_sent_elsewhere(person, tenant, elsewhere):
    join(tenant, person)

    _, answer = log_in(person, there=f"/console/login/?next={elsewhere}")

    assert answer["Location"] == "/console/"


def test_a_wrong_password_opens_nothing(person):
    browser, answer = log_in(person, "something else")

    assert b"do not match" in answer.content
    assert browser.get("/console/overview/").status_code == 302


def test_attempts_are_counted(person):
    # So many that one minute holds too many of them, wherever it ends.
    answers = [log_in(person, "something else")[1].status_code for _ in range(2 * LOGINS_PER_MINUTE + 1)]

    assert set(answers) == {200, 429}
    assert answers.index(429) >= LOGINS_PER_MINUTE


def test_who_has_several_tenants_chooses_one(person, make_tenant):
    first, second = make_tenant(), make_tenant()
    join(first, person)
    join(second, person, "billing")
    browser, _ = log_in(person)

    asked = browser.get("/console/overview/")
    assert asked["Location"] == "/console/tenant/?next=%2Fconsole%2Foverview%2F"
    answer = browser.post("/console/tenant/", {"tenant": str(first.id), "next": "/console/overview/"}, follow=True)

    assert answer.redirect_chain == [("/console/overview/", 302)]
    assert first.slug in answer.content.decode()
    assert second.slug not in answer.content.decode()


def test_nobody_chooses_a_tenant_that_is_not_theirs(person, make_tenant):
    browser, _ = log_in(person)

    browser.post("/console/tenant/", {"tenant": str(make_tenant().id)})

    assert browser.get("/console/overview/").status_code == 302


def test_who_is_invited_joins(person, tenant):
    with tenant_scope(tenant.id):
        services.invite_member(username=person.username, role="member", by=System(tenant.id))
    browser, _ = log_in(person)

    assert tenant.slug in browser.get("/console/tenant/").content.decode()
    browser.post("/console/tenant/", {"join": str(tenant.id)})

    assert browser.get("/console/overview/").status_code == 200


def test_a_part_that_is_asked_for_without_a_login_takes_the_page_along():
    here = "http://testserver/console/journal/?operation=memory.remember"

    answer = Client().get("/console/overview/", headers={"HX-Request": "true", "HX-Current-URL": here})

    assert parse_qs(urlsplit(answer["HX-Redirect"]).query) == {"next": [here]}


def test_an_action_without_a_login_is_not_done_later(person):
    browser = Client()

    answer = browser.post("/console/schedules/nightly/run/")

    assert answer["Location"] == "/console/login/?next=%2Fconsole%2F"
    assert "Nothing was done, for your login is over." in browser.get(answer["Location"]).content.decode()
    assert "Nothing was done" not in Client().get("/console/login/").content.decode()


def test_a_page_is_not_posted_to_and_an_action_not_opened(person, tenant):
    join(tenant, person, "owner")
    browser, _ = log_in(person)

    posted, opened = browser.post("/console/overview/"), browser.get("/console/schedules/nightly/run/")

    assert [(each.status_code, each["Allow"]) for each in (posted, opened)] == [(405, "GET, HEAD"), (405, "POST")]
    assert "only takes what a form sends" in opened.content.decode()
    assert "To the first page" in opened.content.decode()


def test_a_page_that_keeps_itself_fresh_does_not_keep_anybody_logged_in(person, tenant):
    join(tenant, person)
    browser, _ = log_in(person)

    by_itself = browser.get("/console/overview/", headers={"HX-Request": "true", "HX-Trigger": "fresh"})
    by_somebody = browser.get("/console/overview/")

    assert settings.SESSION_COOKIE_NAME not in by_itself.cookies
    assert by_somebody.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == settings.SESSION_COOKIE_AGE


def test_who_logs_out_is_out(person, tenant):
    join(tenant, person)
    browser, _ = log_in(person)

    assert browser.post("/console/logout/")["Location"] == "/console/login/"
    assert browser.get("/console/overview/").status_code == 302


def test_the_vendored_files_are_the_published_ones():
    sums = dict(reversed(line.split(maxsplit=1)) for line in (STATIC / "SHA256SUMS").read_text().splitlines())
    licences = (STATIC / "LICENSES.txt").read_text()

    assert set(sums) == {path.name for path in STATIC.glob("*.min.*")}
    for name, expected in sums.items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == expected
        assert finders.find(f"console/{name}")
        assert name in licences
