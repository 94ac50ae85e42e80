"""What an environment gets that installs the client, or the server."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / ".uv" / "bin" / "uv"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def run(*command: str | Path, **more: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(source: Path, folder: Path) -> Path:
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder, source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def packages(wheel: Path) -> set[str]:
    """Top-level names, the wheel's own description left out."""
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    return {name for name in names if not name.endswith(".dist-info")}


def test_the_client_comes_alone(tmp_path: Path):
    wheel = built(ROOT / "sdk" / "python", tmp_path / "dist")
    python = tmp_path / "environment" / "bin" / "python"
    run(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "environment")
    run(UV, "pip", "install", "--quiet", "--python", python, wheel)

    listed = json.loads(run(UV, "pip", "list", "--format", "json", "--python", python))
    found = run(python, "-I", "-c", "import memory_client; print(memory_client.AsyncMemoryClient.recall.__doc__)")

    assert packages(wheel) == {"memory_client"}
    assert "memory_client/py.typed" in zipfile.ZipFile(wheel).namelist()
    assert "The few memories worth knowing" in found
    assert {"memory-platform-client", "httpx"} <= {each["name"] for each in listed}
    assert {"django", "memory-platform", "pydantic"} & {each["name"] for each in listed} == set()


def test_the_server_keeps_its_names_to_itself(tmp_path: Path):
    wheel = built(ROOT, tmp_path / "dist")
    installed = tmp_path / "installed"
    zipfile.ZipFile(wheel).extractall(installed)
    program = """
import memory_server, subprocess, sys
sys.argv = ["memory", "--help"]
try:
    memory_server.main()
except SystemExit:
    import apps.api
    asking = [sys.executable, "-c", "import config; print(config.__file__)"]
    child = subprocess.run(asking, stdout=subprocess.PIPE, text=True)
    print(apps.api.__file__, child.stdout, sep="\\n")
"""

    said = run(sys.executable, "-c", program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)})

    *_, own, started = [line for line in said.splitlines() if line.strip()]
    assert packages(wheel) == {"memory_platform", "memory_server"}
    assert Path(own).is_relative_to(installed / "memory_server")
    assert Path(started).is_relative_to(installed / "memory_server")
