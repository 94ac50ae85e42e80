"""A budget from its first dollar to the next morning, through HTTP; all that is faked is the server of the model."""

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import time_machine
from django.test import Client

from apps import environment
from apps.budgets.models import Price, Usage
from apps.budgets.services import add_price
from apps.core import limiter, providers
from apps.core.scope import tenant_scope
from apps.jobs.models import Job
from apps.memory.models import Extraction, Item
from apps.resources.models import Resource
from apps.tenants import services as tenants
from tests import fake_openai

NOON = datetime(2027, 3, 10, 12, tzinfo=UTC)
MODEL = "house-llm"
# Each answer of the scripted server counts 100 tokens in and 20 out: a cent.
PRICE = {"usd_per_million_in": Decimal(50), "usd_per_million_out": Decimal(250)}
HISTORY = [{"role": "user", "content": "The launch of Orion is near."}, {"role": "assistant", "content": "It is."}]


@pytest.fixture
def clock():
    with time_machine.travel(NOON, tick=True) as moved:
        yield moved


@pytest.fixture
def model(database, monkeypatch):
    with fake_openai.running() as fake:
        monkeypatch.setenv("MEMORY_LLM_BASE_URL", fake.base_url)
        monkeypatch.setenv("MEMORY_LLM_MODEL", MODEL)
        _forget()
        yield fake
    monkeypatch.undo()
    _forget()


@pytest.fixture
def embedded_by_the_server(model, monkeypatch):
    monkeypatch.setenv("MEMORY_EMBEDDER", "openai")
    monkeypatch.setenv("MEMORY_EMBEDDING_BASE_URL", model.base_url)
    _forget()
    return model


def _forget():
    environment.environment.cache_clear()
    for provider in vars(providers).values():
        if hasattr(provider, "cache_clear"):
            provider.cache_clear()


@pytest.fixture
def call(tenant, agent, model, clock, judge):
    """Speak to the API with a key of every scope: `call(path, **body)`; without a body it is a GET."""
    limiter.cooldown.end()
    with tenant_scope(tenant.id):
        key = tenants.create_key(agent_id=agent.id, scopes=tenants.ALL_SCOPES)
        add_price(Price(model=MODEL, valid_from=NOON - timedelta(days=400), **PRICE))

    def speak(path, **body):
        headers = {"Authorization": f"Bearer {key.token}"}
        where = path if path == "/graphql" else f"/api/v1{path}"
        if not body:
            return Client().get(where, headers=headers).json()
        sent = Client().post(where, json.dumps(body), content_type="application/json", headers=headers)
        assert sent.status_code == 200, sent.content
        return sent.json()

    return speak


def say(call, turn, text):
    return call("/capture", session_id="s", turn_number=turn, user_input=text)


def standing(call):
    (held,) = call("/budgets")["items"]
    return held["state"], round(held["spent_usd"], 6), round(held["remaining_usd"], 6)


def extractors(tenant):
    with tenant_scope(tenant.id):
        rows = Extraction.objects.filter(tenant_id=tenant.id).order_by("created_at", "id")
        return [(row.extractor.split(":")[0], row.degraded) for row in rows]


def test_a_tenant_runs_into_soft_then_hard_and_out_of_it_the_next_day(call, model, clock, tenant, run_jobs):
    call("/budgets", period="day", soft_usd=0.02, hard_usd=0.03)
    for turn in range(12):
        call("/memories", text=f"Cabinet number {turn} of the archive holds the maps of harbour number {turn}.")
    assert standing(call) == ("ok", 0, 0.03)

    # Below the soft amount a model rewrites and reads.
    first = call("/recall", query="When is it?", messages=HISTORY)
    say(call, 1, "The ferry to Orion leaves at seven.")
    assert (first["degraded"], first["cost_usd"], len(model.received)) == ([], 0.01, 1)
    whole = call("/context", query="Which maps do the cabinets of the archive hold?")
    assert whole["included"] > 5
    run_jobs()
    assert extractors(tenant)[-1] == ("openai", "")
    assert standing(call) == ("soft", 0.02, 0.01)

    # From there on no model rewrites, contexts are half as long, and both say so; what is read is still read by it.
    asked = len(model.received)
    pressed = call("/recall", query="When is it?", messages=HISTORY)
    block = call("/context", query="Which maps do the cabinets of the archive hold?")
    opening = call("/context", max_tokens=2_000)
    assert (pressed["degraded"], pressed["cost_usd"], len(model.received)) == (["budget_soft"], 0, asked)
    assert (block["degraded"], block["included"]) == (["budget_soft"], 5)
    assert (opening["degraded"], opening["included"]) == (["budget_soft"], 5)
    assert call("/sessions", session_id="pressed")["degraded"] == ["budget_soft"]
    say(call, 2, "The ferry to Lyra leaves at eight.")
    run_jobs()
    assert extractors(tenant)[-1] == ("openai", "")
    assert standing(call) == ("hard", 0.03, 0)

    # From there on it is not asked at all. What is said is kept, read by rules, and says so.
    asked = len(model.received)
    taken = say(call, 3, "The ferry to Vega leaves at nine.")
    run_jobs()
    stopped = call("/recall", query="When does the ferry to Vega leave?")
    assert (len(model.received), taken["duplicate"]) == (asked, False)
    assert extractors(tenant)[-1][1] == "BudgetSpent"
    assert stopped["degraded"] == ["budget_hard"]
    assert "Vega" in stopped["hits"][0]["text"]
    assert standing(call) == ("hard", 0.03, 0)
    with tenant_scope(tenant.id):
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 3
        assert Item.objects.filter(tenant_id=tenant.id, text__contains="Vega").exists()
        # What only waits for the model waits for the budget's end, and fails nothing.
        assert not Job.objects.filter(tenant_id=tenant.id, state="failed").exists()

    # The next day begins with nothing spent.
    clock.move_to(datetime(2027, 3, 11, 0, 0, 1, tzinfo=UTC))
    assert standing(call) == ("ok", 0, 0.03)
    say(call, 4, "The ferry to Cygnus leaves at ten.")
    run_jobs()
    assert extractors(tenant)[-1] == ("openai", "")
    assert call("/recall", query="When is it?", messages=HISTORY)["degraded"] == []
    assert len(model.received) == asked + 2


def test_what_only_a_server_can_do_waits_until_the_budget_is_lifted(call, embedded_by_the_server, tenant, run_jobs):
    budget = call("/budgets", period="month", hard_usd=0)
    say(call, 1, "The ferry to Vega leaves at nine.")
    run_jobs()

    found = call("/recall", query="When does the ferry to Vega leave?")
    assert (found["degraded"], embedded_by_the_server.received) == (["budget_hard", "vector"], [])
    assert "Vega" in found["hits"][0]["text"]
    with tenant_scope(tenant.id):
        waiting = Job.objects.filter(tenant_id=tenant.id, error="retry:BudgetSpent")
        assert {job.name for job in waiting} >= {"index.embed", "memory.dedup"}
        assert not Job.objects.filter(tenant_id=tenant.id, state="failed").exists()

    call(f"/budgets/{budget['id']}/delete", lift=True)
    run_jobs()

    with tenant_scope(tenant.id):
        held = Job.objects.filter(tenant_id=tenant.id, name__in=["index.embed", "memory.dedup"])
        assert {job.state for job in held} == {"done"}
    assert {each.path for each in embedded_by_the_server.received} >= {"/v1/embeddings"}
    assert call("/recall", query="When does the ferry to Vega leave?")["degraded"] == []


GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "billing.md"
EXAMPLE = re.compile(r"^```graphql\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guides_examples_set_and_tell_budgets(call):
    examples = [text for text in EXAMPLE.findall(GUIDE.read_text(encoding="utf-8")) if "udget" in text]

    made, told = (call("/graphql", query=text)["data"] for text in examples)

    assert made["assistant"]["until"].startswith("2027-03-11T00:00:00")
    fields = ("agentId", "period", "softUsd", "hardUsd", "remainingUsd", "state")
    assert [tuple(each[name] for name in fields) for each in told["budgets"]] == [
        (None, "MONTH", 40, 50, 50, "OK"),
        ("assistant", "DAY", 1.5, None, 1.5, "OK"),
    ]


def test_every_call_is_metered_and_priced_as_it_was_made(call, tenant, model, run_jobs):
    model.script(fake_openai.prose())
    say(call, 1, "The ferry to Orion leaves at seven.")
    run_jobs()

    with tenant_scope(tenant.id):
        rows = Usage.objects.filter(tenant_id=tenant.id, llm_calls__gt=0)
        assert [(row.operation, row.llm_calls, row.failed_calls, row.cost_usd) for row in rows] == [
            ("extract", 2, 1, Decimal("0.02000000"))
        ]
