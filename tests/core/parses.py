"""Parses written down, and any parse a reader might give."""

from hypothesis import strategies as st

from memory_platform.text.parse import Parse, Sentence, Token
from memory_platform.text.sentences import sentences

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
