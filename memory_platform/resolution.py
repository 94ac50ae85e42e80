"""Which names stand for the same entity: by key, small typos, initials, and a first name that fits one full name.

A wrong merge is worse than a missed one: names with different numbers, of different types or with two possible partners
stay apart. Callers compare names of one audience only.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from rapidfuzz.distance import OSA

from memory_platform.entity_types import IS_GUESS, TypeGuess, is_first_name
from memory_platform.graph import AliasKind, EntityType

LONGEST_NAME: Final = 200
SHORTEST_TYPO: Final = 5
"""Letters below which one different letter makes another name."""
SHORTEST_SUBSTITUTION: Final = 7
"""Letters below which a replaced letter makes another name (Jonas, Jones), while a swapped or missing one does not."""
TWO_TYPOS_FROM: Final = 10
"""Letters from which two edits are still the same name."""

_EDGES: Final = " \t\n\"'“”‘’`.,;:!?()[]{}<>*_"
_ARTICLE: Final = re.compile(r"\A(?:the|an?)\s+(?=\S)")
_POSSESSIVE: Final = re.compile(r"['’]s?\Z")
_NUMBER: Final = re.compile(r"\d+")
_INITIALS: Final = re.compile(r"[A-Z]{2,3}")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as a text writes it, its key, and what it probably stands for. `is_written`: a URL, path, handle, …,
    which is only ever equal or not.
    """

    name: str
    key: str
    guess: TypeGuess
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """A name an entity already goes by."""

    entity_id: UUID
    name: str
    key: str
    guess: TypeGuess
    is_written: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """The entity a name stands for, and as what kind of alias."""

    entity_id: UUID
    kind: AliasKind


def name_key(name: str) -> str:
    """The key equal names share: compatibility form, case folded, one space, no article, possessive or quotes.

    Idempotent; empty for a name of punctuation alone; at most 200 characters.
    """
    folded = unicodedata.normalize("NFKC", name).casefold().replace("’", "'")
    key = unicodedata.normalize("NFKC", " ".join(folded.split()))[:LONGEST_NAME]
    while True:
        shorter = _ARTICLE.sub("", _POSSESSIVE.sub("", key.strip(_EDGES)).strip(_EDGES))
        shorter = shorter.rstrip("/")
        if shorter == key:
            return key
        key = shorter


def similarity(first: str, second: str) -> float:
    """How alike two keys are, 0..1: one minus edits (a swap is one) by the longer length; symmetric."""
    return float(OSA.normalized_similarity(*sorted((first, second))))


def have_same_numbers(first: str, second: str) -> bool:
    """ "Release 4" and "Release 5" are two things, however alike."""
    return _NUMBER.findall(first) == _NUMBER.findall(second)


def resolve(name: Name, known: Sequence[Known]) -> Match | None:
    """The known entity `name` stands for, or None: it is a new one. An exact key wins over everything else."""
    for other in known:
        if other.key == name.key:
            return Match(other.entity_id, AliasKind.ALIAS)
    if name.is_written:
        return None
    candidates = [other for other in known if not other.is_written and _may_be_one(name, other)]
    for rule, kind in (
        (_is_typo_of, AliasKind.ALIAS),
        (_are_initials_of, AliasKind.INITIALS),
        (_is_part_of, AliasKind.ALIAS),
    ):
        entities = {other.entity_id for other in candidates if rule(name, other)}
        if len(entities) == 1:
            return Match(entities.pop(), kind)
        if entities:
            return None
    return None


def best_name(names: Sequence[tuple[str, int]]) -> str:
    """The name an entity is shown under, of (name, mentions): the most words, then most mentioned, then longest."""
    return min(names, key=lambda one: (-len(one[0].split()), -one[1], -len(one[0]), one[0]))[0]


def is_typo(first: str, second: str) -> bool:
    """Whether two keys are one name with a slip of the keyboard. Symmetric; numbers must agree."""
    if first == second or not have_same_numbers(first, second):
        return False
    ours, theirs = first.split(), second.split()
    if len(ours) != len(theirs):
        return False
    slips = [(one, other) for one, other in zip(ours, theirs, strict=True) if one != other]
    return len(slips) == 1 and _is_slip(*slips[0])


def _is_slip(first: str, second: str) -> bool:
    shorter = min(len(first), len(second))
    if shorter < SHORTEST_TYPO or first[0] != second[0] or (is_first_name(first) and is_first_name(second)):
        return False
    # Daniel and Daniela, cat and cats: an ending makes another word.
    if first.startswith(second) or second.startswith(first):
        return False
    edits = OSA.distance(first, second)
    if edits == 1:
        is_substitution = len(first) == len(second) and sorted(first) != sorted(second)
        return not is_substitution or (shorter >= SHORTEST_SUBSTITUTION and first[-1] == second[-1])
    return edits == 2 and shorter >= TWO_TYPOS_FROM and first[-1] == second[-1]


def _may_be_one(name: Name, other: Known) -> bool:
    is_open = min(name.guess.confidence, other.guess.confidence) < IS_GUESS
    return (is_open or name.guess.type is other.guess.type) and have_same_numbers(name.key, other.key)


def _is_typo_of(name: Name, other: Known) -> bool:
    return is_typo(name.key, other.key)


def _are_initials_of(name: Name, other: Known) -> bool:
    """ "A. Berg" and "AB" for "Anna Berg", either way round."""
    if EntityType.PERSON not in {name.guess.type, other.guess.type}:
        return False
    return _abbreviates(name.name, name.key, other.key) or _abbreviates(other.name, other.key, name.key)


def _abbreviates(short_name: str, short: str, full: str) -> bool:
    words = full.split()
    if len(words) < 2 or any(len(word.rstrip(".")) < 2 for word in words):
        return False
    if _INITIALS.fullmatch(short_name):
        return short == "".join(word[0] for word in words)
    ours = short.split()
    if len(ours) != len(words) or ours[-1] != words[-1]:
        return False
    firsts = [(one.rstrip("."), word) for one, word in zip(ours[:-1], words[:-1], strict=True)]
    is_shorter = any(len(one) == 1 for one, _ in firsts)
    return is_shorter and all(one == word or one == word[0] for one, word in firsts)


def _is_part_of(name: Name, other: Known) -> bool:
    """ "Anna" and "Anna Berg", either way round: a person's first name and the full one."""
    if not all(guess.type is EntityType.PERSON or guess.confidence < IS_GUESS for guess in (name.guess, other.guess)):
        return False
    if EntityType.PERSON not in {name.guess.type, other.guess.type}:
        return False
    ours, theirs = name.key.split(), other.key.split()
    short, full = sorted((ours, theirs), key=len)
    return len(short) == 1 and len(full) in {2, 3} and full[0] == short[0] and len(short[0]) > 1
