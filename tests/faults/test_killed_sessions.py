"""A session's verbs in processes that are killed before each statement they send: nothing is lost, nothing is twice."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGKILL
from types import SimpleNamespace

import pytest

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.jobs.models import Job, JobState
from apps.journal.models import Entry
from apps.memory import selectors as memory
from apps.memory.models import Item
from apps.resources import selectors as resources
from apps.resources.models import Resource, Session
from apps.resources.services import NewTurn, capture
from apps.stack.process import wait_until
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import Whose
from tests.cast import MARA

pytestmark = [pytest.mark.faults, pytest.mark.heavy, pytest.mark.slow, pytest.mark.timeout(900)]

PROJECT_ROOT = Path(__file__).resolve().parents[2]
SAID = "I live in Lisbon."
GIVEN = "User: We deploy on Thursdays.\n\nUser: Mara leads the team."
TOLD = ["Mara leads the team.", "We deploy on Thursdays."]
MOST_STATEMENTS = 80
WHOLE = 0
"""The exit of a process that nobody killed."""

Kill = Callable[..., int]


@pytest.fixture
def within(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge) -> Scope:
    """An agent that was told something nobody has learnt from: the job that should have is lost."""
    made = Scope(tenant.id, agent.id, Reach.OWN, Whose(MARA.user_id))
    with scope.enter(made):
        capture(NewTurn("chat-1", turn_number=1, user_id=MARA.user_id, user_input=SAID, internal_state={"step": 1}))
        Job.objects.filter(tenant_id=tenant.id, name="memory.observe").update(state="failed")
    return made


@pytest.fixture(scope="module")
def processes(database: None, server_environment: dict[str, str]) -> Iterator[Kill]:
    """Does a verb in a process of its own, killed before the statement behind so many; what it exited with."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import django; django.setup(); from tests.faults import killed_sessions as it; it.main()",
        ],
        cwd=PROJECT_ROOT,
        env={**os.environ, **server_environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    def kill(verb: str, statements: int, *arguments: str) -> int:
        process.stdin.write(json.dumps([verb, statements, *arguments]) + "\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    yield kill
    process.stdin.close()
    process.wait(30)
    process.stdout.close()


@pytest.fixture
def killed(within: Scope, processes: Kill) -> Kill:
    """The same for the agent of the test."""
    return lambda verb, statements, *arguments: processes(
        verb, statements, str(within.tenant_id), str(within.agent_id), *arguments
    )


def killed_everywhere(kill: Kill, verb: str, *arguments: str) -> Iterator[int]:
    """Do a verb again and again, each time killed one statement later, until it is whole."""
    for statements in range(MOST_STATEMENTS):
        code = kill(verb, statements, *arguments)
        if code == WHOLE:
            return
        assert code == -SIGKILL, "it ended of itself: what it printed says why"
        yield statements
    pytest.fail(f"more than {MOST_STATEMENTS} statements")


def entries(within: Scope, operation: str) -> int:
    with scope.tenant_scope(within.tenant_id):
        return Entry.objects.filter(tenant_id=within.tenant_id, operation=operation).count()


def pending(within: Scope) -> int:
    with scope.enter(within):
        session = resources.session("chat-1")
        assert session is not None
        return len(memory.unobserved(session.id))


def learnt(within: Scope) -> list[str]:
    with scope.tenant_scope(within.tenant_id):
        return sorted(Item.objects.filter(tenant_id=within.tenant_id).values_list("text", flat=True))


def test_a_process_that_is_killed_is_really_killed(killed: Kill) -> None:
    assert killed("end", 0) == -SIGKILL


def test_an_end_killed_anywhere_loses_nothing_and_flushes_once(
    within: Scope, killed: Kill, run_jobs: Callable[[], int]
) -> None:
    broken = [pending(within) for _ in killed_everywhere(killed, "end")]

    assert len(broken) > 5
    assert set(broken) == {1}
    run_jobs()
    assert (learnt(within), entries(within, "session.ended"), pending(within)) == ([SAID], 1, 0)


def test_a_start_killed_anywhere_ends_the_one_before_with_it_or_not_at_all(
    within: Scope, killed: Kill, run_jobs: Callable[[], int]
) -> None:
    broken = 0
    for _ in killed_everywhere(killed, "start"):
        broken += 1
        with scope.enter(within):
            before, begun = resources.session("chat-1"), resources.session("chat-2")
        assert before is not None
        assert (begun is None) == (before.ended_at is None)

    assert broken > 10
    run_jobs()
    assert (learnt(within), pending(within)) == ([SAID], 0)
    assert (entries(within, "session.started"), entries(within, "session.ended")) == (1, 1)


def test_a_given_text_killed_anywhere_is_kept_whole_or_not_and_learnt_once(
    within: Scope, killed: Kill, run_jobs: Callable[[], int]
) -> None:
    def kept() -> int:
        with scope.enter(within):
            return Resource.objects.filter(tenant_id=within.tenant_id, external_id__startswith="observed:").count()

    broken = [kept() for _ in killed_everywhere(killed, "observe", GIVEN)]

    assert len(broken) > 5
    assert set(broken) <= {0, 2}
    assert kept() == 2
    run_jobs()
    assert [text for text in learnt(within) if text != SAID] == TOLD


def test_a_branch_killed_anywhere_is_there_once_or_not_at_all(within: Scope, killed: Kill) -> None:
    def branches() -> list[int | None]:
        with scope.enter(within):
            rows = Session.objects.filter(tenant_id=within.tenant_id, external_id="chat-1b")
            return list(rows.values_list("parent_turn", flat=True))

    def watched() -> int:
        with scope.tenant_scope(within.tenant_id):
            return Job.objects.filter(tenant_id=within.tenant_id, name="memory.end_silent_session").count()

    before = watched()
    broken = [(len(branches()), entries(within, "session.branched")) for _ in killed_everywhere(killed, "branch")]

    assert len(broken) > 3
    assert {one for one in broken if one != (1, 1)} == {(0, 0)}
    assert (branches(), entries(within, "session.branched"), watched()) == ([1], 1, before + 1)


@pytest.mark.parametrize("verb", ["replay", "recover"])
def test_reading_a_session_killed_anywhere_changes_nothing(within: Scope, killed: Kill, verb: str) -> None:
    def held() -> tuple[int, int]:
        with scope.tenant_scope(within.tenant_id):
            written = Entry.objects.filter(tenant_id=within.tenant_id).count()
            return written, Resource.objects.filter(tenant_id=within.tenant_id).count()

    before = held()

    assert len([None for _ in killed_everywhere(killed, verb)]) >= 2
    assert held() == before
    assert pending(within) == 1


@pytest.mark.parametrize("statements", [5, 12, 20, 30, 40])
def test_a_worker_killed_while_it_learns_a_given_text_learns_it_once(
    within: Scope, killed: Kill, run_jobs: Callable[[], int], statements: int
) -> None:
    assert killed("observe", MOST_STATEMENTS, GIVEN) == WHOLE

    assert killed("work", statements) == -SIGKILL

    def learns() -> bool:
        """The server may take a while to notice that a worker is dead."""
        jobs.sweep()
        run_jobs()
        return learnt(within) == TOLD

    assert wait_until(learns, seconds=30)
    with scope.tenant_scope(within.tenant_id):
        unfinished = Job.objects.filter(tenant_id=within.tenant_id, name="memory.observe", state=JobState.QUEUED)
        assert not unfinished.exists()
    assert learnt(within) == TOLD
