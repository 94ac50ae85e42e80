"""What the grammar of two claims says of their relation where a judge sees only other words: a state of one value that
is given another.
"""

from dataclasses import dataclass
from datetime import datetime

from memory_platform.consolidation.claims import state_different_numbers
from memory_platform.extraction.dated_things import TAKES_PLACE
from memory_platform.knowledge.relations.predicates import predicate_of
from memory_platform.model import ClaimRelation, RelationThresholds, Slot, Standing
from memory_platform.text import times
from memory_platform.text.terms import terms
from memory_platform.text.times import DateMention

MOST_AGREEING = 0.5
"""Probability of saying the same, or more of it, from which a judge that finds two values to agree is believed."""
_SHORTEST_NAME = 3
"""Letters from which one name may be the other's short form: "Postgres", "PostgreSQL"."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """What a claim says of a state, when it said so, and who: empty where nobody is named."""

    slot: Slot
    said_at: datetime
    said_by: str = ""

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
    """
    if not give_other_values(older, newer) or (_agree(relation) and not _number_other_days(older, newer)):
        return relation
    is_one_speaker = older.said_by.casefold() == newer.said_by.casefold()
    has_changed = newer.slot.standing is Standing.CHANGED and is_one_speaker and not _was_over(older, newer.said_at)
    return _raised(relation, thresholds.close if has_changed else thresholds.doubt)


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
    is_sole = Standing.UNKNOWN not in {first.standing, second.standing}
    return is_sole and state_of(first) == state_of(second) and first.qualifier == second.qualifier


def state_of(slot: Slot) -> tuple[str, str]:
    """Whose state it is and which: "the store" is "our store", and who moved to a place lives there."""
    subject = slot.subject.casefold().removeprefix("the ").removeprefix("our ")
    predicate = predicate_of(slot.attribute)
    return subject, predicate.name if predicate else slot.attribute.casefold()


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
