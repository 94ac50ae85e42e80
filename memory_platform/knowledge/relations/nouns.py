"""What stands beside a name and states something of it: "Marco from Adyen", "Keisha Monroe, head of maintenance"."""

from collections.abc import Iterator
from typing import Final

from memory_platform.knowledge.assertion import are_apart, is_question
from memory_platform.knowledge.entity_types import type_by_name
from memory_platform.knowledge.graph import EntityType, RelationKind
from memory_platform.knowledge.relations.annotated_sentence import AnnotatedSentence
from memory_platform.knowledge.relations.predicates import predicate_of
from memory_platform.knowledge.relations.triples import WORDS_CONFIDENCE, Triple, stated

_TIES: Final = frozenset({"from", "at", "in", "by"})


def by_nouns(annotated: AnnotatedSentence) -> Iterator[Triple]:
    """What a sentence states without a verb."""
    if is_question(annotated.sentence):
        return
    yield from _of_heading(annotated)
    for place in range(len(annotated.tokens)):
        found = annotated.found(place)
        if found is not None:
            yield from _of_tie(annotated, found.name, place)
            yield from _of_apposition(annotated, found.name, place)
            yield from _of_possession(annotated, found.name, place)
        elif annotated.tokens[place].part == "NOUN" and annotated.owner(place) is None:
            yield from _of_explained(annotated, place)


def _of_tie(annotated: AnnotatedSentence, name: str, place: int) -> Iterator[Triple]:
    for preposition, other in annotated.phrases(place):
        found = annotated.found(other)
        if found is None or preposition not in _TIES or found.name == name:
            continue
        if are_apart(annotated.sentence, place, other) or not annotated.is_next(place, other):
            continue
        # "They saw Anna in Lisbon" may say where they saw her.
        if preposition != "from" and annotated.tokens[place].relation == "obj":
            continue
        if preposition != "in" or found.label == "PLACE" or type_by_name(found.name) is EntityType.PLACE:
            frame = predicate_of(f"be {preposition}")
            yield from stated(annotated, name, frame.name if frame else preposition, other, None, frame)


def _of_heading(annotated: AnnotatedSentence) -> Iterator[Triple]:
    """A noun, a colon, a name: "sister: Emiko"."""
    marks = [place for place, token in enumerate(annotated.tokens) if token.text == ":"]
    if not marks or not 0 < marks[0] < len(annotated.tokens) - 1:
        return
    found, noun = annotated.found(marks[0] + 1), marks[0] - 1
    concept = annotated.concept(noun)
    is_alone = not annotated.has_conjunct(marks[0] + 1) and not any(
        token.relation == "nsubj" and annotated.found(place) is found for place, token in enumerate(annotated.tokens)
    )
    if found is not None and is_alone and concept is not None and min(annotated.sentence.below(noun)) == 0:
        yield Triple(
            concept, "is", found.name, True, RelationKind.FACT, False, WORDS_CONFIDENCE, "", subject_is_name=False
        )


def _of_possession(annotated: AnnotatedSentence, name: str, place: int) -> Iterator[Triple]:
    """What a possessive says somebody has: "Halima's team owns it".

    Before an article its "'s" was an "is" ("Tunde's an angel"), before a mere adjective too ("Pilar's heartbroken").
    """
    token = annotated.tokens[place]
    if token.relation != "poss" or annotated.name(token.head) is not None or not annotated.is_next(place, token.head):
        return
    following = annotated.tokens[token.head + 1] if token.head + 1 < len(annotated.tokens) else token
    is_clause = following.part == "PRON" or (following.text == "," and annotated.tokens[token.head].relation == "nsubj")
    if is_clause:
        return
    is_being = any(one.relation == "det" for one in annotated.tokens[place + 1 : token.head])
    thing = annotated.words(token.head) if is_being or token.head != annotated.sentence.root else None
    if thing is not None:
        predicate = "is" if is_being else "has"
        yield Triple(name, predicate, thing, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")


def _of_apposition(annotated: AnnotatedSentence, name: str, place: int) -> Iterator[Triple]:
    """What directly follows a name with an article, a person's with an "of": "Keisha Monroe, head of maintenance"."""
    found = annotated.found(place)
    is_person = found is not None and found.label == "PERSON"
    for child in annotated.children[place]:
        token = annotated.tokens[child]
        is_plain = token.relation == "appos" and token.part == "NOUN" and annotated.found(child) is None
        is_role = annotated.is_defined(child) and (annotated.has_article(child) or is_person)
        if annotated.tokens[min(annotated.sentence.below(child))].part == "ADV":
            continue
        if is_plain and annotated.owner(child) is None and is_role and annotated.follows(child, place):
            yield from stated(annotated, name, "is", child, None)


def _of_explained(annotated: AnnotatedSentence, place: int) -> Iterator[Triple]:
    """A noun with "the" that a name directly follows: "the accountant, Mr Lumb"."""
    if annotated.tokens[place].relation not in {"nsubj", "ROOT", "obj"} or not annotated.is_known(place):
        return
    for child in annotated.children[place]:
        found = annotated.found(child)
        if found is None or annotated.tokens[child].relation != "appos" or not annotated.follows(child, place):
            continue
        words = annotated.words(place) if annotated.is_defined(place) else None
        if words is not None:
            yield Triple(found.name, "is", words, False, RelationKind.FACT, False, WORDS_CONFIDENCE, "")
