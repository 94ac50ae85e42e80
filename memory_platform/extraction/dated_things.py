"""When a thing takes place, by the grammar: "the launch is on 3 May", "we moved the launch to 29 June"."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from memory_platform.text import times
from memory_platform.text.dates.directions import MOVES
from memory_platform.text.dates.spans import WEEK
from memory_platform.text.parse import Sentence

TAKES_PLACE: Final = "be on"
"""The attribute of when a thing takes place, whichever verb tells it."""
_MOVES: Final = MOVES | {"reschedule"}
_PHRASAL_MOVES: Final = frozenset({"bring", "put"})
"""Verbs that move a date where a direction stands beside them: "brought forward"."""
_SETS: Final = frozenset({"schedule", "reschedule", "plan", "set"})
_DIRECTIONS: Final = frozenset({"back", "forward", "forwards", "up", "out", "ahead"})
_BETWEEN: Final = _DIRECTIONS | {"due"}
"""What may stand between a verb and the preposition before its date."""
_TO: Final = frozenset({"to", "until", "till", "til"})
_FOR: Final = frozenset({"for"})
_NONE: Final[frozenset[str]] = frozenset()
_ON: Final = frozenset({"on", "in"})
_ANY_DAY: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""Whether words name a date does not depend on the day they are said."""


@dataclass(frozen=True, slots=True)
class DatedThing:
    """The places in a sentence of a thing, of the noun of its date, and of what leads from the verb to the date.

    `is_set` says that the verb gives it the date, `is_moved` that this is another one than before.
    """

    thing: int
    date: int
    leading: int
    is_set: bool
    is_moved: bool


def dated_thing(sentence: Sentence, verb: int) -> DatedThing | None:
    """What a verb tells of when one thing takes place; None where it tells nothing of that."""
    is_moved, is_set = _moves(sentence, verb), sentence.tokens[verb].lemma in _SETS
    thing = _thing(sentence, verb, is_done_to_it=is_moved or is_set)
    if thing is None:
        return None
    prepositions = (_TO if is_moved else _NONE) | (_FOR if is_set else _NONE) or _ON
    found = (
        DatedThing(thing, date, leading, is_set, is_moved)
        for leading, date in _dates(sentence, verb, prepositions)
        if _names_a_date(sentence, date)
    )
    return next(found, None)


def _moves(sentence: Sentence, verb: int) -> bool:
    lemma, beside = sentence.tokens[verb].lemma, (sentence.tokens[one].text for one in sentence.children[verb])
    return lemma in _MOVES or (lemma in _PHRASAL_MOVES and any(one.casefold() in _DIRECTIONS for one in beside))


def _thing(sentence: Sentence, verb: int, *, is_done_to_it: bool) -> int | None:
    """What takes place: the one object of a verb that dates it, else the subject."""
    objects = sentence.dependents(verb, "obj") if is_done_to_it else []
    nouns = objects or sentence.dependents(verb, "nsubj")
    return nouns[0] if len(nouns) == 1 and (is_done_to_it or _tells_when(sentence, verb)) else None


def _tells_when(sentence: Sentence, verb: int) -> bool:
    """Whether a verb may say when its subject takes place: "is", "happens", "takes place"."""
    lemma, objects = sentence.tokens[verb].lemma, sentence.dependents(verb, "obj")
    takes_place = lemma == "take" and [sentence.tokens[one].lemma for one in objects] == ["place"]
    return takes_place or (lemma in {"be", "happen"} and not objects)


def _dates(sentence: Sentence, verb: int, prepositions: frozenset[str]) -> Iterator[tuple[int, int]]:
    """What may be the noun of a date, each behind the dependent of the verb that leads to it."""
    for one in sentence.children[verb]:
        if sentence.tokens[one].relation == "attr":
            yield one, one
        is_between = sentence.tokens[one].text.casefold() in _BETWEEN
        for small in sentence.children[one] if is_between else (one,):
            if sentence.tokens[small].relation == "prep" and sentence.tokens[small].text.casefold() in prepositions:
                yield from ((one, noun) for noun in sentence.dependents(small, "pobj"))


def _names_a_date(sentence: Sentence, noun: int) -> bool:
    """Whether a noun with what depends on it is a date, and not something of that date ("the week of 5 June").

    A month or a year alone may be a name or any number where no preposition says that it is one: "my boss is April".
    """
    begins, _ = sentence.span(noun)
    named = times.planned_for(sentence.phrase(noun), _ANY_DAY)
    if named is None or not named.start <= sentence.tokens[noun].start - begins < named.end:
        return False
    is_alone = sentence.tokens[noun].relation == "attr" and not sentence.children[noun]
    return not is_alone or named.until - named.first <= WEEK
