"""Starts PostgreSQL, Valkey, the web server and the worker in order, restarts what dies, stops everything in order.

Servers named by MEMORY_DATABASE_URL and MEMORY_REDIS_URL are used instead of the embedded ones.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Protocol

from apps.stack import tables
from apps.stack.data_root import RUNNING, FolderLock, home_of, remembered_secret, write_private
from apps.stack.database import require_prepared
from apps.stack.logs import LogFollower
from apps.stack.memory_use import process_tree
from apps.stack.network import LOOPBACK, free_port, require_free_port
from apps.stack.postgres import EmbeddedPostgres
from apps.stack.process import Program, bound_to_parent
from apps.stack.service import Service, always_ready
from apps.stack.valkey import EmbeddedValkey, require_answering
from memory_platform.errors import Unavailable

WATCH_SECONDS = 0.2
FIRST_BACKOFF_SECONDS = 0.2
LONGEST_BACKOFF_SECONDS = 30.0
STEADY_SECONDS = 60.0
COMMAND_SECONDS = 600.0
# Two malloc arenas and one BLAS thread: threads otherwise multiply memory, and the models bring their own threads.
# As root the worker would explain at every start that it should not be, in the log of a machine that has only root.
DEFAULTS = {
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
}

# What a first start made, with its secrets until they were shown: a start that fails half-way must not lose them.
FIRST_TENANT = "first-tenant.json"

LOGS = {
    "postgres": "postgres/postgres.log",
    "valkey": "valkey/valkey.log",
    "web": "logs/web.log",
    "worker": "logs/worker.log",
}

Report = Callable[[str], None]


SECOND_HINT = (
    "`memory doctor` tells whether it answers. Stop it, or start another: `MEMORY_HOME=FOLDER memory serve --port 0`."
)


@dataclass(frozen=True, slots=True)
class StackOptions:
    """What to start and where. A port of None, or 0 for the web server, picks a free one.

    `environment` holds more MEMORY_* variables for the processes; `durable=False` is for data that is thrown away.
    """

    root: Path
    host: str = LOOPBACK
    port: int = 8000
    postgres_port: int | None = None
    valkey_port: int | None = None
    database_url: str | None = None
    migration_url: str | None = None
    redis_url: str | None = None
    web: bool = True
    worker: bool = True
    worker_threads: int = 3
    durable: bool = True
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> "StackOptions":
        """MEMORY_HOME, _HOST, _PORT, _DATABASE_URL, _MIGRATION_URL, _REDIS_URL, or their defaults."""
        return cls(
            root=home_of(variables),
            host=variables.get("MEMORY_HOST") or LOOPBACK,
            port=int(variables.get("MEMORY_PORT") or 8000),
            database_url=variables.get("MEMORY_DATABASE_URL") or None,
            migration_url=variables.get("MEMORY_MIGRATION_URL") or None,
            redis_url=variables.get("MEMORY_REDIS_URL") or None,
        )


class Component(Protocol):
    """One part of the stack."""

    name: str
    log: Path

    @property
    def pid(self) -> int | None: ...
    @property
    def is_running(self) -> bool: ...
    @property
    def exit_code(self) -> int | None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...


@dataclass(slots=True)
class Health:
    """When a component may be started again after it died. A minute of steady running resets the wait."""

    backoff_seconds: float = FIRST_BACKOFF_SECONDS
    started_at: float = 0.0
    restart_at: float | None = None
    restarts: int = 0

    def died(self, now: float) -> float:
        """Return the seconds to wait, twice as many as the last time."""
        if now - self.started_at > STEADY_SECONDS:
            self.backoff_seconds = FIRST_BACKOFF_SECONDS
        wait = self.backoff_seconds
        self.restart_at = now + wait
        self.backoff_seconds = min(2 * wait, LONGEST_BACKOFF_SECONDS)
        return wait


class Stack:
    """The whole stack, or the parts `options` asks for. Use it from one thread; `watch` may have its own."""

    def __init__(self, options: StackOptions, *, report: Report) -> None:
        self.options = options
        self.root = options.root.resolve()
        self.port = options.port
        self.first_tenant: Mapping[str, object] = {}
        self._report = report
        self._lock = FolderLock(self.root, hint=SECOND_HINT)
        self._components: list[Component] = []
        self._health: dict[str, Health] = {}
        self._watched = threading.Lock()
        self.postgres = (
            None
            if options.database_url
            else EmbeddedPostgres(self.root / "postgres", port=options.postgres_port, durable=options.durable)
        )
        self.valkey = None if options.redis_url else EmbeddedValkey(self.root / "valkey", options.valkey_port)

    @property
    def url(self) -> str:
        """Where the web server answers, as seen from this machine."""
        host = LOOPBACK if self.options.host in {"0.0.0.0", "::", ""} else self.options.host  # noqa: S104 - compared
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def database_url(self) -> str:
        return self.postgres.login_url() if self.postgres else self.options.database_url or ""

    @property
    def migration_url(self) -> str:
        """Where migrations and commands go; the database's own URL where they have no login of their own."""
        if self.postgres:
            return self.postgres.migration_url()
        return self.options.migration_url or self.database_url

    @property
    def redis_url(self) -> str:
        return self.valkey.url if self.valkey else self.options.redis_url or ""

    @property
    def variables(self) -> dict[str, str]:
        """The MEMORY_* variables that tie a process to this stack."""
        secret = os.environ.get("MEMORY_SECRET_KEY") or remembered_secret(self.root, "django")
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "MEMORY_HOME": str(self.root),
            "MEMORY_DATABASE_URL": self.database_url,
            "MEMORY_REDIS_URL": self.redis_url,
            "MEMORY_SECRET_KEY": secret,
            "MEMORY_HOST": self.options.host,
            "MEMORY_PORT": str(self.port),
            **self.options.environment,
        }

    @property
    def command_variables(self) -> dict[str, str]:
        """The same for commands, which may look across tenants."""
        return self.variables | {"MEMORY_MIGRATION_URL": self.migration_url}

    @property
    def environment(self) -> dict[str, str]:
        """The full environment of the stack's processes, which serve requests: nothing of the tables' owner in it."""
        owners = {"MEMORY_DATABASE_ROLE", "MEMORY_MIGRATION_URL"}
        inherited = {name: value for name, value in os.environ.items() if name not in owners}
        return {**DEFAULTS, **inherited, **self.variables}

    @property
    def pids(self) -> dict[str, int]:
        """The main process of every running component."""
        return {component.name: component.pid for component in self._components if component.pid is not None}

    @property
    def logs(self) -> dict[str, Path]:
        return {component.name: component.log for component in self._components}

    @property
    def restarts(self) -> dict[str, int]:
        return {name: health.restarts for name, health in self._health.items()}

    def all_pids(self) -> dict[str, list[int]]:
        """Every process of every running component, its children included."""
        return {name: process_tree(pid) for name, pid in self.pids.items()}

    def start(self) -> None:
        """Start in order and return when the web server answers. Raises Unavailable; nothing then stays behind."""
        self._lock.acquire()
        try:
            self._clear_leftovers()
            self._claim_web_port()
            self._start_databases()
            self._set_up()
            self._start_services()
            write_private(self.root / RUNNING, self._as_shell())
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop in the opposite order, each within its bounds; fine at any moment and more than once."""
        with self._watched:
            for component in reversed(self._components):
                component.stop()
            self._components.clear()
        (self.root / RUNNING).unlink(missing_ok=True)
        self._lock.release()

    def forget_secrets(self) -> None:
        """Those of the first tenant, once they were shown."""
        told = {"created": False, "tenant": self.first_tenant["tenant"]}
        write_private(self.root / FIRST_TENANT, json.dumps(told))

    def watch(self) -> None:
        """One look at every component: what died is restarted once its wait is over. Never raises for a component."""
        with self._watched:
            for component in self._components:
                if not component.is_running:
                    self._revive(component, time.monotonic())

    def manage(self, *arguments: str, as_owner: bool = False) -> str:
        """Run a Django management command against this stack and return what it printed.

        Raises Unavailable with the end of its output when it fails.
        """
        environment = self.environment | self.command_variables
        if as_owner:
            environment["MEMORY_DATABASE_ROLE"] = "memory_owner"
        program = Program(name="manage", command=[sys.executable, "-m", "django", *arguments])
        try:
            done = subprocess.run(  # noqa: S603 - the command is ours
                bound_to_parent(program),
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=COMMAND_SECONDS,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as error:
            raise Unavailable(f"`{arguments[0]}` took longer than {COMMAND_SECONDS:.0f} seconds") from error
        if done.returncode:
            said = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
            raise Unavailable(f"`{arguments[0]}` failed (exit {done.returncode}):\n{said}")
        return done.stdout

    def _claim_web_port(self) -> None:
        if self.options.port == 0:
            self.port = free_port()
        elif self.options.web:
            require_free_port(self.port, purpose="the web server", setting="MEMORY_PORT", host=self.options.host)

    def _clear_leftovers(self) -> None:
        """A killed run's web server would hold the port, and its worker would work beside ours."""
        for service in (self._web(), self._worker()):
            if (pid := service.clear_leftover()) is not None:
                self._report(f"stopped {service.name}, process {pid}, which an earlier run had left behind")

    def _start_databases(self) -> None:
        if self.postgres:
            self._start(self.postgres)
            self.postgres.bootstrap()
        else:
            require_prepared(self.database_url, self.options.migration_url)
        if self.valkey:
            self._start(self.valkey)
        else:
            require_answering(self.redis_url)

    def _set_up(self) -> None:
        """No process where there is nothing to do: it would take as long to start as the web server."""
        kept = self.root / FIRST_TENANT
        if not (self.postgres and kept.exists() and tables.are_current(self.migration_url)):
            self._make_tables_and_tenant(kept)
        self.first_tenant = json.loads(kept.read_text())

    def _make_tables_and_tenant(self, kept: Path) -> None:
        """The tenant's secrets exist nowhere else: they wait in a private file until `serve` has announced them."""
        began = time.monotonic()
        made = json.loads(self.manage("create_first_tenant", "--migrate", "--json", "--skip-checks", as_owner=True))
        if applied := made.pop("migrations"):
            self._report(f"{applied} migrations applied ({time.monotonic() - began:.1f} s)")
        if made["created"] or not kept.exists():
            write_private(kept, json.dumps(made))

    def _start_services(self) -> None:
        """The worker starts while the web server does: two processors, and nothing waits for the worker."""
        if self.options.worker:
            self._start(self._worker())
        if self.options.web:
            began = time.monotonic()
            web = self._web()
            self._start(web)
            web.wait()
            self._report(f"web answers at {self.url} ({time.monotonic() - began:.1f} s)")

    def _start(self, component: Component) -> None:
        began = time.monotonic()
        self._components.append(component)
        self._health[component.name] = Health(started_at=began)
        component.start()
        self._report(f"{component.name} started, process {component.pid} ({time.monotonic() - began:.1f} s)")

    def _revive(self, component: Component, now: float) -> None:
        health = self._health[component.name]
        if health.restart_at is None:
            wait = health.died(now)
            self._report(f"{component.name} ended ({_reason(component.exit_code)}); restarting in {wait:.1f} s")
        elif now >= health.restart_at:
            try:
                component.start()
            except Unavailable as error:
                wait = health.died(now)
                self._report(f"{component.name} does not come back: {error.message}; next attempt in {wait:.1f} s")
            else:
                health.started_at, health.restart_at = now, None
                health.restarts += 1
                self._report(f"{component.name} restarted, process {component.pid}")

    def _web(self) -> Service:
        address = ["--host", self.options.host, "--port", str(self.port)]
        command = [sys.executable, "-m", "granian", "--interface", "asginl", "--no-ws", *address]
        command += ["--workers", "1", "--workers-kill-timeout", "5", "config.asgi:application"]
        return self._service("web", command, ((signal.SIGTERM, 8.0),), self._web_answers)

    def _worker(self) -> Service:
        threads = ["--pool", "threads", "--concurrency", str(self.options.worker_threads)]
        quiet = ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
        command = [sys.executable, "-m", "celery", "--quiet", "--app", "config", "worker", "--tick", *threads, *quiet]
        # It finishes what is running, else is killed and leaves it to the retry, as its claim runs out: Celery's own
        # SIGQUIT cannot end a thread and says so in a traceback.
        return self._service("worker", command, ((signal.SIGTERM, 10.0),), always_ready)

    def _service(
        self,
        name: str,
        command: list[str],
        stop_signals: tuple[tuple[signal.Signals, float], ...],
        is_ready: Callable[[], bool],
    ) -> Service:
        program = Program(name=name, command=command, environment=self.environment, stop_signals=stop_signals)
        log = self.root / LOGS[name]
        return Service(program, run_directory=self.root / "run", log=log, is_ready=is_ready)

    def _web_answers(self) -> bool:
        host = self.url.removeprefix("http://").rpartition(":")[0].strip("[]")
        connection = http.client.HTTPConnection(host, self.port, timeout=5.0)
        try:
            connection.request("GET", "/livez")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _as_shell(self) -> str:
        """`manage.py` reads it; `set -a; . var/stack.env` lets any other process work on the running stack."""
        return "".join(f"{name}='{value}'\n" for name, value in self.command_variables.items())


def serve(
    options: StackOptions,
    *,
    report: Report = print,
    announce: Callable[[Stack], None] = lambda _stack: None,
    follow_logs: bool = True,
) -> None:
    """Run the stack until SIGINT, SIGTERM or SIGHUP, then stop it in order; call it from the main thread.

    `announce` is called once, when the web server answers; `Stack.first_tenant` then holds what
    `create_first_tenant --json` printed, the key of a first start among it. Raises Unavailable when a part does not
    start.
    """
    stack = Stack(options, report=report)
    follower = LogFollower(
        {name: options.root.resolve() / path for name, path in LOGS.items()}, write=report, colour=sys.stdout.isatty()
    )
    if follow_logs:
        follower.start()
    with _stop_signals_as_interrupt():
        try:
            stack.start()
            announce(stack)
            stack.forget_secrets()
            while True:
                time.sleep(WATCH_SECONDS)
                stack.watch()
        except KeyboardInterrupt:
            report("stopping: web, worker, Valkey, PostgreSQL")
        finally:
            _ignore_stop_signals()
            stack.stop()
            if follow_logs:
                follower.stop()
    report("stopped")


@contextmanager
def private_stack(
    options: StackOptions | None = None,
    *,
    report: Report = lambda _line: None,
    supervised: bool = False,
    copy_of: Path | None = None,
) -> Iterator[Stack]:
    """A whole stack, or its databases, of one's own: temporary root, free ports, gone at the end.

    Of `options` the root and the ports are ignored, and so are servers named by the environment. `supervised` restarts
    what dies from a thread of its own. `copy_of`, the root of a stopped stack, is copied: it begins with what is there.
    """
    with tempfile.TemporaryDirectory(prefix="memory-stack-", ignore_cleanup_errors=True) as folder:
        if copy_of is not None:
            subprocess.run(["cp", "-a", f"{copy_of}/.", folder], check=True)  # noqa: S603, S607 - owners are kept
        wanted = options or StackOptions(root=Path(folder), durable=False)
        private = replace(wanted, root=Path(folder), port=0, postgres_port=None, valkey_port=None)
        stack = Stack(private, report=report)
        stack.start()
        watcher = Watcher(stack) if supervised else None
        try:
            yield stack
        finally:
            stack.stop()
            if watcher is not None:
                watcher.stop()


class Watcher:
    """Watches a stack from a thread. The thread outlives the stack, because Linux ends what it restarted with it."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stack-watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Call it after the stack was stopped."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(WATCH_SECONDS):
            self._stack.watch()


STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def _stop_signals_as_interrupt() -> Iterator[None]:
    """Every stop signal raises KeyboardInterrupt, wherever starting happens to be; the old handlers come back."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in STOP_SIGNALS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _ignore_stop_signals() -> None:
    """Stopping is bounded; a second Ctrl-C must not leave half of it undone."""
    for each in STOP_SIGNALS:
        signal.signal(each, signal.SIG_IGN)


def _reason(exit_code: int | None) -> str:
    if exit_code is None:
        return "unknown"
    return signal.Signals(-exit_code).name if exit_code < 0 else f"exit {exit_code}"
