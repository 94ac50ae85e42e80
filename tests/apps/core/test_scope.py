from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.db import ProgrammingError, connection, transaction

from apps.core import scope
from apps.core.scope import Reach, tenant_scope, unscoped
from apps.tenants.models import Agent, Category, Policy, Tenant


@pytest.mark.usefixtures("database")
def test_outside_a_scope_the_login_role_is_refused_every_tenant_table():
    for model in (Tenant, Agent, Category, Policy):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            model.objects.count()


def test_inside_a_scope_only_the_own_tenant_exists(make_tenant):
    mine, other = make_tenant(), make_tenant()

    with tenant_scope(mine.id):
        assert [tenant.id for tenant in Tenant.objects.all()] == [mine.id]
        assert not Category.objects.filter(tenant_id=other.id).exists()


def test_a_foreign_row_cannot_be_written(make_tenant):
    mine, other = make_tenant(), make_tenant()

    with pytest.raises(ProgrammingError, match="row-level security"), tenant_scope(mine.id):
        Agent.objects.create(tenant_id=other.id, slug="intruder")

    with tenant_scope(other.id):
        assert not Agent.objects.filter(slug="intruder").exists()


def test_the_scope_ends_with_its_block(tenant: SimpleNamespace):
    with tenant_scope(tenant.id):
        pass

    with pytest.raises(scope.NoScope):
        scope.current()
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Agent.objects.count()


def test_the_scope_does_not_outlive_its_block_inside_a_longer_transaction(tenant: SimpleNamespace):
    def count_inside_then_outside() -> None:
        with transaction.atomic():
            with tenant_scope(tenant.id):
                assert Policy.objects.count() == 1
            Policy.objects.count()

    with pytest.raises(ProgrammingError, match="permission denied"):
        count_inside_then_outside()


def test_a_failed_inner_scope_leaves_the_outer_one_as_it_was(tenant: SimpleNamespace, agent: SimpleNamespace):
    with tenant_scope(tenant.id, agent_id=agent.id, reach=Reach.SHARED):
        with pytest.raises(ValueError, match="inner"), tenant_scope(tenant.id):
            raise ValueError("inner")
        assert _settings() == (str(tenant.id), str(agent.id), "shared")


def test_an_inner_scope_of_the_same_tenant_restores_the_outer_one(tenant: SimpleNamespace, agent: SimpleNamespace):
    with tenant_scope(tenant.id, agent_id=agent.id):
        with tenant_scope(tenant.id):
            assert _settings() == (str(tenant.id), "", "tenant")
        assert _settings() == (str(tenant.id), str(agent.id), "own")


def test_a_scope_of_another_tenant_inside_one_is_a_bug(tenant: SimpleNamespace):
    with tenant_scope(tenant.id), pytest.raises(scope.ScopeMismatch), tenant_scope(uuid4()):
        pass


@pytest.mark.usefixtures("database")
def test_unscoped_needs_an_allowed_reason():
    with pytest.raises(scope.NoScope, match="curiosity"), unscoped("curiosity"):
        pass


def test_unscoped_is_refused_inside_a_scope(tenant: SimpleNamespace):
    with tenant_scope(tenant.id), pytest.raises(scope.ScopeMismatch), unscoped("create a tenant"):
        pass


def _settings() -> tuple[str, str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('app.tenant'), current_setting('app.agent'), current_setting('app.audience')"
        )
        return cursor.fetchone()
