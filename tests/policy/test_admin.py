"""Every address of the admin: opened by those who may not, and counted for those who may. Chromium judges them, too."""

import re
from datetime import timedelta
from decimal import Decimal
from functools import partial
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client

from apps.api import verbs
from apps.budgets.models import Budget
from apps.budgets.services import set_budget
from apps.console import pages
from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.curation.models import Proposal, ProposalState
from apps.jobs.models import Job, JobState, Schedule
from apps.tenants import services
from apps.tenants.access import SCOPES
from apps.tenants.models import ApiKey, Membership, Tenant
from tests.admin_addresses import addresses, one_of_each
from tests.policy import growing
from tests.policy.conftest import CURATED, NAME, SECRET

ADDRESSES = {each.name: each for each in addresses()}
OWNER = Membership.Role.OWNER
ROLES = Membership.Role.values
ADMIN, BILLING = ApiKey.Scope.ADMIN, ApiKey.Scope.BILLING
READ, REVIEW = ApiKey.Scope.READ, ApiKey.Scope.REVIEW
# What one needs to look at a page, the verb that reads the same and the page of the console that shows it, if any.
NEEDED = {
    "budgets.budget": (BILLING, "budgets", "cost"),
    "budgets.price": (BILLING, None, "cost"),
    "curation.curatedentry": (READ, "curatedMemory", "curated"),
    "curation.proposal": (REVIEW, "proposals", "review"),
    "erasure.erasure": (ADMIN, "erasures", None),
    "jobs.job": (REVIEW, "jobs", "jobs"),
    "jobs.schedule": (REVIEW, "schedules", "schedules"),
    "lessons.lesson": (READ, "lessons", "lessons"),
    "lessons.lessonversion": (READ, "lessons", "lessons"),
    "summaries.categorysummary": (READ, "summaries", "summaries"),
    "tenants.apikey": (ADMIN, "keys", None),
    "tenants.category": (READ, "categories", None),
    "triggers.futuretrigger": (READ, "triggers", "triggers"),
}
NEEDED |= dict.fromkeys(
    ("tenants.agent", "tenants.membership", "tenants.policy", "tenants.tenant"), (ADMIN, None, None)
)
# Of the servers, for superusers.
SERVERS = {"auth.group", "auth.user"}
# Not shown: sent elsewhere, forbidden, not found, or nothing to look at.
NOT_SHOWN = {302, 403, 404, 405}


@pytest.fixture(scope="module")
def rows(victim):
    growing.member(victim.tenant_id, OWNER, is_staff=True)
    return one_of_each(victim.tenant_id)


@pytest.fixture(scope="module")
def crowds(make_victim):
    """A tenant that has a few rows of every kind, and one that has many: its superuser, and one row of each."""
    return [_crowd(growing.grow(make_victim(), wanted)) for wanted in (growing.FEW, growing.MANY)]


def _crowd(held):
    root = growing.member(held.tenant_id, OWNER, is_staff=True, is_superuser=True)
    return held, root, one_of_each(held.tenant_id)


@pytest.fixture(scope="module")
def troubled(make_victim):
    """A tenant of which the first page has something of each kind to say, and one row of each kind."""
    held = make_victim()
    growing.member(held.tenant_id, OWNER, is_staff=True)
    with tenant_scope(held.tenant_id):
        services.set_suspended(suspended=True)
        services.create_key(agent_id=held.agent_id, scopes=["read"], expires_at=now() + timedelta(days=3))
        set_budget(agent_id=None, period=Budget.Period.MONTH, soft_usd=Decimal(0), hard_usd=Decimal(10))
        Schedule.objects.filter(name="nightly").update(next_run_at=now() - timedelta(hours=1))
        Job.objects.filter(id=held.ids["job"]).update(state=JobState.FAILED, finished_at=now())
        Proposal.objects.filter(id=held.ids["proposal"]).update(state=ProposalState.QUEUED)
    return held, one_of_each(held.tenant_id)


@pytest.mark.parametrize("name", ADDRESSES)
def test_nobody_is_asked_to_log_in(rows, name):
    answer = Client().get(ADDRESSES[name].of(rows))

    if name == "login":
        assert answer.status_code == 200
    else:
        there = "/admin/" if name == "logout" else "/admin/login/"
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, there)


@pytest.mark.parametrize("name", ADDRESSES)
def test_an_owner_of_another_tenant_gets_nothing_with_the_right_ids(victim, rows, make_tenant, name):
    """Over HTTP: what a browser is not sent, it cannot show."""
    stranger = growing.member(make_tenant().id, OWNER, is_staff=True)
    with tenant_scope(victim.tenant_id):
        slug = Tenant.objects.get().slug
    there, before = ADDRESSES[name].of(rows), victim.counts()

    answers = [stranger.get(there, follow=True), stranger.post(there, {"post": "yes"})]

    if ADDRESSES[name].has_row:
        assert {stranger.get(there).status_code, answers[1].status_code} <= NOT_SHOWN
    for answer in answers:
        assert answer.status_code < 500
        assert [each for each in (SECRET, NAME, CURATED, slug) if each in answer.content.decode()] == []
    assert victim.counts() == before


def test_every_page_says_itself_what_one_needs_to_look_at_it():
    said = {model._meta.label_lower: vars(type(page)).get("needs") for model, page in admin.site._registry.items()}

    assert said == {model: needs for model, (needs, *_) in NEEDED.items()} | dict.fromkeys(SERVERS)


@pytest.mark.parametrize("model", NEEDED)
def test_the_admin_shows_nobody_what_verb_and_console_do_not(model):
    needs, verb, page = NEEDED[model]
    reading = {needs} if verb is None else {verbs.VERBS[verb].scope, verbs.VERBS[verb].or_scope}
    shown = ROLES if page is None else next(each.roles for each in pages.PAGES if each.name == page)

    assert _with(needs) == {role for role in ROLES if reading & SCOPES[role] and role in shown}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_exactly_the_lists_and_rows_it_has_the_scope_for(victim, rows, role):
    member = growing.member(victim.tenant_id, role, is_staff=True)

    found = {
        (model, page): member.get(ADDRESSES[f"{model.replace('.', '_')}_{page}"].of(rows), follow=True).status_code
        for model in NEEDED.keys() | SERVERS
        for page in ("changelist", "change")
    }

    assert found == {
        (model, page): 200 if model in NEEDED and role in _with(NEEDED[model][0]) else 403 for model, page in found
    }


@pytest.mark.parametrize("role", ROLES)
def test_no_page_links_to_one_that_is_not_open_to_the_role(troubled, role):
    held, held_rows = troubled
    member = growing.member(held.tenant_id, role, is_staff=True)
    opened = [member.get(each.of(held_rows), follow=True) for each in ADDRESSES.values() if each.name != "logout"]

    linked = {there for page in opened if page.status_code == 200 for there in _links(page)}

    lists = {each.of({}) for each in ADDRESSES.values() if each.name.endswith("_changelist")}
    theirs = {f"{model.replace('.', '_')}_changelist" for model in NEEDED if role in _with(NEEDED[model][0])}
    assert linked & lists == {ADDRESSES[name].of({}) for name in theirs}
    assert {there for there in linked if member.get(there, follow=True).status_code == 403} == set()


CONCERNS = {
    "tenant is suspended": ADMIN,
    "proposal waits": REVIEW,
    "erasure waits": ADMIN,
    "key stops": ADMIN,
    "schedule is overdue": REVIEW,
    "job failed": REVIEW,
    "budget is near": BILLING,
}


@pytest.mark.parametrize("role", ROLES)
def test_the_first_page_tells_a_role_of_what_it_may_look_at(troubled, role):
    index = growing.member(troubled[0].tenant_id, role, is_staff=True).get("/admin/")

    told = {each for each in CONCERNS for concern in index.context["concerns"] if each in concern.text}
    spent = any("Spent" in figure.name for figure in index.context["figures"])

    assert told == {each for each, needs in CONCERNS.items() if role in _with(needs)}
    assert len(index.context["concerns"]) == len(told)
    assert spent == (role in _with(BILLING))


def test_who_reviews_sees_no_history_of_an_erasure(victim, rows):
    operator = growing.member(victim.tenant_id, Membership.Role.OPERATOR, is_staff=True)

    assert operator.get(ADDRESSES["curation_proposal_history"].of(rows)).status_code == 200
    assert operator.get(ADDRESSES["erasure_erasure_history"].of(rows)).status_code == 403


def _with(needs):
    return {role for role in ROLES if needs in SCOPES[role]}


def _links(page):
    return set(re.findall(r'href="(/(?:admin|console)/[^"?#]*)', page.content.decode()))


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_takes_few_statements_whatever_there_is(crowds, name):
    (few, many) = (partial(root.get, ADDRESSES[name].of(held_rows)) for _, root, held_rows in crowds)

    if (status := many().status_code) != 200:
        assert status in NOT_SHOWN
        return
    few()
    growing.require_few(growing.statements(crowds[0][0], few), growing.statements(crowds[1][0], many))


@pytest.mark.parametrize(("name", "more"), [("auth_user_changelist", User), ("auth_group_changelist", Group)])
def test_a_list_of_the_servers_takes_few_statements_whatever_there_is(crowds, name, more):
    held, root, held_rows = crowds[0]
    listed = partial(root.get, ADDRESSES[name].of(held_rows))
    few = growing.statements(held, listed)

    column = "username" if more is User else "name"
    more.objects.bulk_create(more(**{column: uuid4().hex}) for _ in range(growing.MANY))

    growing.require_few(few, growing.statements(held, listed))
