"""Four moods, from words and their negation."""

import pytest

from memory_platform.model import Sentiment
from memory_platform.sentiment import sentiment_of


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("I'm so excited about the trip!", Sentiment.EXCITED),
        ("I can't wait to see it", Sentiment.EXCITED),
        ("The build is broken again, ugh", Sentiment.FRUSTRATED),
        ("I am not happy with this", Sentiment.FRUSTRATED),
        ("I can’t stand it", Sentiment.FRUSTRATED),
        ("I'm not sure which one to take", Sentiment.UNCERTAIN),
        ("I'm worried, maybe it will rain", Sentiment.UNCERTAIN),
        ("The API uses PostgreSQL 18", Sentiment.NEUTRAL),
        ("I don't hate it", Sentiment.NEUTRAL),
        ("", Sentiment.NEUTRAL),
    ],
)
def test_the_mood_of_a_text(text, mood):
    assert sentiment_of(text) is mood
