"""The shell script that builds the environment, on machines that lack something."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/bootstrap.sh", "uv.lock", "pyproject.toml"):
        shutil.copy(PROJECT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "dirname", "cksum", "cat", "cut", "rm"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or "")
    return tmp_path


def bootstrap(checkout: Path, python: str) -> subprocess.CompletedProcess[str]:
    script = checkout / "bin" / "python3"
    script.write_text(f"#!/bin/sh\n{python}\n")
    script.chmod(0o755)
    environment = {"PATH": str(checkout / "bin")}
    command = ["/bin/sh", str(checkout / "scripts" / "bootstrap.sh")]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_an_old_python_is_named_with_what_to_do(checkout: Path) -> None:
    done = bootstrap(checkout, 'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac')

    assert done.returncode == 1
    assert "Python 3.11 or newer is needed; found: Python 3.9.2." in done.stderr
    assert "make PYTHON=/path/to/python3.12 run" in done.stderr


def test_a_python_without_ensurepip_and_pip_says_which_package_is_missing(checkout: Path) -> None:
    done = bootstrap(
        checkout,
        'case "$*" in *version_info\\ \\<*) exit 0;; *sys.executable*) echo "$0";; --version) echo Python 3.12.4;;'
        " *version_info*) echo 3.12;; *) exit 1;; esac",
    )

    assert done.returncode == 1
    assert "its module ensurepip is missing" in done.stderr
    assert "apt-get install python3.12-venv" in done.stderr


def test_an_environment_that_is_up_to_date_is_left_alone(checkout: Path) -> None:
    inputs = ["uv.lock", "pyproject.toml", "scripts/bootstrap.sh"]
    stamp = subprocess.run(["cksum", *inputs], cwd=checkout, capture_output=True, text=True, check=True).stdout
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "bin" / "python").symlink_to("/bin/true")
    (checkout / ".venv" / ".bootstrapped").write_text(stamp)

    done = bootstrap(checkout, "exit 1")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_pinned_uv_serves_what_the_project_requires() -> None:
    assert "UV_VERSION=0.13.8\n" in (PROJECT / "scripts" / "bootstrap.sh").read_text()
    assert "uv==0.13.8\n" in (PROJECT / "Dockerfile").read_text()
    assert os.access(PROJECT / ".ci" / "run", os.X_OK)
