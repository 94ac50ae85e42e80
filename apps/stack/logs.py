"""Log files of the servers, and their lines on the console."""

import os
from pathlib import Path
from typing import IO

MAX_LOG_BYTES = 5_000_000


def open_log(path: Path) -> IO[bytes]:
    """Open for appending (mode 0600); a log past `MAX_LOG_BYTES` becomes `NAME.1` first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def last_lines(path: Path, *, count: int = 12) -> str:
    """The last lines of a log; empty when there is none."""
    if not path.exists():
        return ""
    return "\n".join(path.read_text(errors="replace").splitlines()[-count:])
