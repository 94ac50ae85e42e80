"""Where the server is and with which key: options, then MEMORY_URL and MEMORY_API_KEY, then the local stack's own."""

import os
from pathlib import Path

from apps.stack.supervisor import default_root
from memory_platform.client import MemoryAgent
from memory_platform.errors import Unauthenticated

DEFAULT_URL = "http://127.0.0.1:8000"


def key_file() -> Path:
    """Where `memory serve` leaves the first agent's key for commands on the same machine (mode 0600)."""
    home = os.environ.get("MEMORY_HOME")
    return (Path(home) if home else default_root()) / "api-key"


def server_url() -> str:
    return os.environ.get("MEMORY_URL", DEFAULT_URL)


def connect() -> MemoryAgent:
    """Open a client. Raises Unauthenticated when no key is known."""
    key = os.environ.get("MEMORY_API_KEY") or _local_key()
    if key is None:
        raise Unauthenticated(
            "No API key is known.", hint="Set MEMORY_API_KEY, or run `memory serve` here once to get a first one."
        )
    return MemoryAgent(server_url(), key)


def _local_key() -> str | None:
    path = key_file()
    return path.read_text().strip() if path.exists() else None
