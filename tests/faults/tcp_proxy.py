"""A TCP proxy in front of a server, whose connections a test can cut."""

import contextlib
import socket
import threading
from collections.abc import Iterator

LOOPBACK = "127.0.0.1"


class Proxy:
    """Forwards to `target` until `cut`; `refuses` closes new connections at once."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server((LOOPBACK, 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.port: int = self._listener.getsockname()[1]
        self.refuses = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> int:
        """Break every connection; returns how many there were."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                _end(end)
        return len(pairs)

    def close(self) -> None:
        _end(self._listener)
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuses:
                client.close()
                continue
            server = socket.create_connection((LOOPBACK, self._target))
            self._pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for end in (source, sink):
        _end(end)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


@contextlib.contextmanager
def in_front_of(port: int) -> Iterator[Proxy]:
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
