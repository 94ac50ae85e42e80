"""Whatever there is: a run that follows another at the same moment changes nothing."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import pytest
import time_machine
from django.apps import apps
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from apps.core import scope
from apps.jobs import services as jobs
from apps.jobs.models import Job
from apps.maintenance import steps
from apps.memory.models import AudienceClock
from apps.resources import services as resources
from apps.resources.services import NewTurn
from apps.tenants import services
from memory_platform.model import Status, Verdict, Visibility
from tests.apps.maintenance.conftest import NOW, Memory, ago
from tests.cast import MARA

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

AGES = (0.1, 0.9, 3, 31, 62, 91, 200, 400, 1_000)
# The apps whose rows are what a tenant knows; jobs, the journal and what they count are what was done, and so is how
# often an audience was locked, and when the index last summed up its terms.
KNOWING = ("graph", "memory", "summaries", "curation", "triggers", "lessons", "index", "resources")
DONE = {AudienceClock}
WHEN = {"folded_at"}
SAID = (
    "{who} lives in {where}.",
    "{who} moved to {where} in May {year}.",
    "{who}'s parcel {number} lies in {where}.",
    "{who} is allergic to penicillin.",
    "{who} works for Nordwind in {where} since {year}.",
    "Never deploy to {where} on a Friday.",
    "From now on always answer {who} in Norwegian.",
    "The gateway of {where} runs on version {number}.",
    "The dentist has a place for {who} on 12 June {year}.",
    "{who} wohnt seit {year} in {where}.",
    "Because {who} was ill, the trip to {where} was cancelled.",
)
MOST_EXAMPLES = 3 if "CI" in os.environ else 12

numbers = count()
share = st.none() | st.sampled_from((0.0, 0.5, 1.0))


@dataclass(frozen=True)
class Turn:
    """What a user said `days` ago and was answered: read then, or still unread."""

    said: str
    answered: str
    days: float
    user_id: str | None
    session: str
    is_read: bool

    def happen(self, memory: Memory) -> None:
        turn = NewTurn(
            session_id=self.session,
            user_id=self.user_id,
            user_input=self.said,
            llm_output=self.answered,
            agent_id=memory.agent_id,
        )
        with time_machine.travel(ago(self.days), tick=False):
            with scope.enter(memory.worker):
                resources.capture(turn)
                if not self.is_read:
                    Job.objects.filter(tenant_id=memory.tenant_id, state="queued").delete()
            jobs.drain("test", tenant_id=memory.tenant_id)


@dataclass(frozen=True)
class Aged:
    """An item `days` old; `used` and `confirmed` are shares of its age."""

    text: str
    days: float
    used: float | None
    confirmed: float | None
    confidence: float
    category: str
    status: Status
    verdict: Verdict
    visibility: Visibility
    user_id: str | None
    protected: bool

    def hold(self, memory: Memory) -> None:
        memory.hold(
            self.text,
            days=self.days,
            # Two items may say the same: whoever wrote them was not compared.
            claim_hash=f"{next(numbers)}",
            used=None if self.used is None else self.used * self.days,
            last_confirmed_at=None if self.confirmed is None else ago(self.confirmed * self.days),
            confidence=self.confidence,
            category=self.category,
            status=self.status.value,
            verdict=self.verdict.value,
            visibility=self.visibility.value,
            user_id=self.user_id,
            protected=self.protected,
        )


texts = st.builds(
    lambda said, **words: said.format(**words),
    st.sampled_from(SAID),
    who=st.sampled_from(("Ada", "Mara Lindqvist", "I")),
    where=st.sampled_from(("Oslo", "Lund", "production")),
    year=st.sampled_from((2029, 2030, 2031)),
    number=st.integers(1, 30),
)
turns = st.builds(
    Turn,
    said=texts,
    answered=texts | st.just("Noted."),
    days=st.sampled_from((0.1, 0.4, 0.9, 40)),
    user_id=st.sampled_from((None, MARA.user_id)),
    session=st.sampled_from(("monday", "tuesday")),
    is_read=st.booleans(),
)
memories = st.builds(
    Aged,
    text=texts,
    days=st.sampled_from(AGES),
    used=share,
    confirmed=share,
    confidence=st.sampled_from((0.05, 0.5, 0.9, 1.0)),
    category=st.sampled_from(("work", "health", "operations", "rules-conventions", "of no tenant")),
    status=st.sampled_from((Status.ACTIVE, Status.ACTIVE, Status.STALE, Status.ARCHIVED, Status.SUPERSEDED)),
    verdict=st.sampled_from((Verdict.ALLOW, Verdict.ALLOW, Verdict.HOLD)),
    visibility=st.sampled_from(Visibility),
    user_id=st.sampled_from((None, MARA.user_id)),
    protected=st.booleans(),
)


@pytest.fixture
def make_memory(make_tenant):
    """Each of a tenant of its own; the clock stands at NOW."""

    def make() -> Memory:
        tenant = make_tenant()
        with scope.tenant_scope(tenant.id):
            return Memory(tenant.id, services.create_agent(slug="assistant").id)

    with time_machine.travel(NOW, tick=False):
        yield make


@settings(
    max_examples=MOST_EXAMPLES,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(some=st.lists(memories, min_size=4, max_size=12), said=st.lists(turns, min_size=2, max_size=6))
def test_a_run_after_a_run_changes_nothing(make_memory, some: Sequence[Aged], said: Sequence[Turn]):
    memory = make_memory()
    for turn in sorted(said, key=lambda turn: -turn.days):
        turn.happen(memory)
    for each in some:
        each.hold(memory)
    for name in steps.RUNS:
        # What a night has read is new to the next one: that one is the first of two.
        while memory.run(name).get("read"):
            pass
        before = known(memory)

        memory.run(name)

        after = known(memory)
        assert {table: rows - after[table] for table, rows in before.items() if rows != after[table]} == {}, name


def known(memory: Memory) -> dict[str, Counter[str]]:
    """Every row of what the tenant knows, by table."""
    models = [model for app in KNOWING for model in apps.get_app_config(app).get_models() if model not in DONE]
    with scope.enter(memory.worker):
        rows = {model.__name__: model.objects.filter(tenant_id=memory.tenant_id).values() for model in models}
        return {name: Counter(repr(_lasting(row)) for row in found) for name, found in rows.items()}


def _lasting(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in WHEN}
