"""Token counts and prices come from two small packages; these pin what we rely on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform import costs
from memory_platform.text import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("Anna likes tea.", 4),
        ("tokenization", 2),
        ("日本語のテキスト", 6),
        ("<|endoftext|>", 7),
    ],
)
def test_counts_are_those_of_o200k(text, expected):
    assert tokens.count(text) == expected


@settings(deadline=None)  # the first count loads the vocabulary
@given(st.text(max_size=200))
def test_any_text_can_be_counted(text):
    assert 0 <= tokens.count(text) <= 4 * len(text)


def test_a_lone_surrogate_can_be_counted():
    assert tokens.count("tea \ud800") > 0


def test_a_listed_price():
    assert costs.price_usd("gpt-4o-mini", tokens_in=1_000_000, tokens_out=1_000_000) == pytest.approx(0.75)


def test_an_embedding_has_a_price_at_its_provider():
    url = "https://api.openai.com/v1"

    assert costs.price_usd("text-embedding-3-small", tokens_in=1_000_000, provider_url=url) == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("model", "url"),
    [("no-such-model", None), ("gpt-4o-mini", "http://127.0.0.1:9/v1"), ("rules", "http://127.0.0.1:9/v1"), ("", None)],
)
def test_an_unknown_price_is_none_and_never_zero(model, url):
    assert costs.price_usd(model, tokens_in=10, provider_url=url) is None


@pytest.mark.parametrize("model", ["all-minilm-l6-v2-int8", "wordllama-l2-supercat-256", "rules", "scripted-64"])
def test_local_models_are_free(model):
    assert costs.price_usd(model, tokens_in=10) == 0.0
