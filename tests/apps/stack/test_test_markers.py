"""The script behind `make test` that says which tests are left out, and why."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def script(monkeypatch) -> ModuleType:
    specification = importlib.util.spec_from_file_location("test_markers", PROJECT / "scripts" / "test_markers.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "test_markers", module)
    specification.loader.exec_module(module)
    monkeypatch.setitem(module.TOOLS, "browser", module.Tool("Chromium", lambda: False, "make browser"))
    monkeypatch.setitem(module.TOOLS, "neo4j", module.Tool("a server", lambda: True, "none"))
    monkeypatch.setitem(module.TOOLS, "faults", module.Tool("servers", lambda: True, "none"))
    return module


def test_an_absent_tool_omits_its_marker_in_one_line_that_says_how_to_add_it(script, capsys) -> None:
    assert script.absent_markers([]) == ["browser"]
    assert capsys.readouterr().out == "tests: browser: omitted: needs Chromium; add it with: make browser\n"


def test_a_required_marker_whose_tool_is_absent_fails_the_run(script, capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        script.absent_markers(["browser", "faults"])

    assert caught.value.code == 1
    assert "browser: REQUIRED and absent" in capsys.readouterr().out


def test_an_unknown_required_marker_is_named(script) -> None:
    with pytest.raises(SystemExit, match="unknown marker in REQUIRE: nonsense"):
        script.absent_markers(["nonsense"])


def test_pytest_is_told_what_to_leave_out(script, monkeypatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(script.pytest, "main", lambda arguments: calls.append(arguments) or 0)
    monkeypatch.setattr(sys, "argv", ["test_markers.py", "--require", "faults", "--", "-x", "tests/core"])

    assert script.main() == 0
    assert calls == [["--rootdir", str(PROJECT), "-m", "not browser", "-x", "tests/core"]]
