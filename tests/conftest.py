"""Real servers for the tests that ask for them: one PostgreSQL and one Valkey per pytest process, started on demand.

Commits are real and nothing is rolled back: each test gets a tenant of its own instead, which is the isolation the
platform promises anyway.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING
from uuid import uuid4

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import caches
from django.db import connections

from apps import environment
from apps.core import providers, scope
from apps.stack import neo4j
from apps.stack.data_root import default_root
from apps.stack.neo4j import EmbeddedNeo4j
from apps.stack.postgres import EmbeddedPostgres
from apps.stack.valkey import EmbeddedValkey
from config.celery import app as celery_app
from config.settings import database_settings
from memory_platform.adapters.scripted import ScriptedEmbedder, ScriptedExtractor, ScriptedJudge
from memory_platform.model import Fact

if TYPE_CHECKING:
    from memory_platform.adapters.neo4j import Neo4jGraph

UseScript = Callable[[dict[str, list[Fact]]], None]

PROJECT_ROOT = Path(__file__).resolve().parent.parent

# Tests that sign something may come before those whose servers bring a secret of their own.
settings.SECRET_KEY = uuid4().hex

# Python's readline writes a width of 80 here in the processes of `-n`; tests of the command line give their own.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)

# Laws are not timed: a slow machine is no counterexample. CI tries the same examples every time; others go on looking.
hypothesis.settings.register_profile("untimed", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    """Not pytest's, which every further pytest of this user closes to the account that PostgreSQL runs as."""
    with TemporaryDirectory(prefix="memory-tests-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres(servers_folder: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(servers_folder / "postgres", durable=False)
    server.start()
    server.bootstrap("memory")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def valkey(servers_folder: Path) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(servers_folder / "valkey")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def neo4j_server(servers_folder: Path) -> Iterator[EmbeddedNeo4j]:
    """A real Neo4j; tests that ask for it carry the marker `neo4j`. Its schema is there."""
    server = EmbeddedNeo4j(servers_folder / "neo4j", jars=neo4j.library(default_root()), durable=False)
    server.start()
    graph = neo4j_graph(server)
    graph.prepare()
    graph.close()
    yield server
    server.stop()


def neo4j_graph(server: EmbeddedNeo4j, *, url: str | None = None) -> "Neo4jGraph":
    """The adapter at this server, or at `url` in front of it."""
    from memory_platform.adapters.neo4j import Neo4jGraph  # noqa: PLC0415  most tests do without the driver

    return Neo4jGraph(url=url or server.url, user=server.user, password=server.password)


@pytest.fixture(scope="session")
def server_environment(postgres: EmbeddedPostgres, valkey: EmbeddedValkey) -> dict[str, str]:
    """The variables with which a process of its own reaches this session's servers."""
    return {
        "MEMORY_DATABASE_URL": postgres.login_url("memory"),
        "MEMORY_MIGRATION_URL": postgres.migration_url("memory"),
        "MEMORY_REDIS_URL": valkey.url,
        "MEMORY_SECRET_KEY": "t" * 50,
        "MEMORY_EMBEDDER": "wordllama",
    }


@pytest.fixture(scope="session")
def database(server_environment: dict[str, str], django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """A migrated database; Django, the cache and Celery of this process point at it.

    Tests look across tenants and make some, as commands do: this process has the commands' login.
    """
    migrate(server_environment)
    os.environ.update(server_environment)
    environment.environment.cache_clear()
    _forget_providers()
    url = server_environment["MEMORY_MIGRATION_URL"]
    connections.settings["default"].update(database_settings(url, role=None, pool_size=12))
    settings.CACHES["default"]["LOCATION"] = settings.REDIS_URL = server_environment["MEMORY_REDIS_URL"]
    settings.SECRET_KEY = server_environment["MEMORY_SECRET_KEY"]
    celery_app.conf.broker_url = server_environment["MEMORY_REDIS_URL"]
    caches.settings["default"]["LOCATION"] = server_environment["MEMORY_REDIS_URL"]
    # A test that needs no database may have asked the cache before, which then knows the address of then.
    with suppress(AttributeError):
        del caches["default"]
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        yield
        connections["default"].close()
        connections["default"].close_pool()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home folder of the test's own: there lie the repositories of its tenants."""
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path / "home"))
    environment.environment.cache_clear()
    yield tmp_path / "home"
    environment.environment.cache_clear()


def migrate(server_environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=PROJECT_ROOT,
        env={**os.environ, **server_environment, "MEMORY_DATABASE_ROLE": "memory_owner"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _forget_providers() -> None:
    for provider in vars(providers).values():
        if hasattr(provider, "cache_clear"):
            provider.cache_clear()


@contextmanager
def judging() -> Iterator[ScriptedJudge]:
    """Have a judge that keeps everything and relates nothing but the same words, whatever the models learnt."""
    made = ScriptedJudge()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(providers, "appraiser", lambda: made)
        patch.setattr(providers, "relator", lambda: made)
        _forget_extractors()
        yield made
    _forget_extractors()


@pytest.fixture
def judge() -> Iterator[ScriptedJudge]:
    """What a test writes into its `relations` and `appraisals` is judged so."""
    with judging() as made:
        yield made


@pytest.fixture
def use_script(monkeypatch: pytest.MonkeyPatch) -> UseScript:
    """Have messages say what a script says of them, and texts be embedded by their words alone."""

    def use(script: dict[str, list[Fact]]) -> None:
        extractor, embedder = ScriptedExtractor(script), ScriptedEmbedder(dimension=256)
        monkeypatch.setattr(providers, "extractor", lambda: extractor)
        monkeypatch.setattr(providers, "embedder", lambda: embedder)

    return use


_EXTRACTORS = (providers.extractor, providers.fallback_extractor)


def _forget_extractors() -> None:
    """They hold the appraiser they were made with; a test may have put others in their place."""
    for provider in _EXTRACTORS:
        provider.cache_clear()


@pytest.fixture
def make_tenant(database: None) -> Callable[[], SimpleNamespace]:
    """Create a tenant with its default policy and categories: `.id`, `.slug`."""

    def make() -> SimpleNamespace:
        from apps.tenants import services  # noqa: PLC0415  Django must be set up first

        slug = f"test-{uuid4().hex[:12]}"
        tenant = services.create_tenant(slug=slug, name=slug)
        return SimpleNamespace(id=tenant.id, slug=slug)

    return make


@pytest.fixture
def tenant(make_tenant: Callable[[], SimpleNamespace]) -> SimpleNamespace:
    return make_tenant()


@pytest.fixture
def agent(tenant: SimpleNamespace) -> SimpleNamespace:
    """An agent of `tenant`: `.id`, `.slug`."""
    from apps.tenants import services  # noqa: PLC0415

    with scope.tenant_scope(tenant.id):
        made = services.create_agent(slug="assistant")
    return SimpleNamespace(id=made.id, slug=made.slug)


@pytest.fixture
def other_agent(tenant: SimpleNamespace) -> SimpleNamespace:
    """Another agent of `tenant`: `.id`, `.slug`."""
    from apps.tenants import services  # noqa: PLC0415

    with scope.tenant_scope(tenant.id):
        made = services.create_agent(slug="another")
    return SimpleNamespace(id=made.id, slug=made.slug)


@pytest.fixture
def in_scope(tenant: SimpleNamespace) -> Iterator[scope.Scope]:
    """An open scope that sees the whole of `tenant`. One transaction: not for tests of concurrency."""
    with scope.tenant_scope(tenant.id) as opened:
        yield opened


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for seconds is kept until statements are counted, however long a slow machine takes."""
    monkeypatch.setattr("apps.tenants.selectors.CACHE_SECONDS", 3600.0)


@pytest.fixture
def run_jobs(tenant: SimpleNamespace) -> Callable[[], int]:
    """Run the queued jobs of `tenant` in this process, as a worker would, and say how many."""
    from apps.jobs import services  # noqa: PLC0415

    return lambda: services.drain(worker="test", tenant_id=tenant.id)
