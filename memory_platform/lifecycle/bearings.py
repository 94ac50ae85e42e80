"""What a time hangs on in the parse of its clause: whether that is denied, lies behind, is supposed, or a state."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.extraction.clauses import CONDITIONS, NEGATIONS, POSSIBLE, Clause
from memory_platform.text.parse import Parse, Sentence, Token

_AT: Final = frozenset({"", "on", "in", "at"})
"""What names the time itself; "not until Friday" is a time, "not on Friday" is none."""
_VERBAL: Final = frozenset({"VERB", "AUX"})
_LINKING: Final = frozenset({"ADP", "SCONJ"})
_COMPLEMENTS: Final = frozenset({"acomp", "attr"})


@dataclass(frozen=True, slots=True)
class Bearing:
    """`is_denied`: nothing is to be then; `is_past`: its own verb tells of what was, or it goes with "since";
    `is_told`: neither its verb nor one above it stands in a condition or under one. `is_state`: its verb links, as in
    "is free", so that nothing happens then. `above`: where in the clause's text the words begin that it stands under,
    the nearest first.
    """

    is_denied: bool = False
    is_past: bool = False
    is_told: bool = False
    is_state: bool = False
    above: tuple[int, ...] = ()


def bearing(parse: Parse, clause: Clause, start: int, end: int, *, preposition: str = "") -> Bearing:
    """What is known of a time that stands from `start` to `end` of a clause's text, behind a preposition that is none
    of its words; nothing where the clause has no grammar.
    """
    begins, ends = clause.start + start, clause.start + end
    sentence = parse.sentence_at(begins) if clause.entry is None else None
    place = None if sentence is None else _place(sentence, begins)
    if sentence is None or place is None:
        return Bearing()
    way = list(_way(sentence, place))
    own = [one for one in way[:-1] if begins <= sentence.tokens[one].start < ends or _links(sentence.tokens[one])]
    verb = way[-1]
    return Bearing(
        is_denied=preposition in _AT and _is_denied(sentence, own, way),
        is_past=_is_past(sentence, verb) or any(sentence.tokens[one].lemma == "since" for one in way),
        is_told=_is_told(sentence, verb),
        is_state=any(sentence.tokens[one].relation in _COMPLEMENTS for one in sentence.children[verb]),
        above=tuple(sentence.tokens[one].start - clause.start for one in sentence.above(place)),
    )


def _links(token: Token) -> bool:
    return token.part in _LINKING


def _place(sentence: Sentence, at: int) -> int | None:
    return next((place for place, token in enumerate(sentence.tokens) if token.start <= at < token.end), None)


def _way(sentence: Sentence, place: int) -> Iterator[int]:
    """From a token up to the verb it hangs on, or to the root."""
    for one in sentence.above(place):
        yield one
        if sentence.tokens[one].part in _VERBAL:
            return


def _is_denied(sentence: Sentence, own: list[int], way: list[int]) -> bool:
    """Whether a "not" goes with the date itself, or with a verb that nothing but a preposition parts from it and that
    is bent: "can't" and "won't" tell of that day.
    """
    if any(_has_negation(sentence, one) for one in own):
        return True
    verb = sentence.tokens[way[-1]]
    is_near = len(own) == len(way) - 1 and verb.part in _VERBAL and sentence.tokens[way[0]].relation != "obj"
    return is_near and _has_negation(sentence, way[-1]) and not _has_modal(sentence, way[-1])


def _has_negation(sentence: Sentence, place: int) -> bool:
    return any(sentence.tokens[one].text.casefold() in NEGATIONS for one in sentence.children[place])


def _has_modal(sentence: Sentence, verb: int) -> bool:
    return any(not one.tense for one in sentence.auxiliaries(verb))


def _is_past(sentence: Sentence, verb: int) -> bool:
    token = sentence.tokens[verb]
    return token.part == "VERB" and token.form == "Fin" and token.tense == "Past"


def _is_told(sentence: Sentence, verb: int) -> bool:
    above = list(sentence.above(verb))
    helpers = [sentence.tokens[one].text.casefold() for place in above for one in sentence.children[place]]
    supposed = sentence.dependents(verb, "advcl")
    return POSSIBLE.isdisjoint(helpers) and not any(_is_condition(sentence, one) for one in (*above, *supposed))


def _is_condition(sentence: Sentence, verb: int) -> bool:
    return any(sentence.tokens[one].text.casefold() in CONDITIONS for one in sentence.dependents(verb, "mark"))
