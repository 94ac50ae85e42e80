"""Subject, predicate and object: what one statement is, and when an object says enough to be one's."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.knowledge.assertion import Asserted, are_apart, is_negated
from memory_platform.knowledge.graph import RelationKind
from memory_platform.knowledge.relations.annotated_sentence import AnnotatedSentence
from memory_platform.knowledge.relations.predicates import Predicate
from memory_platform.text.parse import Token

NAMED_CONFIDENCE: Final = 0.8
WORDS_CONFIDENCE: Final = 0.6
"""Confidence of a statement whose object is an entity, and of one whose object is only words."""
LONGEST_PREDICATE: Final = 48


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, predicate and object, names as the text has them (`object_is_name`: one of them, else words).

    The subject is words only where the object is a name ("the accounts moved to Monzo"): then it is a concept.

    A negated one ("no longer works at") ends the same statement made earlier. `frame` is what the vocabulary knows of
    the predicate, None for a verb or noun of its own.
    """

    subject: str
    predicate: str
    object: str
    object_is_name: bool
    kind: RelationKind
    negated: bool
    confidence: float
    quote: str
    frame: Predicate | None = None
    subject_is_name: bool = True


def stated(
    annotated: AnnotatedSentence,
    subject: str,
    name: str,
    place: int,
    verb: Asserted | None,
    frame: Predicate | None = None,
) -> Iterator[Triple]:
    """The statement with what stands at `place` for its object, if that is a name or says enough by itself."""
    if verb is not None and are_apart(annotated.sentence, verb.verb, place):
        return
    named = annotated.name(place)
    is_denied = verb is not None and verb.is_negated
    if (
        is_negated(annotated.sentence, place)
        or annotated.is_possessive(place)
        or (named is None and is_denied)
        or len(name) > LONGEST_PREDICATE
    ):
        return
    words = named or (annotated.words(place) if _is_word(annotated.tokens[place]) else None)
    if words is None:
        return
    confidence = WORDS_CONFIDENCE if named is None else NAMED_CONFIDENCE
    kind = frame.kind if frame is not None else RelationKind.FACT
    yield Triple(subject, name, words, named is not None, kind, is_denied, confidence, "", frame)


def _is_word(token: Token) -> bool:
    """Whether the dictionary holds a word or a capital makes it a term: "thru", "haha" and "3rd" are no objects."""
    return token.text[:1].isupper() or (token.is_ordinary and token.text[:1].isalpha())
