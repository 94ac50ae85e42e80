"""Whatever there is: a run that follows another at the same moment changes nothing."""

from collections import Counter
from dataclasses import dataclass
from itertools import count

import pytest
import time_machine
from django.apps import apps
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from apps.core import scope
from apps.maintenance import steps
from apps.memory.models import AudienceClock
from apps.tenants import services
from memory_platform.model import Status, Verdict, Visibility
from tests.apps.maintenance.conftest import NOW, Memory, ago

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

AGES = (0.1, 0.9, 3, 31, 62, 91, 200, 400, 1_000)
# The apps whose rows are what a tenant knows; jobs, the journal and what they count are what was done, and so is how
# often an audience was locked.
KNOWING = ("graph", "memory", "summaries", "curation", "triggers")
DONE = {AudienceClock}

numbers = count()
share = st.none() | st.sampled_from((0.0, 0.5, 1.0))


@dataclass(frozen=True)
class Aged:
    """An item `days` old; `used` and `confirmed` are shares of its age."""

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
            f"Ada's parcel {next(numbers)} lies in Oslo.",
            days=self.days,
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


memories = st.builds(
    Aged,
    days=st.sampled_from(AGES),
    used=share,
    confirmed=share,
    confidence=st.sampled_from((0.05, 0.5, 0.9, 1.0)),
    category=st.sampled_from(("work", "health", "operations", "rules-conventions", "of no tenant")),
    status=st.sampled_from((Status.ACTIVE, Status.ACTIVE, Status.STALE, Status.ARCHIVED, Status.SUPERSEDED)),
    verdict=st.sampled_from((Verdict.ALLOW, Verdict.ALLOW, Verdict.HOLD)),
    visibility=st.sampled_from(Visibility),
    user_id=st.sampled_from((None, "ann")),
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
    max_examples=3,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(some=st.lists(memories, min_size=4, max_size=12))
def test_a_run_after_a_run_changes_nothing(make_memory, some):
    memory = make_memory()
    for each in some:
        each.hold(memory)
    for name in steps.RUNS:
        memory.run(name)
        before = known(memory)

        memory.run(name)

        after = known(memory)
        assert {table: rows - after[table] for table, rows in before.items() if rows != after[table]} == {}, name


def known(memory: Memory) -> dict[str, Counter[str]]:
    """Every row of what the tenant knows, by table."""
    models = [model for app in KNOWING for model in apps.get_app_config(app).get_models() if model not in DONE]
    with scope.enter(memory.worker):
        rows = {model.__name__: model.objects.filter(tenant_id=memory.tenant_id).values() for model in models}
        return {name: Counter(map(repr, found)) for name, found in rows.items()}
