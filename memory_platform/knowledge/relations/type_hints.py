"""What a text says of the sort of things that its names stand for: by a noun beside one, by predicates."""

from collections.abc import Iterable, Iterator

from memory_platform.knowledge.graph import EntityType
from memory_platform.knowledge.relations.annotated_sentence import AnnotatedSentence
from memory_platform.knowledge.relations.predicates import SINGLE_ROLES
from memory_platform.knowledge.relations.triples import Triple


def kinds(sentences: Iterable[AnnotatedSentence]) -> tuple[tuple[str, str], ...]:
    """The nouns that say what sort of thing a name is, as lemmas: "the Heron project", "the vendor Adyen"."""
    return tuple(
        (found.name, noun)
        for annotated in sentences
        for place in range(len(annotated.tokens))
        if (found := annotated.found(place)) is not None and (noun := annotated.kind_noun(place)) is not None
    )


def type_hints(said: Iterable[Triple]) -> Iterator[tuple[str, EntityType]]:
    """What the predicates of statements say about the sort of their ends."""
    for one in said:
        if one.frame is not None and one.frame.subject is not None and one.subject_is_name:
            yield one.subject, one.frame.subject
        if one.frame is not None and one.frame.object is not None and one.object_is_name:
            yield one.object, one.frame.object
        if one.predicate in SINGLE_ROLES and one.object_is_name:
            yield one.object, EntityType.PERSON
