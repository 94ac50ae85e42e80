"""A session's verbs, broken off before each statement they send: what was said is learnt all the same, and once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, connection

from apps.api.flows import sessions as flows
from apps.api.flows.sessions import Beginning
from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.jobs.models import Job
from apps.journal.models import Entry
from apps.memory import selectors as memory
from apps.memory.models import Item
from apps.resources import selectors as resources
from apps.resources.services import NewTurn, capture
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import Whose
from tests.cast import MARA

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

SAID = "I live in Lisbon."
MOST_STATEMENTS = 60


@contextmanager
def lost_after(statements: int) -> Iterator[None]:
    """The database goes away when so many statements were sent."""
    sent = 0

    def send(execute: Callable[..., Any], *call: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent > statements:
            raise OperationalError("the connection is lost")
        return execute(*call)

    with connection.execute_wrapper(send):
        yield


def broken_off_everywhere(verb: Callable[[], object]) -> Iterator[int]:
    """Call a verb again and again, each time broken off one statement later, until it is whole."""
    for statements in range(MOST_STATEMENTS):
        try:
            with lost_after(statements):
                verb()
        except OperationalError:
            yield statements
        else:
            return
    pytest.fail(f"more than {MOST_STATEMENTS} statements")


@pytest.fixture
def within(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge) -> Scope:
    """An agent that was told something nobody has learnt from: the job that should have is lost."""
    made = Scope(tenant.id, agent.id, Reach.OWN, Whose(MARA.user_id))
    with scope.enter(made):
        capture(NewTurn("chat-1", turn_number=1, user_id=MARA.user_id, user_input=SAID))
        Job.objects.filter(tenant_id=tenant.id, name="memory.observe").update(state="failed")
    return made


def pending(within: Scope) -> int:
    with scope.enter(within):
        session = resources.session("chat-1")
        assert session is not None
        return len(memory.unobserved(session.id))


def learnt_once(within: Scope, run_jobs: Callable[[], int]) -> None:
    run_jobs()
    with scope.tenant_scope(within.tenant_id):
        assert [item.text for item in Item.objects.filter(tenant_id=within.tenant_id)] == [SAID]
        ended = Entry.objects.filter(tenant_id=within.tenant_id, operation="session.ended")
        assert ended.count() == 1
    assert pending(within) == 0


def test_an_end_broken_off_anywhere_loses_nothing(within: Scope, run_jobs: Callable[[], int]) -> None:
    broken = 0
    for _ in broken_off_everywhere(lambda: flows.end("chat-1", within=within, seconds=0)):
        broken += 1
        assert pending(within) == 1

    assert broken > 5
    learnt_once(within, run_jobs)


def test_a_start_broken_off_anywhere_loses_nothing(within: Scope, run_jobs: Callable[[], int]) -> None:
    broken = 0
    for _ in broken_off_everywhere(lambda: flows.start(Beginning("chat-2", user_id=MARA.user_id), within=within)):
        broken += 1
        assert pending(within) == 1
        with scope.enter(within):
            before, begun = resources.session("chat-1"), resources.session("chat-2")
        # Either all of it happened or nothing: no session begins without the one before being flushed.
        assert before is not None
        assert (begun is None) == (before.ended_at is None)

    assert broken > 10
    learnt_once(within, run_jobs)


def test_an_end_broken_off_while_it_waits_has_ended_the_session(within: Scope, run_jobs: Callable[[], int]) -> None:
    with pytest.raises(OperationalError), lost_after(12):
        flows.end("chat-1", within=within, seconds=10)

    learnt_once(within, run_jobs)
