"""Causes a model infers become edges beside those that rules read, once, and go with what they rest on."""

import json
from dataclasses import replace
from types import SimpleNamespace
from uuid import uuid4

import pytest

from apps.budgets.models import Usage
from apps.core import providers, scope
from apps.graph import services, tasks
from apps.graph.models import Relation
from apps.jobs.registry import JobContext
from memory_platform.adapters.openai_causes import OpenAiCauseInferrer
from memory_platform.adapters.openai_compatible import Endpoint
from memory_platform.errors import ProviderRetryable
from tests import fake_openai
from tests.apps.graph.conftest import World
from tests.fake_openai import Reply


@pytest.fixture
def model(monkeypatch):
    with fake_openai.running() as fake:
        inferrer = OpenAiCauseInferrer(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))
        monkeypatch.setattr(providers, "cause_inferrer", lambda: inferrer)
        yield SimpleNamespace(fake=fake, says=lambda *pairs: fake.script(_answer(pairs)))


def _answer(pairs) -> Reply:
    return Reply(content=json.dumps({"causes": [{"cause": cause, "effect": effect} for cause, effect in pairs]}))


def causes(world: World) -> list[tuple]:
    with scope.enter(world.worker):
        rows = Relation.objects.filter(tenant_id=world.tenant_id, kind="causal").order_by("valid_from")
        return list(rows.values_list("from_unit_id", "to_unit_id", "origin", "confidence"))


def test_an_inferred_cause_is_an_edge_that_projecting_leaves_alone(world: World, model):
    first, second = world.hear("The disk of Orion was full.", at=0), world.hear("We moved Orion away.", at=0.1)
    world.project()
    model.says((1, 2))

    assert services.infer([second, first], within=world.worker).causes == 1
    world.project()

    assert causes(world) == [(first, second, "model", 0.7)]
    with scope.enter(world.worker):
        spent = Usage.objects.get(tenant_id=world.tenant_id, operation="infer_causes")
        assert (spent.llm_calls, spent.agent_id) == (1, world.agent_id)


def test_what_rules_or_an_earlier_run_found_is_not_added_again(world: World, model):
    heard = [world.hear("The disk of Orion was full.", at=0), world.hear("Therefore we moved Orion away.", at=0.1)]
    world.project()
    model.says((1, 2))

    assert services.infer(heard, within=world.worker).causes == 0
    assert [origin for _, _, origin, _ in causes(world)] == ["rule"]


def test_it_goes_with_the_episode_it_was_read_in(world: World, model):
    heard = [world.hear("The disk of Orion was full.", at=0), world.hear("We moved Orion away.", at=0.1)]
    world.project()
    model.says((1, 2))
    services.infer(heard, within=world.worker)

    world.forget(episodes=(heard[1],))

    assert causes(world) == []


def test_talks_of_different_sessions_and_users_are_asked_about_apart(world: World, model):
    heard = [
        world.hear("The disk of Orion was full.", at=0),
        world.hear("We moved Orion away.", at=0.1),
        world.hear("Carl Voss was late.", at=0.2, session="tuesday"),
        world.hear("Carl Voss lost his job.", at=0.3, session="tuesday"),
        world.hear("Ben was late.", at=0.4, session="wednesday", user="u1"),
    ]
    model.says()
    model.says()

    assert services.infer(heard, within=world.worker).causes == 0
    assert len(model.fake.received) == 2
    assert all(("Orion" in one) != ("Carl" in one) for one in (str(said.body) for said in model.fake.received))


def test_without_a_model_nothing_is_asked(world: World, monkeypatch):
    monkeypatch.setattr(providers, "cause_inferrer", lambda: None)

    assert services.infer([world.hear("The disk was full.")], within=world.worker).causes == 0


def test_a_model_that_fails_leaves_what_rules_read(world: World, model):
    heard = [world.hear("The disk of Orion was full.", at=0), world.hear("Therefore we moved Orion away.", at=0.1)]
    world.project()
    job = JobContext(uuid4(), world.tenant_id, {"resources": [str(one) for one in heard]}, 1, "")

    model.fake.script(fake_openai.prose(), fake_openai.prose())
    assert tasks.infer_causes(job) == {"causes": 0, "degraded": "ProviderRefused"}
    model.fake.script(*[fake_openai.error(503)] * 6)
    with pytest.raises(ProviderRetryable):
        tasks.infer_causes(job)
    assert tasks.infer_causes(replace(job, attempt=4)) == {"causes": 0, "degraded": "ProviderRetryable"}
    assert [origin for _, _, origin, _ in causes(world)] == ["rule"]
