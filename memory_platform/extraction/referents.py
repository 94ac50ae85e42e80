"""Whom "she" and what "it" at the head of a clause means, where what was said before leaves only one candidate."""

import re
from collections.abc import Sequence
from typing import Final

from memory_platform.knowledge import entities
from memory_platform.text.sentences import sentences

_PERSON: Final = re.compile(r"\A(?P<word>she|he|her|his)(?P<short>['’](?:s|ll|d))?\b(?=\s)", re.IGNORECASE)
_LATER_PERSON: Final = re.compile(
    r"\b(?:him|her)\b(?=\s+(?:with|to|for|in|at|on|and|from|about|by|when|because|every|a|the)\b|[.,!]|\Z)"
)
_THING: Final = re.compile(r"\A(?P<word>it)(?P<short>['’](?:s|ll))?\b", re.IGNORECASE)
_LIVING: Final = (
    r"(?:dog|cat|puppy|pup|kitten|pet|horse|parrot|rabbit|baby|daughter|son|sister|brother|mother|father|mom|mum|dad|wife"
    r"|husband|partner|girlfriend|boyfriend|friend|boss|manager|colleague|neighbou?r|teacher|coach|doctor|therapist"
    r"|cousin|niece|nephew|aunt|uncle|grandmother|grandfather|grandma|grandpa|roommate)"
)
_OWNED: Final = re.compile(
    rf"\b(?P<article>my|our|an?)\s+(?:(?!and\b)\w+\s+){{0,2}}?(?P<noun>{_LIVING})\b", re.IGNORECASE
)
_OWNS: Final = re.compile(r"\b(?:adopt|bought|got|have|had|own|rescued|welcomed)", re.IGNORECASE)
_ABOUT: Final = re.compile(
    r"\bthe\s+(?:date|time|day|place|location|venue|price|name)\s+(?:and\s+\w+\s+)?of\s+(?P<owner>her|his|my|our|the)\s+(?P<noun>\w+)",
    re.IGNORECASE,
)
_PLACE_BEFORE: Final = re.compile(r"\b(?:in|at|to|from|near|on|for|called|named|visited|of)\s+\Z", re.IGNORECASE)
_STATE: Final = re.compile(
    r"it(?:['’]s|\s+is|\s+was|\s+has)?\s+(?:no\s+longer|not|now|called|named|based|hosted|written)\b", re.IGNORECASE
)
_REACH: Final = 4


def resolve(text: str, *, said: Sequence[str], before: Sequence[str], speaker: str, names: Sequence[str]) -> str:
    """Put a name for the pronoun a clause begins with, if just one fits; else the text as it is.

    `said` are the sentences of the same message before it, `before` the messages before that, `names` those of the
    people who talk, whom "she" does not mean.
    """
    match = _PERSON.match(text)
    if match:
        person = _person(said, before, speaker, names)
        return _put(text, match, person, is_owner=match["word"].casefold() in {"her", "his"}) if person else text
    if said and (match := _THING.match(text)):
        thing = _thing(text, said, names)
        return _put(text, match, thing, is_owner=False) if thing else text
    if said and (later := _LATER_PERSON.search(text)) and not _own_names(text, names):
        person = _person(said, before, speaker, names)
        return text[: later.start()] + person + text[later.end() :] if person else text
    return text


def _put(text: str, match: re.Match[str], name: str, *, is_owner: bool) -> str:
    short = (match["short"] or "")[1:]
    expanded = {"s": " is", "ll": " will", "d": " would", "": ""}[short]
    ending = "'s" if is_owner else expanded
    return f"{name}{ending}{text[match.end() :]}"


def _person(said: Sequence[str], before: Sequence[str], speaker: str, names: Sequence[str]) -> str | None:
    """The only person-like name of the nearest sentence that holds one, or "Mara's dog"."""
    earlier = [part.text for text in before for part in sentences(text)]
    nearest = [*earlier, *said][-_REACH:]
    known = {name for text in nearest for name in _own_names(text, names)}
    for position, text in reversed(list(enumerate(nearest))):
        found = _own_names(text, names, known=known)
        if len(found) > 1:
            return None
        if found:
            return found[0]
        is_speakers = position >= len(nearest) - len(said)
        if is_speakers and (owned := _OWNED.search(text)):
            is_own = owned["article"].casefold() in {"my", "our"} or _OWNS.search(text)
            return f"{speaker}'s {owned['noun'].lower()}" if is_own else None
    return None


def _own_names(text: str, names: Sequence[str], known: set[str] | frozenset[str] = frozenset()) -> list[str]:
    return [
        found.name
        for found in entities.find(text, known=known)
        if found.form is entities.EntityForm.NAME
        and found.name not in names
        and found.name.replace(" ", "").isalpha()
        and not found.name.isupper()
        and not _PLACE_BEFORE.search(text, max(0, found.start - 12), found.start)
    ]


def _thing(text: str, said: Sequence[str], names: Sequence[str]) -> str | None:
    """Read "Ines changed the date of her wedding. It is …" as being about Ines's wedding."""
    about = _ABOUT.search(said[-1])
    if about is None:
        found = _own_names(said[-1], names) if _STATE.match(text) else []
        return found[0] if len(found) == 1 else None
    owner = about["owner"].casefold()
    if owner in {"her", "his"}:
        found = _own_names(said[-1], names)
        subject = next(iter(re.findall(r"\A[A-Z]\w+", said[-1])), None)
        person = found[0] if len(found) == 1 else subject
        return f"{person}'s {about['noun']}" if person else None
    return f"{about['owner'].capitalize()} {about['noun']}"
