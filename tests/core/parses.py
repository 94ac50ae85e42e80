"""Parses written down, and any parse a reader might give."""

import re
from collections.abc import Iterator

from hypothesis import strategies as st

from memory_platform.text.parse import Parse, Sentence, Token
from memory_platform.text.sentences import TextSpan, sentences

WORDS = (
    "I",
    "my",
    "Anna",
    "and",
    "but",
    "says",
    "if",
    "never",
    "would",
    "will",
    "it",
    ",",
    ";",
    '"',
    "?",
    "tea",
    "PAY-1",
)
PARTS = ("VERB", "AUX", "NOUN", "PROPN", "PRON", "PUNCT", "CCONJ", "ADV", "ADP")
RELATIONS = ("nsubj", "obj", "conj", "parataxis", "ccomp", "aux", "mark", "prep", "advmod", "punct", "acomp")


def plain(text: str, language: str = "en") -> Parse:
    """A parse without grammar."""
    return Parse(text, language, tuple(Sentence(span.text, span.start) for span in sentences(text)))


def chained(text: str, longest: int = 600) -> Parse:
    """A parse in which every word hangs on the one before it, in sentences as long as a reader reads at most."""
    return Parse(text, "en", tuple(_chain(span) for span in _cut(text, longest)), is_parsed=True)


def _cut(text: str, longest: int) -> Iterator[TextSpan]:
    for span in sentences(text):
        for start in range(0, len(span.text), longest):
            yield TextSpan(span.text[start : start + longest], span.start + start)


def _chain(span: TextSpan) -> Sentence:
    words = list(re.finditer(r"\w+|[^\w\s]", span.text))
    tokens = tuple(
        Token(word[0], word[0].casefold(), PARTS[place % len(PARTS)], RELATIONS[place % 4], max(0, place - 1),
              span.start + word.start())
        for place, word in enumerate(words)
    )  # fmt: skip
    return Sentence(span.text, span.start, tokens)


@st.composite
def trees(draw, start: int = 0) -> Sentence:
    """A sentence of any words over any dependency tree."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14))
    order = draw(st.permutations(range(len(words))))
    heads = {place: draw(st.sampled_from(order[:rank])) if rank else place for rank, place in enumerate(order)}
    tokens, at = [], start
    for place, word in enumerate(words):
        tokens.append(
            Token(
                word,
                word.casefold(),
                draw(st.sampled_from(PARTS)),
                "ROOT" if heads[place] == place else draw(st.sampled_from(RELATIONS)),
                heads[place],
                at,
                tense=draw(st.sampled_from(["", "Past", "Pres"])),
                form=draw(st.sampled_from(["", "Fin", "Inf", "Part"])),
            )
        )
        at += len(word) + draw(st.integers(0, 2))
    text = "".join(
        token.text + " " * (following - token.end)
        for token, following in zip(tokens, [*(one.start for one in tokens[1:]), tokens[-1].end], strict=True)
    )
    return Sentence(text, start, tuple(tokens))


@st.composite
def parses(draw) -> Parse:
    """Up to three such sentences, some without grammar, a blank between them."""
    found: list[Sentence] = []
    for _ in range(draw(st.integers(0, 3))):
        sentence = draw(trees(found[-1].end + 1 if found else 0))
        found.append(sentence if draw(st.integers(0, 4)) else Sentence(sentence.text, sentence.start))
    return Parse(" ".join(one.text for one in found), "en", tuple(found), is_parsed=True)
