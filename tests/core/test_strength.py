"""How directly a sentence states what it states."""

import pytest

from memory_platform.extraction.strength import strength_of
from memory_platform.model import Strength


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("I moved to Lisbon.", Strength.EXPLICIT),
        ("I usually run on Tuesdays.", Strength.IMPLIED),
        ("I might switch to HTMX.", Strength.IMPLIED),
        ("It is probably the cache.", Strength.INFERRED),
        ("I think it is probably the cache.", Strength.INFERRED),
    ],
)
def test_guesses_are_weaker_than_hedges_and_hedges_than_statements(text, strength):
    assert strength_of(text) is strength
