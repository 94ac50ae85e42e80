"""A server's data folder: held by one process at a time, with the passwords it made up for itself."""

import fcntl
import json
import os
import secrets
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from memory_platform.errors import Unavailable

RUNNING = "stack.env"
PROJECT = Path(__file__).resolve().parents[2]


def default_root() -> Path:
    """`var/` of the checkout, or of the working folder when the package is installed elsewhere."""
    return (PROJECT if (PROJECT / "pyproject.toml").exists() else Path.cwd()) / "var"


def home_of(variables: Mapping[str, str]) -> Path:
    """MEMORY_HOME, or the default folder."""
    named = variables.get("MEMORY_HOME")
    return Path(named) if named else default_root()


def running_variables(root: Path) -> dict[str, str]:
    """The variables the stack that runs in a folder left for other processes; none while no stack is ready there."""
    path = root / RUNNING
    words = shlex.split(path.read_text()) if path.exists() else []
    return dict(word.split("=", 1) for word in words if "=" in word)


def variables_for_commands(variables: Mapping[str, str]) -> dict[str, str]:
    """What a management command lacks to work on the stack that runs in MEMORY_HOME; none where a database is named."""
    return {} if variables.get("MEMORY_DATABASE_URL") else running_variables(home_of(variables))


class FolderLock:
    """An exclusive lock on a folder that the system lifts when its holder ends, however it ends."""

    def __init__(
        self, folder: Path, *, hint: str = "Stop that process, or use another folder with MEMORY_HOME."
    ) -> None:
        self._path = folder / "lock"
        self._hint = hint
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Raise Unavailable when another process holds the folder. Acquiring twice is fine."""
        if self._file is not None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise Unavailable(f"{self._path.parent} is already in use by process {holder}.", hint=self._hint) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def write_private(path: Path, text: str) -> None:
    """Replace a file as a whole, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)


def remembered_secret(folder: Path, name: str) -> str:
    """The secret of this name in `folder/secrets.json` (mode 0600), made up (256 bits) the first time."""
    path = folder / "secrets.json"
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    if name not in known:
        known[name] = secrets.token_urlsafe(32)
        write_private(path, json.dumps(known))
    return known[name]
