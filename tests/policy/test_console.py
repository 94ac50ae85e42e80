"""Every address of the console, opened by those who may not: nobody, a stranger with the right ids, each wrong role.

Chromium opens them as a stranger, too.
"""

import re
from functools import partial

import pytest
from django.test import Client

from apps.console import pages
from apps.console.views.recall import VIEWS
from apps.tenants.models import Membership
from tests.console_addresses import NAMES, PAGES, address
from tests.policy import growing
from tests.policy.conftest import NAME, SECRET

WITHOUT_A_PAGE = {"home", "login", "logout", "tenant"}
ROLES = [role.value for role in Membership.Role]
# An answer of the recall explorer is a page and a recall, or two to compare: more than a page that only shows. What a
# recall takes when its caches are warm is pinned in statements.json, here without the key that asks there.
AROUND_RECALLS, OF_A_RECALL = 7, 11
# What replaced a hit is read once more where it was not among the hits itself: what passes, its row, its sources.
OF_SUCCESSORS = 3


@pytest.fixture
def browser_of(database):
    """Somebody logged in who is a member of a tenant in a role."""
    return growing.member


def ask(client, name, ids):
    method = PAGES[name].method if name in PAGES else "GET"
    return client.generic(method, address(name, ids))


def test_every_address_is_a_page_or_a_door():
    assert WITHOUT_A_PAGE | PAGES.keys() == NAMES
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


@pytest.fixture(scope="module")
def crowds(make_victim):
    """A tenant that has a few rows of every kind, and one that has many."""
    return growing.grow(make_victim(), growing.FEW), growing.grow(make_victim(), growing.MANY)


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if page.method == "GET"])
def test_a_page_asks_few_questions_whatever_there_is(crowds, browser_of, name):
    def asked(held):
        owner = browser_of(held.tenant_id, "owner")
        return growing.statements(held, lambda: ask(owner, name, held.ids))

    growing.require_few(*map(asked, crowds))


@pytest.mark.parametrize("view", VIEWS)
def test_the_recall_explorer_asks_little_beside_its_recalls_whatever_there_is(crowds, browser_of, view):
    given = {"question": "Where is the safe combination?", "view": view, "relevance_floor": "0.2"}

    def asked(held):
        owner = browser_of(held.tenant_id, "owner")
        answer = partial(owner.post, address("recall_answer", {}), given)
        answer()
        return growing.statements(held, answer)

    recalls = 2 if view == "numbers" else 1
    growing.require_few(
        *map(asked, crowds), most=AROUND_RECALLS + recalls * OF_A_RECALL, by_chance=recalls * OF_SUCCESSORS
    )


@pytest.mark.parametrize("page", [page for page in pages.PAGES if page.method == "POST"], ids=lambda page: page.name)
def test_an_action_needs_its_token(victim, browser_of, page):
    owner = browser_of(victim.tenant_id, "owner")
    checking = Client(enforce_csrf_checks=True)
    checking.cookies = owner.cookies

    assert checking.post(address(page.name, victim.ids)).status_code == 403
