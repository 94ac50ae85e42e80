"""Who is somebody's boss, sister or landlord, as a text says it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memory_platform.knowledge.assertion import Aspect, Asserted, asserted, is_question
from memory_platform.knowledge.relations.predicates import NAMING_VERBS
from memory_platform.knowledge.relations.sentence_reading import NO_OBJECT, USER, SentenceReading
from memory_platform.knowledge.relations.triples import LONGEST_PREDICATE

_PAST_ROLE: Final = frozenset({"former", "old", "ex", "late", "previous", "next", "future", "last", "other", "first"})
_IDLE_ADJECTIVES: Final = frozenset({"new", "current", "present", "dear", "own", "only", "whole", "good", "great"})


@dataclass(frozen=True, slots=True)
class RoleClaim:
    """Whose role (`owner`; USER: whoever speaks), its noun, and who has it: "my boss Anna"."""

    owner: str
    role: str
    name: str


def roles(sentences: Iterable[SentenceReading]) -> tuple[RoleClaim, ...]:
    """Who is somebody's boss, sister, landlord, …: "my boss Anna", "Anna is my boss". `owner` is a name or USER."""
    return tuple(dict.fromkeys(role for reading in sentences for role in roles_in(reading)))


def role_name(role: RoleClaim) -> str:
    """What the role is called: "my boss" for the speaker's own, "Caroline's boss" for somebody else's."""
    return f"my {role.role}" if role.owner == USER else f"{role.owner}'s {role.role}"


def roles_in(reading: SentenceReading) -> Iterator[RoleClaim]:
    """The roles one sentence tells of."""
    if is_question(reading.sentence):
        return
    for place, token in enumerate(reading.tokens):
        if token.part == "NOUN" and (role := _role_noun(reading, place)) is not None:
            owner, holder = _owner_of_role(reading, place), _beside(reading, place)
            if owner is not None and holder is not None:
                yield from _role(owner, role, holder)
    for verb in asserted(reading.sentence):
        if not verb.is_negated and verb.aspect is Aspect.PRESENT:
            yield from _roles_of_being(reading, verb)


def _role(owner: str, role: str, holder: str) -> Iterator[RoleClaim]:
    if owner.casefold() != holder.casefold():
        yield RoleClaim(owner, role, holder)


def _beside(reading: SentenceReading, place: int) -> str | None:
    """The name a noun of a role stands beside: "my boss Anna", "Anna, my boss"."""
    token, head, following = reading.tokens[place], reading.found(reading.tokens[place].head), reading.found(place + 1)
    for child in reading.children[place]:
        if reading.tokens[child].relation == "appos" and child > place and (found := reading.found(child)) is not None:
            return found.name
    if head is not None and (
        token.relation == "appos" or (head is following and token.relation in {"compound", "nmod"})
    ):
        return head.name
    return following.name if following is not None and _is_double(reading, place) else None


def _is_double(reading: SentenceReading, place: int) -> bool:
    """Whether the grammar gives a verb both a noun and the name right behind it: "my niece Farah does payroll"."""
    last = max(one for one in range(place + 1, len(reading.tokens)) if reading.found(one) is reading.found(place + 1))
    noun, name = reading.tokens[place], reading.tokens[last]
    return noun.head == name.head and noun.relation == "nsubj" and name.relation in {"nsubj", "npadvmod", "appos"}


def _owner_of_role(reading: SentenceReading, place: int) -> str | None:
    """Whose role it is; of "my boss Anna" the grammar may hang "my" on either."""
    own = reading.owner(place)
    token = reading.tokens[place]
    if own is None and token.relation in {"compound", "nmod"} and token.head > place:
        return reading.owner(token.head)
    return own


def _roles_of_being(reading: SentenceReading, verb: Asserted) -> Iterator[RoleClaim]:
    token = reading.tokens[verb.verb]
    if token.lemma != "be" and not (verb.is_passive and token.lemma in NAMING_VERBS):
        return
    for child in reading.children[verb.verb]:
        if reading.tokens[child].relation not in {"attr", "oprd"}:
            continue
        for subject in verb.subjects:
            for noun, holder in ((subject, child), (child, subject)):
                role, owner = _role_noun(reading, noun), reading.owner(noun)
                name = reading.name(holder) if reading.name(noun) is None else None
                if role is not None and owner is not None and name is not None and reading.owner(holder) is None:
                    yield from _role(owner, role, name)


def _role_noun(reading: SentenceReading, place: int) -> str | None:
    """The noun with what tells it from others ("best friend"), None for a role of the past or of another time."""
    token = reading.tokens[place]
    if token.part != "NOUN" or reading.found(place) is not None or token.lemma in NO_OBJECT:
        return None
    following = reading.tokens[place + 1].text if place + 1 < len(reading.tokens) else ""
    if token.text.casefold() != token.lemma or following == "-":
        return None
    before = [reading.tokens[child] for child in reading.children[place] if child < place]
    modifiers = [one for one in before if one.relation in {"amod", "compound"}]
    if any(one.text.casefold() in _PAST_ROLE for one in modifiers) or reading.has_conjunct(place):
        return None
    kept = [one.text.casefold() for one in modifiers if one.text.casefold() not in _IDLE_ADJECTIVES]
    return " ".join([*kept, token.lemma])[:LONGEST_PREDICATE]
