"""`python -m bench latency-against REVISION [OTHER]`: what a change did to the time of capture and recall.

Both revisions run in temporary git worktrees with this environment, at the same time, with the same 250 turns observed
and their workers stopped; OTHER is the working tree when it is not given. One client asks in rounds, in the order
first, second, second, first, so that what else the machine does weighs on both alike.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import IO, Any

from bench.figures import at_most, figure, percentile
from bench.latency import CAPTURE, RECALL, TURNS, times

HERE = Path(__file__).resolve().parent.parent
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "12"))
REQUESTS = 25
SLOWER = at_most(1.05)
SUBJECTS = ("invoice", "review", "lease", "interview", "delivery", "exam", "workshop", "audit", "concert", "transfer")
PEOPLE = ("Ana", "Bruno", "Chidi", "Dora", "Emil", "Farah", "Goran")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")

Body = Callable[[], dict[str, Any]]


@dataclass
class Side:
    """One revision's running stack, and the milliseconds measured of it by verb."""

    name: str
    process: "subprocess.Popen[str]"
    url: str
    key: str
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    turns: Iterator[int] = field(default_factory=count)

    def capture(self) -> dict[str, Any]:
        number = next(self.turns)
        said = {"sessionId": f"session-{number // 25}", "userInput": statement(number), "llmOutput": "Understood."}
        return {"query": CAPTURE, "variables": {"input": said}}

    def settle(self) -> None:
        _send(self.process)
        _heard(self.process)


def main(arguments: Sequence[str]) -> None:
    """Raises SystemExit with how it is used, or when a revision is unknown or its stack does not start."""
    if len(arguments) not in {1, 2}:
        raise SystemExit("usage: python -m bench latency-against REVISION [OTHER]")
    with ExitStack() as stacks:
        before = stacks.enter_context(_checked_out(arguments[0]))
        after = stacks.enter_context(_checked_out(arguments[1])) if len(arguments) == 2 else HERE
        names = (*arguments, "the working tree")[:2]
        sides = [
            stacks.enter_context(_serving(name, where)) for name, where in zip(names, (before, after), strict=True)
        ]
        measure(sides)


def measure(sides: Sequence[Side]) -> None:
    for side in sides:
        times(f"{side.url}/graphql", side.key, side.capture, requests=TURNS)
    for side in sides:
        side.settle()
    _rounds(sides, "recall", lambda _side, questions: lambda: _recall(next(questions)))
    _rounds(sides, "capture", lambda side, _questions: side.capture)
    before, after = sides
    for verb in ("recall", "capture"):
        for percent in (50, 95):
            floor, value = (percentile(side.spent[verb], percent) for side in (before, after))
            name = f"{verb} over HTTP, {TURNS} turns, p{percent}: {after.name} against {before.name}"
            figure(name, value, "ms", floor=floor, bar=SLOWER)


def statement(number: int) -> str:
    """What somebody tells: each number its own fact."""
    subject, person, day = (words[number % len(words)] for words in (SUBJECTS, PEOPLE, DAYS))
    return f"The {subject} {number} with {person} is on {day} at {number % 12 + 8} o'clock in room {number % 90 + 10}."


def _rounds(sides: Sequence[Side], verb: str, body_of: Callable[[Side, Iterator[int]], Body]) -> None:
    """The first round, which warms up, is not counted."""
    for number in range(ROUNDS + 1):
        for side in sides if number % 2 else reversed(sides):
            asked = iter(range(number * REQUESTS, (number + 1) * REQUESTS))
            spent = times(f"{side.url}/graphql", side.key, body_of(side, asked), requests=REQUESTS)
            side.spent[verb] += spent if number else []


def _recall(number: int) -> dict[str, Any]:
    subject, person = SUBJECTS[number % len(SUBJECTS)], PEOPLE[number % len(PEOPLE)]
    return {"query": RECALL, "variables": {"query": f"When is the {subject} {number % TURNS} with {person}?"}}


@contextmanager
def _checked_out(revision: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memory-revision-") as folder:
        where = Path(folder, "tree")
        _git("worktree", "add", "--quiet", "--detach", str(where), revision)
        try:
            yield where
        finally:
            _git("worktree", "remove", "--force", str(where))


def _git(*arguments: str) -> None:
    if subprocess.run(["git", "-C", str(HERE), *arguments], check=False).returncode:
        raise SystemExit(f"git {arguments[0]} failed")


@contextmanager
def _serving(name: str, where: Path) -> Iterator[Side]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORY_", "DJANGO_"))}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "bench" / "revision_stack.py")],
        cwd=where,
        env=environment | {"PYTHONPATH": str(where)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        ready = _heard(process)
        yield Side(name, process, ready["url"], ready["key"])
    finally:
        process.communicate("\n")


def _send(process: "subprocess.Popen[str]") -> None:
    stream: IO[str] = process.stdin or sys.stdout
    stream.write("\n")
    stream.flush()


def _heard(process: "subprocess.Popen[str]") -> dict[str, str]:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise SystemExit(f"the stack of {process.args!r} ended; its reason stands above")
    return dict(json.loads(line))
