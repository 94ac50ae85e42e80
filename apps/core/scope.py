"""The tenant scope: without one, PostgreSQL refuses every statement on a tenant table.

The login role owns nothing and inherits nothing. Inside a scope the transaction assumes `memory_app`, whose row-level
policies compare `app.tenant`, `app.agent`, `app.audience` and `app.user`; all five settings are transaction-local,
because session-level ones survive in the connection pool and would greet the next borrower with the last one's tenant.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.db import connection, transaction

from memory_platform.model import EVERYONE, Whose


class Reach(StrEnum):
    """How much of a tenant a scope sees of rows that carry an audience."""

    OWN = "own"
    SHARED = "shared"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class Scope:
    tenant_id: UUID
    agent_id: UUID | None
    reach: Reach
    whose: Whose = EVERYONE


class NoScope(RuntimeError):
    """Tenant data was touched outside a tenant scope: a bug in the caller, never the user's fault."""


class ScopeMismatch(RuntimeError):
    """A scope was opened inside the scope of another tenant."""


# The commands that may look across tenants, each with the reason an auditor will read.
UNSCOPED_REASONS = frozenset(
    {
        "create a tenant",
        "find a tenant by its slug",
        "list tenants for maintenance",
        "rebuild the search index of every tenant",
        "doctor: count rows and lag",
        "migrate data",
        "metrics: queue depth and lag",
    }
)

_current: ContextVar[Scope | None] = ContextVar("tenant_scope", default=None)


def current() -> Scope:
    """Return the open scope. Raises NoScope when there is none."""
    scope = _current.get()
    if scope is None:
        raise NoScope("No tenant scope is open; wrap the call in tenant_scope().")
    return scope


def is_open() -> bool:
    """Whether a tenant scope is open."""
    return _current.get() is not None


@contextmanager
def tenant_scope(
    tenant_id: UUID, *, agent_id: UUID | None = None, reach: Reach | None = None, whose: Whose = EVERYONE
) -> Iterator[Scope]:
    """Open a transaction in which only this tenant exists.

    With `agent_id` the scope sees that agent's rows (`Reach.OWN`) or those and the shared ones (`Reach.SHARED`);
    without, the whole tenant (workers, members). `whose` narrows either to one user's rows and those of no user; the
    latter can then be read, not written. One round trip; nesting within the same tenant is allowed.
    """
    scope = Scope(tenant_id, agent_id, reach or (Reach.OWN if agent_id else Reach.TENANT), whose)
    outer = _current.get()
    if outer is not None and outer.tenant_id != tenant_id:
        raise ScopeMismatch("A scope of another tenant is already open.")
    token = _current.set(scope)
    try:
        with transaction.atomic():
            _assume("memory_app", scope)
            yield scope
            if outer is not None:
                _assume("memory_app", outer)
            elif len(connection.savepoint_ids) > 0:
                _leave()
    finally:
        _current.reset(token)


def enter(scope: Scope) -> AbstractContextManager[Scope]:
    """Open a scope from its description: for services that call a model first and open a transaction only then."""
    return tenant_scope(scope.tenant_id, agent_id=scope.agent_id, reach=scope.reach, whose=scope.whose)


@contextmanager
def unscoped(reason: str) -> Iterator[None]:
    """Act as the tables' owner, across tenants. For named commands only, never within a request."""
    if reason not in UNSCOPED_REASONS:
        raise NoScope(f"{reason!r} is not among the reasons allowed to look across tenants.")
    if _current.get() is not None:
        raise ScopeMismatch("A tenant scope is open; unscoped() would silently leave it.")
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('role', 'memory_owner', true)")
        yield
        if len(connection.savepoint_ids) > 0:
            _leave()


def _assume(role: str, scope: Scope) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('role', %s, true), set_config('app.tenant', %s, true),"
            " set_config('app.agent', %s, true), set_config('app.audience', %s, true),"
            " set_config('app.user', %s, true)",
            [role, str(scope.tenant_id), str(scope.agent_id or ""), scope.reach.value, _user(scope.whose)],
        )


def _user(whose: Whose) -> str:
    """`*` for everyone's rows, `=` and the name for a user's, which may itself be `*`, nothing for those of no user."""
    if whose.everyone:
        return "*"
    return "" if whose.user_id is None else f"={whose.user_id}"


def _leave() -> None:
    """Drop the scope inside an enclosing transaction, where the settings would outlive the savepoint."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('role', 'none', true), set_config('app.tenant', '', true),"
            " set_config('app.agent', '', true), set_config('app.audience', '', true), set_config('app.user', '', true)"
        )
