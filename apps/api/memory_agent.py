"""MemoryAgent: the one way in. Every door opens one for its caller and calls a verb.

A verb checks the key's scope, then the rate limit, opens the tenant scope with the reach the key has (or leaves that to
a service that asks a model first), bounds what was sent and frees it of secrets (`admitted`), and calls one service,
selector or flow.

Users are apart: what answers with content (memories, rejections, the graph) answers for the user it was asked for, else
with what belongs to no user. What names its row, counts, or tells what was done ranges over every user's unless one was
named. A key that is bound to a user, or a request that is, never leaves it.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from apps.api import limits, metrics
from apps.api.admission import admitted
from apps.api.flows import entities, forgetting, keyring, listing, sharing, standing
from apps.api.flows.entities import Way
from apps.api.flows.forgetting import WhatToForget
from apps.api.flows.sharing import SharedDomain
from apps.api.flows.standing import Standing, Viewer
from apps.api.limits import Bucket
from apps.core import context as calling
from apps.core import scope
from apps.core.context import acting_as
from apps.core.paging import Page, Slice
from apps.core.scope import Reach, Scope
from apps.graph import selectors as graph
from apps.graph import services as graph_services
from apps.graph import stores
from apps.graph.results import EntityProfile, EntityView, PathStep, SeedEntity
from apps.graph.stores import ProjectionStatus
from apps.jobs import selectors as jobs
from apps.jobs.selectors import JobView
from apps.journal import selectors as journal
from apps.journal import services as journal_services
from apps.journal.selectors import EntryFilter, EntryView
from apps.memory import selectors as memory
from apps.memory import services as memory_services
from apps.memory.requests import ItemOrder, NewMemory, RejectionFilter
from apps.memory.results import (
    Explanation,
    Forgotten,
    ItemView,
    RejectionCount,
    RejectionView,
    SourceView,
    VersionView,
    WriteResult,
)
from apps.resources import selectors as resources
from apps.resources import services as resource_services
from apps.resources.models import Checkpoint, Session
from apps.resources.services import Captured, IngestLine, LineResult, NewTurn
from apps.retrieval import services as retrieval
from apps.retrieval.requests import ContextRequest, Filter, RecallRequest
from apps.retrieval.results import ContextResult, Feedback, RecallResult
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from apps.tenants.keys import Principal
from apps.tenants.models import ApiKey
from apps.tenants.services import NewKey
from memory_platform.errors import Forbidden, Invalid, MemoryPlatformError
from memory_platform.knowledge.graph import EntityType
from memory_platform.model import EVERYONE, NOBODY, Visibility, Whose

READ, WRITE, SHARE = ApiKey.Scope.READ, ApiKey.Scope.WRITE, ApiKey.Scope.SHARE
REVIEW, ADMIN = ApiKey.Scope.REVIEW, ApiKey.Scope.ADMIN

JOBS_AT_ONCE = 100
INGEST_CHUNK = resource_services.CHUNK_LINES
SAID = ("user_input", "llm_output", "tool_calls", "internal_state")
"""What resources frees of secrets itself: a tenant may keep what was said as it was."""


@dataclass(frozen=True, slots=True)
class MemoryAgent:
    """What the holder of a key may do. Every verb raises Forbidden without its scope and RateLimited past its limit."""

    principal: Principal
    whose: Whose | None = None

    def of(self, user_id: str | None = None, *, all_users: bool = False) -> "MemoryAgent":
        """The same agent asked for one user, or for all of them; neither: as it was.

        Raises Forbidden when that leaves the user its key or request is bound to, Invalid when both are named.
        """
        user_id = admitted(user_id, "user_id")
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

    def beside(self, user_id: str | None) -> "MemoryAgent":
        """For what hangs on a row that was named without its user: that user's eyes."""
        return self if self._asked is not None else replace(self, whose=Whose(user_id))

    # --- reading

    def viewer(self) -> Viewer:
        with self._open("viewer"):
            return standing.viewer(self.principal)

    def recall(self, request: RecallRequest) -> RecallResult:
        with self._admit("recall", READ, whose=self._content) as within:
            return retrieval.recall(admitted(request), within=within, domain=self.principal.domain)

    def recall_shared(self, request: RecallRequest) -> RecallResult:
        """What any agent of the tenant shared and what answers the question."""
        with self._admit("recallShared", READ, visibility=Visibility.SHARED, whose=self._content) as within:
            shared = sharing.among_shared(admitted(request))
            return retrieval.recall(shared, within=within, domain=self.principal.domain)

    def shared_domains(self) -> list[SharedDomain]:
        with self._open("sharedDomains", READ, visibility=Visibility.SHARED):
            return sharing.domains()

    def context(self, request: ContextRequest) -> ContextResult:
        with self._admit("context", READ, whose=self._content) as within:
            return retrieval.context(admitted(request), within=within, domain=self.principal.domain)

    def memory(self, item_id: UUID) -> ItemView | None:
        with self._open("memory", READ):
            return memory.item(item_id)

    def memories(self, *, wanted: Filter, page: Page, order: ItemOrder = ItemOrder.NEWEST) -> Slice[ItemView]:
        with self._open("memories", READ, whose=self._content):
            return listing.items(wanted=admitted(wanted), order=order, page=page)

    def explain_memory(self, item_id: UUID) -> Explanation | None:
        with self._open("explainMemory", READ):
            return memory.explain(item_id)

    def linked_memories(self, item_id: UUID, link: Literal["supersedes", "superseded_by"]) -> list[ItemView]:
        """What an item replaced, or what replaced it, in full."""
        with self._open("memoryLinks", READ):
            return listing.linked(item_id, link)

    def versions(self, item_id: UUID, page: Page) -> Slice[VersionView]:
        with self._open("memoryVersions", READ):
            return listing.versions(item_id, page=page)

    def sources_of(self, resource_id: UUID | None) -> list[SourceView]:
        """The captured message behind a row, if it has one."""
        if resource_id is None:
            return []
        with self._open("sources", READ):
            return listing.sources(resource_id)

    def weak_memories(self, page: Page) -> Slice[ItemView]:
        with self._open("weakMemories", READ, whose=self._content):
            return memory.weak(page=page)

    def rejections(self, wanted: RejectionFilter, page: Page) -> Slice[RejectionView]:
        with self._open("rejections", READ, whose=self._content):
            return memory.rejections(wanted=admitted(wanted), page=page)

    def rejection_counts(self, weeks: int) -> list[RejectionCount]:
        with self._open("rejectionCounts", READ):
            return memory.rejection_counts(weeks=weeks)

    def stats(self) -> Standing:
        with self._open("stats", READ):
            return standing.stats()

    def session(self, session_id: str) -> Session | None:
        with self._open("session", READ):
            return resources.session(admitted(session_id, "session_id"))

    def checkpoint(self, session_id: str, turn: int | None = None) -> Checkpoint | None:
        with self._open("checkpoint", READ):
            return resources.checkpoint(admitted(session_id, "session_id"), turn)

    def replay(self, session_id: str, turn: int | None = None) -> list[Checkpoint]:
        with self._open("replay", READ):
            return resources.replay(admitted(session_id, "session_id"), turn=turn)

    def jobs(self, ids: Sequence[UUID]) -> list[JobView]:
        if len(ids) > JOBS_AT_ONCE:
            raise Invalid(f"At most {JOBS_AT_ONCE} jobs at once.", field="ids")
        with self._open("jobs", READ):
            return jobs.jobs(ids)

    def journal(self, *, wanted: EntryFilter, agent_id: str | None = None, page: Page) -> Slice[EntryView]:
        """The agent's own entries; with the scope review or admin the whole tenant's, or those of `agent_id`."""
        with self._open("journal", READ):
            named = tenants.agent_id_of(admitted(agent_id, "agent_id"))
            if not self._curates:
                if named not in (None, self.principal.agent_id):
                    raise Forbidden("Reading other agents' entries needs the scope review.", field="agentId")
                named = self.principal.agent_id
            return journal.entries(filter=replace(admitted(wanted), agent_id=named), page=page)

    # --- the graph

    def entity(
        self, *, entity_id: UUID | None = None, name: str | None = None, as_of: datetime | None = None
    ) -> EntityProfile | None:
        """By id or by name, exactly one of them; by id as the user sees it whose it is, unless one was named."""
        with self._open("entity", READ) as within, scope.enter(self._seeing(within, entity_id)):
            return entities.profile(entity_id, admitted(name, "name"), admitted(as_of, "as_of"))

    def entities(
        self, *, search: str | None = None, entity_type: EntityType | None = None, page: Page
    ) -> Slice[EntityView]:
        with self._open("entities", READ, whose=self._content):
            return graph.entities(search=admitted(search, "search"), entity_type=entity_type, page=page)

    def entities_named(self, names: Sequence[str]) -> list[SeedEntity]:
        """The entities these very names stand for."""
        if not names:
            return []
        with self._open("entitiesNamed", READ, whose=self._content):
            return graph.seeds(names, fuzzy=False)

    def path(self, way: Way) -> tuple[PathStep, ...] | None:
        """How two entities are connected, as the user sees it whose the first is; None: not within the depth."""
        with self._open("path", READ) as within, scope.enter(self._seeing(within, way.start)):
            return entities.path(admitted(way))

    def merge_entities(self, into: UUID, from_ids: Sequence[UUID]) -> EntityProfile:
        """Shared entities are merged with the scope review or admin."""
        with self._admit("mergeEntities", WRITE, spends=Bucket.WRITE) as within:
            return entities.merge(into, from_ids, within=self._of_entity(within, into), curates=self._curates)

    def split_entity(self, entity_id: UUID, aliases: Sequence[str]) -> EntityProfile:
        with self._admit("splitEntity", WRITE, spends=Bucket.WRITE) as within:
            names, own = admitted(tuple(aliases), "aliases"), self._of_entity(within, entity_id)
            return entities.split(entity_id, names, within=own, curates=self._curates)

    # --- writing

    def capture_turn(self, turn: NewTurn) -> Captured:
        whose = self._written_for(turn.user_id)
        with self._open("captureTurn", WRITE, spends=Bucket.CAPTURE, visibility=turn.visibility, whose=whose):
            return resource_services.capture(admitted(replace(turn, user_id=whose.user_id), said=SAID))

    def ingest(self, lines: Sequence[IngestLine]) -> list[LineResult]:
        """Store as many of the lines, in order, as the limit admits: maybe fewer than were given, at least one.

        Commits what it stored. Raises RateLimited when nothing is admitted.
        """
        self._require(WRITE)
        for visibility in {line.visibility for line in lines}:
            self._require_for(visibility)
        owned = [replace(line, user_id=self._written_for(line.user_id).user_id) for line in lines]
        admitted = owned[: min(limits.left(self.principal, Bucket.INGEST), INGEST_CHUNK)]
        with self._open("ingest", WRITE):
            results = resource_services.ingest(admitted)
        limits.charge(self.principal, Bucket.INGEST, sum(result.status == "accepted" for result in results))
        return results

    def remember(self, new: NewMemory) -> WriteResult:
        whose = self._written_for(new.user_id or None)
        owned = replace(new, user_id=whose.user_id)
        with self._admit("remember", WRITE, spends=Bucket.WRITE, visibility=new.visibility, whose=whose) as within:
            return memory_services.remember(sharing.filed(admitted(owned), self.principal), within=within)

    def share(self, item_id: UUID, domain: str | None = None) -> ItemView:
        """Make a private memory known to all agents; the one that is returned is the shared one."""
        with self._admit("share", WRITE, spends=Bucket.WRITE, visibility=Visibility.SHARED) as within:
            filed = sharing.domain_of(self.principal, admitted(domain, "domain"))
            return memory_services.share(item_id, domain=filed, within=within)

    def correct(self, item_id: UUID, text: str, reason: str = "") -> WriteResult:
        with self._admit("correct", WRITE, spends=Bucket.WRITE) as within:
            words, why = admitted(text, "text"), admitted(reason, "reason")
            return memory_services.correct(item_id, words, why, within=within)

    def confirm(self, item_id: UUID) -> ItemView:
        with self._open("confirm", WRITE, spends=Bucket.WRITE):
            return memory_services.confirm(item_id)

    def forget(self, what: WhatToForget) -> Forgotten:
        whose = self._content if what.query is not None else self.of(what.user_id).whose
        with self._admit("forget", WRITE, spends=Bucket.WRITE, whose=whose) as within:
            return forgetting.forget(admitted(what), within=within, domain=self.principal.domain)

    def restore(self, batch_id: UUID) -> Forgotten:
        with self._open("restore", WRITE, spends=Bucket.WRITE):
            return memory_services.restore(batch_id)

    def report_output(self, recall_id: UUID, output: str) -> Feedback:
        with self._open("reportOutput", WRITE):
            return retrieval.report_output(recall_id=recall_id, output=admitted(output, "output"))

    def log_action(self, *, action: str, tool: str = "", detail: str = "", reason: str = "") -> EntryView:
        with self._open("logAction", WRITE, spends=Bucket.WRITE):
            words = {"action": action, "tool": tool, "detail": detail, "reason": reason}
            safe = {name: admitted(text, name) for name, text in words.items()}
            return journal.view_of(journal_services.log_action(**safe), **safe)

    # --- keys

    def keys(self) -> list[ApiKey]:
        with self._open("keys", ADMIN):
            return tenants.api_keys()

    def graph_status(self) -> ProjectionStatus:
        with self._open("graphStatus", ADMIN):
            return stores.status()

    def backfill_graph(self) -> int:
        """Read everything the tenant holds into the graph again, by jobs; returns how many."""
        with self._admit("backfillGraph", ADMIN) as within, scope.enter(Scope(within.tenant_id, None, Reach.TENANT)):
            return graph_services.rebuild()

    def check_graph(self) -> UUID:
        with self._open("checkGraph", ADMIN):
            return graph_services.check()

    def repair_graph(self) -> UUID:
        with self._open("repairGraph", ADMIN):
            return graph_services.repair()

    def rebuild_graph(self) -> UUID:
        with self._open("rebuildGraph", ADMIN):
            return graph_services.rebuild_projection()

    def create_key(
        self,
        *,
        scopes: Sequence[str],
        agent_id: str | None = None,
        domain: str | None = None,
        name: str = "",
        expires_at: datetime | None = None,
        user_id: str | None = None,
    ) -> NewKey:
        """`domain`, when given, becomes the agent's home category; with `user_id` the key reaches this user only."""
        with self._open("createApiKey", ADMIN):
            return keyring.create(
                admitted(agent_id, "agent_id") or self.principal.agent_slug,
                scopes=scopes,
                domain=admitted(domain, "domain"),
                name=admitted(name, "name"),
                expires_at=admitted(expires_at, "expires_at"),
                user_id=admitted(user_id, "user_id"),
            )

    def rotate_key(self, key_id: UUID, *, overlap: timedelta = timedelta(0)) -> NewKey:
        with self._open("rotateApiKey", ADMIN):
            return tenant_services.rotate_key(key_id=key_id, overlap=overlap)

    def revoke_key(self, key_id: UUID) -> ApiKey:
        with self._open("revokeApiKey", ADMIN):
            return tenant_services.revoke_key(key_id=key_id)

    # --- the door itself

    def agent_slugs(self, agent_ids: set[UUID]) -> dict[UUID, str]:
        """The callers' own names of agents; the own one costs nothing."""
        known = {self.principal.agent_id: self.principal.agent_slug}
        if missing := agent_ids - known.keys():
            with self._open("agents"):
                known |= tenants.agent_slugs(missing)
        return known

    @contextmanager
    def _open(
        self,
        verb: str,
        needs: str | None = None,
        *,
        spends: Bucket | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        whose: Whose | None = None,
    ) -> Iterator[Scope]:
        """Admit the caller and open its tenant scope."""
        admitted = self._admit(verb, needs, spends=spends, visibility=visibility, whose=whose)
        with admitted as within, scope.enter(within):
            yield within

    @contextmanager
    def _admit(
        self,
        verb: str,
        needs: str | None,
        *,
        spends: Bucket | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        whose: Whose | None = None,
    ) -> Iterator[Scope]:
        """Admit the caller; the scope is the service's to open, which asks a model first.

        It sees the rows of `whose`, else of the user who was named, else of every user.
        """
        started = time.perf_counter()
        code = "OK"
        try:
            self._require(needs)
            self._require_for(visibility)
            if spends is not None:
                limits.spend(self.principal, spends)
            with acting_as("agent", request_id=calling.current().request_id, **self._log_fields):
                yield self._scope(whose or self._asked or EVERYONE)
        except MemoryPlatformError as error:
            code = error.code
            raise
        except Exception:
            code = "INTERNAL"
            raise
        finally:
            metrics.VERBS.labels(verb, code).inc()
            metrics.VERB_SECONDS.labels(verb).observe(time.perf_counter() - started)

    def _scope(self, whose: Whose) -> Scope:
        reach = Reach.SHARED if SHARE in self.principal.scopes else Reach.OWN
        return Scope(self.principal.tenant_id, self.principal.agent_id, reach, whose)

    @property
    def _asked(self) -> Whose | None:
        """For whom the request is; None: it does not say, and neither does its key."""
        if self.whose is None and self.principal.user_id is not None:
            return Whose(self.principal.user_id)
        return self.whose

    @property
    def _content(self) -> Whose:
        """Whose rows answer with content: those of no user when none was named."""
        return self._asked or NOBODY

    def _written_for(self, user_id: str | None) -> Whose:
        """Whose a new row will be. Raises Forbidden."""
        return self.of(user_id).whose or self._content

    def _seeing(self, within: Scope, entity_id: UUID | None) -> Scope:
        """An entity seen as its user sees it. Needs an open scope."""
        if self._asked is not None:
            return within
        return replace(within, whose=graph.owner_of(entity_id) if entity_id else NOBODY)

    def _of_entity(self, within: Scope, entity_id: UUID) -> Scope:
        """As `_seeing`, before any scope is open."""
        with scope.enter(within):
            return self._seeing(within, entity_id)

    def _require(self, needed: str | None) -> None:
        if needed is not None and needed not in self.principal.scopes:
            raise Forbidden(f"This key lacks the scope {needed}.", hint=f"Use a key with the scope {needed}.")

    def _require_for(self, visibility: Visibility) -> None:
        if visibility is Visibility.SHARED:
            self._require(SHARE)

    @property
    def _curates(self) -> bool:
        return bool(self.principal.scopes & {REVIEW, ADMIN})

    @property
    def _log_fields(self) -> dict[str, str]:
        principal = self.principal
        return {"tenant_id": str(principal.tenant_id), "agent_id": str(principal.agent_id)}
