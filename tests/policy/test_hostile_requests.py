"""What no browser sends: cookies and queries that PostgreSQL would refuse are the sender's mistake, never ours."""

import io
import logging

import pytest
import structlog
from django.conf import settings
from django.contrib import admin
from django.db import IntegrityError, connection
from django.db.models import DateField
from django.test import Client
from django.urls import reverse

from apps.core.scope import tenant_scope
from apps.tenants.models import Membership
from config import logs
from tests.policy import growing

PAGES = ("/", "/console/", "/console/login/", "/admin/", "/admin/login/", "/api/v1/viewer", "/graphql")
COOKIES = ("\0abcdefgh", "\0" * 32, "a" * 31 + "\0", "é" * 32, "A" * 32, "x" * 100_000, "' OR 1=1 --", "")
NULLS = ("%00", "a%00b", "%00%ff", "%ed%a0%80%00")
# Years and offsets that no calendar or database knows; the last are two values where one is meant.
NO_TIMES = (
    "year=-30",
    "year=0",
    "year=10000",
    f"year={10**30}",
    "gte=2024-05-01T12:00:00-16:00",
    "gte=9999-12-31T23:59:59-23:59",
    "lt=0001-01-01T00:00:00%2B23:59",
    "gte=2024-05-01T12:00:00-16:00&created_at__gte=2",
    "year=2024&created_at__year=-30",
)
WORDS = "the-cellist-lives-in-lund"


@pytest.fixture(scope="module")
def owner(victim):
    return growing.member(victim.tenant_id, Membership.Role.OWNER, is_staff=True, is_superuser=True)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("cookie", [settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "messages"])
def test_a_cookie_that_is_none_of_ours_is_nobodys(page, cookie):
    for value in COOKIES:
        browser = Client()
        browser.cookies[cookie] = value
        assert browser.get(page).status_code < 500, value


def test_a_session_that_is_one_of_ours_goes_on(owner):
    assert owner.get("/admin/", follow=True).status_code == 200


@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model._meta.label_lower)
def test_a_query_with_a_null_character_is_a_bad_request(owner, model):
    there = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    names = {"q", "o", "p", "state", "slug", "by", *(each.name for each in model._meta.get_fields())}
    asked = [f"{name}{lookup}" for name in sorted(names) for lookup in ("", "__exact", "__contains")]

    answers = {owner.get(f"{there}?{name}={NULLS[0]}").status_code for name in asked}
    answers |= {owner.get(f"{there}?state={value}").status_code for value in NULLS}

    told = owner.get(f"{there}?{NULLS[0]}=1", headers={"Accept": "text/html"})
    assert answers == {400}
    assert (told.status_code, "A query holds no null characters." in told.content.decode()) == (400, True)


@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model._meta.label_lower)
def test_a_time_that_there_is_not_is_no_failure_of_a_list(owner, model):
    there = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    times = [each.name for each in model._meta.get_fields() if isinstance(each, DateField)]
    asked = [f"{name}__{lookup}" for name in times for lookup in NO_TIMES]

    answers = {lookup: owner.get(f"{there}?{lookup}", follow=True).status_code for lookup in asked}

    assert {lookup: status for lookup, status in answers.items() if status >= 500} == {}


@pytest.fixture(params=["text", "json"])
def log(request):
    """What the handler of a process would have written."""
    root, configured = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers, root.level
    logs.logging_settings(request.param, "INFO")
    (handler,) = root.handlers
    written = io.StringIO()
    handler.setStream(written)
    yield written
    root.handlers = handlers
    root.setLevel(level)
    structlog.configure(**configured)


def test_what_is_refused_for_safety_is_logged_without_the_callers_words(log):
    strict = Client(enforce_csrf_checks=True)

    strict.get("/", headers={"Host": f"{WORDS}.example"})
    strict.post("/console/login/", {"a": "b"}, headers={"Origin": f"https://{WORDS}.example"})
    strict.post(
        "/console/login/", {"a": "b"}, secure=True, headers={"Referer": f"https://elsewhere.example/?q={WORDS}"}
    )

    assert "refused: DisallowedHost" in log.getvalue()
    assert "refused: csrf" in log.getvalue()
    assert WORDS not in log.getvalue()


def test_a_failure_is_logged_with_its_frames_and_without_what_it_quotes(log, victim):
    try:
        with tenant_scope(victim.tenant_id), connection.cursor() as cursor:
            row = [victim.tenant_id, WORDS]
            cursor.execute("INSERT INTO tenants_agent (id, tenant_id, slug) VALUES (NULL, %s, %s)", row)
    except IntegrityError:
        logging.getLogger("apps").exception("not written")

    told = log.getvalue()
    assert "not written" in told
    assert "psycopg.errors.NotNullViolation: 23502" in told
    assert "django.db.utils.IntegrityError" in told
    assert "test_hostile_requests.py" in told
    assert WORDS not in told
