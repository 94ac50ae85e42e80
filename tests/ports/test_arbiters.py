"""What a model may say about relations, and what its word counts."""

import json
from datetime import timedelta

import pytest

from memory_platform.adapters.openai_arbiter import OpenAiArbiter
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.errors import ProviderRefused
from memory_platform.model import ClaimRelation
from memory_platform.ports import ClaimPair
from tests import fake_openai
from tests.fake_openai import FakeOpenAi, Reply

PAIRS = [
    ClaimPair("Anna works at Siemens.", "Anna works at Bosch now.", timedelta(days=30)),
    ClaimPair("PAY-1 is done.", "PAY-10 is done.", timedelta(hours=3)),
]


def arbiter(fake: FakeOpenAi) -> OpenAiArbiter:
    return OpenAiArbiter(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))


def test_one_call_judges_all_pairs(fake):
    fake.script(Reply(content=fake_openai.relations("update", "distinct")))

    (first, second), usage = arbiter(fake).arbitrate(PAIRS)

    assert first == ClaimRelation(*[pytest.approx(0.02)] * 2, 0.9, *[pytest.approx(0.02)] * 3)
    assert second.distinct == 0.9
    assert (usage.llm_calls, len(fake.received)) == (1, 1)
    assert '"days": 30' in fake.received[0].body["messages"][1]["content"]


def test_a_guess_counts_little(fake):
    fake.script(Reply(content=fake_openai.relations("same", certainty="guess")))

    ((relation,), _) = arbiter(fake).arbitrate(PAIRS[:1])

    assert (relation.same, relation.distinct) == (0.4, pytest.approx(0.12))


def test_nothing_doubtful_nothing_asked(fake):
    assert arbiter(fake).arbitrate([])[0] == ()
    assert fake.received == []


@pytest.mark.parametrize("content", ["so-so", fake_openai.relations("update"), json.dumps({"pairs": []})])
def test_an_answer_that_leaves_a_pair_out_is_refused(fake, content):
    fake.script(*[Reply(content=content)] * 2)

    with pytest.raises(ProviderRefused):
        arbiter(fake).arbitrate(PAIRS)


def test_the_version_names_model_and_prompt(fake):
    assert arbiter(fake).version == "openai:gpt-4o-mini:relations.v1"
