"""What the verbs of a sentence state: "Anna works at Brightwave", "Nadia is vegan", "Acme was acquired by Quillon"."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory_platform.knowledge.assertion import Aspect, Asserted, asserted, conjuncts
from memory_platform.knowledge.entity_types import type_by_name
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.knowledge.relations.annotated_sentence import AnnotatedSentence
from memory_platform.knowledge.relations.predicates import ENDS, LOCATED, NAMING_VERBS, WORKS, Predicate, predicate_of
from memory_platform.knowledge.relations.triples import WORDS_CONFIDENCE, Triple, stated

_OF_TIME: Final = frozenset({"until", "till", "during", "since", "before", "after"})
_BY_LABEL: Final = {"PLACE": EntityType.PLACE, "ORG": EntityType.ORGANIZATION}
_TELLING_MORE: Final = frozenset({"prep", "prt", "xcomp", "ccomp", "oprd", "obj", "neg", "npadvmod", "acomp"})
_LIGHT: Final = frozenset({"be", "do", "let", "get", "go", "mean", "seem", "say", "tell", "see",
                           "know", "think", "hear", "look", "sound", "feel", "want", "hope", "ask"})  # fmt: skip
"""Verbs that say too little with words for an object; with a name they say enough."""


def by_verbs(annotated: AnnotatedSentence) -> Iterator[Triple]:
    """What a sentence asserts, of names and of what nouns call."""
    for verb in asserted(annotated.sentence):
        if verb.is_passive:
            yield from _of_agent(annotated, verb)
        for place in verb.subjects:
            if (subject := annotated.name(place)) is not None:
                yield from _of_verb(annotated, verb, subject)
            elif (concept := annotated.concept(place)) is not None:
                said = _of_verb(annotated, verb, concept)
                yield from (replace(one, subject_is_name=False) for one in said if one.object_is_name)


def _of_verb(annotated: AnnotatedSentence, verb: Asserted, subject: str) -> Iterator[Triple]:
    is_being = annotated.tokens[verb.verb].lemma == "be"
    yield from (_of_being if is_being else _of_doing)(annotated, verb, subject)


def _of_agent(annotated: AnnotatedSentence, verb: Asserted) -> Iterator[Triple]:
    """Who did it, where a passive says so: "Brightwave was acquired by Acme"."""
    for preposition, place in annotated.phrases(verb.verb):
        agent = annotated.name(place) if preposition in {"by", "par"} else None
        for patient in verb.subjects if agent else ():
            known = predicate_of(annotated.tokens[verb.verb].lemma)
            name = known.name if known and known.comes_about else annotated.tokens[verb.verb].text.casefold()
            yield from stated(annotated, agent or "", name, patient, verb, known)


def _of_being(annotated: AnnotatedSentence, verb: Asserted, subject: str) -> Iterator[Triple]:
    """What being states: "X is Y", "X is in Y", "X is allergic to Y", "X is the owner of Y"."""
    for child in annotated.children[verb.verb]:
        token = annotated.tokens[child]
        if not annotated.is_next(verb.verb, child):
            continue
        if token.relation == "attr" and token.part in {"NOUN", "PROPN", "PRON", "X"}:
            for place in conjuncts(annotated.sentence, child):
                yield from _of_attribute(annotated, verb, subject, place)
        elif token.relation in {"acomp", "attr"} and token.part in {"ADJ", "VERB"}:
            yield from _of_state(annotated, verb, subject, child)
            if _is_measured(annotated, child):
                continue
            for preposition, place in annotated.phrases(child):
                yield from _framed(annotated, verb, subject, f"{token.text.casefold()} {preposition}", place)
    for preposition, place in annotated.phrases(verb.verb):
        if place < verb.verb or not annotated.is_next(verb.verb, place):
            continue
        yield from _framed(annotated, verb, subject, f"be {preposition}", place)
        yield from _beyond(annotated, verb, subject, f"be {preposition}", place)


def _of_state(annotated: AnnotatedSentence, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    """How somebody named is: "Nadia is vegan", "the Zeta has been binned"."""
    token = annotated.tokens[place]
    is_named = any(annotated.found(one) is not None for one in verb.subjects)
    if is_named and token.is_ordinary and not verb.is_negated and not annotated.is_dated and _is_bare(annotated, place):
        name = "was" if verb.aspect is Aspect.PAST else "is"
        yield Triple(subject, name, token.text, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _is_bare(annotated: AnnotatedSentence, place: int) -> bool:
    """Whether nothing but helpers and adverbs of a word tells more of it: no "too", "of", "to"."""
    own = {annotated.tokens[child].relation for child in annotated.children[place]}
    return not _is_measured(annotated, place) and not own & _TELLING_MORE


def _is_measured(annotated: AnnotatedSentence, place: int) -> bool:
    """Whether a word is said in comparison with something: "too many", "so big", "as good"."""
    return any(annotated.tokens[child].text.casefold() in {"too", "so", "as"} for child in annotated.children[place])


def _of_attribute(annotated: AnnotatedSentence, verb: Asserted, subject: str, place: int) -> Iterator[Triple]:
    name = "was" if verb.aspect is Aspect.PAST else "is"
    if any(annotated.tokens[one].text.casefold() in {"we", "nous"} for one in verb.subjects):
        return
    ties = [(preposition, one) for preposition, one in annotated.phrases(place) if annotated.found(one)]
    if annotated.name(place) is None and ties and annotated.tokens[place].part == "NOUN":
        preposition, other = ties[0]
        predicate = f"{name}_{annotated.tokens[place].lemma}_{preposition}"
        yield from stated(annotated, subject, predicate, other, verb)
    elif annotated.owner(place) is None or annotated.name(place) is not None:
        yield from stated(annotated, subject, name, place, verb)


def _of_doing(annotated: AnnotatedSentence, verb: Asserted, subject: str) -> Iterator[Triple]:
    token = annotated.tokens[verb.verb]
    if token.lemma in NAMING_VERBS and not verb.is_passive:
        return
    objects = [] if verb.is_passive else _objects(annotated, verb.verb)
    if verb.is_passive:
        yield from _of_state(annotated, verb, subject, verb.verb)
    lemma = token.text.casefold() if verb.is_passive else _with_particle(annotated, verb.verb)
    for place in objects:
        yield from _framed(annotated, verb, subject, lemma, place)
        yield from _beyond(annotated, verb, subject, lemma, place)
    for preposition, place in annotated.phrases(verb.verb):
        if preposition in {"by", "par"} and verb.is_passive:
            continue
        if not objects:
            yield from _framed(annotated, verb, subject, f"{lemma} {preposition}", place)
            yield from _beyond(annotated, verb, subject, f"{lemma} {preposition}", place)
        elif annotated.name(place) is not None and annotated.tokens[objects[0]].part == "NOUN":
            through = f"{lemma} {annotated.tokens[objects[0]].lemma} {preposition}"
            yield from _framed(annotated, verb, subject, through, place)


def _objects(annotated: AnnotatedSentence, verb: int) -> list[int]:
    """The direct objects; none behind a comma, nor where two stand side by side and are no list of names."""
    own = [child for child in annotated.children[verb] if annotated.tokens[child].relation == "obj"]
    is_list = all(annotated.found(one) is not None for one in own)
    if not own or not annotated.is_next(verb, own[0]) or (len(own) > 1 and not is_list):
        return []
    return [place for one in own for place in conjuncts(annotated.sentence, one)]


def _beyond(annotated: AnnotatedSentence, verb: Asserted, subject: str, lemma: str, place: int) -> Iterator[Triple]:
    """The names behind a mere noun: "has six freezers on Siemens S7"."""
    if annotated.name(place) is not None or annotated.tokens[place].part != "NOUN":
        return
    for preposition, other in annotated.phrases(place):
        if annotated.found(other) is not None and preposition != "of":
            through = lemma.removesuffix(" as") if lemma.endswith(" as") else f"{lemma} {annotated.tokens[place].lemma}"
            yield from _framed(annotated, verb, subject, f"{through} {preposition}", other)


def _with_particle(annotated: AnnotatedSentence, place: int) -> str:
    particles = [
        annotated.tokens[child].text.casefold()
        for child in annotated.children[place]
        if annotated.tokens[child].relation == "prt"
    ]
    return " ".join([annotated.tokens[place].lemma, *particles])


def _framed(annotated: AnnotatedSentence, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """A statement under the vocabulary's name for the verb, where the aspect allows it, else under the verb's own."""
    frame = predicate_of(words)
    if frame is not None and not _suits(annotated, frame, subject, place):
        frame = None
    comes_about = frame is not None and frame.comes_about
    if verb.aspect in {Aspect.GOING_ON, Aspect.PRESENT} and (comes_about or annotated.is_dated):
        return
    if words.rpartition(" ")[2] in _OF_TIME:
        return
    if (
        frame is None
        and annotated.found(place) is None
        and (words in _LIGHT or not annotated.is_worth(subject, words, place))
    ):
        return
    yield from stated(annotated, subject, _name(annotated, verb, frame, words), place, verb, frame)
    yield from _ended(annotated, verb, subject, words, place)


def _suits(annotated: AnnotatedSentence, frame: Predicate, subject: str, place: int) -> bool:
    """Whether the object is what the vocabulary's predicate takes; "moved to Hetzner" is no move of a home."""
    if frame.object is None and frame.kind is RelationKind.FACT:
        return True
    found = annotated.found(place)
    if found is None or (frame is LOCATED and annotated.is_speaker(subject)):
        return False
    if frame is not LOCATED and (
        not frame.comes_about or frame.object not in {EntityType.PLACE, EntityType.ORGANIZATION}
    ):
        return True
    return (type_by_name(found.name) or _BY_LABEL.get(found.label)) is (frame.object or EntityType.PLACE)


def _name(annotated: AnnotatedSentence, verb: Asserted, frame: Predicate | None, words: str) -> str:
    """The vocabulary's name of what is so or has come about, else the verb, in the past as it stands.

    What was so has its own name, "worked_at", which says nothing of today; what is denied of it is denied of today.
    """
    is_over = verb.aspect is Aspect.PAST and not (frame is not None and frame.comes_about)
    if frame is not None and (not is_over or verb.is_negated):
        return frame.name
    token = annotated.tokens[verb.verb]
    first, _, rest = words.partition(" ")
    if token.tense == "Past" and first == token.lemma:
        first = token.text.casefold()
    elif first == "be":
        first = "is"
    return "_".join([first, *rest.split()])


def _ended(annotated: AnnotatedSentence, verb: Asserted, subject: str, words: str, place: int) -> Iterator[Triple]:
    """What leaving, dropping or selling something puts an end to."""
    ended, found = ENDS.get(words), annotated.found(place)
    if ended is None or found is None or verb.is_negated or verb.aspect not in {Aspect.PAST, Aspect.DONE}:
        return
    if not (ended is WORKS and found.label == "PLACE"):
        yield from stated(annotated, subject, ended.name, place, replace(verb, is_negated=True), ended)
