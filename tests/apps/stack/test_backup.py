"""Backups of small databases on the session's server: what comes back, what is refused, and what stays as it was."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from apps.stack import backup, database
from apps.stack.backup import RestoreTarget
from apps.stack.postgres import EmbeddedPostgres
from memory_platform.errors import Conflict, Invalid, Unavailable


class Kept:
    """A database of its own with one table, whose rows the tests look at."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self.name = f"kept_{uuid4().hex[:8]}"
        self.admin = server.superuser_url("postgres")
        self.login = server.login_url(self.name)
        self.migrator = server.migration_url(self.name)
        server.bootstrap(self.name)

    def run(self, statement: str) -> list[tuple]:
        with psycopg.connect(self.migrator) as connection:
            connection.execute("SET ROLE memory_owner")
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @property
    def rows(self) -> list[tuple]:
        return self.run("SELECT id, text FROM note ORDER BY id")

    def restore(self, file: Path, *, force: bool = False) -> backup.Manifest:
        return backup.restore(file, RestoreTarget(self.admin, self.login, self.migrator), force=force)

    def drop(self) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self.name}")


@pytest.fixture
def kept(postgres: EmbeddedPostgres) -> Iterator[Kept]:
    made = Kept(postgres)
    made.run("CREATE TABLE note (id int PRIMARY KEY, text text, vector vector(2))")
    made.run("ALTER TABLE note ENABLE ROW LEVEL SECURITY")
    made.run("CREATE POLICY note_reads ON note FOR SELECT TO memory_app USING (id > 1)")
    made.run("GRANT SELECT ON note TO memory_app")
    made.run("CREATE TABLE django_session (key text)")
    made.run("GRANT SELECT ON django_session TO memory, memory_migrator")
    made.run("INSERT INTO note VALUES (1, 'one', '[1,2]'), (2, 'two', NULL)")
    yield made
    made.drop()


def rewritten(file: Path, **changes: object) -> Path:
    """The backup with other words in its manifest."""
    other = file.with_name(f"{uuid4().hex}.backup")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(other, "w") as new:
        new.writestr(backup.DUMP, old.read(backup.DUMP))
        new.writestr(backup.MANIFEST, json.dumps({**json.loads(old.read(backup.MANIFEST)), **changes}))
    return other


def test_a_lost_database_comes_back_with_its_rows_rights_and_policies(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "whole.backup"
    made = backup.back_up(kept.migrator, file)
    kept.drop()

    assert kept.restore(file) == made

    assert made.rows == {"django_session": 0, "note": 2}
    assert made.logins == ["memory", "memory_migrator"]
    assert kept.rows == [(1, "one"), (2, "two")]
    with psycopg.connect(kept.login) as connection:
        connection.execute("SET ROLE memory_app")
        assert connection.execute("SELECT id, vector::text FROM note").fetchall() == [(2, None)]
    database.require_prepared(kept.login, kept.migrator)


def test_a_backup_is_for_its_owner_only_and_never_overwritten(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "once.backup"
    backup.back_up(kept.migrator, file)
    before = file.read_bytes()

    assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict, match="is there already"):
        backup.back_up(kept.migrator, file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["once.backup"]


def test_data_that_is_there_is_replaced_by_force_only(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "old.backup"
    backup.back_up(kept.migrator, file)
    kept.run("INSERT INTO note VALUES (3, 'three', NULL)")

    with pytest.raises(Conflict, match="holds 2 tables"):
        kept.restore(file)
    assert len(kept.rows) == 3

    kept.restore(file, force=True)
    assert kept.rows == [(1, "one"), (2, "two")]
    assert databases_like(kept) == [kept.name]


def test_a_database_somebody_uses_is_not_replaced(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "used.backup"
    backup.back_up(kept.migrator, file)

    with psycopg.connect(kept.login), pytest.raises(Conflict, match="1 connections to the database"):
        kept.restore(file, force=True)


def test_a_damaged_file_is_refused_before_anything_is_touched(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "good.backup"
    backup.back_up(kept.migrator, file)
    cut = tmp_path / "cut.backup"
    cut.write_bytes(file.read_bytes()[:-40])

    for bad, words in (
        (cut, "is not a whole backup"),
        (rewritten(file, sha256="0" * 64), "is damaged"),
        (rewritten(file, format=99), "has format 99"),
        (rewritten(file, logins=["memory", "other"]), "grants rights to other, which the server does not have"),
    ):
        with pytest.raises(Invalid, match=words):
            kept.restore(bad, force=True)
    assert len(kept.rows) == 2


def test_a_restore_that_fails_leaves_the_database_as_it_was(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "short.backup"
    backup.back_up(kept.migrator, file)
    kept.run("INSERT INTO note VALUES (3, 'three', NULL)")

    with pytest.raises(Unavailable, match="in note; nothing was replaced"):
        kept.restore(rewritten(file, rows={"django_session": 0, "note": 5}), force=True)

    assert len(kept.rows) == 3
    assert databases_like(kept) == [kept.name]


def test_what_is_written_while_the_backup_runs_is_not_half_in_it(kept: Kept, tmp_path: Path) -> None:
    """The rows are counted in the snapshot that is dumped, whenever that happens."""
    file = tmp_path / "snapshot.backup"
    with psycopg.connect(kept.migrator) as writer:
        writer.execute("SET ROLE memory_owner")
        writer.execute("INSERT INTO note VALUES (9, 'not yet', NULL)")
        made = backup.back_up(kept.migrator, file)
        writer.commit()

    assert made.rows == {"django_session": 0, "note": 2}
    kept.restore(file, force=True)
    assert len(kept.rows) == 2


def test_a_client_older_than_the_server_is_not_used(tmp_path: Path, monkeypatch) -> None:
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 15.4'\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert backup.program("pg_dump", 18, folders=[]) is None
    assert backup.program("pg_dump", 15, folders=[]) == str(old)


def databases_like(kept: Kept) -> list[str]:
    with psycopg.connect(kept.admin) as connection:
        rows = connection.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE %s ORDER BY 1", [f"{kept.name}%"]
        ).fetchall()
    return [name for (name,) in rows]
