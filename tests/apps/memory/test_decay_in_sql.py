"""What confidence is worth is computed twice: in Python for what is shown, in SQL for what is filtered."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from apps.core import rows, scope
from apps.memory.confidence import Confidence
from apps.memory.models import Item, ItemUse
from apps.memory.requests import ItemUses
from apps.memory.services import count_uses
from apps.tenants import selectors as tenants
from apps.tenants import services as tenants_services
from apps.tenants.models import Policy
from memory_platform.lifecycle import decay
from memory_platform.model import CategoryRule, Kind, Retention, Strength, Verdict

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
RULES = [
    CategoryRule("work", (), 90, 0.01, Retention.EBBINGHAUS),
    CategoryRule("operations", (), 90, 0.01, Retention.OPERATIONAL),
    CategoryRule("rules-conventions", (), None, 0.01, Retention.NONE),
]
aged = st.tuples(
    st.floats(0, 1),
    st.floats(-30, 3_650),
    st.sampled_from(["work", "operations", "rules-conventions", "unknown"]),
    st.booleans(),
)
policies = st.builds(
    Policy,
    ebbinghaus_rate=st.floats(0, 2),
    ebbinghaus_power=st.floats(0, 2),
    operational_grace_days=st.integers(0, 90),
    operational_weekly_loss=st.floats(0, 1),
)
database = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def item(tenant_id: UUID, agent_id: UUID, confidence: float, days: float, **fields: object) -> Item:
    return Item(
        tenant_id=tenant_id,
        agent_id=agent_id,
        text="Mara lives in Oslo.",
        claim_hash="",
        kind=Kind.FACT.value,
        strength=Strength.EXPLICIT.value,
        confidence=confidence,
        reinforced_at=NOW - timedelta(days=days),
        verdict=Verdict.ALLOW.value,
        event_time=NOW,
        said_at=NOW,
        valid_from=NOW,
        **{"category": "work", **fields},
    )


@database
@given(policy=policies, some=st.lists(aged, min_size=1, max_size=30))
@example(policy=Policy(ebbinghaus_rate=1.0, ebbinghaus_power=2.0), some=[(2.1e-179, 19.0, "work", False)]).via(
    "less than any number that PostgreSQL knows"
)
def test_sql_and_python_agree_on_what_confidence_is_worth(world, policy, some) -> None:
    confidence = Confidence.at(NOW, policy, RULES)
    stored = [
        item(world.tenant_id, world.agent_id, base, days, category=category, protected=protected)
        for base, days, category, protected in some
    ]
    with scope.enter(world.worker):
        rows.insert(stored)
        mine = Item.objects.filter(tenant_id=world.tenant_id, id__in=[one.id for one in stored])
        worth = dict(mine.annotate(effective=confidence.expression()).values_list("id", "effective"))

    assert worth == pytest.approx({one.id: confidence.effective(one) for one in stored}, rel=1e-9, abs=1e-12)


@database
@given(batches=st.lists(st.integers(1, 50), min_size=1, max_size=5), scale=st.integers(1, 100))
def test_accesses_add_in_sql_what_python_says_whatever_the_batches(world, batches, scale) -> None:
    told = item(world.tenant_id, world.agent_id, 0.5, days=0)
    with scope.enter(world.worker):
        tenants_services.change(Policy.objects.get(tenant_id=world.tenant_id), {"access_scale": scale})
        rows.insert([told])
        for accessed in batches:
            count_uses([ItemUses(told.id, accessed=accessed, last_accessed_at=NOW)])
        bonus = tenants.policy(world.tenant_id).access_bonus
        counted = ItemUse.objects.get(tenant_id=world.tenant_id, item_id=told.id).access_count
        after = Item.objects.get(tenant_id=world.tenant_id, id=told.id).confidence

    assert counted == sum(batches)
    assert after == pytest.approx(min(1.0, 0.5 + decay.access_bonus(sum(batches), bonus=bonus, scale=scale)))
