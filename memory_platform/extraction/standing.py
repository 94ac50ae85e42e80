"""Whether a clause gives a state the one value that it has at a time, by its grammar: "our artifact store is Loki"."""

from collections.abc import Sequence
from typing import Final

from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.dated_things import DatedThing
from memory_platform.knowledge.entity_types import is_first_name, type_by_name
from memory_platform.knowledge.graph import EntityType
from memory_platform.knowledge.relations.predicates import SINGLE_ROLES, Predicate, is_single, predicate_of
from memory_platform.model import Mood, Standing, Tense
from memory_platform.text.addressing import FIRST_PERSON
from memory_platform.text.parse import Named, Sentence, Token

_COPULA: Final = frozenset({"is", "'s", "’s"})
_SPEAKERS_OWN: Final = frozenset({"my", "our"})
HELPERS: Final = frozenset({"be", "have"})
_NEW: Final = frozenset({"now", "nowadays", "instead"})
BESIDE: Final = frozenset({"nsubj", "aux", "auxpass", "punct", "intj", "cc", "conj", "parataxis", "neg"})
"""What may stand with the verb beside its value: nothing that limits when, where or for what it holds."""
_DONE: Final = frozenset({"is", "'s", "’s", "was", "has", "have", "'ve", "’ve", "been", "got"})
"""Auxiliaries of what has been done to one thing, and no more is under way."""
_BESIDE_A_DATE: Final = frozenset(
    {"nsubj", "obj", "aux", "auxpass", "punct", "intj", "cc", "conj", "dep", "agent", "prt"}
)  # fmt: skip
HARMLESS: Final = frozenset(
    {"back", "forward", "forwards", "up", "out", "ahead", "just", "already", "again", "actually", "finally",
     "yesterday", "today", "from", "because", "due"}
)  # fmt: skip
"""Words that say of a date where from, why or how lately it was set: it holds all the same."""
_THINGS: Final = frozenset({"NOUN", "PROPN"})
_REASONS: Final = frozenset({"because", "since", "as", "so"})
_LABELS: Final = {EntityType.PLACE: "PLACE", EntityType.ORGANIZATION: "ORG", EntityType.PERSON: "PERSON"}


def standing(
    clause: Clause, sentence: Sentence, *, verb: int, value: int | None, attribute: str, names: Sequence[Named]
) -> Standing:
    """How the value at `value` stands in the state that the verb at `verb` tells of.

    A state of one value is what a verb of the vocabulary says of a person or thing (lives in, works at), and what a
    definite thing in the singular is (the launch, our store, Anna's boss), where a name or a number says it. Only what
    is asserted of the present counts, and what brought it about ("moved to"); where an adverb says that it is new, or
    the verb that the old place was left, it has changed.
    """
    noun = None if value is None else _noun(sentence, value)
    if noun is None or not _is_certain(clause, sentence, verb) or _is_one_of_several(sentence, noun):
        return Standing.UNKNOWN
    frame = predicate_of(attribute)
    if frame is not None and is_single(frame.name):
        return _of_a_life(clause, sentence, verb, noun, frame, names)
    if not _is_definite(sentence, verb, noun) or clause.tense is not Tense.PRESENT:
        return Standing.UNKNOWN
    if not _is_plain(sentence, noun) or not _stands_alone(sentence, verb, value):
        return Standing.UNKNOWN
    return Standing.CHANGED if _is_new(sentence, verb) else Standing.SOLE


def standing_of_date(clause: Clause, sentence: Sentence, *, verb: int, told: DatedThing) -> Standing:
    """How a date stands that a clause tells of a thing: of a definite one, in the singular, has it one at a time.

    It has changed where a verb says that it was moved there and that this is done, or an adverb that it is new.
    """
    if not is_told(clause) or not _is_of_one_thing(sentence, told) or not _is_done(clause, sentence, verb, told):
        return Standing.UNKNOWN
    if not _holds_anyway(sentence, verb, told.leading):
        return Standing.UNKNOWN
    return Standing.CHANGED if told.is_moved or _is_new(sentence, verb) else Standing.SOLE


def _is_of_one_thing(sentence: Sentence, told: DatedThing) -> bool:
    """Whether one date is told of one thing that is known."""
    is_known = _has_the(sentence, told.thing) or _is_owned(sentence, told.thing)
    is_one_date = all(sentence.tokens[one].relation != "conj" for one in sentence.below(told.leading))
    return is_known and is_one_date and _is_one_thing(sentence, told.thing, _THINGS)


def _is_done(clause: Clause, sentence: Sentence, verb: int, told: DatedThing) -> bool:
    """Whether a date holds when it is told: one that a thing has, was moved to, or was given by who says so."""
    helpers = sentence.auxiliaries(verb)
    if any(one.text.casefold() not in _DONE or _is_progressive(one) for one in helpers):
        return False
    if clause.tense is Tense.PRESENT:
        return bool(helpers) or not (told.is_set or told.is_moved)
    is_perfect = any(one.lemma == "have" for one in helpers)
    return clause.tense is Tense.PAST and (told.is_moved or (told.is_set and (is_perfect or not helpers)))


def _is_progressive(helper: Token) -> bool:
    """Whether an auxiliary says that something is under way: "is moving"."""
    return helper.lemma == "be" and helper.relation == "aux"


def _holds_anyway(sentence: Sentence, verb: int, leading: int) -> bool:
    """Whether nothing beside the date limits when, where or for whom it holds."""
    return all(
        one == leading
        or sentence.tokens[one].relation in _BESIDE_A_DATE
        or sentence.tokens[one].text.casefold() in HARMLESS
        or _says_now(sentence, one)
        or gives_a_reason(sentence, one)
        or _is_time_of_day(sentence, one)
        for one in sentence.children[verb]
    )


def gives_a_reason(sentence: Sentence, place: int) -> bool:
    """Whether a word leads a clause that only says why."""
    marks = (sentence.tokens[one] for one in sentence.children[place])
    return sentence.tokens[place].relation == "advcl" and any(
        one.relation == "mark" and one.text.casefold() in _REASONS for one in marks
    )


def _is_time_of_day(sentence: Sentence, place: int) -> bool:
    governed = (sentence.tokens[one].text for one in sentence.children[place])
    return sentence.tokens[place].text.casefold() == "at" and any(one[0].isdigit() for one in governed)


def _of_a_life(
    clause: Clause, sentence: Sentence, verb: int, noun: int, frame: Predicate, names: Sequence[Named]
) -> Standing:
    """Of a state of the vocabulary. Who joined or married may have kept what was; who moved to what surely is a place
    has left it.
    """
    subject = _subject(sentence, verb)
    token = sentence.tokens[noun]
    label = _label(sentence, noun, names)
    if subject is None or not _may_have(sentence.tokens[subject], frame) or token.part != "PROPN" or label == "DATE":
        return Standing.UNKNOWN
    if frame.comes_about:
        is_it = clause.tense is Tense.PAST and _is_a(token.text, label, frame.object)
        leaves = frame.object is EntityType.PLACE is type_by_name(token.text)
        return (Standing.CHANGED if leaves else Standing.SOLE) if is_it else Standing.UNKNOWN
    if clause.tense is not Tense.PRESENT:
        return Standing.UNKNOWN
    return Standing.CHANGED if _is_new(sentence, verb) else Standing.SOLE


def _is_certain(clause: Clause, sentence: Sentence, verb: int) -> bool:
    """Whether it is stated as it is: by who speaks, not denied, and with no modal verb."""
    return is_told(clause) and all(one.lemma in HELPERS for one in sentence.auxiliaries(verb))


def is_told(clause: Clause) -> bool:
    """Whether who speaks asserts it, and denies nothing."""
    return is_their_own(clause) and not clause.is_negated


def is_their_own(clause: Clause) -> bool:
    """Whether who speaks asserts it, in their own words and name."""
    return clause.mood is Mood.ASSERTED and not clause.reported_by and not clause.is_quoted


def _noun(sentence: Sentence, value: int) -> int | None:
    """The noun of a value: itself, or what its preposition governs."""
    if sentence.tokens[value].relation not in {"prep", "case"}:
        return value
    return next(iter(sentence.dependents(value, "pobj")), None)


def _is_one_of_several(sentence: Sentence, noun: int) -> bool:
    """Whether another value is named beside it: "Oslo and Rome"."""
    return any(sentence.tokens[one].relation == "conj" for one in sentence.children[noun])


def _label(sentence: Sentence, noun: int, names: Sequence[Named]) -> str:
    """What the reader takes the name for that the noun stands in; empty for none."""
    start = sentence.tokens[noun].start
    return next((one.label for one in names if one.start <= start < one.start + len(one.text)), "")


def _is_a(name: str, label: str, kind: EntityType | None) -> bool:
    """Whether it is of a kind: by the name itself where that tells, else by what the reader takes it for."""
    known = type_by_name(name)
    return kind is not None and (known is kind if known else _LABELS.get(kind) == label)


def _subject(sentence: Sentence, verb: int) -> int | None:
    return next(iter(sentence.dependents(verb, "nsubj")), None)


def _may_have(subject: Token, frame: Predicate) -> bool:
    """Whether the vocabulary says it of such a subject: of somebody named, or of a thing, too."""
    is_thing = frame.subject is None and subject.part == "NOUN"
    return is_thing or subject.part == "PROPN" or subject.text.casefold() in FIRST_PERSON


def _is_definite(sentence: Sentence, verb: int, value: int) -> bool:
    """Whether the verb is the copula of one thing that is known. One's people are several but in some roles."""
    subject = _subject(sentence, verb)
    if subject is None or sentence.tokens[verb].text.casefold() not in _COPULA:
        return False
    may_be_several = is_first_name(sentence.tokens[value].text) and sentence.tokens[subject].lemma not in SINGLE_ROLES
    is_known = _has_the(sentence, subject) or (_is_owned(sentence, subject) and not may_be_several)
    return is_known and _is_one_thing(sentence, subject)


def _is_one_thing(sentence: Sentence, place: int, parts: frozenset[str] = frozenset({"NOUN"})) -> bool:
    noun = sentence.tokens[place]
    is_singular = noun.part in parts and noun.text.casefold() == noun.lemma
    return is_singular and not _is_one_of_several(sentence, place)


def _has_the(sentence: Sentence, place: int) -> bool:
    beside = (sentence.tokens[one] for one in sentence.children[place])
    return any(one.relation == "det" and one.lemma == "the" for one in beside)


def _is_owned(sentence: Sentence, place: int) -> bool:
    beside = (sentence.tokens[one] for one in sentence.children[place])
    return any(one.relation == "poss" and _names_an_owner(one) for one in beside)


def _names_an_owner(token: Token) -> bool:
    return token.part == "PROPN" or token.text.casefold() in _SPEAKERS_OWN


def _is_plain(sentence: Sentence, noun: int) -> bool:
    """Whether a value is a name or a number, and a name for all there is: "Loki", not "Loki for the logs"."""
    beside = {sentence.tokens[one].relation for one in sentence.children[noun]}
    token = sentence.tokens[noun]
    if token.part == "NUM" or "nummod" in beside:
        return True
    return (token.part == "PROPN" or not token.is_ordinary) and "prep" not in beside


def _stands_alone(sentence: Sentence, verb: int, value: int | None) -> bool:
    return all(
        one == value or sentence.tokens[one].relation in BESIDE or _says_now(sentence, one)
        for one in sentence.children[verb]
    )


def _is_new(sentence: Sentence, verb: int) -> bool:
    return any(_says_now(sentence, one) for one in sentence.children[verb])


def _says_now(sentence: Sentence, place: int) -> bool:
    """Whether an adverbial says that it was not always so: "now", "these days"."""
    token = sentence.tokens[place]
    if token.relation == "advmod":
        return token.text.casefold() in _NEW
    below = {sentence.tokens[one].text.casefold() for one in sentence.children[place]}
    return token.relation in {"npadvmod", "obl"} and token.lemma == "day" and "these" in below
