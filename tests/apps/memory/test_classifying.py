"""Examples are embedded once and by nobody who cannot pay; items filed before are read with their own talk."""

from decimal import Decimal
from threading import Thread

import pytest
from typing_extensions import override

from apps.budgets import services as budgets
from apps.budgets.models import Budget
from apps.core import clock, providers, scope
from apps.core import spending as permission
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.memory.models import Item
from apps.memory.services import classifying, refiling
from apps.memory.services.candidates import Origin, judge
from apps.memory.services.classifying import of_model
from apps.memory.services.embedding import embed
from apps.resources import services as resources
from apps.tenants import selectors as tenants
from memory_platform.adapters.scripted import ScriptedEmbedder
from memory_platform.extraction.examples import CONTEXT_ITEMS
from memory_platform.model import Audience, CategoryRule, Fact, Kind, Strength, Verdict

RULES = (CategoryRule("health", examples=("pills", "doctor")), CategoryRule("work", examples=("office", "boss")))


@pytest.fixture(autouse=True)
def _nothing_is_known():
    classifying._taught.clear()
    yield
    classifying._taught.clear()


@pytest.fixture
def within(tenant):
    return Scope(tenant.id, None, Reach.TENANT)


def test_examples_are_embedded_once():
    embedder, usages = ScriptedEmbedder(), []

    assert of_model(embedder, RULES, usages) is of_model(embedder, RULES, usages)

    assert (len(embedder.calls), len(usages)) == (1, 1)


def test_examples_that_teach_nothing_cost_nothing():
    embedder = ScriptedEmbedder()

    assert of_model(embedder, RULES[:1], []) is None

    assert embedder.calls == []


def test_nobody_waits_while_another_asks_a_model():
    waited = []

    class Slow(ScriptedEmbedder):
        @override
        def embed(self, texts, *, as_questions=False, timeout=None):
            other = Thread(target=of_model, args=(ScriptedEmbedder(dimension=32), RULES, []), daemon=True)
            other.start()
            other.join(timeout=5)
            waited.append(other.is_alive())
            return super().embed(texts, as_questions=as_questions, timeout=timeout)

    of_model(Slow(), RULES, [])

    assert waited == [False]


def test_what_tells_nothing_is_filed_by_the_message_it_stands_in(within, agent, monkeypatch):
    taught = {"pills": (1, 0.1, 0), "doctor": (1, -0.1, 0), "office": (0, 0.1, 1), "boss": (0, -0.1, 1)}
    said = {"At nine, it is.": (1, 0, 1), "My boss waits. At nine, it is.": (0.1, 0, 0.9)}
    embedder = ScriptedEmbedder({**taught, **said}, dimension=3)
    monkeypatch.setattr(providers, "embedder", lambda: embedder)
    origin = Origin(Audience(agent.id, None), clock.now(), resource_id=new_id())
    with scope.enter(within):
        policy = tenants.policy(within.tenant_id)
    embedded = embed([judge(Fact("At nine, it is.", "At nine, it is."), origin, policy)], policy, required=True)

    filed = classifying.file(
        embedded, RULES, within=within, said={origin.resource_id: "My boss waits. At nine, it is."}
    )

    assert filed.candidates[0].fact.category == "work"
    assert embedder.calls[-1] == ("My boss waits. At nine, it is.",)
    assert len(filed.usages) == 3


def hold(within, agent, text, session_id=None, **fields):
    at = clock.now()
    item = Item(
        id=new_id(), tenant_id=within.tenant_id, agent_id=agent.id, text=text, claim_hash=text, session_id=session_id,
        kind=Kind.FACT.value, category="other", strength=Strength.EXPLICIT.value, confidence=0.9,
        verdict=Verdict.ALLOW.value, event_time=at, said_at=at, valid_from=at, recorded_at=at, **fields,
    )  # fmt: skip
    with scope.enter(within):
        item.save(force_insert=True)
    return item


def test_a_spent_budget_pays_for_no_examples_of_items_filed_before(within, agent, monkeypatch):
    permitted = []

    class Paid(ScriptedEmbedder):
        @override
        def embed(self, texts, *, as_questions=False, timeout=None):
            permission.permit()
            permitted.append(texts)
            return super().embed(texts, as_questions=as_questions, timeout=timeout)

    embedder = Paid()
    monkeypatch.setattr(classifying, "readers", lambda: [embedder])
    item = hold(within, agent, "Rex barks", taxonomy_version=0)
    monkeypatch.setattr(refiling, "_vectors", lambda *_: {item.id: embedder._hashed("Rex barks")})
    with scope.enter(within):
        budgets.set_budget(agent_id=None, period=Budget.Period.DAY, soft_usd=None, hard_usd=Decimal(0))

    assert refiling.refile(within=within).items == 0

    assert permitted == []


def test_of_a_long_talk_only_what_stands_near_the_batch_is_read(within, agent):
    with scope.enter(Scope(within.tenant_id, agent.id, Reach.OWN)):
        session_id = resources.open_session("long", user_id=None).place.session_id
    items = [hold(within, agent, f"item {number}", session_id) for number in range(3 * CONTEXT_ITEMS)]
    batch = [items[2 * CONTEXT_ITEMS], items[2 * CONTEXT_ITEMS + 5]]

    with scope.enter(within):
        (talk,) = refiling._talks(batch).values()

    assert talk.item_ids == [item.id for item in items[CONTEXT_ITEMS : 2 * CONTEXT_ITEMS + 5]]
    assert [len(talk.before(item.id)) for item in batch] == [CONTEXT_ITEMS, CONTEXT_ITEMS]
