"""Sessions with the Neo4j driver whose every wait ends, and the only two ways a statement is run."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

from neo4j import ManagedTransaction, Query, Session
from neo4j._deadline import Deadline
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError
from typing_extensions import override

from memory_platform.adapters.neo4j_cypher import CypherStatement, require_tenant
from memory_platform.errors import ProviderRefused, ProviderRetryable

# Time to hand a connection back in order once its deadline has passed; a server that does not answer loses it.
RELEASE_SECONDS: Final = 0.05

# The driver logs each failure as an error beside raising it; whoever catches it knows what it is worth.
logging.getLogger("neo4j").setLevel(logging.CRITICAL)

Row = Mapping[str, Any]
Rows = Sequence[Row]


class DeadlineSession(Session):
    """The driver's session, with a deadline on the sockets it borrows.

    The driver bounds the waits for a connection and lets the server bound a transaction, but a server that hangs
    would be waited for without end. Its own deadlines do the rest; it has no public name for them.
    """

    def __init__(self, plain: Session, timeout: float) -> None:
        plain.close()
        super().__init__(plain._pool, plain._config)  # type: ignore[no-untyped-call]  # noqa: SLF001
        self._deadline = Deadline(timeout)

    @override
    def _connect(self, access_mode: Any, *arguments: Any, **settings: Any) -> None:
        super()._connect(access_mode, *arguments, **settings)  # type: ignore[no-untyped-call]
        self._hold_to(self._deadline)

    @override
    def _disconnect(self, sync: bool = False) -> None:
        connection: Any = self._connection
        if connection is not None:
            self._hold_to(Deadline(RELEASE_SECONDS))
            try:
                if not (connection.closed() or connection.defunct() or connection.is_reset):
                    connection.reset()
            except (Neo4jError, DriverError, OSError):
                connection.kill()
            # In the pool it belongs to the next borrower, who brings a deadline of its own.
            self._hold_to(None)
        super()._disconnect(sync=sync)  # type: ignore[no-untyped-call]

    def _hold_to(self, deadline: Deadline | None) -> None:
        if self._connection is not None:
            self._connection.socket.set_read_deadline(deadline)
            self._connection.socket.set_write_deadline(deadline)


def run(session: Session, statement: CypherStatement, parameters: Row, timeout: float) -> Rows:
    """Ask in a transaction of its own, which the server ends after `timeout` seconds."""
    require_tenant(statement, parameters)
    query = Query(statement.text, timeout=max(timeout, 0.001))
    return [dict(record) for record in session.run(query, dict(parameters))]


def write(transaction: ManagedTransaction, statement: CypherStatement, tenant_id: UUID, **parameters: Any) -> Rows:
    """Run within a transaction that the driver repeats when the server asks it to."""
    parameters["tenant_id"] = tenant_id.hex
    require_tenant(statement, parameters)
    return transaction.run(statement.text, parameters).data()


@contextmanager
def translated() -> Iterator[None]:
    """The driver's errors as ours."""
    try:
        yield
    except (AuthError, ConfigurationError) as error:
        raise ProviderRefused(f"Neo4j refuses: {type(error).__name__}.") from error
    except (Neo4jError, DriverError, OSError) as error:
        raise ProviderRetryable(f"Neo4j does not answer in time or at all: {type(error).__name__}.") from error
