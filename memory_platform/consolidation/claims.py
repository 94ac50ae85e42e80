"""What is compared: a claim that wants in, and the stored items of its audience that lie near it."""

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final
from uuid import UUID

from memory_platform.consolidation.authority import CALLER, Voice, word_of
from memory_platform.model import NO_SLOT, ClaimRelation, Role, Slot, Status, Strength, in_context
from memory_platform.text.addressing import FIRST_PERSON
from memory_platform.text.terms import terms


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact that passed the gate and is about to be stored. `said_at`: when its source said it, not when we heard.

    `author` is the agent that states it, `said_by` the speaker it quotes, empty where nobody is named, `role` as what
    that one speaks.
    """

    text: str
    said_at: datetime
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_id: UUID | None = None
    author: UUID | None = None
    lead_in: str = ""
    said_by: str = ""
    role: Role = Role.USER
    slot: Slot = NO_SLOT
    is_negated: bool = False

    @property
    def in_context(self) -> str:
        return in_context(self.text, self.lead_in)

    @property
    def voice(self) -> Voice:
        return Voice(self.role, self.said_by)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored item of the claim's audience near it in meaning.

    `confidence` is the effective one (decay.effective_confidence), `said_at` when the item was last said, `valid_until`
    when it stopped being true (None: still true), `valid_from` when it began to be (None: when it was said),
    `source_ids` the resources it rests on, `voices` who said it. `relation` says how the newer
    of the two, by `said_at`, relates to the older one; None where nobody has judged it.
    """

    id: UUID
    text: str
    said_at: datetime
    cosine: float
    relation: ClaimRelation | None = None
    strength: Strength = Strength.EXPLICIT
    confidence: float = 0.9
    session_id: UUID | None = None
    source_ids: frozenset[UUID] = field(default_factory=frozenset)
    status: Status = Status.ACTIVE
    valid_until: datetime | None = None
    valid_from: datetime | None = None
    author: UUID | None = None
    lead_in: str = ""
    said_by: str = ""
    voices: frozenset[Voice] = frozenset({CALLER})
    slot: Slot = NO_SLOT
    is_negated: bool = False

    @property
    def role(self) -> Role:
        """On whose word it is held."""
        return word_of(self.voices)

    @property
    def is_open(self) -> bool:
        """Whether it is believed and true now."""
        return self.valid_until is None and self.status in {Status.ACTIVE, Status.STALE}

    @property
    def in_context(self) -> str:
        return in_context(self.text, self.lead_in)


ALIKE_SHARE: Final = 0.6
"""Share of the longer one's terms that both have: "commutes by bicycle", "no longer commutes by bicycle"."""
_ARTICLES: Final = frozenset({"a", "an", "the"})
_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")


@lru_cache(maxsize=8192)
def normalised(text: str) -> str:
    """Case folded, punctuation and repeated white space removed: two texts with the same result are the same claim."""
    return " ".join(word.replace("’", "'") for word in _WORD.findall(text.casefold()))


def claim_hash(text: str) -> str:
    """SHA-256 in hexadecimal of the normalised text: the claim's half of a suppressed (source, claim hash)."""
    return hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()


def numbers(text: str) -> frozenset[str]:
    """The numbers a text writes in digits, without separators of thousands."""
    return frozenset(re.sub(r",(?=\d{3}\b)", "", match).rstrip(".,:") for match in _NUMBER.findall(text))


def state_different_numbers(first: str, second: str) -> bool:
    """Whether each writes a number the other lacks; one may round, spell out or leave out what the other writes."""
    own, other = numbers(first), numbers(second)
    return not (own <= other or other <= own)


def deny_each_other(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether one says of nearly the same words that they hold, and the other that they do not."""
    own, other = terms(claim.text).keys(), terms(neighbour.text).keys()
    are_alike = len(own & other) >= ALIKE_SHARE * max(len(own), len(other), 1)
    return are_alike and claim.is_negated != neighbour.is_negated


def denies_state(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether one says of a state that needs no other words to be understood that it holds, the other that it does not:
    "my supplier is not Acme".
    """
    own, other = claim.slot, neighbour.slot
    is_same = share_a_slot(own, other) and stands_alone(own) and value_words(own) == value_words(other)
    return is_same and claim.is_negated != neighbour.is_negated


def differ_by_a_word(first: str, second: str) -> bool:
    """Whether one word stands in the place of another, all else being the same: "enabled", "disabled" by default."""
    own, other = normalised(first).split(), normalised(second).split()
    if len(own) != len(other):
        return False
    replaced = [pair for pair in zip(own, other, strict=True) if pair[0] != pair[1]]
    return len(replaced) == 1 and not _are_one_word(*replaced[0])


def _are_one_word(first: str, second: str) -> bool:
    """Whether both are forms of one word; small words have no forms."""
    return terms(first) == terms(second) != terms("")


def speak_of_different_people(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether both are about their own speaker, and the speakers are not the same person."""
    if not claim.said_by or not neighbour.said_by or claim.said_by.casefold() == neighbour.said_by.casefold():
        return False
    return _is_own(claim.slot, claim.said_by) and _is_own(neighbour.slot, neighbour.said_by)


def _is_own(slot: Slot, speaker: str) -> bool:
    return slot.subject.casefold().startswith(speaker.casefold())


def name_different_things(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether both name one of several of a kind, and not the same one: PAY-1 and PAY-10, the March and the April
    invoice. Each must say what the other does not: "the invoice" may be either.
    """
    return are_named_apart(claim.slot, neighbour.slot)


def are_named_apart(first: Slot, second: Slot) -> bool:
    """What `name_different_things` says of two claims, of their slots."""
    own, other = first.names, second.names
    return _number_one_series(own, other) or (_is_one_kind(first, second) and _each_adds(own, other))


def describe_different_things(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether the subjects are of one kind and qualified in two ways, if only by adjectives: the left, the right knee.

    Less than names that differ, for "the old vendor" was "the current vendor" once.
    """
    own, other = claim.slot.qualifier.split(), neighbour.slot.qualifier.split()
    return _is_one_kind(claim.slot, neighbour.slot) and _each_adds(own, other)


def _number_one_series(own: Collection[str], other: Collection[str]) -> bool:
    """Whether both number things of one series, as tickets are, and have no number in common."""
    mine, others = ({one for one in words if _NUMBER.search(one)} for words in (own, other))
    return mine.isdisjoint(others) and bool({_series(one) for one in mine} & {_series(one) for one in others})


def _series(identifier: str) -> str:
    return re.sub(r"\d+", "0", identifier)


def _is_one_kind(first: Slot, second: Slot) -> bool:
    return bool(first.subject) and _kind(first) == _kind(second)


def _kind(slot: Slot) -> str:
    """What the subject is one of: its last word, stemmed, that does not qualify it; where all words do, all of it."""
    qualifying = terms(slot.qualifier)
    words = [word for word in terms(slot.subject) if word not in qualifying]
    return words[-1] if words else slot.subject.casefold()


def _each_adds(own: Iterable[str], other: Iterable[str]) -> bool:
    mine, others = terms(" ".join(own)).keys(), terms(" ".join(other)).keys()
    return bool(mine - others) and bool(others - mine)


def share_a_slot(first: Slot, second: Slot) -> bool:
    """Whether both speak of the same state: subject, attribute and qualifier agree, and the subject is given."""
    own, other = ((slot.subject.casefold(), slot.attribute.casefold(), slot.qualifier) for slot in (first, second))
    return own == other and bool(first.subject)


def states_the_same(first: Slot, second: Slot) -> bool:
    """Whether both give one state one value, in the same words: "the other cat" is not "a cat"."""
    value = normalised(first.value)
    return bool(value) and share_a_slot(first, second) and value == normalised(second.value)


def value_words(slot: Slot) -> tuple[str, ...]:
    """The words of a value without articles and the preposition of its verb: "another dog" is not "a dog"."""
    words = normalised(slot.value).split()
    own = words[1:] if verb_leads_to_value(slot) else words
    return tuple(word for word in own if word not in _ARTICLES)


def verb_leads_to_value(slot: Slot) -> bool:
    """Whether the preposition of its verb stands before the value: "work at", but not the "for" of "use Loki for"."""
    preposition = slot.attribute.casefold().partition(" ")[2]
    return bool(preposition) and normalised(slot.value).split()[:1] == [preposition]


def stands_alone(slot: Slot) -> bool:
    """Whether a state is told without a word that points elsewhere: "I am allergic to kiwi", not "she likes it"."""
    is_speaker = slot.subject.casefold() in FIRST_PERSON
    return bool(terms(slot.value)) and (is_speaker or bool(terms(slot.subject)))


def is_record(text: str, slot: Slot) -> bool:
    """Whether a claim is no sentence but a machine's record of an attribute: its slot spelled out and nothing more."""
    return bool(slot.subject) and text == slot.spelled


def record_one_state(text: str, slot: Slot, other_text: str, other: Slot) -> bool:
    """Whether two records tell of one attribute of one thing: the "orders 4711" of a list is the "order 4711"."""
    return is_record(text, slot) and is_record(other_text, other) and tell_of_one_state(slot, other)


def tell_of_one_state(first: Slot, second: Slot) -> bool:
    """Whether both name one attribute of one thing, whatever they say it is."""
    return (
        first.qualifier == second.qualifier
        and first.attribute.casefold() == second.attribute.casefold()
        and terms(first.subject) == terms(second.subject)
    )


def relation_of_records(
    claim: Claim, text: str, slot: Slot, source_ids: Collection[UUID | None]
) -> ClaimRelation | None:
    """How two records relate, which their structure tells and no model need judge; None where one of them is none.

    Of one state the later one holds, but what one source says of it side by side is several things.
    """
    if not is_record(claim.text, claim.slot) or not is_record(text, slot):
        return None
    is_one_source = claim.source_id is not None and claim.source_id in source_ids
    if is_one_source or not tell_of_one_state(claim.slot, slot):
        return ClaimRelation()
    is_same = normalised(claim.slot.value) == normalised(slot.value)
    return ClaimRelation(same=1.0, distinct=0.0) if is_same else ClaimRelation(update=1.0, distinct=0.0)
