"""The script behind `make test` that says which tests are left out, and why."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PROJECT = Path(__file__).resolve().parents[3]
MISSING = "tests: faults: REQUIRED, and no test that ran carries it"


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
    assert script.absent_markers([]) == ["browser", "fuzz", "heavy"]
    assert capsys.readouterr().out == (
        "tests: browser: omitted: needs Chromium; add it with: make browser\n"
        "tests: fuzz: omitted: takes minutes; run it with: make fuzz\n"
        "tests: heavy: omitted: takes minutes; run it with: make test-heavy\n"
    )


def test_what_takes_minutes_runs_where_it_is_required(script) -> None:
    assert script.absent_markers(["fuzz"]) == ["browser", "heavy"]
    assert script.absent_markers(["heavy"]) == ["browser", "fuzz"]


def test_a_required_marker_whose_tool_is_absent_fails_the_run(script, capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        script.absent_markers(["browser", "faults"])

    assert caught.value.code == 1
    assert "browser: REQUIRED and absent" in capsys.readouterr().out


def test_the_whole_verdict_requires_every_marker_and_installs_what_can_be(script) -> None:
    verdict = (PROJECT / ".ci" / "run").read_text()
    required = re.findall(r"^step make test(?:-heavy)? REQUIRE=(\S+)", verdict, re.MULTILINE)

    assert [set(markers.split(",")) for markers in required] == 2 * [set(script.TOOLS)]
    installed = {tool.command for tool in script.TOOLS.values() if tool.command.startswith("make ")}
    assert installed == {"make browser"}  # neo4j is another one in this test
    assert {f"step {command}" for command in (*installed, "make neo4j-server")} <= set(verdict.splitlines())


def test_the_whole_verdict_runs_what_is_omitted_elsewhere(script) -> None:
    steps = (PROJECT / ".ci" / "run").read_text().splitlines()

    for command in script.ON_REQUEST.values():
        assert [step for step in steps if f"{step} ".startswith(f"step {command} ")]


def test_an_unknown_required_marker_is_named(script) -> None:
    with pytest.raises(SystemExit, match="unknown marker in REQUIRE: nonsense"):
        script.absent_markers(["nonsense"])


ISOLATED = (
    "-p",
    "no:randomly",
    "-p",
    "no:django",
    "-p",
    "no:cacheprovider",
    "-o",
    "pythonpath=",
    "-W",
    "default",
    "--confcutdir=/",
)


@pytest.fixture
def isolated(tmp_path_factory) -> tuple[str, ...]:
    """What a run within a run is told: nothing of this project's plugins and of its settings. It has a folder of its
    own, for another run in pytest's closes that to the account that a PostgreSQL of the tests runs as.
    """
    return (*ISOLATED, f"--basetemp={tmp_path_factory.mktemp('within')}")


@pytest.fixture
def run(script, monkeypatch, capsys, isolated):
    """Run the script over a folder of tests; the exit code and what it said of the required markers."""

    def run(required: str, folder: Path, *options: str) -> tuple[int, list[str]]:
        given = ["-q", "-n0", *isolated, str(folder)]
        monkeypatch.setattr(sys, "argv", ["test_markers.py", "--require", required, *options, "--", *given])
        code = script.main()
        return code, [line for line in capsys.readouterr().out.splitlines() if "REQUIRED" in line]

    return run


def test_a_required_marker_that_no_test_carries_fails_the_run(run, tmp_path) -> None:
    (tmp_path / "test_one.py").write_text(
        "import pytest\n@pytest.mark.faults\ndef test_one():\n    pass\ndef test_neo4j():\n    pass\n"
    )

    assert run("faults", tmp_path) == (0, [])
    assert run("faults,neo4j", tmp_path) == (1, ["tests: neo4j: REQUIRED, and no test that ran carries it"])


def test_what_is_run_alone_is_required(run, tmp_path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pytest\n@pytest.mark.heavy\ndef test_one():\n    pass\ndef test_other():\n    raise OSError\n"
    )
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    (nothing / "test_none.py").write_text(
        "import pytest\n@pytest.mark.heavy\n@pytest.mark.skip\ndef test_one():\n    pass\n"
    )

    assert run("", tmp_path / "test_some.py", "--only", "heavy") == (0, [])
    assert run("", nothing, "--only", "heavy") == (1, ["tests: heavy: REQUIRED, and no test that ran carries it"])
    assert run("faults", tmp_path / "test_some.py", "--only", "heavy") == (1, [MISSING])


def test_files_with_slow_tests_are_begun_first(script) -> None:
    def item(path: str, *markers: str) -> SimpleNamespace:
        return SimpleNamespace(path=path, iter_markers=lambda name: (each for each in markers if each == name))

    items = [item("quick"), item("long"), item("faults", "faults"), item("long", "slow"), item("longer", "slow")]
    script.pytest_collection_modifyitems(items)

    assert [each.path for each in items] == ["long", "long", "longer", "quick", "faults"]


@pytest.mark.parametrize(
    ("one", "other", "is_shared"),
    [
        ("tests/browser/test_admin.py::test_a", "tests/browser/test_pages.py::test_b[x]", True),
        ("tests/core/test_a.py::test_a", "tests/core/test_a.py::test_b", True),
        ("tests/core/test_a.py::test_a", "tests/core/test_b.py::test_a", False),
    ],
)
def test_a_process_is_shared_within_a_file_and_by_the_browsers_files(script, one, other, is_shared) -> None:
    assert (script.sharing(one) == script.sharing(other)) is is_shared


def test_folders_that_share_a_process_are_there(script) -> None:
    assert all(list((PROJECT / folder).glob("test_*.py")) for folder in script.TOGETHER)


def test_the_name_of_a_folder_is_no_marker(run, tmp_path) -> None:
    folder = tmp_path / "faults"
    folder.mkdir()
    (folder / "test_in_a_folder.py").write_text("def test_one():\n    pass\n")

    assert run("faults", folder) == (1, [MISSING])


@pytest.mark.parametrize(
    "body",
    [
        "@pytest.mark.skip\ndef test_one():\n    pass\n",
        "def test_one():\n    pytest.skip('not here')\n",
        "@pytest.fixture\ndef server():\n    raise OSError\ndef test_one(server):\n    pass\n",
    ],
)
def test_a_test_that_did_not_run_satisfies_no_requirement(run, tmp_path, body) -> None:
    # A process imports one module of a name.
    (tmp_path / f"{tmp_path.name}.py").write_text(f"import pytest\npytestmark = pytest.mark.faults\n{body}")

    assert run("faults", tmp_path) == (1, [MISSING])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_marker_is_seen_from_the_process_that_runs_its_test(tmp_path, isolated) -> None:
    (tmp_path / "test_one.py").write_text("import pytest\n@pytest.mark.faults\ndef test_one():\n    pass\n")
    script = [sys.executable, "scripts/test_markers.py", "--require", "faults", "--", "-q", "-n1", *isolated]

    # What is loaded before pytest can rewrite it stops a run whose warnings are errors.
    script += ["-W", "error::pytest.PytestAssertRewriteWarning"]
    done = subprocess.run([*script, str(tmp_path)], check=False, cwd=PROJECT, capture_output=True, text=True)

    assert "REQUIRED" not in done.stdout, done.stdout
    assert "1 passed" in done.stdout


def test_pytest_is_told_what_to_leave_out(script, monkeypatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(script.pytest, "main", lambda arguments, plugins: calls.append(arguments) or 0)  # noqa: ARG005
    monkeypatch.setattr(sys, "argv", ["test_markers.py", "--", "-x", "tests/core"])

    assert script.main() == 0
    assert calls == [
        [
            "--rootdir",
            str(PROJECT),
            *script.PLUGIN,
            *script.PARALLEL,
            "-m",
            "not browser and not fuzz and not heavy",
            "-x",
            "tests/core",
        ]
    ]
