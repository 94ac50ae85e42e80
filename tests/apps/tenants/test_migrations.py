"""What a migration does to rows that are there already."""

from collections.abc import Iterator

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from apps.stack.postgres import EmbeddedPostgres
from config.settings import database_settings

BEFORE, AFTER = ("tenants", "0003_recall_by_four_arms"), ("tenants", "0004_understanding")


@pytest.fixture
def empty(postgres: EmbeddedPostgres, django_db_blocker: pytest.FixtureRequest) -> Iterator[BaseDatabaseWrapper]:
    """A database of its own, as its owner sees it."""
    postgres.bootstrap("migrated")
    own = database_settings(postgres.login_url("migrated"), role="memory_owner", pool_size=1)
    connections.settings["migrated"] = {**connections.settings["default"], **own}
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield connections["migrated"]
        connections["migrated"].close()
    del connections["migrated"]
    del connections.settings["migrated"]


def migrated(connection: BaseDatabaseWrapper, target: tuple[str, str]):
    """Go to the migration and return its models' manager of policies, and of tenants."""
    executor = MigrationExecutor(connection)
    state = executor.migrate([target])
    models = state.apps
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
