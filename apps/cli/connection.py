"""Where the server is, with which key and for which user: MEMORY_URL, MEMORY_API_KEY and MEMORY_USER, then the local
stack's own.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

from apps.cli.server import Server
from apps.stack.data_root import home_of
from memory_platform.errors import Invalid, Unauthenticated

DEFAULT_URL = "http://127.0.0.1:8000"
LOOPBACK_NAMES = frozenset({"127.0.0.1", "::1", "localhost"})


def home() -> Path:
    """The folder in which `memory serve` leaves its address and the first agent's key for commands on this machine."""
    return home_of(os.environ)


def server_url() -> str:
    return os.environ.get("MEMORY_URL") or _left("url") or DEFAULT_URL


def api_key() -> str:
    """Raises Unauthenticated when no key is known, Invalid when MEMORY_URL is not a URL."""
    key = os.environ.get("MEMORY_API_KEY") or _local_key()
    if key is None:
        raise Unauthenticated(
            "No API key is known.", hint="Set MEMORY_API_KEY, or run `memory serve` here once to get a first one."
        )
    return key


def user_id() -> str | None:
    return os.environ.get("MEMORY_USER") or None


def connect() -> Server:
    """Open a client. Raises what `api_key` raises."""
    return Server(server_url(), api_key(), user_id=user_id())


def _local_key() -> str | None:
    """The local stack's key, which no other machine shall see."""
    url = server_url()
    return _left("api-key") if url == _left("url") or _host(url) in LOOPBACK_NAMES else None


def _host(url: str) -> str:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if host is None:
        raise Invalid(f"{url!r} is not the URL of a server.", hint=f"Set MEMORY_URL to one such as {DEFAULT_URL}.")
    return host


def _left(name: str) -> str | None:
    path = home() / name
    return path.read_text().strip() or None if path.exists() else None
