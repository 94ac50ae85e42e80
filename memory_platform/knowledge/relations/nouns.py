"""What stands beside a name and states something of it: "Marco from Adyen", "Keisha Monroe, head of maintenance"."""

from collections.abc import Iterator
from typing import Final

from memory_platform.knowledge.assertion import are_apart, is_question
from memory_platform.knowledge.entity_types import type_by_name
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.knowledge.relations.predicates import predicate_of
from memory_platform.knowledge.relations.sentence_reading import SentenceReading
from memory_platform.knowledge.relations.triples import WORDS_CONFIDENCE, Triple, stated

_TIES: Final = frozenset({"from", "at", "in", "by"})


def by_nouns(reading: SentenceReading) -> Iterator[Triple]:
    """What a sentence states without a verb."""
    if is_question(reading.sentence):
        return
    yield from _of_heading(reading)
    for place in range(len(reading.tokens)):
        found = reading.found(place)
        if found is not None:
            yield from _of_tie(reading, found.name, place)
            yield from _of_apposition(reading, found.name, place)
            yield from _of_possession(reading, found.name, place)
        elif reading.tokens[place].part == "NOUN" and reading.owner(place) is None:
            yield from _of_explained(reading, place)


def _of_tie(reading: SentenceReading, name: str, place: int) -> Iterator[Triple]:
    for preposition, other in reading.phrases(place):
        found = reading.found(other)
        if found is None or preposition not in _TIES or found.name == name:
            continue
        if are_apart(reading.sentence, place, other) or not reading.is_next(place, other):
            continue
        # "They saw Anna in Lisbon" may say where they saw her.
        if preposition != "from" and reading.tokens[place].relation == "obj":
            continue
        if preposition != "in" or found.label == "PLACE" or type_by_name(found.name) is EntityType.PLACE:
            frame = predicate_of(f"be {preposition}")
            yield from stated(reading, name, frame.name if frame else preposition, other, None, frame)


def _of_heading(reading: SentenceReading) -> Iterator[Triple]:
    """A noun, a colon, a name: "sister: Emiko"."""
    marks = [place for place, token in enumerate(reading.tokens) if token.text == ":"]
    if not marks or not 0 < marks[0] < len(reading.tokens) - 1:
        return
    found, noun = reading.found(marks[0] + 1), marks[0] - 1
    concept = reading.concept(noun)
    is_alone = not reading.has_conjunct(marks[0] + 1) and not any(
        token.relation == "nsubj" and reading.found(place) is found for place, token in enumerate(reading.tokens)
    )
    if found is not None and is_alone and concept is not None and min(reading.sentence.below(noun)) == 0:
        yield Triple(
            concept, "is", found.name, True, RelationKind.FACT, False, WORDS_CONFIDENCE, "", subject_is_name=False
        )


def _of_possession(reading: SentenceReading, name: str, place: int) -> Iterator[Triple]:
    """What a possessive says somebody has: "Halima's team owns it".

    Before an article its "'s" was an "is" ("Tunde's an angel"), before a mere adjective too ("Pilar's heartbroken").
    """
    token = reading.tokens[place]
    if token.relation != "poss" or reading.name(token.head) is not None or not reading.is_next(place, token.head):
        return
    following = reading.tokens[token.head + 1] if token.head + 1 < len(reading.tokens) else token
    is_clause = following.part == "PRON" or (following.text == "," and reading.tokens[token.head].relation == "nsubj")
    if is_clause:
        return
    is_being = any(one.relation == "det" for one in reading.tokens[place + 1 : token.head])
    thing = reading.words(token.head) if is_being or token.head != reading.sentence.root else None
    if thing is not None:
        predicate = "is" if is_being else "has"
        yield Triple(name, predicate, thing, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _of_apposition(reading: SentenceReading, name: str, place: int) -> Iterator[Triple]:
    """What directly follows a name with an article, a person's with an "of": "Keisha Monroe, head of maintenance"."""
    found = reading.found(place)
    is_person = found is not None and found.label == "PERSON"
    for child in reading.children[place]:
        token = reading.tokens[child]
        is_plain = token.relation == "appos" and token.part == "NOUN" and reading.found(child) is None
        is_role = reading.is_defined(child) and (reading.has_article(child) or is_person)
        if reading.tokens[min(reading.sentence.below(child))].part == "ADV":
            continue
        if is_plain and reading.owner(child) is None and is_role and reading.follows(child, place):
            yield from stated(reading, name, "is", child, None)


def _of_explained(reading: SentenceReading, place: int) -> Iterator[Triple]:
    """A noun with "the" that a name directly follows: "the accountant, Mr Lumb"."""
    if reading.tokens[place].relation not in {"nsubj", "ROOT", "obj"} or not reading.is_known(place):
        return
    for child in reading.children[place]:
        found = reading.found(child)
        if found is None or reading.tokens[child].relation != "appos" or not reading.follows(child, place):
            continue
        words = reading.words(place) if reading.is_defined(place) else None
        if words is not None:
            yield Triple(found.name, "is", words, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")
