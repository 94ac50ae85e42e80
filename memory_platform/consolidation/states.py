"""What the grammar of two claims says of their relation where a judge sees only other words: a state of one value that
is given another, and a state that is said to be over.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from memory_platform.consolidation.claims import state_different_numbers, value_words, verb_leads_to_value
from memory_platform.extraction.dated_things import TAKES_PLACE
from memory_platform.knowledge.relations.predicates import ENDS, predicate_of
from memory_platform.model import ClaimRelation, RelationThresholds, Slot, Standing
from memory_platform.text import times
from memory_platform.text.terms import terms
from memory_platform.text.times import DateMention

MOST_AGREEING = 0.5
"""Probability of saying the same, or more of it, from which a judge that finds two values to agree is believed."""
LEAST_OF_AN_END = 0.5
"""Probability that the older of two no longer holds, or is what the newer denies, from which a judge finds an end."""
_JOINED = re.compile(r"[,&+/]|\b(?:and|or)\b", re.IGNORECASE)
"""What joins several values."""
_ONE_AT_A_TIME = frozenset({Standing.SOLE, Standing.CHANGED})
_SHORTEST_NAME = 3
"""Letters from which one name may be the other's short form: "Postgres", "PostgreSQL"."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """What a claim says of a state, when it said so, and who: empty where nobody is named."""

    slot: Slot
    said_at: datetime
    said_by: str = ""
    is_negated: bool = False

    @property
    def date(self) -> DateMention | None:
        """The date on which a thing takes place; None where the state is another."""
        takes_place = self.slot.attribute == TAKES_PLACE
        return times.planned_for(self.slot.value, self.said_at) if takes_place else None


def with_states(
    relation: ClaimRelation, older: StatedValue, newer: StatedValue, thresholds: RelationThresholds
) -> ClaimRelation:
    """The judged relation of two claims, with what their slots say of it.

    Another value of a state that has one at a time puts the older in doubt; where the newer says that it has changed,
    and the same one says both, it takes the older's place. What was over before is not changed: it may be another time.
    So does what says that the older state is over, where the judge sees an end, too.
    """
    if may_end(older, newer):
        return _ended(relation, older, newer, thresholds)
    if not give_other_values(older, newer) or (_agree(relation) and not _number_other_days(older, newer)):
        return relation
    has_changed = (
        newer.slot.standing is Standing.CHANGED
        and _are_one_speakers(older, newer)
        and not _was_over(older, newer.said_at)
    )
    return _raised(relation, thresholds.close if has_changed else thresholds.doubt)


def may_end(older: StatedValue, newer: StatedValue) -> bool:
    """Whether the newer says that a state is over which the older tells of: the same one, or one of its kind."""
    if newer.slot.standing is not Standing.ENDED or older.slot.standing is Standing.ENDED or older.is_negated:
        return False
    over, held = value_words(newer.slot), value_words(older.slot)
    is_one_thing = set(newer.slot.qualifier.split()) <= set(older.slot.qualifier.split())
    is_of_it = set(over) <= set(held) and (bool(over) or not held)
    return is_of_it and is_one_thing and _ends_of(newer.slot) == _held(older.slot)


def _ended(
    relation: ClaimRelation, older: StatedValue, newer: StatedValue, thresholds: RelationThresholds
) -> ClaimRelation:
    """Closed where the older value is the very same or says more of it; "another dog" may still be there, and of "a dog
    and a cat" one may.
    """
    if relation.replaces + relation.same < LEAST_OF_AN_END:
        return relation
    over, held = value_words(newer.slot), value_words(older.slot)
    keeps_some = _JOINED.search(older.slot.value) and not _JOINED.search(newer.slot.value)
    is_it = held[: len(over)] == over and not keeps_some
    return _raised(relation, thresholds.close if is_it and _are_one_speakers(older, newer) else thresholds.doubt)


def _are_one_speakers(first: StatedValue, second: StatedValue) -> bool:
    return first.said_by.casefold() == second.said_by.casefold()


def _ends_of(slot: Slot) -> tuple[str, str]:
    ended = ENDS.get(slot.attribute)
    return (_subject(slot), ended.name) if ended else _held(slot)


def _held(slot: Slot) -> tuple[str, str]:
    """Whose state it is and which, without a preposition that leads to something beside the value: "use … for"."""
    verb = slot.attribute.casefold().partition(" ")[0]
    return state_of(slot if verb_leads_to_value(slot) else replace(slot, attribute=verb))


def give_other_values(first: StatedValue, second: StatedValue) -> bool:
    """Whether two claims give one state of one value two values that are plainly not the same."""
    are_other = are_one_state(first.slot, second.slot) and _are_other_values(first.slot.value, second.slot.value)
    return are_other and _are_other_days(first.date, second.date)


def _are_other_days(first: DateMention | None, second: DateMention | None) -> bool:
    """Whether two dates, if it is two dates, have no day in common: "Friday" may be the 3rd of May."""
    if first is None or second is None:
        return first is second
    return first.until <= second.first or second.until <= first.first


def _agree(relation: ClaimRelation) -> bool:
    return relation.same + relation.refines >= MOST_AGREEING


def _number_other_days(first: StatedValue, second: StatedValue) -> bool:
    """Whether both write a date in numbers, which a calendar compares better than a judge: "29 June", "6 July"."""
    are_dates = first.date is not None and second.date is not None
    return are_dates and state_different_numbers(first.slot.value, second.slot.value)


def _was_over(value: StatedValue, now: datetime) -> bool:
    """Whether a value is a date that lay behind."""
    return value.date is not None and value.date.until <= now.date()


def are_one_state(first: Slot, second: Slot) -> bool:
    """Whether both speak of one state that has one value at a time."""
    is_sole = {first.standing, second.standing} <= _ONE_AT_A_TIME
    return is_sole and state_of(first) == state_of(second) and first.qualifier == second.qualifier


def state_of(slot: Slot) -> tuple[str, str]:
    """Whose state it is and which: "the store" is "our store", and who moved to a place lives there."""
    predicate = predicate_of(slot.attribute)
    return _subject(slot), predicate.name if predicate else slot.attribute.casefold()


def _subject(slot: Slot) -> str:
    return slot.subject.casefold().removeprefix("the ").removeprefix("our ")


def _are_other_values(first: str, second: str) -> bool:
    own, other = terms(first).keys(), terms(second).keys()
    if not own or not other:
        return False
    if own & other:
        return state_different_numbers(first, second)
    return not any(_may_be_one_name(one, two) for one in own for two in other)


def _may_be_one_name(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _SHORTEST_NAME and not shorter.isdigit() and longer.startswith(shorter)


def _raised(relation: ClaimRelation, update: float) -> ClaimRelation:
    """With at least this probability of an update, the others in the same proportion as before."""
    if relation.replaces >= update:
        return relation
    rest = (1 - update) / (1 - relation.update)
    return ClaimRelation(
        same=relation.same * rest,
        refines=relation.refines * rest,
        update=update,
        correction=relation.correction * rest,
        conflict=relation.conflict * rest,
        distinct=relation.distinct * rest,
    )
