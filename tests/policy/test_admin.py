"""Every address of the admin: opened by those who may not, and counted for those who may. Chromium judges them, too."""

from functools import partial
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from apps.core.scope import tenant_scope
from apps.tenants.models import Membership, Tenant
from tests.admin_addresses import addresses, one_of_each
from tests.policy import growing
from tests.policy.conftest import CURATED, NAME, SECRET

ADDRESSES = {each.name: each for each in addresses()}
OWNER = Membership.Role.OWNER
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
