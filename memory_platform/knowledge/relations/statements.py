"""What a parsed text states of whom and what it names, by its verbs, its nouns and the roles it tells of."""

from collections.abc import Iterable
from dataclasses import replace

from memory_platform.knowledge.graph import RelationKind
from memory_platform.knowledge.relations.annotated_sentence import AnnotatedSentence
from memory_platform.knowledge.relations.nouns import by_nouns
from memory_platform.knowledge.relations.roles import RoleClaim, roles_in
from memory_platform.knowledge.relations.triples import NAMED_CONFIDENCE, Triple
from memory_platform.knowledge.relations.verbs import by_verbs


def statements(sentences: Iterable[AnnotatedSentence]) -> tuple[Triple, ...]:
    """What the sentences of a text state of its names and of the speaker, each statement once."""
    found: dict[tuple[str, str, str, bool], Triple] = {}
    for annotated in sentences:
        for said in (*by_verbs(annotated), *by_nouns(annotated), *map(_as_statement, roles_in(annotated))):
            if said.subject.casefold() != said.object.casefold():
                quoted = _with_quote(said, annotated.sentence.text)
                found.setdefault((said.subject, said.predicate, said.object, said.negated), quoted)
    return tuple(found.values())


def _with_quote(said: Triple, sentence: str) -> Triple:
    return replace(said, quote=sentence)


def _as_statement(role: RoleClaim) -> Triple:
    name = role.role.replace(" ", "_")
    return Triple(role.owner, name, role.name, True, RelationKind.ENTITY, False, NAMED_CONFIDENCE, "")
