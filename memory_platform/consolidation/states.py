"""What the grammar of two claims says of their relation where a judge sees only other words: a state of one value that
is given another.
"""

from memory_platform.consolidation.claims import state_different_numbers
from memory_platform.knowledge.relations.predicates import predicate_of
from memory_platform.model import ClaimRelation, RelationThresholds, Slot, Standing
from memory_platform.text.terms import terms

MOST_AGREEING = 0.5
"""Probability of saying the same, or more of it, from which a judge that finds two values to agree is believed."""
_SHORTEST_NAME = 3
"""Letters from which one name may be the other's short form: "Postgres", "PostgreSQL"."""


def with_states(
    relation: ClaimRelation, older: Slot, newer: Slot, thresholds: RelationThresholds, *, is_one_speaker: bool
) -> ClaimRelation:
    """The judged relation of two claims, with what their slots say of it.

    Another value of a state that has one at a time puts the older in doubt; where the newer says that it has changed,
    and the same one says both, it takes the older's place.
    """
    if not give_other_values(older, newer) or relation.same + relation.refines >= MOST_AGREEING:
        return relation
    has_changed = newer.standing is Standing.CHANGED and is_one_speaker
    return _raised(relation, thresholds.close if has_changed else thresholds.doubt)


def give_other_values(first: Slot, second: Slot) -> bool:
    """Whether two slots give one state of one value two values that are plainly not the same."""
    return are_one_state(first, second) and _are_other_values(first.value, second.value)


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
