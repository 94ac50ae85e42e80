"""A process that does a session's verbs, each in a fork that kills itself before a statement.

Everything is loaded once; each line of its input is `[verb, statements, tenant, agent, *arguments]`, and it answers
with what the fork exited with.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import connection

from apps.api.flows import observing, sessions
from apps.api.flows.observing import GivenText
from apps.api.flows.sessions import Beginning
from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.jobs.leases import worker_name
from apps.resources import selectors as resources
from memory_platform.model import Whose
from tests.cast import MARA
from tests.conftest import judging


def observe(within: Scope, text: str) -> None:
    given = GivenText("chat-1", text, user_id=MARA.user_id)
    observing.learn(observing.keep(given, observing.parted(given), within=within), within=within, seconds=0)


def replay(within: Scope) -> None:
    with scope.enter(within):
        resources.replay("chat-1")


def recover(within: Scope) -> None:
    with scope.enter(within):
        resources.recover("chat-1")


VERBS: dict[str, Callable[..., object]] = {
    "start": lambda within: sessions.start(Beginning("chat-2", user_id=MARA.user_id), within=within),
    "end": lambda within: sessions.end("chat-1", within=within, seconds=0),
    "branch": lambda within: sessions.branch("chat-1", turn=1, new_session_id="chat-1b", within=within),
    "observe": observe,
    "replay": replay,
    "recover": recover,
    "work": lambda within: jobs.drain(worker_name(), tenant_id=within.tenant_id),
}


def killed_after(statements: int) -> Callable[..., Any]:
    sent = 0

    def send(execute: Callable[..., Any], *call: Any) -> Any:
        nonlocal sent
        sent += 1
        if sent > statements:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*call)

    return send


def child(verb: str, statements: int, tenant_id: str, agent_id: str, *arguments: str) -> None:
    with connection.execute_wrapper(killed_after(statements)):
        VERBS[verb](Scope(UUID(tenant_id), UUID(agent_id), Reach.OWN, Whose(MARA.user_id)), *arguments)


def forked(asked: list[Any]) -> int:
    """What a fork that does it exited with: 0 when it is whole, 1 when it failed of itself."""
    pid = os.fork()
    if pid == 0:
        try:
            child(*asked)
        except BaseException:  # noqa: BLE001  nothing of it may reach the loop it was forked from
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def answer(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    with judging():
        answer("ready")
        for line in sys.stdin:
            answer(str(forked(json.loads(line))))
