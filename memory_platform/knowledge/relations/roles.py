"""Who is somebody's boss, sister or landlord, as a text says it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.knowledge.assertion import Aspect, Asserted, asserted, is_question
from memory_platform.knowledge.relations.annotated_sentence import NO_OBJECT, USER, AnnotatedSentence
from memory_platform.knowledge.relations.predicates import NAMING_VERBS
from memory_platform.knowledge.relations.triples import LONGEST_PREDICATE

_PAST_ROLE: Final = frozenset({"former", "old", "ex", "late", "previous", "next", "future", "last", "other", "first"})
_IDLE_ADJECTIVES: Final = frozenset({"new", "current", "present", "dear", "own", "only", "whole", "good", "great"})


@dataclass(frozen=True, slots=True)
class RoleClaim:
    """Whose role (`owner`; USER: whoever speaks), its noun, and who has it: "my boss Anna"."""

    owner: str
    role: str
    name: str


def roles(sentences: Iterable[AnnotatedSentence]) -> tuple[RoleClaim, ...]:
    """Who is somebody's boss, sister, landlord, …: "my boss Anna", "Anna is my boss". `owner` is a name or USER."""
    return tuple(dict.fromkeys(role for annotated in sentences for role in roles_in(annotated)))


def role_name(role: RoleClaim) -> str:
    """What the role is called: "my boss" for the speaker's own, "Caroline's boss" for somebody else's."""
    return f"my {role.role}" if role.owner == USER else f"{role.owner}'s {role.role}"


def roles_in(annotated: AnnotatedSentence) -> Iterator[RoleClaim]:
    """The roles one sentence tells of."""
    if is_question(annotated.sentence):
        return
    for place, token in enumerate(annotated.tokens):
        if token.part == "NOUN" and (role := _role_noun(annotated, place)) is not None:
            owner, holder = _owner_of_role(annotated, place), _beside(annotated, place)
            if owner is not None and holder is not None:
                yield from _role(owner, role, holder)
    for verb in asserted(annotated.sentence):
        if not verb.is_negated and verb.aspect is Aspect.PRESENT:
            yield from _roles_of_being(annotated, verb)


def _role(owner: str, role: str, holder: str) -> Iterator[RoleClaim]:
    if owner.casefold() != holder.casefold():
        yield RoleClaim(owner, role, holder)


def _beside(annotated: AnnotatedSentence, place: int) -> str | None:
    """The name a noun of a role stands beside: "my boss Anna", "Anna, my boss"."""
    token, head, following = (
        annotated.tokens[place],
        annotated.found(annotated.tokens[place].head),
        annotated.found(place + 1),
    )
    for child in annotated.children[place]:
        if (
            annotated.tokens[child].relation == "appos"
            and child > place
            and (found := annotated.found(child)) is not None
        ):
            return found.name
    if head is not None and (
        token.relation == "appos" or (head is following and token.relation in {"compound", "nmod"})
    ):
        return head.name
    return following.name if following is not None and _is_double(annotated, place) else None


def _is_double(annotated: AnnotatedSentence, place: int) -> bool:
    """Whether the grammar gives a verb both a noun and the name right behind it: "my niece Farah does payroll"."""
    last = max(
        one for one in range(place + 1, len(annotated.tokens)) if annotated.found(one) is annotated.found(place + 1)
    )
    noun, name = annotated.tokens[place], annotated.tokens[last]
    return noun.head == name.head and noun.relation == "nsubj" and name.relation in {"nsubj", "npadvmod", "appos"}


def _owner_of_role(annotated: AnnotatedSentence, place: int) -> str | None:
    """Whose role it is; of "my boss Anna" the grammar may hang "my" on either."""
    own = annotated.owner(place)
    token = annotated.tokens[place]
    if own is None and token.relation in {"compound", "nmod"} and token.head > place:
        return annotated.owner(token.head)
    return own


def _roles_of_being(annotated: AnnotatedSentence, verb: Asserted) -> Iterator[RoleClaim]:
    token = annotated.tokens[verb.verb]
    if token.lemma != "be" and not (verb.is_passive and token.lemma in NAMING_VERBS):
        return
    for child in annotated.children[verb.verb]:
        if annotated.tokens[child].relation not in {"attr", "oprd"}:
            continue
        for subject in verb.subjects:
            for noun, holder in ((subject, child), (child, subject)):
                role, owner = _role_noun(annotated, noun), annotated.owner(noun)
                name = annotated.name(holder) if annotated.name(noun) is None else None
                if role is not None and owner is not None and name is not None and annotated.owner(holder) is None:
                    yield from _role(owner, role, name)


def _role_noun(annotated: AnnotatedSentence, place: int) -> str | None:
    """The noun with what tells it from others ("best friend"), None for a role of the past or of another time."""
    token = annotated.tokens[place]
    if token.part != "NOUN" or annotated.found(place) is not None or token.lemma in NO_OBJECT:
        return None
    following = annotated.tokens[place + 1].text if place + 1 < len(annotated.tokens) else ""
    if token.text.casefold() != token.lemma or following == "-":
        return None
    before = [annotated.tokens[child] for child in annotated.children[place] if child < place]
    modifiers = [one for one in before if one.relation in {"amod", "compound"}]
    if any(one.text.casefold() in _PAST_ROLE for one in modifiers) or annotated.has_conjunct(place):
        return None
    kept = [one.text.casefold() for one in modifiers if one.text.casefold() not in _IDLE_ADJECTIVES]
    return " ".join([*kept, token.lemma])[:LONGEST_PREDICATE]
