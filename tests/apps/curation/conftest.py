"""A small tenant whose agents share memories, curated as jobs and people do it."""

from dataclasses import dataclass
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import providers, scope
from apps.core.paging import PageRequest
from apps.core.scope import Reach, Scope
from apps.curation import selectors, services
from apps.curation.models import Proposal
from apps.curation.requests import Decision, ProposalFilter, ReviewDecision
from apps.curation.results import CuratedView, ProposalView, Sorted
from apps.memory import services as memory
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest, NewMemory
from memory_platform.adapters.scripted import ScriptedEmbedder, ScriptedJudge
from memory_platform.model import Kind, Visibility

EVERY = ("waiting", "queued", "approved", "rejected", "merged")


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID
    judge: ScriptedJudge

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    @property
    def curator(self) -> Scope:
        return Scope(self.tenant_id, self.agent_id, Reach.TENANT)

    def share(
        self,
        text: str,
        *,
        user: str | None = None,
        kind: Kind = Kind.FACT,
        visibility: Visibility = Visibility.SHARED,
        category: str = "operations",
    ) -> UUID:
        given = NewMemory(text=text, kind=kind, category=category, user_id=user, visibility=visibility)
        result = memory.remember(given, within=Scope(self.tenant_id, self.agent_id, Reach.SHARED))
        assert result.item is not None, result.reason
        return result.item.id

    def forget(self, item_id: UUID) -> UUID:
        with scope.enter(self.worker):
            batch_id = memory.forget(ForgetRequest(item_ids=(item_id,))).batch_id
            services.follow([item_id])
        assert batch_id is not None
        return batch_id

    def reflect(self) -> Sorted:
        return services.reflect(within=self.worker)

    def sort(self) -> Sorted:
        return services.sort(within=self.worker)

    def proposals(self, *states: str) -> list[ProposalView]:
        with scope.enter(self.worker):
            return list(selectors.proposals(filter=ProposalFilter(states or EVERY), page=PageRequest(100)).rows)

    def decide(self, proposal: ProposalView, verdict: ReviewDecision, **given) -> Proposal:
        decision = Decision(verdict, given.pop("version", proposal.version), **given)
        with scope.enter(self.curator):
            return services.decide(proposal.id, decision)

    def file(self) -> CuratedView:
        with scope.enter(self.worker):
            return selectors.curated()

    def texts(self) -> list[str]:
        return [line.text for line in self.file().lines]

    def items(self) -> list[Item]:
        with scope.enter(self.worker):
            return list(Item.objects.filter(tenant_id=self.tenant_id).order_by("id"))


@pytest.fixture
def world(
    tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch
) -> World:
    embedder = ScriptedEmbedder(dimension=256)
    monkeypatch.setattr(providers, "embedder", lambda: embedder)
    return World(tenant.id, agent.id, judge)
