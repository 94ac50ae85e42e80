"""What the verbs of a sentence state: "Anna works at Brightwave", "Nadia is vegan", "Acme was acquired by Quillon"."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory_platform.knowledge.assertion import Aspect, Asserted, asserted, conjuncts
from memory_platform.knowledge.entity_types import type_by_name
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.knowledge.relations.predicates import ENDS, LOCATED, NAMING_VERBS, WORKS, Predicate, predicate_of
from memory_platform.knowledge.relations.sentence_reading import SentenceReading
from memory_platform.knowledge.relations.triples import WORDS_CONFIDENCE, Triple, stated

_OF_TIME: Final = frozenset({"until", "till", "during", "since", "before", "after"})
_BY_LABEL: Final = {"PLACE": EntityType.PLACE, "ORG": EntityType.ORGANIZATION}
_TELLING_MORE: Final = frozenset({"prep", "prt", "xcomp", "ccomp", "oprd", "obj", "neg", "npadvmod", "acomp"})
_LIGHT: Final = frozenset({"be", "do", "let", "get", "go", "mean", "seem", "say", "tell", "see",
                           "know", "think", "hear", "look", "sound", "feel", "want", "hope", "ask"})  # fmt: skip
"""Verbs that say too little with words for an object; with a name they say enough."""


def by_verbs(reading: SentenceReading) -> Iterator[Triple]:
    """What a sentence asserts, of names and of what nouns call."""
    for verb in asserted(reading.sentence):
        if verb.is_passive:
            yield from _of_agent(reading, verb)
        for place in verb.subjects:
            if (subject := reading.name(place)) is not None:
                yield from _of_verb(reading, verb, subject)
            elif (concept := reading.concept(place)) is not None:
                said = _of_verb(reading, verb, concept)
                yield from (replace(one, subject_is_name=False) for one in said if one.object_is_name)


def _of_verb(reading: SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    is_being = reading.tokens[verb.verb].lemma == "be"
    yield from (_of_being if is_being else _of_doing)(reading, verb, subject)


def _of_agent(reading: SentenceReading, verb: Asserted) -> Iterator[Triple]:
    """Who did it, where a passive says so: "Brightwave was acquired by Acme"."""
    for preposition, place in reading.phrases(verb.verb):
        agent = reading.name(place) if preposition in {"by", "par"} else None
        for patient in verb.subjects if agent else ():
            known = predicate_of(reading.tokens[verb.verb].lemma)
            name = known.name if known and known.comes_about else reading.tokens[verb.verb].text.casefold()
            yield from stated(reading, agent or "", name, patient, verb, known)


def _of_being(reading: SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    """What being states: "X is Y", "X is in Y", "X is allergic to Y", "X is the owner of Y"."""
    for child in reading.children[verb.verb]:
        token = reading.tokens[child]
        if not reading.is_next(verb.verb, child):
            continue
        if token.relation == "attr" and token.part in {"NOUN", "PROPN", "PRON", "X"}:
            for place in conjuncts(reading.sentence, child):
                yield from _of_attribute(reading, verb, subject, place)
        elif token.relation in {"acomp", "attr"} and token.part in {"ADJ", "VERB"}:
            yield from _of_state(reading, verb, subject, child)
            if _is_measured(reading, child):
                continue
            for preposition, place in reading.phrases(child):
                yield from _framed(reading, verb, subject, f"{token.text.casefold()} {preposition}", place)
    for preposition, place in reading.phrases(verb.verb):
        if place < verb.verb or not reading.is_next(verb.verb, place):
            continue
        yield from _framed(reading, verb, subject, f"be {preposition}", place)
        yield from _beyond(reading, verb, subject, f"be {preposition}", place)


def _of_state(reading: SentenceReading, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    """How somebody named is: "Nadia is vegan", "the Zeta has been binned"."""
    token = reading.tokens[place]
    is_named = any(reading.found(one) is not None for one in verb.subjects)
    if is_named and token.is_ordinary and not verb.is_negated and not reading.is_dated and _is_bare(reading, place):
        name = "was" if verb.aspect is Aspect.PAST else "is"
        yield Triple(subject, name, token.text, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _is_bare(reading: SentenceReading, place: int) -> bool:
    """Whether nothing but helpers and adverbs of a word tells more of it: no "too", "of", "to"."""
    own = {reading.tokens[child].relation for child in reading.children[place]}
    return not _is_measured(reading, place) and not own & _TELLING_MORE


def _is_measured(reading: SentenceReading, place: int) -> bool:
    """Whether a word is said in comparison with something: "too many", "so big", "as good"."""
    return any(reading.tokens[child].text.casefold() in {"too", "so", "as"} for child in reading.children[place])


def _of_attribute(reading: SentenceReading, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    name = "was" if verb.aspect is Aspect.PAST else "is"
    if any(reading.tokens[one].text.casefold() in {"we", "nous"} for one in verb.subjects):
        return
    ties = [(preposition, one) for preposition, one in reading.phrases(place) if reading.found(one)]
    if reading.name(place) is None and ties and reading.tokens[place].part == "NOUN":
        preposition, other = ties[0]
        predicate = f"{name}_{reading.tokens[place].lemma}_{preposition}"
        yield from stated(reading, subject, predicate, other, verb)
    elif reading.owner(place) is None or reading.name(place) is not None:
        yield from stated(reading, subject, name, place, verb)


def _of_doing(reading: SentenceReading, verb: Asserted, subject: str) -> Iterator[Triple]:
    token = reading.tokens[verb.verb]
    if token.lemma in NAMING_VERBS and not verb.is_passive:
        return
    objects = [] if verb.is_passive else _objects(reading, verb.verb)
    if verb.is_passive:
        yield from _of_state(reading, verb, subject, verb.verb)
    lemma = token.text.casefold() if verb.is_passive else _with_particle(reading, verb.verb)
    for place in objects:
        yield from _framed(reading, verb, subject, lemma, place)
        yield from _beyond(reading, verb, subject, lemma, place)
    for preposition, place in reading.phrases(verb.verb):
        if preposition in {"by", "par"} and verb.is_passive:
            continue
        if not objects:
            yield from _framed(reading, verb, subject, f"{lemma} {preposition}", place)
            yield from _beyond(reading, verb, subject, f"{lemma} {preposition}", place)
        elif reading.name(place) is not None and reading.tokens[objects[0]].part == "NOUN":
            through = f"{lemma} {reading.tokens[objects[0]].lemma} {preposition}"
            yield from _framed(reading, verb, subject, through, place)


def _objects(reading: SentenceReading, verb: int) -> list[int]:
    """The direct objects; none behind a comma, nor where two stand side by side and are no list of names."""
    own = [child for child in reading.children[verb] if reading.tokens[child].relation == "obj"]
    is_list = all(reading.found(one) is not None for one in own)
    if not own or not reading.is_next(verb, own[0]) or (len(own) > 1 and not is_list):
        return []
    return [place for one in own for place in conjuncts(reading.sentence, one)]


def _beyond(reading: SentenceReading, verb: Asserted, subject: str, lemma: str, place: int) -> Iterator[Triple]:
    """The names behind a mere noun: "has six freezers on Siemens S7"."""
    if reading.name(place) is not None or reading.tokens[place].part != "NOUN":
        return
    for preposition, other in reading.phrases(place):
        if reading.found(other) is not None and preposition != "of":
            through = lemma.removesuffix(" as") if lemma.endswith(" as") else f"{lemma} {reading.tokens[place].lemma}"
            yield from _framed(reading, verb, subject, f"{through} {preposition}", other)


def _with_particle(reading: SentenceReading, place: int) -> str:
    particles = [
        reading.tokens[child].text.casefold()
        for child in reading.children[place]
        if reading.tokens[child].relation == "prt"
    ]
    return " ".join([reading.tokens[place].lemma, *particles])


def _framed(reading: SentenceReading, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """A statement under the vocabulary's name for the verb, where the aspect allows it, else under the verb's own."""
    frame = predicate_of(words)
    if frame is not None and not _suits(reading, frame, subject, place):
        frame = None
    comes_about = frame is not None and frame.comes_about
    if verb.aspect in {Aspect.GOING_ON, Aspect.PRESENT} and (comes_about or reading.is_dated):
        return
    if words.rpartition(" ")[2] in _OF_TIME:
        return
    if (
        frame is None
        and reading.found(place) is None
        and (words in _LIGHT or not reading.is_worth(subject, words, place))
    ):
        return
    yield from stated(reading, subject, _name(reading, verb, frame, words), place, verb, frame)
    yield from _ended(reading, verb, subject, words, place)


def _suits(reading: SentenceReading, frame: Predicate, subject: str, place: int) -> bool:
    """Whether the object is what the vocabulary's predicate takes; "moved to Hetzner" is no move of a home."""
    if frame.object is None and frame.kind is RelationKind.FACT:
        return True
    found = reading.found(place)
    if found is None or (frame is LOCATED and reading.is_speaker(subject)):
        return False
    if frame is not LOCATED and (
        not frame.comes_about or frame.object not in {EntityType.PLACE, EntityType.ORGANIZATION}
    ):
        return True
    return (type_by_name(found.name) or _BY_LABEL.get(found.label)) is (frame.object or EntityType.PLACE)


def _name(reading: SentenceReading, verb: Asserted, frame: Predicate | None, words: str) -> str:
    """The vocabulary's name of what is so or has come about, else the verb, in the past as it stands.

    What was so has its own name, "worked_at", which says nothing of today; what is denied of it is denied of today.
    """
    is_over = verb.aspect is Aspect.PAST and not (frame is not None and frame.comes_about)
    if frame is not None and (not is_over or verb.is_negated):
        return frame.name
    token = reading.tokens[verb.verb]
    first, _, rest = words.partition(" ")
    if token.tense == "Past" and first == token.lemma:
        first = token.text.casefold()
    elif first == "be":
        first = "is"
    return "_".join([first, *rest.split()])


def _ended(reading: SentenceReading, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """What leaving, dropping or selling something puts an end to."""
    ended, found = ENDS.get(words), reading.found(place)
    if ended is None or found is None or verb.is_negated or verb.aspect not in {Aspect.PAST, Aspect.DONE}:
        return
    if not (ended is WORKS and found.label == "PLACE"):
        yield from stated(reading, subject, ended.name, place, replace(verb, is_negated=True), ended)
