"""Ports of the loopback interface."""

import socket

from memory_platform.errors import Unavailable

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A port nobody listens on at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free_port(port: int, *, purpose: str, setting: str, host: str = LOOPBACK) -> None:
    """Raise Unavailable, naming the port and the setting that changes it, when it cannot be listened on."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Unavailable(
                f"port {port} of {host}, wanted for {purpose}, cannot be used: {error.strerror}",
                hint=f"stop what listens there (`ss -ltnp | grep :{port}` shows it) or choose another with {setting}",
            ) from error
