"""The operating-system account PostgreSQL runs as: it refuses root, so root lends it another one."""

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from memory_platform.errors import Unavailable

SERVICE_ACCOUNT = "memory-postgres"


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    uid: int
    gid: int


def service_account() -> Account | None:
    """None when we are an ordinary user; for root, the service account, created on first use, or `nobody` where
    accounts cannot be created.
    """
    if os.geteuid() != 0:
        return None
    found = _look_up(SERVICE_ACCOUNT)
    if found is None and (useradd := shutil.which("useradd")):
        options = ["--system", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        subprocess.run([useradd, *options, SERVICE_ACCOUNT], check=False, capture_output=True)  # noqa: S603
        found = _look_up(SERVICE_ACCOUNT)
    found = found or _look_up("nobody")
    if found is None:
        raise Unavailable(
            "PostgreSQL does not run as root and there is no other account for it",
            hint=f"create one with `useradd --system {SERVICE_ACCOUNT}`, or start as an ordinary user",
        )
    return found


def make_reachable(path: Path) -> None:
    """Let other accounts pass through the folders above `path` (x only: they cannot list or read them)."""
    for folder in path.resolve().parents:
        mode = folder.stat().st_mode
        if not mode & stat.S_IXOTH:
            folder.chmod(stat.S_IMODE(mode) | stat.S_IXOTH)


def _look_up(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)
