"""Who a sentence speaks to: a name or an exclamation beside it, of which it says nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory_platform.text.parse import Named, Sentence

VOCATIVE: Final = "vocative"
"""The relation of whom a sentence is addressed to. English models know none, and call it a subject or an adverbial."""

FIRST_PERSON: Final = frozenset({"i", "we"})
"""English subjects that are the speaker, alone or among others."""
_PERSONS: Final = frozenset({"", "PERSON"})
"""What those are taken for who are spoken to; a place or a firm at the edge of a sentence is its topic."""
_NOUNS: Final = frozenset({"PROPN", "NOUN", "ADV"})
_ASIDE: Final = frozenset({"npadvmod", "intj"})
_VERBAL: Final = frozenset({"VERB", "AUX"})
_LINKS: Final = frozenset({"compound", "flat", "amod"})
_COMPLEMENTS: Final = frozenset({"obj", "iobj", "attr", "acomp", "oprd", "ccomp", "xcomp", "prep", "obl", "prt"})
_THIRD_PERSON: Final = frozenset({"he", "she", "it", "they"})
_COMMON: Final = frozenset({"NOUN", "ADJ"})
_WHOLE: Final = frozenset({"ROOT", "npadvmod", "intj"})
_GREETING: Final = frozenset({"INTJ", "PUNCT", "NOUN", "ADJ", "ADV"})
_ENDS: Final = frozenset({",", "!"})


def with_addressees(sentence: Sentence, names: Sequence[Named]) -> Sentence:
    """The sentence with the relation VOCATIVE of nouns it is addressed to; `names` are those recognised in it.

    A mark parts the two, and the noun is no argument of a verb: "Thanks, Tom", "Hi Tom, it is done", "Tom, remember
    it", but not an answer ("Tom, I think") nor what a pronoun takes up ("Tom, he left").
    """
    labels = {one.start: one.label for one in names}
    addressed = [
        place
        for place, token in enumerate(sentence.tokens)
        if labels.get(sentence.tokens[_first(sentence, place)].start, "") in _PERSONS and _is_addressed(sentence, place)
    ]
    if not addressed:
        return sentence
    tokens = list(sentence.tokens)
    for place in addressed:
        tokens[place] = replace(tokens[place], relation=VOCATIVE)
    return replace(sentence, tokens=tuple(tokens))


def _is_addressed(sentence: Sentence, place: int) -> bool:
    token = sentence.tokens[place]
    if token.part not in _NOUNS or not token.text[:1].isupper() or _says_more(sentence, place):
        return False
    if token.relation == "appos":
        return sentence.tokens[token.head].text.casefold() == "you"
    if not (_opens(sentence, place) or _closes(sentence, place)):
        return False
    if token.relation in _ASIDE:
        return _stands_aside(sentence, place)
    return token.relation == "nsubj" and _is_no_subject(sentence, place)


def _says_more(sentence: Sentence, place: int) -> bool:
    """Whether the sentence tells of it after all: "Ines, my sister, lives there"."""
    return any(sentence.tokens[one].relation not in {*_LINKS, "punct"} for one in sentence.children[place])


def _opens(sentence: Sentence, place: int) -> bool:
    following = sentence.tokens[place + 1 : place + 2]
    is_begun = all(token.part in _GREETING for token in sentence.tokens[: _first(sentence, place)])
    return is_begun and bool(following) and following[0].text in _ENDS


def _closes(sentence: Sentence, place: int) -> bool:
    first = _first(sentence, place)
    is_last = all(token.part == "PUNCT" for token in sentence.tokens[place + 1 :])
    return is_last and first > 0 and sentence.tokens[first - 1].text == ","


def _first(sentence: Sentence, place: int) -> int:
    """The first word of those that are one with a noun: "Mr" of "Mr Kowal"."""
    first = place
    while first and sentence.tokens[first - 1].head == place and sentence.tokens[first - 1].relation in _LINKS:
        first -= 1
    return first


def _stands_aside(sentence: Sentence, place: int) -> bool:
    """Whether what it stands beside is said to somebody: a whole statement, or thanks and the like. Behind no more than
    a condition it is an answer ("If I'm out, Tom").
    """
    head = sentence.tokens[place].head
    beside = sentence.tokens[head]
    if beside.part == "INTJ":
        return place == head + 1
    if beside.part not in _VERBAL:
        return head < place and beside.part in _COMMON and beside.relation in _WHOLE
    if any(sentence.tokens[one].relation == "mark" for one in sentence.children[head]):
        return False
    subjects = _subjects(sentence, head)
    return subjects.isdisjoint(_THIRD_PERSON) and (subjects.isdisjoint(FIRST_PERSON) or _is_complete(sentence, head))


def _is_no_subject(sentence: Sentence, place: int) -> bool:
    """Whether what the parser takes for a subject is none: its verb has another one, or commands."""
    verb = sentence.tokens[place].head
    others = _subjects(sentence, verb, but=place)
    if others:
        return others.isdisjoint(_THIRD_PERSON)
    return verb == place + 2 and _is_bare(sentence, verb)


def _is_bare(sentence: Sentence, verb: int) -> bool:
    """Whether a verb is not bent to a subject of the third person."""
    token = sentence.tokens[verb]
    is_bare = token.part == "VERB" and token.tense != "Past" and token.text.casefold() == token.lemma
    return is_bare and not sentence.auxiliaries(verb)


def _is_complete(sentence: Sentence, verb: int) -> bool:
    return any(sentence.tokens[one].relation in _COMPLEMENTS for one in sentence.children[verb])


def _subjects(sentence: Sentence, verb: int, *, but: int = -1) -> frozenset[str]:
    return frozenset(sentence.tokens[one].text.casefold() for one in sentence.dependents(verb, "nsubj") if one != but)
