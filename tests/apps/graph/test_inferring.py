"""Causes a model infers become edges beside those that rules read, once, and go with what they rest on."""

import json
from dataclasses import replace
from types import SimpleNamespace
from uuid import uuid4

import pytest

from apps.budgets.models import Usage
from apps.core import providers, scope
from apps.core.clock import now
from apps.core.erasing import Doomed
from apps.graph import services, tasks
from apps.graph.models import AskedEpisode, Relation
from apps.graph.services import erasing, inferring
from apps.jobs.registry import JobContext
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.adapters.openai_causes import OpenAiCauseInferrer
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.errors import BudgetSpent, ProviderRetryable
from tests import fake_openai
from tests.apps.graph.conftest import World
from tests.cast import MARA
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

    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.worker.tenant_id), {"cause_confidence": 0.6})

    assert services.infer([second, first], within=world.worker).causes == 1
    world.project()

    assert causes(world) == [(first, second, "model", 0.6)]
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
        world.hear("Ben was late.", at=0.4, session="wednesday", user=MARA.user_id),
    ]
    model.says()
    model.says()

    assert services.infer(heard, within=world.worker).causes == 0
    assert len(model.fake.received) == 2
    assert all(("Orion" in one) != ("Carl" in one) for one in (str(said.body) for said in model.fake.received))


def nightly(world: World) -> list[int]:
    return list(services.infer_unasked(within=world.worker))


def unasked(world: World) -> int:
    with scope.enter(world.worker):
        return services.count_unasked()


def test_a_night_asks_once_about_consecutive_messages_that_nobody_asked_about(world: World, model):
    heard = [world.hear(f"Step {number} of Orion is done.", at=number / 10) for number in range(3)]
    world.hear("Ben was late.", at=0.5, session="tuesday")
    world.project()
    assert unasked(world) == 2
    model.says((1, 2))

    assert (nightly(world), nightly(world), unasked(world)) == ([2], [], 0)
    assert causes(world) == [(heard[0], heard[1], "model", 0.7)]
    assert len(model.fake.received) == 1


def test_a_night_leaves_what_was_asked_about_by_day_and_what_a_connective_joins(world: World, model):
    by_day = [world.hear("The disk of Orion was full.", at=0), world.hear("We moved Orion away.", at=0.1)]
    world.hear("Therefore Carl was late.", at=0.2)
    world.project()
    model.says()
    services.infer(by_day, within=world.worker)

    assert (unasked(world), nightly(world), len(model.fake.received)) == (0, [], 1)


def test_a_night_asks_about_the_latest_pairs_and_another_about_the_rest(world: World, model):
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.worker.tenant_id), {"cause_pairs": 2})
    for number in range(4):
        world.hear(f"Step {number} of Orion is done.", at=number / 10)
    world.project()

    model.says()
    assert nightly(world) == [2]
    assert "Step 0" not in str(model.fake.received[0].body)
    model.says()
    assert nightly(world) == [1]


def test_an_agent_whose_budget_is_spent_ends_no_other_agents_questions(world: World, model, monkeypatch):
    for session in ("monday", "tuesday"):
        world.hear("The disk of Orion was full.", at=0, session=session)
        world.hear("We moved Orion away.", at=0.1, session=session)
    world.project()
    model.says()
    asked = inferring._asked
    spent = iter([BudgetSpent("spent", retry_after=1.0)])

    def ask(*given):
        if error := next(spent, None):
            raise error
        return asked(*given)

    monkeypatch.setattr(inferring, "_asked", ask)

    assert (nightly(world), unasked(world)) == ([1], 1)


@pytest.mark.parametrize(
    ("failures", "done"),
    [([fake_openai.prose()] * 2, [1]), ([fake_openai.error(503)] * 6, [])],
    ids=["refused", "away"],
)
def test_what_a_model_failed_at_is_asked_another_night(world: World, model, failures, done):
    for session in ("monday", "tuesday"):
        world.hear(f"The disk of {session} was full.", at=0, session=session)
        world.hear(f"We moved {session} away.", at=0.1, session=session)
    world.project()
    model.fake.script(*failures)
    model.says()

    assert nightly(world) == done
    assert unasked(world) == 2 - len(done)


def test_a_message_that_was_asked_about_is_erased_like_any_other(world: World, model):
    heard = [world.hear("The disk of Orion was full.", at=0), world.hear("We moved Orion away.", at=0.1)]
    model.says()
    services.infer(heard, within=world.worker)

    with scope.enter(world.worker):
        gone = erasing.purge(Doomed(before=now(), resource_ids=(heard[1],)))
        left = AskedEpisode.objects.filter(tenant_id=world.tenant_id).count()

    assert (gone["graph_asked_episode"], left) == (1, 0)


def test_without_a_model_nothing_is_asked(world: World, monkeypatch):
    monkeypatch.setattr(providers, "cause_inferrer", lambda: None)

    heard = [world.hear("The disk was full."), world.hear("We moved away.", at=0.1)]

    assert services.infer(heard, within=world.worker).causes == 0
    assert (unasked(world), nightly(world)) == (0, [])


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


def test_how_sure_a_cause_that_a_sentence_states_is_is_the_tenants(world: World):
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.worker.tenant_id), {"stated_cause_confidence": 0.55})

    world.learn("Anna Berg works at Brightwave because Carl Voss hired her.")
    world.project()

    assert [confidence for *_, confidence in causes(world)] == [0.55]
