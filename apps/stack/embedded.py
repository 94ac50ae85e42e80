"""What the servers that the platform starts itself have in common: a root of their own, a port, a life."""

from abc import ABC, abstractmethod
from pathlib import Path

from apps.stack.data_root import FolderLock
from apps.stack.process import ServerProcess


class EmbeddedServer(ABC):
    """One server on 127.0.0.1; `port` None picks a free one, which a restart keeps.

    A killed run's server on the same root is stopped first; a root held by a living process raises Unavailable.
    """

    def __init__(self, name: str, root: Path, port: int | None) -> None:
        self.name = name
        self.root = root.resolve()
        self.log = self.root / f"{name}.log"
        self.port = port or 0
        self._fixed_port = port
        self._lock = FolderLock(self.root)
        self._process: ServerProcess | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.is_running

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code if self._process else None

    def start(self) -> None:
        """Start and wait until it answers. Raises Unavailable when the port is taken or the server gives up."""
        if self.is_running:
            return
        self._lock.acquire()
        try:
            self._launch()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and release the root."""
        if self._process is not None:
            self._process.stop()
            self._process = None
        self._lock.release()

    @abstractmethod
    def _launch(self) -> None:
        """Bring up a process that answers and keep it, and its port; raises Unavailable where it gives up."""
