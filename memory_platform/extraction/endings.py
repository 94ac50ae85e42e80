"""Whether a clause says that a state is over, by its grammar: "we stopped using Jenkins", "I no longer work at X"."""

from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.standing import BESIDE, HARMLESS, HELPERS, gives_a_reason, is_their_own
from memory_platform.knowledge.assertion import STOPPING, is_no_more, says_no_more
from memory_platform.knowledge.relations.predicates import ENDS
from memory_platform.model import Slot, Standing, Tense
from memory_platform.text.parse import Sentence

_BESIDE: Final = BESIDE | {"npadvmod"}
"""What may stand with a verb and does not limit what is over to a place, a purpose or an hour."""
_ALWAYS_PAST: Final = frozenset({"quit"})
"""What is done when it is said, though its past looks like its present."""
_HELPERS: Final = HELPERS | {"do"}


def ended_state(clause: Clause, sentence: Sentence, *, head: int, attribute: str) -> int | None:
    """The place of the verb of the state that is over, with nothing kept of it; None where a clause says no such thing.

    `attribute`: the clause's own verb, at `head`, with its preposition.
    """
    if not _is_whole(sentence, head):
        return None
    if is_no_more(sentence, head):
        return head if _is_sure(clause) and clause.tense is Tense.PRESENT else None
    if clause.is_negated or not _is_sure(clause) or not _is_done(clause, sentence, head):
        return None
    if attribute in ENDS:
        return head
    stopped = _stopped(sentence, head)
    return stopped if stopped is not None and _is_whole(sentence, stopped) else None


def names_what_was_stopped(clause: Clause, slot: Slot) -> bool:
    """Whether the slot of a clause is of what it says was stopped, which it thereby denies."""
    return slot.standing is Standing.ENDED and slot.attribute.partition(" ")[0] != clause.verb


def _is_sure(clause: Clause) -> bool:
    return is_their_own(clause) and not clause.is_unsure


def _is_done(clause: Clause, sentence: Sentence, head: int) -> bool:
    return clause.tense is Tense.PAST or sentence.tokens[head].text.casefold() in _ALWAYS_PAST


def _stopped(sentence: Sentence, head: int) -> int | None:
    """The verb of what was stopped: "using" of "stopped using"."""
    if sentence.tokens[head].lemma not in STOPPING:
        return None
    below = (one for one in sentence.dependents(head, "xcomp") if sentence.tokens[one].part == "VERB")
    return next((one for one in below if sentence.tokens[one].text.casefold().endswith("ing")), None)


def _is_whole(sentence: Sentence, verb: int) -> bool:
    """Whether nothing beside a verb and its one object or phrase limits it, and no helper makes it a wish or a plan."""
    leads = [one for one in sentence.children[verb] if not _is_beside(sentence, one)]
    return len(leads) <= 1 and all(one.lemma in _HELPERS for one in sentence.auxiliaries(verb))


def _is_beside(sentence: Sentence, place: int) -> bool:
    token = sentence.tokens[place]
    is_adverb = token.text.casefold() in HARMLESS or says_no_more(sentence, place)
    return token.relation in _BESIDE or is_adverb or gives_a_reason(sentence, place)
