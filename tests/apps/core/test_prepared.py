"""What PostgreSQL has planned once for a connection still sees what the scope of the moment sees."""

from types import SimpleNamespace

import pytest
from django.db import ProgrammingError, connection, transaction

from apps.core.scope import tenant_scope, unscoped
from apps.core.sql import prepared_cursor

COUNT = "SELECT count(*) FROM tenants_agent WHERE slug = %(slug)s"
PLANNED = "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE '%tenants_agent WHERE%'"
OFTEN = 8
"""More often than PostgreSQL plans anew before it keeps a plan."""


def agents(slug: str) -> int:
    with prepared_cursor() as cursor:
        cursor.execute(COUNT, {"slug": slug})
        return int(cursor.fetchone()[0])


def test_a_statement_is_planned_for_the_connection(tenant: SimpleNamespace, agent: SimpleNamespace):
    with tenant_scope(tenant.id):
        counts = [agents(agent.slug) for _ in range(OFTEN)]
        with connection.cursor() as cursor:
            cursor.execute(PLANNED)
            (planned,) = cursor.fetchone()

    assert counts == [1] * OFTEN
    assert planned >= OFTEN


def test_a_kept_plan_sees_the_tenant_of_the_open_scope(make_tenant, tenant: SimpleNamespace, agent: SimpleNamespace):
    other = make_tenant()

    with transaction.atomic():  # one transaction: one connection of the pool
        for _ in range(OFTEN):
            with tenant_scope(tenant.id):
                assert agents(agent.slug) == 1
        with tenant_scope(other.id):
            assert agents(agent.slug) == 0


def test_a_plan_kept_for_the_owner_is_none_for_the_tenant(make_tenant, agent: SimpleNamespace):
    other = make_tenant()

    with transaction.atomic():
        with unscoped("migrate data"):
            assert [agents(agent.slug) for _ in range(OFTEN)][-1] >= 1
        with tenant_scope(other.id):
            assert agents(agent.slug) == 0
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            agents(agent.slug)
