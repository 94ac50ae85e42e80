"""Every address of the console, opened by those who may not: nobody, a stranger with the right ids, each wrong role.

Addresses come from the URL configuration. What a path captures is named `<kind>_id`, of the kinds a victim holds.
"""

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.console import pages, urls
from apps.core.scope import tenant_scope
from apps.memory.models import Rejection
from apps.resources.models import Resource
from apps.tenants import selectors, services
from apps.tenants.access import System
from apps.tenants.models import Membership
from bench.copying import NEW_ID, copied, counting, statement
from tests.policy.conftest import NAME, SECRET, make_agent

WITHOUT_A_PAGE = {"home", "login", "logout", "tenant"}
PAGES = {page.name: page for page in pages.PAGES}
ROLES = [role.value for role in Membership.Role]
# What a path names that each tenant has one of.
EVERY_TENANT_HAS = {"schedule": "triage"}
MOST_QUERIES = 12
FEW, MANY = 3, 30
# Rows of every kind that a page shows, within the memory, session and entity that pages are of; first what others name.
GROWN = {
    "resources_session": {"id": NEW_ID, "external_id": "held.external_id || copy"},
    "resources_resource": {
        "id": NEW_ID,
        "ordinal": "held.ordinal + copy * 100",
        "turn_number": "held.turn_number + copy",
    },
    "memory_item": {"id": NEW_ID, "text": "held.text || copy", "claim_hash": "md5(held.claim_hash || copy)"},
    "budgets_usage": {"id": NEW_ID, "session_id": "gen_random_uuid()"},
    "curation_proposal": {"id": NEW_ID, "claim": "md5(held.claim || copy)", "state": "'queued'"},
    "graph_entity": {
        "id": NEW_ID,
        "canonical_name": "held.canonical_name || copy",
        "name_key": "held.name_key || copy",
    },
    "graph_alias": {"id": NEW_ID, "name": "held.name || copy", "name_key": "held.name_key || copy"},
    "graph_mention": {"id": NEW_ID, "unit_id": copied("unit_id")},
    "graph_relation": {"id": NEW_ID, "digest": "held.digest + copy", "object_id": copied("object_id")},
    "jobs_job": {"id": NEW_ID, "dedup_key": "NULL::text", "state": "'done'"},
    "journal_entry": {"id": NEW_ID},
    "lessons_lesson": {"id": NEW_ID, "item_id": copied("item_id")},
    "memory_extraction": {"id": NEW_ID, "resource_id": copied("resource_id")},
    "memory_item_source": {"id": NEW_ID, "resource_id": copied("resource_id")},
    "memory_item_version": {"id": NEW_ID},
    "memory_rejection": {"id": NEW_ID},
    "resources_checkpoint": {"id": NEW_ID, "turn_number": "held.turn_number + copy"},
    "retrieval_recall": {"id": NEW_ID},
    "retrieval_recalled": {"recall_id": copied("recall_id")},
    "summaries_category_summary": {"id": NEW_ID, "category": "held.category || copy"},
    "summaries_version": {"id": NEW_ID, "number": "held.number + copy"},
    "triggers_future_trigger": {"id": NEW_ID, "digest": "md5(held.digest || copy)"},
}
# What opens and closes a transaction and its scope is no question to the database.
_FRAME = re.compile(r"^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SELECT set_config)", re.IGNORECASE)


@pytest.fixture
def browser_of(database):
    """Somebody logged in who is a member of a tenant in a role."""

    def make(tenant_id, role):
        user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}")
        with tenant_scope(tenant_id):
            services.add_member(user_id=user.pk, role=role, by=System(tenant_id))
        made = Client()
        made.force_login(user)
        return made

    return make


def address(name, ids):
    captured = dict.fromkeys(re.findall(r"<(?:\w+:)?(\w+)>", PAGES[name].path if name in PAGES else ""))
    held = {**ids, **EVERY_TENANT_HAS}
    return reverse(f"console:{name}", kwargs={field: held[field.removesuffix("_id")] for field in captured})


def ask(client, name, ids):
    method = PAGES[name].method if name in PAGES else "GET"
    return client.generic(method, address(name, ids))


def test_every_address_is_a_page_or_a_door():
    assert {pattern.name for pattern in urls.urlpatterns} == WITHOUT_A_PAGE | PAGES.keys()
    assert len(PAGES) == len(pages.PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_nobody_is_asked_to_log_in(victim, name):
    answer = ask(Client(), name, victim.ids)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/console/login/?next=")


@pytest.mark.parametrize("name", PAGES)
def test_a_stranger_gets_nothing_with_the_right_ids(victim, make_tenant, browser_of, name):
    before = victim.counts()
    stranger = browser_of(make_tenant().id, "owner")

    answer = ask(stranger, name, victim.ids)

    assert answer.status_code < 500
    if PAGES[name].has_parameters and PAGES[name].method == "GET":
        assert answer.status_code == 404
    told = answer.content.decode()
    assert not [each for each in (SECRET, NAME, str(victim.tenant_id)) if each in told]
    assert victim.counts() == before


@pytest.mark.parametrize("role", ROLES)
def test_a_role_sees_exactly_its_pages(victim, browser_of, role):
    member = browser_of(victim.tenant_id, role)

    seen = {
        name
        for name, page in PAGES.items()
        if page.method == "GET" and ask(member, name, victim.ids).status_code == 200
    }
    refused = {
        name
        for name, page in PAGES.items()
        if role not in page.roles and ask(member, name, victim.ids).status_code == 403
    }

    assert seen == {name for name, page in PAGES.items() if role in page.roles and page.method == "GET"}
    assert refused == {name for name, page in PAGES.items() if role not in page.roles}


@pytest.mark.parametrize("role", ROLES)
def test_everybody_lands_on_a_page_whose_navigation_is_theirs(victim, browser_of, role):
    landed = browser_of(victim.tenant_id, role).get("/console/", follow=True)

    links = set(re.findall(r'href="(/console/[^"?]+/)"', landed.content.decode()))
    assert landed.status_code == 200
    assert links - {"/console/tenant/"} == {f"/console/{page.path}" for page in pages.seen_by(role)}


@pytest.mark.parametrize("name", [*(name for name, page in PAGES.items() if page.method == "GET"), "login", "tenant"])
def test_pages_run_nothing_of_their_own_and_are_kept_by_nobody(victim, browser_of, name):
    answer = ask(browser_of(victim.tenant_id, "owner"), name, victim.ids)

    assert answer["Content-Security-Policy"].startswith("default-src 'self'; img-src")
    assert answer["Cache-Control"] == "no-store"
    told = answer.content.decode()
    inline = re.findall(r"<script(?![^>]*(?:src=|application/json))[^>]*>|<style|\sstyle=|\son\w+=", told)
    assert inline == []


def turn_down(held):
    """Something that was said in the session and became no memory."""
    with tenant_scope(held.tenant_id):
        said = Resource.objects.filter(session_id=held.ids["session_row"]).latest("ordinal")
        row = Rejection(tenant_id=held.tenant_id, agent_id=held.agent_id, user_id=said.user_id, resource_id=said.id)
        row.text, row.stage, row.reason = "Good morning.", "gate", "chitchat"
        row.save(force_insert=True)


def grow(held, wanted):
    """So many rows of every kind at least, and agents."""
    turn_down(held)
    for number in range(wanted):
        make_agent(held.tenant_id, f"more-{number}-{uuid4().hex[:6]}")
    with tenant_scope(held.tenant_id), connection.cursor() as cursor:
        for table, own in GROWN.items():
            cursor.execute(counting(table), {"tenant": held.tenant_id})
            (count,) = cursor.fetchone()
            assert count > 0, table
            cursor.execute(statement(table, own), {"tenant": held.tenant_id, "copies": wanted})
            cursor.execute(counting(table), {"tenant": held.tenant_id})
            assert cursor.fetchone()[0] >= wanted, table
    return held


@pytest.fixture(scope="module")
def crowds(make_victim):
    """A tenant that has a few rows of every kind, and one that has many."""
    return grow(make_victim(), FEW), grow(make_victim(), MANY)


def questions(browser_of, held, name):
    """What a page asks the database when nothing is remembered of the tenant."""
    owner = browser_of(held.tenant_id, "owner")
    selectors.forget_cached(held.tenant_id)
    selectors._slugs.clear()
    with CaptureQueriesContext(connection) as asked:
        assert ask(owner, name, held.ids).status_code == 200
    return [each["sql"][:160] for each in asked.captured_queries if not _FRAME.match(each["sql"].strip())]


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.method == "GET"])
def test_a_page_asks_few_questions_whatever_there_is(crowds, browser_of, name):
    few, many = (questions(browser_of, held, name) for held in crowds)

    assert len(many) <= MOST_QUERIES, "\n".join(many)
    assert len(many) <= len(few), "\n".join(sorted(set(many) - set(few)))


@pytest.mark.parametrize("page", [page for page in pages.PAGES if page.method == "POST"], ids=lambda page: page.name)
def test_an_action_needs_its_token(victim, browser_of, page):
    owner = browser_of(victim.tenant_id, "owner")
    checking = Client(enforce_csrf_checks=True)
    checking.cookies = owner.cookies

    assert checking.post(address(page.name, victim.ids)).status_code == 403
