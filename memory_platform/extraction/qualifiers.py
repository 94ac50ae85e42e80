"""What tells the subject of a verb from others of its kind, by the grammar: "the March invoice", "the invoice for
March", "rack 7", "in staging, the timeout", "the left knee".
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from memory_platform.text.parse import Named, Sentence, Token

_DATES: Final = frozenset({"DATE"})
_DATES_AND_PLACES: Final = frozenset({"DATE", "PLACE"})
_DATES_AND_PEOPLE: Final = frozenset({"DATE", "PERSON"})
_NOMINAL: Final = frozenset({"compound", "nmod", "prep"})
_WITHIN: Final = frozenset({"pobj", "prep", "compound", "nmod", "amod", "nummod", "appos", "conj", "poss"})
_MEANINGFUL: Final = frozenset({"NOUN", "PROPN", "NUM", "ADJ", "VERB", "X"})


def qualifiers(sentence: Sentence, verb: int, names: Sequence[Named], *, thing: int | None = None) -> tuple[str, ...]:
    """Words, case folded: those that name which of its kind the subject is, then in brackets those that describe it.

    A noun, a number or a phrase names; an adjective describes. `names` are those a reader found in the text. `thing` is
    the place of what is spoken of where that is not the subject.
    """
    subject = next(iter(sentence.dependents(verb, "nsubj")), None) if thing is None else thing
    if subject is None:
        return ()
    own = [one for one in names if sentence.start <= one.start < sentence.end]

    def is_within(place: int, labels: frozenset[str]) -> bool:
        start = sentence.tokens[place].start
        return any(one.label in labels and one.start <= start < one.start + len(one.text) for one in own)

    naming = [*_naming(sentence, subject, is_within), *_put_before(sentence, verb, subject, is_within)]
    words = sorted({place for one in naming for place in _words(sentence, one)})
    described = [
        place
        for place in sentence.children[subject]
        if sentence.tokens[place].relation == "amod" and _has_letter_or_digit(sentence.tokens[place])
    ]
    return (
        *(sentence.tokens[place].text.casefold() for place in words),
        *(f"({sentence.tokens[place].text.casefold()})" for place in described),
    )


_Within = Callable[[int, frozenset[str]], bool]


def _naming(sentence: Sentence, head: int, is_within: _Within) -> Iterator[int]:
    """The modifiers that name which one it is. Those of somebody's name are titles: "Aunt Vera", "cousin Marv"."""
    noun, beside = sentence.tokens[head], [sentence.tokens[one] for one in sentence.children[head]]
    has_determiner = any(one.relation in {"det", "poss"} for one in beside)
    # A number before a noun names one ("the 2.x line") or counts several ("six people").
    is_one = has_determiner and noun.text.casefold() == noun.lemma
    for place, token in zip(sentence.children[head], beside, strict=True):
        if token.part == "NUM":
            names_it = place > head or is_one or is_within(place, _DATES)
        elif token.relation == "poss":
            # "April's bill" is of April, but whose a thing is may be said in many ways.
            names_it = is_within(place, _DATES_AND_PLACES)
        else:
            names_it = token.relation in _NOMINAL and (noun.part == "NOUN" or has_determiner)
        if names_it:
            yield place


def _put_before(sentence: Sentence, verb: int, subject: int, is_within: _Within) -> Iterator[int]:
    """The phrases before the subject, but for those that say when or on whose word."""
    for place in sentence.children[verb]:
        token = sentence.tokens[place]
        # "According to the dealer" is a participle by its part of speech, and tells who says so.
        is_phrase = token.relation == "obl" or (token.relation == "prep" and token.part == "ADP")
        if (
            is_phrase
            and place < subject
            and not any(is_within(one, _DATES_AND_PEOPLE) for one in sentence.below(place))
        ):
            yield place


def _words(sentence: Sentence, place: int) -> Iterator[int]:
    """The words of a modifier that have a meaning of their own; a clause inside it names nothing."""
    waiting = [place]
    while waiting:
        one = waiting.pop()
        if sentence.tokens[one].part in _MEANINGFUL and _has_letter_or_digit(sentence.tokens[one]):
            yield one
        waiting += [child for child in sentence.children[one] if sentence.tokens[child].relation in _WITHIN]


def _has_letter_or_digit(token: Token) -> bool:
    return any(mark.isalnum() for mark in token.text)
