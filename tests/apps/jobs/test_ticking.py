"""What a worker process is beside its jobs: it ticks without a file, and never acts as the tables' owner."""

import os

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


def test_a_worker_forgets_the_owners_login_before_it_reads_a_setting(monkeypatch):
    monkeypatch.setenv("MEMORY_MIGRATION_URL", "postgresql://owner@localhost/memory")
    monkeypatch.setattr(app.loader, "worker_initialized", False)

    app.loader.init_worker()

    assert "MEMORY_MIGRATION_URL" not in os.environ
