"""A small world whose messages become triggers: captured, observed, and read for times ahead as workers do it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import clock, scope
from apps.core.scope import Reach, Scope
from apps.memory import services as memory
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest
from apps.resources import services as resources
from apps.resources.services import NewTurn
from apps.triggers import services
from apps.triggers.models import FutureTrigger
from apps.triggers.results import Detection
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import Fact, Visibility, Whose
from tests.conftest import UseScript


def day(ahead: int) -> str:
    """A day so many days from now, as people write it."""
    then = clock.now() + timedelta(days=ahead)
    return f"{then.day} {then:%B %Y}"


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID
    script: dict[str, list[Fact]] = field(default_factory=lambda: {"nobody says this": []})

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def reader(self, *, user: str | None = None) -> Scope:
        return Scope(self.tenant_id, self.agent_id, Reach.OWN, Whose(user, everyone=user is None))

    def hear(self, text: str, *, at: datetime | None = None, user: str | None = None) -> UUID:
        """Capture and observe a message, which is one fact; not read for times ahead."""
        self.script[text] = [Fact(text=text, quote=text, usefulness=0.9)]
        turn = NewTurn(
            session_id="monday",
            user_input=text,
            user_id=user,
            occurred_at=at or clock.now(),
            visibility=Visibility.PRIVATE,
            agent_id=self.agent_id,
        )
        with scope.enter(self.worker):
            (resource_id,) = resources.capture(turn).resource_ids
        memory.observe([resource_id], within=self.worker)
        return resource_id

    def learn(self, text: str, *, at: datetime | None = None, user: str | None = None) -> Detection:
        return services.detect([self.hear(text, at=at, user=user)], within=self.worker)

    def item_id(self, text: str) -> UUID:
        with scope.enter(self.worker):
            return Item.objects.get(tenant_id=self.tenant_id, text=text).id

    def rows(self) -> list[FutureTrigger]:
        with scope.enter(self.worker):
            return list(FutureTrigger.objects.filter(tenant_id=self.tenant_id).order_by("id"))

    def statuses(self) -> list[tuple[str, str]]:
        return [(row.status, row.ending) for row in self.rows()]

    def forget(self, request: ForgetRequest) -> UUID:
        with scope.enter(self.worker):
            batch_id = memory.forget(request).batch_id
        assert batch_id is not None
        return batch_id

    def pass_time(self, **span: float) -> None:
        """Move what is there into the past."""
        with scope.enter(self.worker):
            for row in FutureTrigger.objects.filter(tenant_id=self.tenant_id):
                row.at -= timedelta(**span)
                row.begins_at -= timedelta(**span)
                for name in ("due_at", "snoozed_until"):
                    if (then := getattr(row, name)) is not None:
                        setattr(row, name, then - timedelta(**span))
                row.save()


@pytest.fixture
def world(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge, use_script: UseScript) -> World:
    made = World(tenant.id, agent.id)
    use_script(made.script)
    return made
