"""A small world whose facts reach the graph: messages are captured, observed and projected as workers do it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.graph import services as graph
from apps.graph.models import Alias, Entity, Mention, Relation
from apps.graph.results import Projected
from apps.memory import services as memory
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest
from apps.resources import services as resources
from apps.resources.models import Resource
from apps.resources.services import NewTurn
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.knowledge.entities import entity_names
from memory_platform.model import Fact, Visibility
from tests.conftest import UseScript

START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
# Names the tests' sentences may begin with.
PEOPLE = ("Anna", "Anna Berg", "Anna Schmidt", "Ben", "Carl", "Carl Voss", "Caroline", "Melanie", "Brightwave", "Orion")


def day(number: float) -> datetime:
    return START + timedelta(days=number)


@dataclass
class World:
    """One tenant; `agent_id` is who hears by default."""

    tenant_id: UUID
    agent_id: UUID
    script: dict[str, list[Fact]] = field(default_factory=lambda: {"nobody says this": []})

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    def reader(self, agent_id: UUID | None = None, *, shared: bool = False) -> Scope:
        return Scope(self.tenant_id, agent_id or self.agent_id, Reach.SHARED if shared else Reach.OWN)

    def hear(
        self,
        text: str,
        *facts: str,
        at: float = 0,
        session: str = "monday",
        speaker: str | None = None,
        user: str | None = None,
        agent: UUID | None = None,
        visibility: Visibility = Visibility.PRIVATE,
    ) -> UUID:
        """Capture and observe a message that yields these facts (the message itself without any); not projected."""
        self.script[text] = [
            Fact(text=one, quote=text, usefulness=0.9, entities=entity_names(one, known=PEOPLE))
            for one in facts or (text,)
        ]
        turn = NewTurn(
            session_id=session,
            user_input=text,
            user_id=user,
            speaker=speaker,
            occurred_at=day(at),
            visibility=visibility,
            agent_id=agent or self.agent_id,
        )
        with scope.enter(self.worker):
            (resource_id,) = resources.capture(turn).resource_ids
        memory.observe([resource_id], within=self.worker)
        return resource_id

    def learn(self, text: str, *facts: str, **where) -> UUID:
        """Hear and project; returns the resource."""
        resource_id = self.hear(text, *facts, **where)
        self.project()
        return resource_id

    def project(self, *, backwards: bool = False, one_by_one: bool = False) -> list[Projected]:
        """Project everything there is."""
        with scope.enter(self.worker):
            items = list(Item.objects.filter(tenant_id=self.tenant_id).order_by("id").values_list("id", flat=True))
            episodes = list(
                Resource.objects.filter(tenant_id=self.tenant_id).order_by("id").values_list("id", flat=True)
            )
        if backwards:
            items, episodes = items[::-1], episodes[::-1]
        if not one_by_one:
            return [graph.project(item_ids=items, resource_ids=episodes, within=self.worker)]
        return [
            *(graph.project(item_ids=[one], within=self.worker) for one in items),
            *(graph.project(resource_ids=[one], within=self.worker) for one in episodes),
        ]

    def forget(self, *, items: tuple[UUID, ...] = (), episodes: tuple[UUID, ...] = ()) -> UUID:
        with scope.enter(self.worker):
            batch_id = memory.forget(ForgetRequest(item_ids=items, episode_ids=episodes)).batch_id
        assert batch_id is not None
        self.project()
        return batch_id

    def restore(self, batch_id: UUID) -> None:
        with scope.enter(self.worker):
            memory.restore(batch_id)
        self.project()

    def item_id(self, text: str) -> UUID:
        with scope.enter(self.worker):
            return Item.objects.get(tenant_id=self.tenant_id, text=text).id

    def clear(self) -> None:
        """Throw the graph away."""
        with scope.enter(self.worker):
            for model in (Mention, Relation, Alias, Entity):
                model.objects.filter(tenant_id=self.tenant_id).delete()

    def partition(self) -> set[frozenset[str]]:
        """The names of each entity that is mentioned."""
        with scope.enter(self.worker):
            entities: dict[UUID, set[str]] = {}
            for entity_id, key in Alias.objects.filter(tenant_id=self.tenant_id, mention_count__gt=0).values_list(
                "entity_id", "name_key"
            ):
                entities.setdefault(entity_id, set()).add(key)
            return {frozenset(names) for names in entities.values()}

    def mentions(self) -> set[tuple]:
        """(unit, unit id, alias key, canonical key, validity) of every mention."""
        with scope.enter(self.worker):
            rows = Mention.objects.filter(tenant_id=self.tenant_id)
            return set(
                rows.values_list(
                    "unit", "unit_id", "alias__name_key", "entity__name_key", "is_speaker", "valid_from", "valid_until",
                    "retracted_at",
                )
            )  # fmt: skip

    def relations(self) -> set[tuple]:
        """(subject, predicate, object, negated, valid from and until) of every relation."""
        with scope.enter(self.worker):
            rows = Relation.objects.filter(tenant_id=self.tenant_id).values_list(
                "subject__name_key",
                "predicate",
                "object__name_key",
                "object_text",
                "negated",
                "valid_from",
                "valid_until",
            )
            return {(subject, predicate, key or text, *rest) for subject, predicate, key, text, *rest in rows}

    def entities(self) -> dict[str, Entity]:
        """Every entity that is mentioned, by its shown name."""
        with scope.enter(self.worker):
            return {
                one.canonical_name: one for one in Entity.objects.filter(tenant_id=self.tenant_id, mention_count__gt=0)
            }


@pytest.fixture
def world(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge, use_script: UseScript) -> World:
    made = World(tenant.id, agent.id)
    use_script(made.script)
    return made
