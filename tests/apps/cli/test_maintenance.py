"""While maintenance runs the terminal shows a bar over its steps."""

from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

from apps.cli import maintenance, output
from memory_platform.errors import Unavailable

STEPS = ["revived", "expired", "pruned"]


class Server:
    """Answers with one state of the job after another."""

    def __init__(self, *states: str, counts: tuple[dict[str, int], ...]) -> None:
        self.answers = [
            {"state": state, "error": "it broke", "outcome": [{"name": name, "count": n} for name, n in told.items()]}
            for state, told in zip(states, counts, strict=True)
        ]

    def get(self, _path: str, **_query: object) -> dict[str, object]:
        return {"items": [self.answers.pop(0)]}


@pytest.fixture
def follow(monkeypatch):
    """Follow a job to its end; what is then on the terminal."""
    monkeypatch.setattr(maintenance, "POLL_SECONDS", 0.0)

    def run(server: Server, *, is_terminal: bool = True) -> str:
        screen = StringIO()
        looking = Console(file=screen, force_terminal=is_terminal, width=80, color_system=None)
        monkeypatch.setattr(output, "complaints", looking)
        maintenance._followed(server, {"job_id": "j", "steps": STEPS}, wait=60.0)
        return screen.getvalue()

    return run


@pytest.mark.parametrize(
    ("counts", "taken", "done"),
    [
        ({}, "revived", "0/3"),
        ({"revived": 0}, "expired", "1/3"),
        ({"revived": 2, "expired_so_far": 7}, "expired", "1/3"),
        ({"revived": 2, "expired": 9}, "pruned", "2/3"),
        (dict.fromkeys(STEPS, 1), "finishing", "3/3"),
    ],
)
def test_the_terminal_shows_the_step_that_is_taken_and_how_far_that_is(follow, monkeypatch, counts, taken, done):
    shown = []
    monkeypatch.setattr(Progress, "update", lambda self, task, **told: shown.append((self, task, told)))
    whole = dict.fromkeys(STEPS, 1)

    follow(Server("running", "done", counts=(counts, whole)))

    ((_, _, told),) = shown
    assert (told["description"], f"{told['completed']}/3") == (taken, done)


def test_the_bar_is_drawn_and_taken_away(follow):
    server = Server("queued", "running", "done", counts=({}, {"revived": 4}, dict.fromkeys(STEPS, 1)))

    told = follow(server)

    assert "/3" in told
    assert "━" in told
    assert told.endswith("\x1b[1A\x1b[2K")


def test_where_nobody_looks_on_nothing_is_drawn(follow):
    assert follow(Server("running", "done", counts=({}, {})), is_terminal=False) == ""


def test_a_run_that_failed_is_told(follow):
    with pytest.raises(Unavailable, match="it broke"):
        follow(Server("running", "failed", counts=({}, {})))
