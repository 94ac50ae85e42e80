"""A small world: an agent that hears messages, an extractor that finds in them what the test wrote down."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from types import SimpleNamespace
from uuid import UUID

import pytest

from apps.core import providers, scope
from apps.core.scope import Reach, Scope
from apps.memory import selectors, services
from apps.memory.models import Item
from apps.memory.results import ItemView, Observed
from apps.resources import services as resources
from apps.resources.services import NewTurn
from memory_platform.adapters.scripted import ScriptedEmbedder, ScriptedJudge
from memory_platform.model import ClaimRelation, Fact, FiledBy, Visibility
from tests.conftest import UseScript

START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)

SAME = ClaimRelation(same=0.97, distinct=0.03)
REFINES = ClaimRelation(refines=0.97, distinct=0.03)
UPDATE = ClaimRelation(update=0.97, distinct=0.03)
PROBABLE_UPDATE = ClaimRelation(update=0.7, distinct=0.3)
CORRECTION = ClaimRelation(correction=0.97, distinct=0.03)
CONFLICT = ClaimRelation(conflict=0.97, distinct=0.03)


def fact(text: str, **fields) -> Fact:
    """A fact the gate allows, in the category it names."""
    return Fact(**{"text": text, "quote": text, "usefulness": 0.9, "filed_by": FiledBy.GIVEN, **fields})


def held(text: str, **fields) -> Fact:
    return fact(text, **{"usefulness": 0.3, **fields})


@dataclass
class World:
    tenant_id: UUID
    agent_id: UUID
    judge: ScriptedJudge
    script: dict[str, list[Fact]] = field(default_factory=lambda: {"nobody says this": []})

    @property
    def worker(self) -> Scope:
        return Scope(self.tenant_id, None, Reach.TENANT)

    @property
    def agent(self) -> Scope:
        return Scope(self.tenant_id, self.agent_id, Reach.OWN)

    def judged(self, relation: ClaimRelation, *texts: str) -> None:
        """From now on each of the texts stands so to those after it, when it was said before them."""
        self.judge.relations |= dict.fromkeys(combinations(texts, 2), relation)

    def hear(
        self,
        text: str,
        *facts: Fact,
        day: float = 0,
        session: str = "monday",
        user: str | None = None,
        speaker: str | None = None,
        visibility: Visibility = Visibility.PRIVATE,
        by_assistant: bool = False,
    ) -> UUID:
        """Capture a message in which the extractor will find `facts`; without any, one fact in the same words."""
        self.script[text] = list(facts) or [fact(text)]
        turn = NewTurn(
            session_id=session,
            user_input=None if by_assistant else text,
            llm_output=text if by_assistant else None,
            user_id=user,
            speaker=speaker,
            occurred_at=START + timedelta(days=day),
            visibility=visibility,
            agent_id=self.agent_id,
        )
        with scope.enter(self.worker):
            return resources.capture(turn).resource_ids[0]

    def answer(self, text: str, *facts: Fact, day: float = 0, session: str = "monday") -> UUID:
        """Hear and observe what the assistant says to nothing in particular; returns its resource."""
        self.script[text] = list(facts) or [fact(text)]
        turn = NewTurn(
            session_id=session,
            user_input="Hm.",
            llm_output=text,
            occurred_at=START + timedelta(days=day),
            agent_id=self.agent_id,
        )
        with scope.enter(self.worker):
            _, resource_id = resources.capture(turn).resource_ids
        self.observe(resource_id)
        return resource_id

    def observe(self, *resource_ids: UUID, fall_back: bool = False) -> Observed:
        return services.observe(resource_ids, within=self.worker, fall_back=fall_back)

    def learn(self, text: str, *facts: Fact, **where) -> UUID:
        """Hear and observe; returns the resource."""
        resource_id = self.hear(text, *facts, **where)
        self.observe(resource_id)
        return resource_id

    def items(self, **columns) -> list[Item]:
        with scope.enter(self.worker):
            return list(Item.objects.filter(tenant_id=self.tenant_id, **columns).order_by("recorded_at", "id"))

    def texts(self, **columns) -> list[str]:
        return [item.text for item in self.items(**columns)]

    def item(self, text: str) -> ItemView:
        """The one item with this text that is no merged wording."""
        (row,) = [item for item in self.items(text=text) if item.status_reason != "merged"]
        with scope.enter(self.worker):
            return selectors.hydrate([row.id])[row.id]

    def searchable(self) -> set[str]:
        """Texts of the item documents that are not hidden and hold now."""
        from apps.index.models import Document  # noqa: PLC0415

        with scope.enter(self.worker):
            rows = Document.objects.filter(
                tenant_id=self.tenant_id, unit="item", hidden=False, valid_until=None, retracted_at=None
            )
            return set(rows.values_list("text", flat=True))

    def query(self, read: Callable[[], object]) -> object:
        with scope.enter(self.worker):
            return read()


@pytest.fixture
def world(tenant: SimpleNamespace, agent: SimpleNamespace, judge: ScriptedJudge, use_script: UseScript) -> World:
    made = World(tenant.id, agent.id, judge)
    use_script(made.script)
    return made


def use_embedder(monkeypatch: pytest.MonkeyPatch, *, failures: Sequence[Exception] = ()) -> ScriptedEmbedder:
    embedder = ScriptedEmbedder(dimension=256, failures=failures)
    monkeypatch.setattr(providers, "embedder", lambda: embedder)
    return embedder
