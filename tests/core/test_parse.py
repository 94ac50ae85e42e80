"""What can be asked of a sentence's tokens."""

from hypothesis import given

from memory_platform.text.parse import Sentence
from tests.core.parses import trees


def test_without_tokens_there_is_no_root():
    assert Sentence("Moin!", 3).root is None
    assert Sentence("Moin!", 3).children == ()
    assert Sentence("Moin!", 3).end == 8


@given(trees(start=5))
def test_every_token_hangs_below_the_root_once(sentence):
    assert sorted(sentence.below(sentence.root)) == list(range(len(sentence.tokens)))
    assert sorted(child for below in sentence.children for child in below) == [
        place for place in range(len(sentence.tokens)) if place != sentence.root
    ]


@given(trees(start=5))
def test_a_span_holds_all_that_depends_on_a_token(sentence):
    for place, token in enumerate(sentence.tokens):
        start, end = sentence.span(place)
        assert sentence.start <= start <= token.start < token.end <= end <= sentence.end
    assert sentence.span(sentence.root) == (sentence.start, sentence.end)
