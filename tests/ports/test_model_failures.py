"""A model server that misbehaves costs bounded time and becomes the right exception, for every remote adapter."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from typing_extensions import override

from memory_platform.adapters.openai_embedder import OpenAiEmbedder
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_extractor import OpenAiExtractor
from memory_platform.adapters.openai_rewriter import OpenAiRewriter
from memory_platform.errors import CircuitOpen, ProviderError, ProviderLate, ProviderRefused, ProviderRetryable
from memory_platform.model import Message, Role, Utterance
from memory_platform.ports import Breaker
from tests import fake_openai
from tests.fake_openai import FakeOpenAi

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
DEADLINE_SECONDS = 0.6


def said(text: str) -> Utterance:
    return Utterance(uuid4(), Role.USER, "Anna", text, NOW)


def endpoint(fake: FakeOpenAi, **changes: object) -> Endpoint:
    return Endpoint(fake.base_url, "sk-test", "m", **({"backoff_seconds": 0.01} | changes))


CALLS: dict[str, Callable[[FakeOpenAi], object]] = {
    "embed": lambda fake: OpenAiEmbedder(endpoint(fake)).embed(["tea"], timeout=DEADLINE_SECONDS),
    "extract": lambda fake: OpenAiExtractor(endpoint(fake), timeout_seconds=DEADLINE_SECONDS).extract(
        [said("I like tea.")], now=NOW
    ),
    "rewrite": lambda fake: OpenAiRewriter(endpoint(fake)).rewrite(
        "And tea?", history=[Message(Role.USER, "I drink coffee.")], now=NOW, timeout=DEADLINE_SECONDS
    ),
}


@pytest.fixture(params=CALLS)
def call(request, fake) -> Callable[[], object]:
    return lambda: CALLS[request.param](fake)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (fake_openai.late(5), ProviderRetryable),
        (fake_openai.dripping(0.1), ProviderRetryable),
        (fake_openai.garbage(), ProviderRefused),
        (fake_openai.throttled(), ProviderRetryable),
        (fake_openai.throttled(30), ProviderRetryable),
        (fake_openai.error(429, code="insufficient_quota"), ProviderRefused),
        (fake_openai.error(500), ProviderRetryable),
        (fake_openai.error(503), ProviderRetryable),
        (fake_openai.error(401), ProviderRefused),
        (fake_openai.error(400), ProviderRefused),
        (fake_openai.error(404), ProviderRefused),
        (fake_openai.cut(), ProviderRetryable),
        (fake_openai.cut(0), ProviderRetryable),
    ],
    ids=["late", "drips", "garbage", "429", "429-later", "quota", "500", "503", "401", "400", "404", "cut", "hangs-up"],
)
def test_each_failure_is_named_within_the_deadline(fake, call, reply, expected):
    fake.script(*[reply] * 5)
    started = time.monotonic()

    with pytest.raises(expected) as caught:
        call()

    # A busy machine is late, too; who waits for what comes late waits five seconds.
    assert time.monotonic() - started < DEADLINE_SECONDS + 2
    assert "sk-test" not in caught.value.message
    assert len(fake.received) <= 3


def test_nobody_listening_is_retryable(fake):
    nowhere = Endpoint("http://127.0.0.1:9/v1", "k", "m", attempts=1)

    with pytest.raises(ProviderRetryable):
        OpenAiExtractor(nowhere, timeout_seconds=1).extract([said("I like tea.")], now=NOW)


def test_retry_after_is_passed_on_when_it_does_not_fit(fake):
    fake.script(fake_openai.throttled(30))

    with pytest.raises(ProviderRetryable) as caught:
        OpenAiExtractor(endpoint(fake), timeout_seconds=1).extract([said("I like tea.")], now=NOW)

    assert caught.value.retry_after == 30
    assert len(fake.received) == 1


@pytest.mark.parametrize("reply", [fake_openai.throttled(0.05), fake_openai.error(500), fake_openai.cut()])
def test_a_passing_failure_is_retried(fake, reply):
    fake.script(reply, reply)
    extracted = OpenAiExtractor(endpoint(fake), timeout_seconds=5).extract([said("I like tea.")], now=NOW)

    assert extracted.observations[0].facts[0].text == "I (Anna) like tea."
    assert len(fake.received) == 3


def test_the_rewriter_does_not_retry(fake):
    fake.script(fake_openai.error(500))

    with pytest.raises(ProviderRetryable):
        OpenAiRewriter(endpoint(fake)).rewrite("And tea?", history=[], now=NOW, timeout=1)
    assert len(fake.received) == 1


def test_an_answer_off_the_schema_is_repaired_once(fake):
    fake.script(fake_openai.prose())
    extracted = OpenAiExtractor(endpoint(fake)).extract([said("I like tea.")], now=NOW)

    assert len(extracted.observations) == 1
    assert (extracted.usage.llm_calls, extracted.usage.tokens_in, extracted.usage.tokens_out) == (2, 200, 40)
    repair = fake.received[1].body["messages"]
    assert repair[2]["role"] == "assistant"
    assert "json_invalid" in repair[3]["content"]


def test_a_second_unusable_answer_is_refused(fake):
    fake.script(fake_openai.prose(), fake_openai.prose())

    with pytest.raises(ProviderRefused, match="asked form"):
        OpenAiExtractor(endpoint(fake)).extract([said("I like tea.")], now=NOW)
    assert len(fake.received) == 2


@pytest.mark.parametrize("indexes", [[1], [1, 1], [1, 3], [1, 2, 3]])
def test_an_answer_that_skips_or_invents_messages_is_not_used(fake, indexes):
    content = json.dumps({"utterances": [fake_openai.entry(index, "tea") for index in indexes]})
    fake.script(*[fake_openai.Reply(content=content)] * 2)

    with pytest.raises(ProviderRefused):
        OpenAiExtractor(endpoint(fake)).extract([said("I like tea."), said("I like rum.")], now=NOW)


def test_an_answer_cut_at_its_length_limit_is_refused(fake):
    fake.script(fake_openai.Reply(content='{"utterances": [', finish_reason="length"))

    with pytest.raises(ProviderRefused, match="length limit"):
        OpenAiExtractor(endpoint(fake)).extract([said("I like tea.")], now=NOW)


def test_what_a_failed_call_cost_is_told(fake):
    fake.script(fake_openai.error(500), fake_openai.throttled(), fake_openai.error(503))

    with pytest.raises(ProviderRetryable) as caught:
        OpenAiExtractor(endpoint(fake), timeout_seconds=5).extract([said("I like tea.")], now=NOW)

    spent = caught.value.usage
    assert (spent.model, spent.llm_calls, spent.failed_calls, spent.tokens_in, spent.cost_usd) == ("m", 3, 3, 0, 0.0)
    assert spent.milliseconds > 0


def test_what_an_answer_that_never_came_costs_is_unknown(fake):
    fake.script(fake_openai.late(5))

    with pytest.raises(ProviderLate) as caught:
        OpenAiExtractor(endpoint(fake), timeout_seconds=0.2).extract([said("I like tea.")], now=NOW)

    spent = caught.value.usage
    assert (spent.llm_calls, spent.failed_calls, spent.cost_usd) == (1, 1, None)
    assert spent.milliseconds == pytest.approx(200, abs=150)


def test_the_tokens_of_useless_answers_are_told(fake):
    fake.script(fake_openai.prose(), fake_openai.prose())

    with pytest.raises(ProviderRefused) as caught:
        OpenAiExtractor(endpoint(fake)).extract([said("I like tea.")], now=NOW)

    spent = caught.value.usage
    assert (spent.llm_calls, spent.failed_calls, spent.tokens_in, spent.tokens_out) == (2, 2, 200, 40)


def test_failed_attempts_before_an_answer_are_told(fake):
    fake.script(fake_openai.error(500), fake_openai.prose())

    usage = OpenAiExtractor(endpoint(fake), timeout_seconds=5).extract([said("I like tea.")], now=NOW).usage

    assert (usage.llm_calls, usage.failed_calls, usage.tokens_in) == (3, 2, 200)


def test_a_failed_embedding_is_told(fake):
    fake.script(*[fake_openai.error(500)] * 3)

    with pytest.raises(ProviderRetryable) as caught:
        OpenAiEmbedder(endpoint(fake)).embed(["tea"])

    assert (caught.value.usage.embedding_calls, caught.value.usage.failed_calls) == (3, 3)


class Fuse(Breaker):
    """Open after one failure."""

    def __init__(self) -> None:
        self.is_whole = True

    @override
    def lets_pass(self) -> bool:
        return self.is_whole

    @override
    def succeeded(self) -> None:
        self.is_whole = True

    @override
    def failed(self, error: ProviderError) -> None:
        self.is_whole = False


def test_a_model_left_alone_is_not_asked_and_costs_nothing(fake):
    extractor = OpenAiExtractor(endpoint(fake, breaker=Fuse()), timeout_seconds=0.2)
    fake.script(fake_openai.late(5))
    with pytest.raises(ProviderLate):
        extractor.extract([said("I like tea.")], now=NOW)

    with pytest.raises(CircuitOpen) as caught:
        extractor.extract([said("I like tea.")], now=NOW)

    assert caught.value.usage is None
    assert len(fake.received) == 1


def test_who_waits_and_jobs_each_find_out_for_themselves(fake):
    embedder = OpenAiEmbedder(endpoint(fake), prompt=endpoint(fake, breaker=Fuse()))
    fake.script(fake_openai.late(5))
    with pytest.raises(ProviderLate):
        embedder.embed(["tea"], timeout=0.2)

    with pytest.raises(CircuitOpen):
        embedder.embed(["tea"], timeout=0.2)
    assert embedder.embed(["tea"])[0].shape == (1, 256)
