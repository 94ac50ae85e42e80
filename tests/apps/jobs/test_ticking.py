"""What a worker process is beside its jobs: it ticks without a file, never acts as the tables' owner, has a secret."""

import os
import subprocess
import sys

import pytest

from config.celery import Tick, app


class Parent:
    app = app


@pytest.mark.usefixtures("database")
def test_the_tick_leaves_no_file_where_the_worker_was_started(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tick = Tick(Parent(), tick=True)

    tick.start(Parent())
    try:
        assert "sweep" in tick.beat.service.scheduler.schedule
    finally:
        tick.stop(Parent())

    assert list(tmp_path.iterdir()) == []


def test_a_worker_forgets_the_owners_login_before_it_reads_a_setting(monkeypatch, settings):
    settings.SECRET_KEY = "s" * 50
    monkeypatch.setenv("MEMORY_MIGRATION_URL", "postgresql://owner@localhost/memory")
    monkeypatch.setattr(app.loader, "worker_initialized", False)

    app.loader.init_worker()

    assert "MEMORY_MIGRATION_URL" not in os.environ


@pytest.mark.slow
@pytest.mark.timeout(300)
# "" as in the example of an env file, whose line nobody filled in.
@pytest.mark.parametrize(
    ("command", "given"),
    [
        (["-m", "celery", "--app=config", "worker", "--pool=solo"], {}),
        (["-m", "celery", "--app=config", "beat"], {"MEMORY_SECRET_KEY": ""}),
        (["-m", "django", "run_jobs", "--once"], {}),
        (["-c", "import config.asgi"], {"MEMORY_SECRET_KEY": ""}),
    ],
    ids=["worker", "tick", "run_jobs", "web"],
)
def test_nothing_that_signs_starts_without_a_secret(command, given):
    # Nobody answers there, so what starts nevertheless does nothing.
    nowhere = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MEMORY_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "MEMORY_REDIS_URL": "redis://127.0.0.1:9/0",
    }
    own = {name: value for name, value in os.environ.items() if name != "MEMORY_SECRET_KEY"} | nowhere | given

    done = subprocess.run([sys.executable, *command], env=own, capture_output=True, text=True, timeout=240, check=False)

    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].endswith("Set MEMORY_SECRET_KEY (at least 50 random characters).")
