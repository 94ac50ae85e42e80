"""A configured model writes, is held to the items, and is done without where it cannot be believed or reached."""

import json
from types import SimpleNamespace

import pytest

from apps.budgets.models import Usage
from apps.core import providers, scope
from apps.jobs.models import Job
from apps.summaries.models import SummaryVersion
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_summaries import OpenAiSummariser
from tests import fake_openai
from tests.fake_openai import Reply

WRITER = "openai:gpt-4o-mini:summary.v1"


@pytest.fixture
def model(monkeypatch):
    with fake_openai.running() as fake:
        summariser = OpenAiSummariser(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))
        monkeypatch.setattr(providers, "summariser", lambda: summariser)
        yield SimpleNamespace(fake=fake, says=lambda *lines: fake.script(_answer(lines)))


def _answer(lines) -> Reply:
    told = [{"text": text, "memories": memories} for text, memories in lines]
    return Reply(content=json.dumps({"sections": [{"heading": "", "lines": told}]}))


def asked(model, place=-1) -> str:
    return model.fake.received[place].body["messages"][1]["content"]


def test_a_models_summary_stands_when_the_memories_say_what_it_says(world, model):
    first, second = world.hold("We deploy on Thursdays."), world.hold("We test on Mondays.", day=2)
    model.says(("We test on Mondays and deploy on Thursdays.", [1, 2]))

    world.follow(first)

    summary = world.summary()
    assert (summary.text, summary.writer) == ("# Work\n\n- We test on Mondays and deploy on Thursdays.\n", WRITER)
    assert {source.id for source in summary.sources} == {first, second}
    with scope.enter(world.worker):
        spent = Usage.objects.get(tenant_id=world.tenant_id, operation="summarise")
        assert (spent.llm_calls, spent.agent_id) == (1, world.agent_id)


def test_it_goes_on_from_the_present_one_and_from_scratch_each_week(world, model):
    model.says(("We deploy on Thursdays.", [1]))
    world.follow(world.hold("We deploy on Thursdays."))
    model.says(("We test on Mondays, deploy on Thursdays.", [1, 2]))
    world.follow(world.hold("We test on Mondays.", day=2))

    assert '"# Work\\n\\n- We deploy on Thursdays.\\n"' in asked(model)
    assert [line.count('"new": true') for line in asked(model).splitlines()[-2:]] == [1, 0]

    model.says(("We deploy on Thursdays.", [2]))
    assert (world.rewrite(), world.rewrite()) == (1, 0)
    assert asked(model).startswith('Present summary:\n""')
    assert [each.number for each in world.versions()] == [3, 2, 1]


def test_what_no_memory_says_is_not_believed_and_said_so(world, model):
    model.says(("We deploy on Fridays.", [1]))

    world.follow(world.hold("We deploy on Thursdays."))

    (version,) = world.versions()
    assert (version.text, version.writer, version.degraded) == (
        "# Work\n\n- 2026-03-01: We deploy on Thursdays.\n",
        "rules:1",
        "unsupported",
    )


def test_a_model_that_refuses_leaves_it_to_the_rules(world, model):
    model.fake.script(fake_openai.prose(), fake_openai.prose())

    world.follow(world.hold("We deploy on Thursdays."))

    (version,) = world.versions()
    assert (version.writer, version.degraded) == ("rules:1", "ProviderRefused")


def test_a_model_that_is_away_is_asked_again_before_the_rules_write(world, model):
    model.fake.script(*[fake_openai.error(503)] * 6)
    world.follow(world.hold("We deploy on Thursdays."))

    assert world.versions() == []
    with scope.enter(world.worker):
        jobs = Job.objects.filter(tenant_id=world.tenant_id, name="summaries.write", state="queued")
        assert jobs.update(attempts=3, run_after="2020-01-01T00:00:00Z") == 1
    model.fake.script(*[fake_openai.error(503)] * 6)
    world.run_jobs()

    assert [each.writer for each in world.versions()] == ["rules:1"]


def test_a_model_is_not_shown_what_was_forgotten(world, model):
    secret = world.hold("The vault code is in the drawer.")
    model.says(("The vault code is in the drawer.", [1]))
    world.follow(secret)
    world.forget(secret)
    model.says(("We deploy on Thursdays.", [1]))

    world.follow(world.hold("We deploy on Thursdays."))

    assert "vault" not in asked(model)
    assert world.summary().text == "# Work\n\n- We deploy on Thursdays.\n"


def test_a_secret_a_model_puts_together_is_taken_out(world, model):
    world.hold("The letters are sk, live and so on.")
    model.says(("the password is correcthorsebattery", [1]))

    world.rewrite()

    assert (world.summary().writer, world.summary().text) == (
        WRITER,
        "# Work\n\n- the password is [redacted:password]\n",
    )


def test_what_is_forgotten_while_a_model_writes_is_not_written(world, model, monkeypatch):
    deploy = world.hold("We deploy on Thursdays.")
    world.hold("We test on Mondays.", day=2)
    asked_first = providers.summariser()

    def forgetting(*told, **present):
        world.forget(deploy)
        return asked_first.summarise(*told, **present)

    monkeypatch.setattr(providers, "summariser", lambda: SimpleNamespace(summarise=forgetting, version=WRITER))
    model.says(("We test on Mondays and deploy on Thursdays.", [1, 2]))

    world.follow(deploy)

    with scope.enter(world.worker):
        assert not SummaryVersion.objects.filter(text__contains="Thursdays").exists()
