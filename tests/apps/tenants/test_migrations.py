"""What a migration does to rows that are there already."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from apps.stack.postgres import EmbeddedPostgres
from config.settings import database_settings

BEFORE, AFTER = ("tenants", "0003_recall_by_four_arms"), ("tenants", "0004_understanding")
TOGETHER = [
    ("budgets", "0002_usage_failed_calls"),
    ("graph", "0003_users_apart"),
    ("index", "0005_multilingual"),
    ("jobs", "0002_functions"),
    ("journal", "0002_users_apart"),
    ("memory", "0004_users_apart"),
    ("resources", "0002_users_apart"),
    ("retrieval", "0002_users_apart"),
    ("tenants", "0005_key_of_a_user"),
]
APART = [
    ("budgets", "0003_agents_apart"),
    ("graph", "0004_agents_apart"),
    ("index", "0006_agents_apart"),
    ("journal", "0003_agents_apart"),
    ("memory", "0005_agents_apart"),
    ("resources", "0003_agents_apart"),
    ("retrieval", "0003_agents_apart"),
    ("tenants", "0006_agents_and_admins"),
]


@pytest.fixture
def empty(postgres: EmbeddedPostgres, django_db_blocker: pytest.FixtureRequest) -> Iterator[BaseDatabaseWrapper]:
    """A database of its own, as its owner sees it."""
    name = f"migrated_{uuid4().hex[:8]}"
    postgres.bootstrap(name)
    own = database_settings(postgres.migration_url(name), role="memory_owner", pool_size=1)
    connections.settings["migrated"] = {**connections.settings["default"], **own}
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield connections["migrated"]
        connections["migrated"].close()
    del connections["migrated"]
    del connections.settings["migrated"]


def migrated(connection: BaseDatabaseWrapper, target: tuple[str, str]):
    """Go to the migration and return its models' manager of policies, and of tenants."""
    executor = MigrationExecutor(connection)
    models = executor.migrate([target]).apps
    return models.get_model("tenants", "Policy").objects.using("migrated"), models.get_model("tenants", "Tenant")


def test_numbers_without_their_old_meaning_start_again_and_chosen_ones_stay(empty):
    policies, tenant = migrated(empty, BEFORE)
    for slug, numbers in (
        ("untouched", {"fusion": "contextual", "gate_minimum_length": 12, "relevance_floor": 0.5}),
        ("chosen", {"fusion": "keyword", "gate_minimum_length": 20, "relevance_floor": 0.9}),
    ):
        policies.create(tenant=tenant.objects.using("migrated").create(slug=slug, name=slug), **numbers)

    policies, _ = migrated(empty, AFTER)

    rows = policies.values_list("tenant__slug", "fusion", "gate_minimum_length", "relevance_floor", "relevance_sure")
    assert sorted(rows) == [("chosen", "keyword", 20, 0.001, 0.1), ("untouched", "learned", 4, 0.001, 0.1)]
    assert set(policies.values_list("merge_from", "close_from", "doubt_from")) == {(None, None, None)}


def test_rows_that_are_there_keep_to_their_agent_and_members_stay(empty):
    executor = MigrationExecutor(empty)
    executor.migrate(TOGETHER)
    models = executor.loader.project_state(TOGETHER).apps
    tenant = _create(models, "tenants.Tenant", slug="held", name="held")
    login = _create(models, "auth.User", username="owner")
    member = _create(models, "tenants.Membership", tenant=tenant, user=login, role="owner")
    own, other = (_create(models, "tenants.Agent", tenant=tenant, slug=slug) for slug in ("own", "other"))
    for agent in (own, other):
        key = {"prefix": agent.slug, "secret_hash": b"", "scopes": ["read"]}
        _create(models, "tenants.ApiKey", tenant=tenant, agent_id=agent.id, **key)
        _create(models, "journal.Entry", tenant_id=tenant.id, agent_id=agent.id, operation="x", actor="agent")
        _create(models, "journal.LogText", tenant_id=tenant.id, entry_id=agent.id, agent_id=agent.id, action="x")
        _create(models, "resources.Session", tenant_id=tenant.id, agent_id=agent.id, external_id="chat")
        _create(models, "retrieval.Recall", tenant_id=tenant.id, agent_id=agent.id, query="?", rewritten="?")
    with empty.cursor() as cursor:
        assert _seen(cursor, tenant.id, own.id) == dict.fromkeys(SEEN, 2)

        MigrationExecutor(empty).migrate(APART)

        assert _seen(cursor, tenant.id, own.id) == {**dict.fromkeys(SEEN, 1), "tenants_api_key": 0}
        assert _seen(cursor, tenant.id, None) == dict.fromkeys(SEEN, 2)
        cursor.execute("SELECT id, role FROM member_tenants(%s)", [login.pk])
        assert cursor.fetchall() == [(tenant.id, member.role)]


def test_the_policies_go_back_the_way_they_came(empty):
    executor = MigrationExecutor(empty)
    executor.migrate(TOGETHER)
    before = _policies(empty)

    MigrationExecutor(empty).migrate(APART)
    apart = _policies(empty)
    MigrationExecutor(empty).migrate(TOGETHER)

    assert apart != before
    assert _policies(empty) == before


SEEN = ("journal_entry", "journal_log_text", "resources_session", "retrieval_recall", "tenants_api_key")


def _create(models, model, **values):
    return models.get_model(model).objects.using("migrated").create(**values)


def _seen(cursor, tenant_id, agent_id):
    """How many rows of each table a scope sees: an agent's, or without one the whole tenant's."""
    settings = [str(tenant_id), str(agent_id or ""), "own" if agent_id else "tenant"]
    cursor.execute("BEGIN")
    cursor.execute(
        "SELECT set_config('role', 'memory_app', true), set_config('app.tenant', %s, true),"
        " set_config('app.agent', %s, true), set_config('app.audience', %s, true), set_config('app.user', '*', true)",
        settings,
    )
    cursor.execute(" UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in SEEN))
    seen = dict(cursor.fetchall())
    cursor.execute("ROLLBACK")
    return seen


def _policies(connection):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT polrelid::regclass::text, polname, pg_get_expr(polqual, polrelid),"
            " pg_get_expr(polwithcheck, polrelid) FROM pg_policy ORDER BY 1, 2"
        )
        return cursor.fetchall()
