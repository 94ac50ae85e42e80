"""A worker that erases is killed in every step: nothing is recalled after the first, and in the end nothing is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from apps.erasure.services.running import STEPS
from apps.jobs import services as jobs
from tests.apps.erasure.conftest import ADAM, EVE, MARKS, World, _judge, world  # noqa: F401  fixtures
from tests.apps.erasure.test_erasing import found, rows

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
PROJECT_ROOT = Path(__file__).resolve().parents[2]

# A worker for each step, which does the step and then hangs, before it is noted.
WORKERS = """
import os, sys, time, uuid
import django
django.setup()
from apps.erasure.services import running
from apps.jobs import services
from apps.jobs.leases import _name, worker_name

def hanging(step):
    def hang(run):
        step(run)
        print(os.getpid(), flush=True)
        time.sleep(300)
    return hang

tenant, *names = sys.argv[1:]
for name in names:
    child = os.fork()
    if child == 0:
        _name.cache_clear()
        running.STEPS = {**running.STEPS, name: hanging(running.STEPS[name])}
        # The server may take a while to notice that the worker before is dead.
        while True:
            services.sweep()
            services.drain(worker_name(), tenant_id=uuid.UUID(tenant))
            time.sleep(0.1)
    os.waitpid(child, 0)
"""


def test_a_worker_killed_in_every_step_leaves_nothing(world: World, server_environment: dict[str, str]) -> None:  # noqa: F811
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    before = rows(world, ADAM)
    asked = world.ask(user_id=EVE)
    environment = {**os.environ, **server_environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
    workers = subprocess.Popen(
        [sys.executable, "-c", WORKERS, str(world.tenant_id), *STEPS],
        cwd=PROJECT_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert workers.stdout is not None
    try:
        for done, _ in enumerate(STEPS):
            os.kill(int(workers.stdout.readline()), signal.SIGKILL)
            assert len(world.get(f"erasures/{asked['id']}")["steps"]) == done
            assert not any(MARKS[EVE] in text for text in world.recalled("Who works at the bakery in Lund?", EVE))
    finally:
        workers.kill()
        workers.wait()
        workers.stdout.close()
    jobs.sweep()
    world.work()

    assert world.get(f"erasures/{asked['id']}")["state"] == "done"
    assert found(world, MARKS[EVE]) == ()
    # What was asked meanwhile.
    assert rows(world, EVE) == {"retrieval_recall": len(STEPS)}
    assert rows(world, ADAM) == before
