"""A tenant whose items are stored as the test says; summaries are written as workers do it, without a wait."""

from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import rows, scope
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.jobs import services as jobs
from apps.memory import services as memory
from apps.memory.filing import Filing
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest
from apps.summaries import selectors, services
from apps.summaries.results import SummaryVersionView, SummaryView
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from memory_platform.model import Kind, Strength, Verdict, Visibility, Whose


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def reader(self, user: str | None = None) -> Scope:
        return Scope(self.tenant_id, self.agent_id, Reach.OWN, Whose(user))

    def filing(self, category: str = "work", user: str | None = None) -> Filing:
        return Filing(self.agent_id, user, Visibility.PRIVATE, category)

    def hold(self, text: str, *, day: int = 1, user: str | None = None, **fields: object) -> UUID:
        said_at = datetime(2026, 3, day, 12, tzinfo=UTC)
        item = Item(
            id=new_id(),
            **{
                "tenant_id": self.tenant_id,
                "agent_id": self.agent_id,
                "user_id": user,
                "text": text,
                "claim_hash": text,
                "kind": Kind.FACT.value,
                "category": "work",
                "strength": Strength.EXPLICIT.value,
                "confidence": 0.9,
                "verdict": Verdict.ALLOW.value,
                "event_time": said_at,
                "said_at": said_at,
                "valid_from": said_at,
                "recorded_at": said_at,
                **fields,
            },
        )
        with scope.enter(self.worker):
            rows.insert([item])
        return item.id

    def change(self, item_id: UUID, **fields: object) -> None:
        with scope.enter(self.worker):
            Item.objects.filter(id=item_id).update(**fields)

    def follow(self, *item_ids: UUID) -> None:
        """Hear of changed items, and write."""
        with scope.enter(self.worker):
            services.follow(item_ids)
        self.run_jobs()

    def rewrite(self) -> int:
        with scope.enter(self.worker):
            due = services.due()
            services.rewrite(due)
        self.run_jobs()
        return len(due)

    def run_jobs(self) -> None:
        jobs.drain("test", tenant_id=self.tenant_id)

    def summary(self, category: str = "work", user: str | None = None) -> SummaryView | None:
        with scope.enter(self.reader(user)):
            return selectors.summary(self.filing(category, user))

    def versions(self, category: str = "work", user: str | None = None) -> list[SummaryVersionView]:
        with scope.enter(self.reader(user)):
            return selectors.versions(self.filing(category, user))

    def forget(self, item_id: UUID) -> UUID:
        with scope.enter(self.worker):
            batch_id = memory.forget(ForgetRequest(item_ids=(item_id,))).batch_id
        assert batch_id is not None
        return batch_id

    def set_policy(self, **changes: object) -> None:
        with scope.enter(self.worker):
            tenant_services.change(tenants.policy(self.tenant_id), changes)


@pytest.fixture
def world(tenant: SimpleNamespace, agent: SimpleNamespace) -> World:
    made = World(tenant.id, agent.id)
    made.set_policy(summary_debounce_seconds=0)
    return made
