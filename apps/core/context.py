"""Who is acting and in which request or job: bound once at each entry, read by the journal, jobs and logs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import structlog


@dataclass(frozen=True, slots=True)
class Caller:
    """`actor` is a short code such as `agent`, `worker` or `system`, of a person `member:<login id>`; never a name.

    `key_id` is the key an agent came with.
    """

    actor: str
    request_id: str
    key_id: str = ""


_SYSTEM = Caller(actor="system", request_id="")
_caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


def current() -> Caller:
    return _caller.get() or _SYSTEM


@contextmanager
def acting_as(actor: str, *, request_id: str = "", key_id: str = "", **log_fields: str) -> Iterator[None]:
    """Bind the caller for the block, and `log_fields` to every log line written in it."""
    token = _caller.set(Caller(actor=actor, request_id=request_id, key_id=key_id))
    try:
        with structlog.contextvars.bound_contextvars(request_id=request_id, **log_fields):
            yield
    finally:
        _caller.reset(token)
