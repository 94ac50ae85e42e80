"""A worker that erases is killed in every step, behind it, and as it signs: nothing is recalled after the first step.

At the end nothing is left.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from apps import environment
from apps.erasure.services.running import STEPS
from apps.jobs import services as jobs
from apps.memory.services import explicit
from apps.stack.neo4j import EmbeddedNeo4j
from apps.stack.process import wait_until
from memory_platform.adapters.neo4j import Neo4jGraph
from tests.apps.erasure.conftest import ADAM, EVE, MARKS, World, _judge, another_world, make_world, world  # noqa: F401  fixtures
from tests.apps.erasure.test_copy import REAL, copied, copy, traces  # noqa: F401  fixtures
from tests.apps.erasure.test_erasing import found, rows

pytestmark = [pytest.mark.faults, pytest.mark.heavy, pytest.mark.slow, pytest.mark.timeout(600)]
PROJECT_ROOT = Path(__file__).resolve().parents[2]

# A worker for each step, which hangs when it has sent so many statements of it, or done it but not noted that.
WORKERS = """
import os, sys, time, uuid
import django
django.setup()
from django.db import connection
from apps.erasure.services import running
from apps.jobs import services
from apps.jobs.leases import _name, worker_name

def hang():
    print(os.getpid(), flush=True)
    time.sleep(300)

def hanging(step, statements):
    left = statements
    def counting(execute, *given):
        nonlocal left
        done = execute(*given)
        left -= 1
        if left == 0:
            hang()
        return done
    def do(run):
        with connection.execute_wrapper(counting):
            step(run)
        hang()
    return do

tenant, *kills = sys.argv[1:]
for name, statements in (kill.split(":") for kill in kills):
    child = os.fork()
    if child == 0:
        _name.cache_clear()
        if name == "_closed":
            running._closed = hanging(running._closed, int(statements))
        else:
            running.STEPS = {**running.STEPS, name: hanging(running.STEPS[name], int(statements))}
        # The server may take a while to notice that the worker before is dead.
        while True:
            services.sweep()
            services.drain(worker_name(), tenant_id=uuid.UUID(tenant))
            time.sleep(0.1)
    os.waitpid(child, 0)
"""


PLACES = (*STEPS, "_closed")
BEHIND = 10**9
MOST_STATEMENTS = 20
"""Into a step; one that has fewer is killed behind its last."""
TOLD = ("memory_item", "resources_checkpoint", "resources_resource", "resources_session")
"""What was said and learnt: what was derived of it may go by itself once that is closed."""


def behind(_seed: int) -> int:
    return BEHIND


def within(seed: int) -> int:
    return random.Random(seed).randint(1, MOST_STATEMENTS)


@dataclass(frozen=True)
class Erased:
    """What is to be erased, and words that are nowhere afterwards."""

    subject: Mapping[str, str]
    words: tuple[str, ...]
    leaves_the_line: bool


USER = Erased({"user_id": EVE}, (MARKS[EVE], f"chat-of-{EVE}"), leaves_the_line=False)
NAME = Erased({"entity": f"Anna {MARKS[EVE]}"}, (f"Anna {MARKS[EVE]}",), leaves_the_line=True)
SESSION = Erased(
    {"session_id": f"chat-of-{EVE}"},
    (f"Anna {MARKS[EVE]}", f"{MARKS[EVE]} car", f"chat-of-{EVE}"),
    leaves_the_line=True,
)
TOPIC = Erased(
    {"topic": "Who works at the bakery in Lund?", "user_id": EVE}, (f"{MARKS[EVE]} bakery",), leaves_the_line=True
)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is compared and filed at once, so that two worlds are filled alike: what has to wait for the
    model, as the first text does on a busy machine, is compared by a job and has a version and a summary more.
    """
    monkeypatch.setattr(explicit, "EMBEDDING_SECONDS", 60.0)


def named(world: World, erased: Erased) -> Mapping[str, Any]:  # noqa: F811
    """What is asked for: a topic is what its preview found."""
    if "topic" not in erased.subject:
        return erased.subject
    seen = world.post("erasures/preview", **erased.subject)
    return {name: seen[name] for name in ("memory_ids", "message_ids")}


def undisturbed(world: World, erased: Erased) -> Any:  # noqa: F811
    """The receipt when nobody is killed."""
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    return world.erase(**named(world, erased))["receipt"]


@contextmanager
def working(world: World, kills: list[str], variables: Mapping[str, str]) -> Iterator[IO[str]]:  # noqa: F811
    """Workers, one after the other; each tells its process id once it hangs."""
    workers = subprocess.Popen(
        [sys.executable, "-c", WORKERS, str(world.tenant_id), *kills],
        cwd=PROJECT_ROOT,
        env={**os.environ, **variables, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert workers.stdout is not None
    try:
        yield workers.stdout
    finally:
        workers.kill()
        workers.wait()
        workers.stdout.close()


def has_ended(world: World, asked: Any) -> bool:  # noqa: F811
    """Whether it is done once a worker swept and worked; the server may take a while to notice that one is dead."""
    jobs.sweep()
    world.work()
    return bool(world.get(f"erasures/{asked['id']}")["state"] == "done")


def told_by_git(world: World) -> str:  # noqa: F811
    """Every object of the curated memory's repository, whether a commit names it or not."""
    folder = environment.environment().home / "curated" / f"{world.tenant_id}.git"
    every = ["git", "--git-dir", folder, "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.check_output(every).decode(errors="replace")


def counted(receipt: Any) -> Any:
    removed = receipt["removed"]["postgresql"]
    return receipt["targets"], {table: removed.get(table) for table in TOLD}


@pytest.mark.parametrize("erased", [USER, NAME, SESSION, TOPIC], ids=["user", "name", "session", "topic"])
@pytest.mark.parametrize(("place", "seed"), [(behind, 0), (within, 1), (within, 2)])
def test_a_worker_killed_in_every_step_leaves_nothing(
    world: World,  # noqa: F811
    another_world: World,  # noqa: F811
    server_environment: dict[str, str],
    place: Callable[[int], int],
    seed: int,
    erased: Erased,
) -> None:
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    before = rows(world, ADAM)
    assert MARKS[EVE] in told_by_git(world)
    asked = world.ask(**named(world, erased))
    kills = [f"{name}:{place(seed * 100 + number)}" for number, name in enumerate(PLACES)]
    answered = 0
    with working(world, kills, server_environment) as pids:
        for done, _ in enumerate(PLACES):
            os.kill(int(pids.readline()), signal.SIGKILL)
            # The next worker may be a step further before this is answered.
            assert len(world.get(f"erasures/{asked['id']}")["steps"]) in {done, done + 1}
            recalled = world.recalled("Who works at the bakery in Lund?", EVE)
            if any(erased.words[0] in text for text in recalled):
                # Within the first step nothing is closed yet: what was answered then goes, too.
                assert (place, done) == (within, 0), kills
                answered += 1
    assert wait_until(lambda: has_ended(world, asked), seconds=30), kills

    done_at_last = world.get(f"erasures/{asked['id']}")
    assert done_at_last["state"] == "done", kills
    receipt = done_at_last["receipt"]
    assert world.post("erasures/verify", receipt=receipt)["valid"] is True
    assert counted(receipt) == counted(undisturbed(another_world, erased)), kills
    assert found(world, *erased.words) == ()
    assert (MARKS[EVE] in told_by_git(world)) == erased.leaves_the_line
    assert MARKS[ADAM] in told_by_git(world)
    left, left_undisturbed = rows(world, EVE), rows(another_world, EVE)
    asked_before = left_undisturbed.pop("retrieval_recall", 0)
    # What was asked meanwhile.
    assert left.pop("retrieval_recall") == asked_before + len(PLACES) - answered
    assert left == left_undisturbed
    assert rows(world, ADAM) == before


@pytest.mark.parametrize("copy", [REAL], indirect=True)
@pytest.mark.parametrize("statements", [1, 5, BEHIND])
def test_a_worker_killed_while_it_takes_out_of_the_copy_leaves_nothing_there(
    copied: World,  # noqa: F811
    copy: Neo4jGraph,  # noqa: F811
    neo4j_server: EmbeddedNeo4j,
    server_environment: dict[str, str],
    statements: int,
) -> None:
    asked = copied.ask(user_id=EVE)
    before = traces(copy, copied, ADAM)
    reached = {
        "MEMORY_NEO4J_URL": neo4j_server.url,
        "MEMORY_NEO4J_USER": neo4j_server.user,
        "MEMORY_NEO4J_PASSWORD": neo4j_server.password,
    }
    with working(copied, [f"copy:{statements}"], {**server_environment, **reached}) as pids:
        os.kill(int(pids.readline()), signal.SIGKILL)
        steps = copied.get(f"erasures/{asked['id']}")["steps"]
    assert wait_until(lambda: has_ended(copied, asked), seconds=30)

    done = copied.get(f"erasures/{asked['id']}")
    assert (list(STEPS)[len(steps)], done["state"]) == ("copy", "done")
    assert done["receipt"]["removed"]["neo4j"] >= done["receipt"]["targets"]["item"] > 0
    assert (traces(copy, copied, EVE), traces(copy, copied, ADAM)) == (0, before)
