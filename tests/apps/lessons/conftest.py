"""A small world whose messages become lessons: captured, observed and learnt from as workers do it."""

from dataclasses import dataclass, field
from datetime import datetime
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import clock, scope
from apps.core.scope import Reach, Scope
from apps.index import services as index
from apps.index.models import Document
from apps.lessons import selectors, services
from apps.lessons.models import Lesson
from apps.lessons.results import LessonView, Taught
from apps.memory import services as memory
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest
from apps.resources import services as resources
from apps.resources.services import NewTurn
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import Fact, Kind, Mood, Visibility, Whose
from tests.cast import MARA
from tests.conftest import UseScript


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID
    judge: ScriptedJudge
    script: dict[str, list[Fact]] = field(default_factory=lambda: {"nobody says this": []})

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def reader(self, user: str | None = None, *, agent_id: UUID | None = None) -> Scope:
        return Scope(self.tenant_id, agent_id or self.agent_id, Reach.OWN, Whose(user, everyone=user is None))

    def hear(
        self,
        text: str,
        *,
        kind: Kind = Kind.RULE,
        user: str | None = MARA.user_id,
        session: str = "monday",
        by_agent: bool = False,
        at: datetime | None = None,
        visibility: Visibility = Visibility.PRIVATE,
    ) -> UUID:
        """Capture and observe a message, which is one fact of this kind."""
        mood = Mood.QUESTION if text.endswith("?") else Mood.ASSERTED
        self.script[text] = [] if mood is Mood.QUESTION else [Fact(text=text, quote=text, kind=kind, usefulness=0.9)]
        turn = NewTurn(
            session_id=session,
            user_input=None if by_agent else text,
            llm_output=text if by_agent else None,
            user_id=user,
            occurred_at=at or clock.now(),
            visibility=visibility,
            agent_id=self.agent_id,
        )
        with scope.enter(self.worker):
            (resource_id,) = resources.capture(turn).resource_ids
        memory.observe([resource_id], within=self.worker)
        return resource_id

    def learn(self) -> Taught:
        """What the job does with everything there is."""
        with scope.enter(self.worker):
            ids = list(Item.objects.filter(tenant_id=self.tenant_id).values_list("id", flat=True))
        return services.learn(ids, within=self.worker)

    def ask(self, text: str, *, session: str, user: str | None = MARA.user_id) -> UUID:
        """Hear a request, embedded, and notice it."""
        resource_id = self.hear(text, session=session, user=user)
        with scope.enter(self.worker):
            documents = list(Document.objects.filter(tenant_id=self.tenant_id).values_list("id", flat=True))
        index.embed(documents, within=self.worker)
        services.notice([resource_id], within=self.worker)
        return resource_id

    def lessons(self, user: str | None = MARA.user_id, *, agent_id: UUID | None = None) -> list[LessonView]:
        with scope.enter(self.reader(user, agent_id=agent_id)):
            return list(selectors.file().lessons)

    def texts(self, user: str | None = MARA.user_id) -> list[str]:
        return [one.text for one in self.lessons(user)]

    def file(self, user: str | None = MARA.user_id) -> str:
        with scope.enter(self.reader(user)):
            return selectors.file().text

    def statuses(self) -> list[str]:
        with scope.enter(self.worker):
            return list(Lesson.objects.filter(tenant_id=self.tenant_id).order_by("id").values_list("status", flat=True))

    def item_id(self, text: str) -> UUID:
        with scope.enter(self.worker):
            return Item.objects.get(tenant_id=self.tenant_id, text=text).id

    def forget(self, request: ForgetRequest) -> UUID:
        with scope.enter(self.worker):
            batch_id = memory.forget(request).batch_id
        assert batch_id is not None
        return batch_id


@pytest.fixture
def world(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge, use_script: UseScript) -> World:
    made = World(tenant.id, agent.id, judge)
    use_script(made.script)
    return made
