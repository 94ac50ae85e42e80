"""Whether a start has tables to make."""

import psycopg
from django.db.migrations.loader import MigrationLoader

from apps.stack import tables
from apps.stack.postgres import EmbeddedPostgres


def test_what_is_installed_is_what_django_would_apply() -> None:
    assert tables.installed() == MigrationLoader(None).disk_migrations.keys()


def test_a_migrated_database_is_current(database, postgres: EmbeddedPostgres) -> None:
    assert tables.are_current(postgres.migration_url())


def test_a_database_that_lacks_a_migration_is_not(postgres: EmbeddedPostgres) -> None:
    postgres.bootstrap("unmigrated")
    url = postgres.migration_url("unmigrated")
    assert not tables.are_current(url)

    *applied, last = sorted(tables.installed())
    with psycopg.connect(url, autocommit=True) as made:
        made.execute("SET ROLE memory_owner")
        made.execute("CREATE TABLE django_migrations (app text, name text)")
        made.cursor().executemany("INSERT INTO django_migrations VALUES (%s, %s)", [*applied, ("gone", "0001_initial")])
        assert not tables.are_current(url)

        made.execute("INSERT INTO django_migrations VALUES (%s, %s)", last)
        assert tables.are_current(url)
