"""A follow-up is rewritten by the configured model, in time or not at all."""

import json
import time
from uuid import uuid4

import pytest

from apps.budgets.models import Usage
from apps.core import providers
from apps.core.breakers import SharedBreaker
from apps.core.scope import Scope, enter
from apps.retrieval.requests import RecallRequest
from apps.retrieval.results import RecallResult
from apps.retrieval.services.recalling import recall
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_rewriter import OpenAiRewriter
from memory_platform.model import Message, Profile, Role
from tests import fake_openai
from tests.fake_openai import FakeOpenAi, Reply

HISTORY = (
    Message(Role.USER, "The launch of Orion is near."),
    Message(Role.ASSISTANT, "It is."),
)


@pytest.fixture
def fake(database, monkeypatch):
    with fake_openai.running() as server:
        breaker = SharedBreaker(f"rewriter-{uuid4().hex}", probe_seconds=2)
        rewriter = OpenAiRewriter(Endpoint(server.base_url, "k", "gpt-4o-mini", breaker=breaker))
        monkeypatch.setattr(providers, "rewriter", lambda: rewriter)
        yield server


def ask(within: Scope, query: str = "When is it?", **fields: object) -> RecallResult:
    return recall(RecallRequest(query=query, **{"messages": HISTORY, **fields}), within=within)


def rewrites(query: str) -> Reply:
    return Reply(content=json.dumps({"query": query}))


def spent_on_rewrites(within: Scope) -> list[Usage]:
    with enter(within):
        return list(Usage.objects.filter(tenant_id=within.tenant_id, llm_calls__gt=0).order_by("at"))


def test_a_follow_up_is_rewritten_whatever_the_profile_auto_picks(within: Scope, fake: FakeOpenAi):
    fake.script(rewrites("When is the launch of Orion?"))

    answer = ask(within)

    assert (answer.rewritten_query, answer.profile) == ("When is the launch of Orion?", Profile.BALANCED)
    assert "rewrite" not in answer.degraded
    (spent,) = spent_on_rewrites(within)
    assert (spent.operation, spent.llm_calls, spent.failed_calls, spent.tokens_in) == ("recall", 1, 0, 100)


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("When is the launch of Orion?", {}),
        ("When is it?", {"messages": ()}),
        ("When is it?", {"profile": Profile.LEAN}),
    ],
)
def test_what_needs_no_model_asks_none(within: Scope, fake: FakeOpenAi, query, fields):
    ask(within, query, **fields)

    assert fake.received == []


@pytest.mark.parametrize("reply", [fake_openai.error(500), fake_openai.throttled(), fake_openai.prose(), rewrites(" ")])
def test_without_an_answer_the_rules_rewrite_and_the_attempt_is_metered(within: Scope, fake: FakeOpenAi, reply: Reply):
    fake.script(reply)

    answer = ask(within)

    assert answer.rewritten_query == "When is it (launch)?"
    assert "rewrite" in answer.degraded
    (spent,) = spent_on_rewrites(within)
    assert (spent.llm_calls, spent.failed_calls) == (1, 1)


def test_a_rewrite_that_names_what_nobody_named_is_not_searched_for(within: Scope, fake: FakeOpenAi):
    fake.script(rewrites("When is the launch of Apollo?"))

    assert ask(within).rewritten_query == "When is it (launch)?"


def test_a_rewriter_that_hangs_costs_one_deadline(within: Scope, fake: FakeOpenAi):
    fake.script(*[fake_openai.late(60)] * 3)
    assert "rewrite" in ask(within).degraded

    started = time.monotonic()
    assert all("rewrite" in ask(within).degraded for _ in range(3))

    # Three deadlines would take six seconds.
    assert time.monotonic() - started < 3
    assert len(fake.received) == 1
