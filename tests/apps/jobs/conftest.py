import pytest

from apps.jobs import hints, registry


class Ran(list):
    """The JobContexts a test's handler was given; `failing` holds exceptions to raise first, in order; then
    it answers `outcome`.
    """

    def __init__(self):
        super().__init__()
        self.failing = []
        self.outcome = {"ran": 1}

    def __call__(self, job):
        self.append(job)
        if self.failing:
            raise self.failing.pop(0)
        return self.outcome


@pytest.fixture
def ran():
    """Registers `test.job` (3 attempts) and `test.merged` (merges `documents`, 10 at most) afresh."""
    calls = Ran()
    calls.__module__ = "tests"
    for name, options in (
        ("test.job", {"max_attempts": 3}),
        ("test.merged", {"merge": "documents", "merge_items": 10}),
    ):
        registry._registrations.pop(name, None)
        registry.handler(name, **options)(calls)
    yield calls
    for name in ("test.job", "test.merged"):
        registry._registrations.pop(name, None)


@pytest.fixture
def hinted(database, monkeypatch):
    """A broker that listens: published hints are counted, and none is under way."""
    published = []
    monkeypatch.setattr(hints, "_publish", lambda: published.append(1))
    hints.cooldown.end()
    hints.heard()
    return published
