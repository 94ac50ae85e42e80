"""Statements that a connection plans once: they find what a scope may see, whoever had the connection before."""

import pytest
from django.db import DataError, connection

from apps.core.scope import tenant_scope
from apps.core.sql import prepared_cursor
from apps.tenants import services

AGENTS = "SELECT slug FROM tenants_agent WHERE tenant_id = %(tenant)s AND slug = ANY(%(slugs)s::text[])"
MORE_THAN_IT_TAKES = 8


def agents(tenant_id, slugs, of=None):
    with tenant_scope(tenant_id), prepared_cursor() as cursor:
        cursor.execute(AGENTS, {"tenant": of or tenant_id, "slugs": slugs})
        return [slug for (slug,) in cursor.fetchall()]


def prepared():
    with connection.cursor() as cursor:
        cursor.execute("SELECT generic_plans FROM pg_prepared_statements WHERE statement LIKE '%%tenants_agent%%'")
        return cursor.fetchall()


def made(make_tenant, slug):
    tenant = make_tenant()
    with tenant_scope(tenant.id):
        services.create_agent(slug=slug)
    return tenant.id


def test_a_kept_plan_shows_each_tenant_its_own(make_tenant):
    mine, theirs = made(make_tenant, "librarian"), made(make_tenant, "gardener")
    both = ["gardener", "librarian"]

    for _ in range(MORE_THAN_IT_TAKES):
        assert agents(mine, both) == ["librarian"]
        assert agents(theirs, both) == ["gardener"]
        assert agents(theirs, both, of=mine) == []
    ((plans,),) = prepared()
    assert plans > 0


def test_a_statement_is_kept_only_where_it_is_asked_for_and_not_after_a_failure(make_tenant):
    mine = made(make_tenant, "librarian")
    agents(mine, ["librarian"])
    with tenant_scope(mine), connection.cursor() as cursor:
        for _ in range(MORE_THAN_IT_TAKES):
            cursor.execute("SELECT 'not kept' WHERE EXISTS (SELECT FROM tenants_agent)")
    with pytest.raises(DataError), tenant_scope(mine), connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")

    assert agents(mine, ["librarian"]) == ["librarian"]
    assert len(prepared()) == 1
