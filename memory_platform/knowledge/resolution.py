"""Which names stand for the same entity: by key, small typos, initials, and a first name that fits one full name.

A wrong merge is worse than a missed one: names with different numbers, of different types or with two possible partners
stay apart. Callers compare names of one audience only.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from rapidfuzz import process
from rapidfuzz.distance import OSA

from memory_platform.knowledge.entity_types import IS_GUESS, TypeGuess, is_first_name
from memory_platform.knowledge.graph import AliasKind, EntityType

LONGEST_NAME: Final = 200
USER_KEY: Final = "user"
"""Key of whoever talks to the agent: no name that begins with the word is theirs."""
SHORTEST_TYPO: Final = 5
"""Letters below which one different letter makes another name."""
SHORTEST_SUBSTITUTION: Final = 7
"""Letters below which a replaced letter makes another name (Jonas, Jones), while a swapped or missing one does not."""
SHORTEST_NICKNAME: Final = 3
"""Letters of a nickname that begins the name of somebody who takes part in the talk."""
TWO_TYPOS_FROM: Final = 10
"""Letters from which two edits are still the same name."""

_EDGES: Final = " \t\n\"'“”‘’`.,;:!?()[]{}<>*_"
_ARTICLE: Final = re.compile(r"\A(?:the|an?)\s+(?=\S)")
_POSSESSIVE: Final = re.compile(r"['’]s?\Z")
_NUMBER: Final = re.compile(r"\d+")
_WRITTEN_SIGNS: Final = frozenset("/@#")
_PARTICLES: Final = frozenset({"of", "and", "the", "&"})
_LONGEST_FULL_NAME: Final = 3
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
class KnownName:
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


def keys_in(text: str, longest: int) -> set[str]:
    """The keys of whatever a text may name in at most so many words."""
    words = text.split()
    lengths = range(1, longest + 1)
    return {name_key(" ".join(words[start : start + length])) for start in range(len(words)) for length in lengths}


def is_speaker(guess: TypeGuess) -> bool:
    """Whether somebody surely is a person because they take part in the talk."""
    return guess.type is EntityType.PERSON and guess.confidence == 1.0


def is_written(name: str) -> bool:
    """Whether a name is a URL, path, address, handle or hashtag: such names are equal or different, never alike."""
    return not _WRITTEN_SIGNS.isdisjoint(name)


def similarity(first: str, second: str) -> float:
    """How alike two keys are, 0..1: one minus edits (a swap is one) by the longer length; symmetric."""
    return float(OSA.normalized_similarity(*sorted((first, second))))


def have_same_numbers(first: str, second: str) -> bool:
    """Release 4 and Release 5 are two things, however alike."""
    return _NUMBER.findall(first) == _NUMBER.findall(second)


def resolve(name: Name, known: Sequence[KnownName]) -> Match | None:
    """The known entity `name` stands for, or None: it is a new one. An exact key wins over everything else."""
    for other in known:
        if other.key == name.key:
            return Match(other.entity_id, AliasKind.ALIAS)
    if name.is_written:
        return None
    candidates = [other for other in known if not other.is_written and _may_be_one(name, other)]
    rules = ((_is_typo_of, AliasKind.ALIAS), (_are_initials_of, AliasKind.INITIALS), (_is_short_for, AliasKind.ALIAS))
    for rule, kind in rules:
        entities = {other.entity_id for other in candidates if rule(name, other)}
        if entities:
            return Match(entities.pop(), kind) if len(entities) == 1 else None
    return _by_first_name(name, candidates)


class Directory:
    """The names known in one audience, kept so that the few worth comparing with a name are found at once."""

    def __init__(self, known: Iterable[KnownName]) -> None:
        self._by_key: dict[str, KnownName] = {}
        self._by_first: dict[str, list[KnownName]] = defaultdict(list)
        self._by_last: dict[str, list[KnownName]] = defaultdict(list)
        self._by_initials: dict[str, list[KnownName]] = defaultdict(list)
        self._long_keys: list[str] = []
        self._speakers: list[KnownName] = []
        for one in known:
            self.add(one)

    def add(self, known: KnownName) -> None:
        """Make a name known; one of the same key is replaced."""
        is_new = known.key not in self._by_key
        self._by_key[known.key] = known
        words = known.key.split()
        if known.is_written or not words:
            return
        self._by_first[words[0]].append(known)
        self._by_last[words[-1]].append(known)
        if is_speaker(known.guess):
            self._speakers.append(known)
        self._by_initials["".join(word[0] for word in words) if len(words) > 1 else known.key].append(known)
        if is_new and len(known.key) >= SHORTEST_TYPO:
            self._long_keys.append(known.key)

    def find(self, key: str) -> KnownName | None:
        return self._by_key.get(key)

    def resolve(self, name: Name) -> Match | None:
        """As the function of this name does over everything known."""
        return resolve(name, self._near(name))

    def nicknames_of(self, speaker: KnownName) -> list[KnownName]:
        """What is known by a name that begins this speaker's, and no other's."""
        others = [one for one in self._speakers if self._is_current(one) and one.entity_id != speaker.entity_id]
        return [
            one
            for key, one in self._by_key.items()
            if speaker.key.startswith(key)
            and _shortens(key, one.guess, speaker.key, speaker.guess)
            and not any(_shortens(key, one.guess, other.key, other.guess) for other in others)
        ]

    def ambiguous_first_name(self, full: KnownName) -> KnownName | None:
        """The first name alone, if an entity with another full name goes by it: `full` makes it ambiguous."""
        bare = self._by_key.get(full.key.split()[0])
        if bare is None or bare.entity_id == full.entity_id or not _is_full_name(full):
            return None
        owners = {one.entity_id for one in self._by_first[bare.key] if _is_full_name(one) and self._is_current(one)}
        return bare if bare.entity_id in owners else None

    def _near(self, name: Name) -> list[KnownName]:
        exact = self._by_key.get(name.key)
        words = name.key.split()
        if exact is not None or name.is_written or not words:
            return [exact] if exact else []
        initials = "".join(word[0] for word in words) if len(words) > 1 else name.key
        near = [*self._by_first[words[0]], *self._by_last[words[-1]], *self._by_initials[initials]]
        if len(name.key) >= SHORTEST_TYPO:
            slips = process.extract(name.key, self._long_keys, scorer=OSA.distance, score_cutoff=2, limit=None)
            near += [self._by_key[key] for key, _, _ in slips]
        near += [one for one in self._speakers if one.key[:SHORTEST_NICKNAME] == name.key[:SHORTEST_NICKNAME]]
        if name.guess.confidence == 1.0:
            near += [one for key, one in self._by_key.items() if name.key.startswith(key)]
        return [one for one in dict.fromkeys(near) if self._is_current(one)]

    def _is_current(self, known: KnownName) -> bool:
        return self._by_key[known.key] is known


def best_name(names: Sequence[tuple[str, int]]) -> str:
    """The name an entity is shown under, of (name, mentions): the most words, no nickname of another, then the most
    mentioned, then the longest.
    """

    def rank(one: tuple[str, int]) -> tuple[int, bool, int, int, str]:
        name, mentions = one
        folded = name.casefold()
        is_short = any(other.casefold().startswith(folded) for other, _ in names if len(other) > len(name))
        return -len(name.split()), is_short, -mentions, -len(name), name

    return min(names, key=rank)[0]


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


def _may_be_one(name: Name, other: KnownName) -> bool:
    is_open = min(name.guess.confidence, other.guess.confidence) < IS_GUESS
    return (is_open or name.guess.type is other.guess.type) and have_same_numbers(name.key, other.key)


def _is_typo_of(name: Name, other: KnownName) -> bool:
    return is_typo(name.key, other.key)


def _are_initials_of(name: Name, other: KnownName) -> bool:
    """A. Berg and AB for Anna Berg, either way round."""
    if EntityType.PERSON not in {name.guess.type, other.guess.type}:
        return False
    return _abbreviates(name.name, name.key, other.key) or _abbreviates(other.name, other.key, name.key)


def _is_short_for(name: Name, other: KnownName) -> bool:
    """Mel for Melanie, who takes part in the talk, either way round; not Dan for Daniel, who may be two people."""
    return _shortens(name.key, name.guess, other.key, other.guess) or _shortens(
        other.key, other.guess, name.key, name.guess
    )


def _shortens(short: str, guess: TypeGuess, full: str, full_guess: TypeGuess) -> bool:
    is_named = full != USER_KEY and is_speaker(full_guess)
    is_open = guess.type is EntityType.PERSON or guess.confidence < IS_GUESS
    is_beginning = full.startswith(short) and SHORTEST_NICKNAME <= len(short) < len(full.split(maxsplit=1)[0])
    return is_named and is_open and guess.confidence < 1.0 and is_beginning and not is_first_name(short)


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


def _by_first_name(name: Name, candidates: Sequence[KnownName]) -> Match | None:
    """Anna and Anna Berg, either way round: a person's first name and the only full one that begins with it."""
    words = name.key.split()
    people = [other for other in candidates if _are_people(name, other) and other.key.split()[:1] == words[:1]]
    full = {other.entity_id for other in people if _is_full_name(other)}
    if len(words) == 1:
        return Match(full.pop(), AliasKind.ALIAS) if len(full) == 1 and len(name.key) > 1 else None
    bare = {other.entity_id for other in people if other.key == words[0] and len(other.key) > 1}
    if not bare or full or not _is_full(words):
        return None
    return Match(bare.pop(), AliasKind.ALIAS)


def _are_people(name: Name, other: KnownName) -> bool:
    """Whether both may be people and one surely is; a longer name nobody knows is rather a heading or a title."""
    guesses = (name.guess, other.guess)
    is_known = all(
        guess.type is EntityType.PERSON or (guess.confidence < IS_GUESS and len(key.split()) <= 2)
        for guess, key in ((name.guess, name.key), (other.guess, other.key))
    )
    is_named = USER_KEY not in {name.key, other.key}
    return is_known and is_named and EntityType.PERSON in {guess.type for guess in guesses}


def _is_full_name(known: KnownName) -> bool:
    return _is_full(known.key.split())


def _is_full(words: Sequence[str]) -> bool:
    is_name = len(set(words)) == len(words) and _PARTICLES.isdisjoint(words)
    return is_name and 2 <= len(words) <= _LONGEST_FULL_NAME and len(words[0].rstrip(".")) > 1
