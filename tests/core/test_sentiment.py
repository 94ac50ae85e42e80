"""The mood of a text, from a lexicon."""

import pytest

from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.model import Sentiment


@pytest.mark.parametrize(
    ("text", "sentiment"),
    [
        ("I am so frustrated, it failed again!", Sentiment.FRUSTRATED),
        ("I love it, what wonderful news!", Sentiment.EXCITED),
        ("I am not sure yet.", Sentiment.UNCERTAIN),
        ("I am not happy.", Sentiment.FRUSTRATED),
        ("I'm not angry.", Sentiment.NEUTRAL),
        ("The job runs at two.", Sentiment.NEUTRAL),
        ("", Sentiment.NEUTRAL),
    ],
)
def test_the_mood_with_the_most_words_wins(text, sentiment):
    assert sentiment_of(text) is sentiment
