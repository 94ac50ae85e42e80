import stat
import subprocess
import sys
from pathlib import Path

import pytest

from apps.stack.data_root import RUNNING, FolderLock, remembered_secret, variables_for_commands
from memory_platform.errors import Unavailable


def test_a_folder_has_one_holder_at_a_time(tmp_path: Path) -> None:
    first, second = FolderLock(tmp_path), FolderLock(tmp_path)
    first.acquire()
    first.acquire()

    with pytest.raises(Unavailable, match=f"{tmp_path} is already in use by process"):
        second.acquire()

    first.release()
    second.acquire()
    second.release()


def test_commands_speak_to_the_stack_that_runs_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / RUNNING).write_text("MEMORY_DATABASE_URL='postgresql://left@127.0.0.1:1/memory'\nMEMORY_PORT='9'\n")

    assert variables_for_commands({"MEMORY_HOME": str(tmp_path)}) == {
        "MEMORY_DATABASE_URL": "postgresql://left@127.0.0.1:1/memory",
        "MEMORY_PORT": "9",
    }
    assert variables_for_commands({"MEMORY_HOME": str(tmp_path), "MEMORY_DATABASE_URL": "postgresql://named/"}) == {}
    assert variables_for_commands({"MEMORY_HOME": str(tmp_path / "empty")}) == {}


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from apps.stack.data_root import FolderLock;"
        "FolderLock(Path(sys.argv[1])).acquire(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == -9

    lock = FolderLock(tmp_path)
    lock.acquire()
    lock.release()


def test_a_secret_is_made_once_and_private(tmp_path: Path) -> None:
    first = remembered_secret(tmp_path, "login")
    other = remembered_secret(tmp_path, "superuser")

    assert remembered_secret(tmp_path, "login") == first
    assert other != first
    assert len(first) == 43
    assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
