"""The vocabulary of predicates: which verbs, with their preposition, stand for a state that changes over a life, what
its ends are, and of which states a subject has one value at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from memory_platform.knowledge.graph import EntityType, RelationKind


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate of the vocabulary: what it ties, what its ends are, and whether a subject has one value at a time.

    `comes_about`: the verb tells the change that brings the state ("joined"), which holds once that is done.
    """

    name: str
    kind: RelationKind = RelationKind.FACT
    is_single: bool = False
    comes_about: bool = False
    subject: EntityType | None = None
    object: EntityType | None = None


_FACT, _TIE = RelationKind.FACT, RelationKind.ENTITY
_PERSON, _PLACE, _ORGANIZATION, _TOOL = (
    EntityType.PERSON, EntityType.PLACE, EntityType.ORGANIZATION, EntityType.TOOL,
)  # fmt: skip
WORKS: Final = Predicate("works_at", _FACT, is_single=True, subject=_PERSON, object=_ORGANIZATION)
_LIVES: Final = Predicate("lives_in", _FACT, is_single=True, subject=_PERSON, object=_PLACE)
_BASED: Final = Predicate("based_in", _FACT, is_single=True, object=_PLACE)
_USES: Final = Predicate("uses", _FACT, object=_TOOL)
_DEPENDS: Final = Predicate("depends_on", _TIE)
_STUDIED: Final = Predicate("studied_at", _FACT, subject=_PERSON, object=_ORGANIZATION)
_MARRIED: Final = Predicate("married_to", _FACT, is_single=True, subject=_PERSON, object=_PERSON)
_LIKES: Final = Predicate("likes", _FACT, subject=_PERSON)
_DISLIKES: Final = Predicate("dislikes", _FACT, subject=_PERSON)
_MANAGES: Final = Predicate("manages", _FACT, subject=_PERSON)
_FROM: Final = Predicate("from", _TIE)
_OWNS: Final = Predicate("owns", _FACT)
_BELONGS: Final = Predicate("belongs_to", _TIE)
LOCATED: Final = Predicate("located_in", _TIE)


def _changing(predicate: Predicate) -> Predicate:
    return replace(predicate, comes_about=True)


_VOCABULARY: Final[Mapping[str, Predicate]] = {
    "work at": WORKS, "work for": WORKS, "employed by": WORKS, "employed at": WORKS,
    "join": _changing(WORKS), "start at": _changing(WORKS),
    "live in": _LIVES, "reside in": _LIVES, "settle in": _changing(_LIVES),
    "move to": _changing(_LIVES), "relocate to": _changing(_LIVES),
    "based in": _BASED, "base in": _BASED, "headquarter in": _BASED, "headquartered in": _BASED,
    "located in": LOCATED, "locate in": LOCATED, "situated in": LOCATED, "be in": LOCATED,
    "use": _USES, "run on": _USES, "adopt": _changing(_USES), "switch to": _changing(_USES),
    "migrate to": _changing(_USES),
    "depend on": _DEPENDS, "rely on": _DEPENDS, "require": _DEPENDS, "need": _DEPENDS,
    "study at": _STUDIED, "graduate from": _changing(_STUDIED), "attend": _STUDIED,
    "marry": _changing(_MARRIED), "married to": _MARRIED,
    "like": _LIKES, "love": _LIKES, "enjoy": _LIKES, "prefer": _LIKES,
    "hate": _DISLIKES, "dislike": _DISLIKES, "avoid": _DISLIKES,
    "manage": _MANAGES, "lead": _MANAGES, "oversee": _MANAGES, "head": _MANAGES, "supervise": _MANAGES,
    "be from": _FROM, "come from": _FROM, "hail from": _FROM, "born in": _FROM,
    "own": _OWNS, "belong to": _BELONGS,
    "found": Predicate("founded", _TIE, comes_about=True), "cofound": Predicate("founded", _TIE, comes_about=True),
    "build": Predicate("created", _TIE, comes_about=True), "write": Predicate("created", _TIE, comes_about=True),
    "create": Predicate("created", _TIE, comes_about=True), "develop": Predicate("created", _TIE, comes_about=True),
    "visit": Predicate("visited", _FACT, comes_about=True, object=_PLACE),
    "meet": Predicate("met", _FACT, comes_about=True, object=_PERSON),
}  # fmt: skip
"""By the lemma of the verb and its preposition; what is not here keeps its verb."""
ENDS: Final[Mapping[str, Predicate]] = {"leave": WORKS, "quit": WORKS, "drop": _USES, "ditch": _USES, "sell": _OWNS}
"""What is over once it is done, said besides what was done itself."""
_SINGLE: Final = frozenset(one.name for one in _VOCABULARY.values() if one.is_single)

SINGLE_ROLES: Final = frozenset(
    {"boss", "manager", "wife", "husband", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance",
     "fiancee", "mother", "father", "mom", "mum", "dad", "supervisor"}
)  # fmt: skip
"""Roles one person has for another at a time; any other noun of belonging is a role that several may have."""
NAMING_VERBS: Final = frozenset({"call", "name"})
"""What they tell is what somebody is called, and nothing that is done."""


def predicate_of(attribute: str) -> Predicate | None:
    """The predicate of the vocabulary that a verb's lemma with its preposition stands for: "work for"."""
    return _VOCABULARY.get(attribute)


def is_single(predicate: str) -> bool:
    """Whether a subject has one value of the predicate at a time."""
    return predicate in _SINGLE or predicate in SINGLE_ROLES
