"""What a benchmark says of its figures, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import figures
from bench.figures import at_least, at_most, figure

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _own_list(monkeypatch) -> None:
    monkeypatch.setattr(figures, "missed", [])


@pytest.mark.parametrize(
    ("value", "floor", "bar", "direction", "met"),
    [
        (30.0, 10.0, at_most(3.0), "at most", True),
        (31.0, 10.0, at_most(3.0), "at most", False),
        (90.0, None, at_least(90), "at least", True),
        (89.9, None, at_least(90), "at least", False),
        (15.0, 10.0, at_least(1.5), "at least", True),
        (1.0, 0.0, at_most(2.0), "at most", False),
        (1.0, None, None, None, None),
    ],
)
def test_a_bar_carries_its_direction_and_says_whether_it_is_met(capsys, value, floor, bar, direction, met) -> None:
    figure("x", value, "ms", floor=floor, bar=bar)

    told = json.loads(capsys.readouterr().out)
    assert (told["direction"], told["met"]) == (direction, met)
    assert (told["value"], told["floor"], told["bar"]) == (value, floor, bar and bar.number)
    assert figures.missed == (["x"] if met is False else [])


BENCHMARK = """
import os
from bench.figures import at_most, figure

def run():
    figure("pid", os.getpid(), "", bar=at_most(BAR))
"""


def test_a_missed_bar_ends_with_exit_1_and_is_named(tmp_path) -> None:
    (tmp_path / "footprint_of_test.py").write_text(BENCHMARK.replace("BAR", "0"))
    code = (
        "import sys; from bench import __main__ as b; import bench; bench.__path__.append(sys.argv[1]);"
        "b.MODULES['lag'] = 'footprint_of_test'; sys.exit(b._one('lag'))"
    )
    run = [sys.executable, "-c", code, str(tmp_path)]

    done = subprocess.run(run, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "bench: missed its bar: pid\n")

    (tmp_path / "footprint_of_test.py").write_text(BENCHMARK.replace("BAR", "1e9"))
    done = subprocess.run(run, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
