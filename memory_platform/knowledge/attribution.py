"""On whose word a whole sentence stands: "Marta: I'm moving to Rome", "per my manager, never deploy on Fridays"."""

from typing import Final

from memory_platform.knowledge.entity_types import is_first_name
from memory_platform.text.parse import Sentence, Token

_ON_THE_WORD_OF: Final = frozenset({"per", "according"})
_NAMING: Final = frozenset({"DET", "PRON", "ADJ", "NOUN", "PROPN", "PUNCT"})
_NOUNS: Final = frozenset({"NOUN", "PROPN"})
_BEFORE_SPEECH: Final = frozenset({"INTJ", "ADV", "PUNCT", "CCONJ", "PART", "AUX"})
_FIRST_PERSON: Final = frozenset({"i", "we", "my", "our"})
_SECOND_PERSON: Final = frozenset({"you", "your"})
_LONGEST_LEAD: Final = 8
"""Words before the colon: who speaks is named in a few."""


def attributed_to(sentence: Sentence) -> str:
    """Who is named before it as saying all of it, as it stands; empty where nobody is.

    A name before a colon speaks what follows where that speaks of itself, to somebody or commands; of somebody's boss
    or doctor, whom no list knows, only what speaks to somebody is taken for speech ("My plan: I quit in May" is none).
    """
    return _source(sentence) or speaking(sentence)


def _source(sentence: Sentence) -> str:
    """Of "per" and "according to" before the main clause: whom they govern."""
    first = next((place for place, token in enumerate(sentence.tokens) if token.part != "PUNCT"), None)
    if first is None or sentence.tokens[first].text.casefold() not in _ON_THE_WORD_OF:
        return ""
    governed = [place for place in sentence.below(first) if sentence.tokens[place].relation == "pobj"]
    if sentence.tokens[first].relation != "prep" or not governed:
        return ""
    return sentence.phrase(min(governed))


def speaking(sentence: Sentence) -> str:
    """Who is named before a colon as saying the rest in words of his own, whose "I" is therefore his; else empty."""
    colon = next((place for place, token in enumerate(sentence.tokens[:_LONGEST_LEAD]) if token.text == ":"), 0)
    lead = sentence.tokens[:colon]
    nouns = [token for token in lead if token.part in _NOUNS]
    if not nouns or any(token.part not in _NAMING for token in lead):
        return ""
    first = next((token for token in sentence.tokens[colon + 1 :] if token.part not in _BEFORE_SPEECH), None)
    if first is None:
        return ""
    is_named = is_first_name(nouns[0].text) and _speaks(first)
    is_owned = any(token.relation == "poss" for token in lead) and first.text.casefold() in _SECOND_PERSON
    return sentence.text[: lead[-1].end - sentence.start] if is_named or is_owned else ""


def _speaks(first: Token) -> bool:
    """Whether what opens with this word speaks of whoever says it, to somebody, or commands."""
    commands = first.part == "VERB" and first.form == "Inf"
    return commands or first.text.casefold() in _FIRST_PERSON | _SECOND_PERSON
