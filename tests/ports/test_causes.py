"""What a model may say about causes, and what of it is believed."""

import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memory_platform.adapters.openai_causes import OpenAiCauseInferrer
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.errors import ProviderRefused, ProviderRetryable
from memory_platform.model import InferredCause, Role, Utterance
from tests import fake_openai
from tests.fake_openai import FakeOpenAi, Reply

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
TALK = [Utterance(uuid4(), Role.USER, "Anna", text, NOW) for text in ("The disk was full.", "Oh.", "We rolled back.")]


def inferrer(fake: FakeOpenAi, **options: object) -> OpenAiCauseInferrer:
    return OpenAiCauseInferrer(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01), **options)


def answer(*pairs: tuple[int, int]) -> Reply:
    return Reply(content=json.dumps({"causes": [{"cause": cause, "effect": effect} for cause, effect in pairs]}))


@pytest.mark.parametrize("strict", [True, False])
def test_one_call_tells_which_message_brought_which_about(fake, strict):
    fake.script(answer((1, 3)))

    causes, usage = inferrer(fake, has_strict_schema=strict).infer(TALK, now=NOW)

    assert causes == (InferredCause(0, 2),)
    assert (usage.llm_calls, usage.tokens_in, len(fake.received)) == (1, 100, 1)
    assert '"The disk was full."' in fake.received[0].body["messages"][1]["content"]


def test_what_cannot_be_a_cause_is_left_out(fake):
    fake.script(answer((3, 1), (1, 1), (1, 9), (0, 2), (1, 2), (1, 2)))

    causes, _ = inferrer(fake).infer(TALK, now=NOW)

    assert causes == (InferredCause(0, 1),)


def test_a_cause_far_back_is_a_guess_and_left_out(fake):
    fake.script(answer((1, 5), (1, 4)))

    causes, _ = inferrer(fake).infer([*TALK, *TALK], now=NOW)

    assert causes == (InferredCause(0, 3),)


def test_one_message_alone_is_not_asked_about(fake):
    assert inferrer(fake).infer(TALK[:1], now=NOW)[0] == ()
    assert fake.received == []


def test_failures_are_named_as_for_every_model(fake):
    fake.script(fake_openai.prose(), fake_openai.prose())
    with pytest.raises(ProviderRefused):
        inferrer(fake).infer(TALK, now=NOW)

    fake.script(fake_openai.late(5))
    with pytest.raises(ProviderRetryable):
        inferrer(fake, timeout_seconds=0.2).infer(TALK, now=NOW)


def test_the_version_names_model_and_prompt(fake):
    assert inferrer(fake).version == "openai:gpt-4o-mini:causes.v1"
