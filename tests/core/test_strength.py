"""Said outright, hedged, or guessed."""

import pytest

from memory_platform.model import Strength
from memory_platform.strength import strength_of


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("I moved to Berlin in 2020.", Strength.EXPLICIT),
        ("The API uses PostgreSQL 18.", Strength.EXPLICIT),
        ("I'm thinking about moving to Berlin.", Strength.IMPLIED),
        ("We usually deploy on Mondays.", Strength.IMPLIED),
        ("I think it is the cache.", Strength.IMPLIED),
        ("It is probably the cache.", Strength.INFERRED),
        ("She must be his sister.", Strength.INFERRED),
        ("I guess I hope so.", Strength.INFERRED),
    ],
)
def test_how_directly_a_sentence_states(text, strength):
    assert strength_of(text) is strength
