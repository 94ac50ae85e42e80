"""A server's data folder: held by one process at a time, with the passwords it made up for itself."""

import fcntl
import json
import os
import secrets
from pathlib import Path
from typing import IO

from memory_platform.errors import Unavailable

PROJECT = Path(__file__).resolve().parents[2]


def default_root() -> Path:
    """`var/` of the checkout, or of the working folder when the package is installed elsewhere."""
    return (PROJECT if (PROJECT / "pyproject.toml").exists() else Path.cwd()) / "var"


class FolderLock:
    """An exclusive lock on a folder that the system lifts when its holder ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
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
            raise Unavailable(
                f"{self._path.parent} is already in use by process {holder}",
                hint="stop that process, or use another folder with MEMORY_HOME",
            ) from None
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
