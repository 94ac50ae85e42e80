"""How much is tried: a little each time, the same; with the marker `fuzz` more than ten thousand requests."""

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz.values import STRINGS, TIMES

FEW, MANY = 1, 16
"""Rounds: one is about 700 requests."""

rounds = pytest.mark.parametrize(
    "rounds", [pytest.param(FEW, marks=pytest.mark.heavy), pytest.param(MANY, marks=pytest.mark.fuzz)]
)
words = st.one_of(st.sampled_from(STRINGS), st.sampled_from(TIMES), st.integers().map(str), st.text(max_size=20)).map(
    lambda text: quote(text[:2_000].encode("utf-8", "surrogatepass"), safe="")
)
"""As a URL or a form holds them."""


def tried(strategy: st.SearchStrategy[Any], send: Callable[[Any], None], *, rounds: int, each: int = 1) -> None:
    """Send `each` examples a round; what they find is told at the end, so that one fault does not hide the next."""

    @settings(
        max_examples=each * rounds,
        derandomize=rounds == FEW or "CI" in os.environ,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def sent(example: Any) -> None:
        send(example)

    sent()
