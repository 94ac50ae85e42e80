"""Gateway: the one way in. Every surface opens one for its caller and asks a topic's handlers.

It checks the key's scope, spends the rate limit, counts the verb, and opens the tenant scope with the reach the key has
(or leaves that to a service that asks a model first). What it hands out are the contract's answers.

Users are apart: what answers with content (memories, rejections, the graph) answers for the user it was asked for, else
with what belongs to no user. What names its row, counts, or tells what was done ranges over every user's unless one was
named. A key that is bound to a user, or a request that is, never leaves it.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar, runtime_checkable
from uuid import UUID

from apps.api import limits, metrics
from apps.api.admission import admitted
from apps.api.contract import AGENT_NAMES, Answer
from apps.api.verbs import ADMIN, SHARE, Verb
from apps.core import scope
from apps.core.paging import Slice
from apps.core.scope import Scope
from apps.tenants import access
from apps.tenants import selectors as tenants
from apps.tenants.access import Caller
from apps.tenants.models import ApiKey
from memory_platform.errors import Forbidden, Invalid, MemoryPlatformError
from memory_platform.model import EVERYONE, NOBODY, Visibility, Whose

Shape = TypeVar("Shape", bound=Answer)
Record = TypeVar("Record")


@runtime_checkable
class NamesUsers(Protocol):
    """An input that says for which user it asks, or that it asks for all of them."""

    @property
    def user_id(self) -> str | None: ...

    @property
    def all_users(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Gateway:
    """What a key or a member may do. Opening it for a verb raises Forbidden without its scope, RateLimited past its
    limit.
    """

    principal: Caller
    whose: Whose | None = None

    def of(self, user_id: str | None = None, *, all_users: bool = False) -> "Gateway":
        """The same caller asked for one user, or for all of them; neither: as it was.

        Raises Forbidden when that leaves the user its key or request is bound to, Invalid when both are named.
        """
        user_id = admitted(user_id, "user_id")
        if user_id == "":
            raise Invalid("userId is empty; leave it out for what belongs to no user.", field="userId")
        if user_id is not None and all_users:
            raise Invalid("Name a user or ask for all users, not both.", field="allUsers")
        bound = self.principal.user_id
        if bound is not None and (all_users or user_id not in {None, bound}):
            raise Forbidden(
                "This key speaks for one user and cannot name another.",
                field="allUsers" if all_users else "userId",
                hint="Leave the user out, or use a key that is not bound to one.",
            )
        if all_users:
            return replace(self, whose=EVERYONE)
        return self if user_id is None else replace(self, whose=Whose(user_id))

    def of_named(self, given: NamesUsers) -> "Gateway":
        """The same caller asked for the users an input names. Raises as `of` does."""
        return self.of(given.user_id, all_users=given.all_users)

    def beside(self, user_id: str | None) -> "Gateway":
        """For what hangs on a row that was named without its user: that user's eyes."""
        return self if self.asked is not None else replace(self, whose=Whose(user_id))

    @contextmanager
    def open(
        self,
        verb: Verb,
        *,
        visibility: Visibility = Visibility.PRIVATE,
        whose: Whose | None = None,
        of_all_agents: bool = False,
    ) -> Iterator[Scope]:
        """Admit the caller and open its tenant scope."""
        admitted = self.admit(verb, visibility=visibility, whose=whose, of_all_agents=of_all_agents)
        with admitted as within, scope.enter(within):
            yield within

    @contextmanager
    def admit(
        self,
        verb: Verb,
        *,
        visibility: Visibility = Visibility.PRIVATE,
        whose: Whose | None = None,
        of_all_agents: bool = False,
    ) -> Iterator[Scope]:
        """Admit the caller; the scope is the service's to open, which asks a model first.

        It sees the rows of `whose`, else of the user who was named, else of every user; those `of_all_agents` when the
        verb says so, or needs the scope admin.
        """
        started = time.perf_counter()
        code = "OK"
        try:
            self.require(verb.scope, verb.or_scope)
            self.require_for(visibility)
            if verb.spends is not None:
                limits.spend(self.principal, verb.spends)
            reaches_all = of_all_agents or verb.scope == ADMIN
            with access.acting(self.principal):
                yield self.principal.scope(whose or self.asked or EVERYONE, of_all_agents=reaches_all)
        except MemoryPlatformError as error:
            code = error.code
            raise
        except Exception:
            code = "INTERNAL"
            raise
        finally:
            metrics.VERBS.labels(verb.name, code).inc()
            metrics.VERB_SECONDS.labels(verb.name).observe(time.perf_counter() - started)

    def require(self, needed: str | None, instead: str | None = None) -> None:
        if needed is None or self.principal.scopes & {needed, instead}:
            return
        either = needed if instead is None else f"{needed} or {instead}"
        raise Forbidden(f"This key lacks the scope {either}.", hint=f"Use a key with the scope {either}.")

    def require_for(self, visibility: Visibility) -> None:
        if visibility is Visibility.SHARED:
            self.require(SHARE)

    @property
    def asked(self) -> Whose | None:
        """For whom the request is; None: it does not say, and neither does its key."""
        if self.whose is None and self.principal.user_id is not None:
            return Whose(self.principal.user_id)
        return self.whose

    @property
    def content_of(self) -> Whose:
        """Whose rows answer with content: those of no user when none was named."""
        return self.asked or NOBODY

    def written_for(self, user_id: str | None) -> Whose:
        """Whose a new row will be. Raises Forbidden."""
        return self.of(user_id).whose or self.content_of

    @property
    def only_user(self) -> str | None:
        """The one user a request is for."""
        return None if self.asked is None else self.asked.user_id

    @property
    def curates(self) -> bool:
        return bool(self.principal.scopes & {ApiKey.Scope.REVIEW, ADMIN})

    @property
    def sees_budgets(self) -> bool:
        return bool(self.principal.scopes & {ApiKey.Scope.BILLING, ADMIN})

    @property
    def administers(self) -> bool:
        return ADMIN in self.principal.scopes

    def answer(self, shape: type[Shape], record: object) -> Shape:
        """A service's record in the contract's shape."""
        return shape.model_validate(record, context={AGENT_NAMES: self._agent_name})

    def answer_or_none(self, shape: type[Shape], record: object | None) -> Shape | None:
        return None if record is None else self.answer(shape, record)

    def answers(self, shape: type[Shape], records: Iterable[object]) -> list[Shape]:
        held = list(records)
        if scope.is_open():
            # All names by one statement, so that a row's own is at hand.
            named = (getattr(each, "agent_id", None) for each in held)
            tenants.agent_slugs({each for each in named if isinstance(each, UUID)})
        return [self.answer(shape, each) for each in held]

    def page(self, shape: type[Shape], cut: Slice[Record]) -> Slice[Shape]:
        return cut.of(self.answers(shape, cut.rows))

    def _agent_name(self, agent_id: UUID) -> str | None:
        """The caller's own name of an agent; the key's costs nothing, others no scope where one is open."""
        if agent_id == self.principal.agent_id:
            return self.principal.agent_slug
        with nullcontext() if scope.is_open() else scope.enter(self.principal.scope()):
            return tenants.agent_slugs({agent_id}).get(agent_id)
