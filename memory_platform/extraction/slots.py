"""Which state a clause speaks of: subject, attribute, value, and what tells one such state from another."""

import re
from dataclasses import replace
from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.dated_things import TAKES_PLACE, dated_thing
from memory_platform.extraction.endings import ended_state
from memory_platform.extraction.qualifiers import qualifiers
from memory_platform.extraction.standing import standing, standing_of_date
from memory_platform.knowledge.assertion import says_no_more
from memory_platform.model import Slot, Standing
from memory_platform.text.parse import Parse, Sentence

_IDENTIFIER: Final = re.compile(
    r"(?<![\w.])(?:[A-Za-z]{1,12}[-_#]?\d{1,8}(?:[-.]\d{1,6})*|#\d{1,8}|\d{3,6}-\d{3,8})(?![\w])"
)
_ENTRY: Final = re.compile(r"\A(?P<key>[^:]{1,60}): (?P<value>.+)\Z", re.DOTALL)
_OBJECTS: Final = ("obj", "attr", "acomp", "xcomp", "oprd", "iobj")
_LONGEST: Final = 200


def slot_of(clause: Clause, parse: Parse, *, speaker: str = "") -> Slot:
    """Read the slot off the grammar of the clause's main verb; an entry's key and value are its slot already."""
    if clause.entry is not None and clause.entry.slot is not None:
        return clause.entry.slot
    named = identifiers(clause.text)
    qualifier = " ".join(dict.fromkeys(named))
    if not clause.has_verb:
        return slot_of_entry(clause.text) or Slot(qualifier=qualifier[:_LONGEST])
    sentence = parse.sentence_at(clause.start)
    head = None if sentence is None else _head(sentence, clause)
    subject = _whose(clause.subject, speaker)
    if sentence is None or head is None:
        return _slot(subject, clause.verb, "", qualifier)
    if (dated := _dated(clause, parse, sentence, head, speaker)) is not None:
        return dated
    qualifier = " ".join(dict.fromkeys([*named, *qualifiers(sentence, head, parse.names)]))
    attribute = _attribute(sentence, head)
    ended = ended_state(clause, sentence, head=head, attribute=attribute)
    verb = head if ended is None else ended
    value = _value(sentence, verb)
    slot = _slot(subject, _attribute(sentence, verb), _words(sentence, value), qualifier)
    if ended is not None:
        return replace(slot, standing=Standing.ENDED)
    stands = standing(clause, sentence, verb=head, value=value, attribute=attribute, names=parse.names)
    return replace(slot, standing=stands)


def _dated(clause: Clause, parse: Parse, sentence: Sentence, head: int, speaker: str) -> Slot | None:
    """The state of when a thing takes place, whichever verb surely gives it its one date; None where none does."""
    told = dated_thing(sentence, head)
    stands = Standing.UNKNOWN if told is None else standing_of_date(clause, sentence, verb=head, told=told)
    if told is None or stands is Standing.UNKNOWN:
        return None
    thing, date = _whose(_words(sentence, told.thing), speaker), _words(sentence, told.date)
    # "Q3" may name one of a series, but not where it is the date.
    named = [one for one in identifiers(clause.text) if one not in identifiers(date)]
    qualifier = dict.fromkeys([*named, *qualifiers(sentence, head, parse.names, thing=told.thing)])
    return replace(_slot(thing, TAKES_PLACE, date, " ".join(qualifier)), standing=stands)


def slot_of_entry(text: str) -> Slot | None:
    """The slot of "key: value"; None where a text is no such thing."""
    entry = _ENTRY.match(text)
    qualifier = " ".join(dict.fromkeys(identifiers(text)))
    return _slot("", entry["key"], entry["value"], qualifier) if entry else None


def identifiers(text: str) -> tuple[str, ...]:
    """Tickets, unit numbers and the like: words that name one of a series, case folded."""
    return tuple(match[0].casefold() for match in _IDENTIFIER.finditer(text))


def _slot(subject: str, attribute: str, value: str, qualifier: str) -> Slot:
    return Slot(_cut(subject), _cut(attribute), _cut(value), _cut(qualifier))


def _cut(part: str) -> str:
    return " ".join(part.split())[:_LONGEST]


def _whose(subject: str, speaker: str) -> str:
    """The subject with the speaker for "I" and "my", where the speaker is known."""
    if not speaker:
        return subject
    if subject.casefold() in {"i", "me", "je"}:
        return speaker
    return re.sub(r"\A(?:my|mon|ma|mes)\b", f"{speaker}'s", subject, flags=re.IGNORECASE)


def _head(sentence: Sentence, clause: Clause) -> int | None:
    """The verb of the clause: the one whose subject it is, or the first whose lemma it has."""
    for place, token in enumerate(sentence.tokens):
        if clause.start <= token.start < clause.end and token.lemma == clause.verb and clause.verb:
            return place
    return None


def _attribute(sentence: Sentence, head: int) -> str:
    """The verb's lemma with the particle or preposition that makes it another verb."""
    token = sentence.tokens[head]
    small = [
        sentence.tokens[one].text.casefold()
        for one in sentence.children[head]
        if sentence.tokens[one].relation in {"prt", "prep", "case"}
    ]
    return " ".join([token.lemma, *small[:1]])


def _value(sentence: Sentence, head: int) -> int | None:
    """The place of the first object, predicate or prepositional phrase of the verb."""
    own = sentence.children[head]
    return next(
        (
            child
            for relation in (*_OBJECTS, "prep", "obl", "advmod")
            for child in own
            if sentence.tokens[child].relation == relation and not says_no_more(sentence, child)
        ),
        None,
    )


def _words(sentence: Sentence, place: int | None) -> str:
    """A word with all that depends on it, as it stands."""
    return "" if place is None else sentence.phrase(place)
