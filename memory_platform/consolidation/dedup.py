"""Whether a claim says what a stored item already says, and what that is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_platform.consolidation.authority import are_one
from memory_platform.consolidation.claims import (
    Claim,
    Neighbour,
    deny_each_other,
    describe_different_things,
    differ_by_a_word,
    name_different_things,
    normalised,
    speak_of_different_people,
    stands_alone,
    state_different_numbers,
)
from memory_platform.model import Role


class DedupOutcome(StrEnum):
    NEW = "new"
    MERGE = "merge"


class DedupReason(StrEnum):
    """Stable codes; the first three belong to MERGE, the others say why nothing was merged."""

    SAME_WORDS = "same_words"
    PARAPHRASE = "paraphrase"
    SAME_SOURCE = "same_source"
    NO_NEIGHBOUR = "no_neighbour"
    NOT_SURE = "not_sure"
    CLOSED = "closed"
    NUMBERS_DIFFER = "numbers_differ"
    PEOPLE_DIFFER = "people_differ"
    THINGS_DIFFER = "things_differ"
    DENIED = "denied"
    WORD_DIFFERS = "word_differs"


class Reinforcement(StrEnum):
    """What a merge does to its target.

    OTHER_SOURCE: another person or document says so too: confidence +0.1, one more ItemSource. REPEATED: the same one,
    or nobody that is known to be another, says it again: one more ItemSource, in the same session +0.05.
    FRESHER_WORDING: the same one in other words in the same session: a new item supersedes the target and inherits its
    confidence + 0.05 and its sources. NONE: the same source again, a closed item, or an assistant, which may quote what
    it was told: confidence stays.
    """

    NONE = "none"
    OTHER_SOURCE = "other_source"
    REPEATED = "repeated"
    FRESHER_WORDING = "fresher_wording"


@dataclass(frozen=True, slots=True)
class DedupDecision:
    """`target` is the item to merge into (None when NEW); `delta` is added to its effective confidence, capped at 1.

    When NEW, `reason` tells about the nearest neighbour and `cosine` is its cosine.
    """

    outcome: DedupOutcome
    reason: DedupReason
    target: UUID | None = None
    reinforcement: Reinforcement = Reinforcement.NONE
    delta: float = 0.0
    cosine: float | None = None


_MERGES = frozenset({DedupReason.SAME_WORDS, DedupReason.PARAPHRASE})


def decide(
    claim: Claim,
    neighbours: Sequence[Neighbour],
    *,
    merge_from: float,
    other_source: float = 0.1,
    same_session: float = 0.05,
    other_session: float = 0.0,
) -> DedupDecision:
    """Find the item the claim repeats, whatever the order of `neighbours`.

    A merge needs the same normalised words, or `same` ≥ `merge_from` with numbers, people and identifiers that
    agree. A closed neighbour takes a merge only from a claim said before it was closed, and is then not
    reinforced. The deltas are Policy's reinforce_other_source and reinforce_same_session; `other_session` is what
    the same one adds in another session: of an operational memory Policy's operational_gain.
    """
    ranked = sorted(neighbours, key=_preference)
    if not ranked:
        return DedupDecision(DedupOutcome.NEW, DedupReason.NO_NEIGHBOUR)
    verdicts = [(neighbour, compare(claim, neighbour, merge_from=merge_from)) for neighbour in ranked]
    for neighbour, reason in verdicts:
        if reason in _MERGES:
            reinforcement, delta = _reinforcement(
                claim,
                neighbour,
                reason,
                other_source=other_source,
                same_session=same_session,
                other_session=other_session,
            )
            is_repeated = claim.source_id in neighbour.source_ids
            why = DedupReason.SAME_SOURCE if is_repeated else reason
            return DedupDecision(DedupOutcome.MERGE, why, neighbour.id, reinforcement, delta, neighbour.cosine)
    nearest, reason = max(verdicts, key=lambda pair: pair[0].cosine)
    return DedupDecision(DedupOutcome.NEW, reason, cosine=nearest.cosine)


def repeated(claim: Claim, neighbours: Sequence[Neighbour], *, merge_from: float) -> frozenset[UUID]:
    """Every open item the claim says again: the one it merges into, and those it might have merged into as well."""
    return frozenset(n.id for n in neighbours if n.is_open and compare(claim, n, merge_from=merge_from) in _MERGES)


def compare(claim: Claim, neighbour: Neighbour, *, merge_from: float) -> DedupReason:
    """SAME_WORDS or PARAPHRASE when the two say the same, else what speaks against it."""
    against = (
        (DedupReason.CLOSED, not neighbour.is_open and not _was_open(claim, neighbour)),
        (DedupReason.PEOPLE_DIFFER, speak_of_different_people(claim, neighbour)),
        (DedupReason.SAME_WORDS, _are_same_words(claim, neighbour)),
        (DedupReason.NOT_SURE, neighbour.relation is None or neighbour.relation.same < merge_from),
        (DedupReason.NUMBERS_DIFFER, state_different_numbers(claim.text, neighbour.text)),
        (DedupReason.THINGS_DIFFER, _speak_of_different_things(claim, neighbour)),
        (DedupReason.DENIED, deny_each_other(claim, neighbour)),
        (DedupReason.WORD_DIFFERS, differ_by_a_word(claim.text, neighbour.text)),
    )
    return next((reason for reason, holds in against if holds), DedupReason.PARAPHRASE)


def _are_same_words(claim: Claim, neighbour: Neighbour) -> bool:
    """Whether both say the same in their context; what once leant on nothing needs none the other time, either."""
    if normalised(claim.in_context) == normalised(neighbour.in_context):
        return True
    stood_alone = not (claim.lead_in and neighbour.lead_in) and stands_alone(claim.slot)
    return stood_alone and normalised(claim.text) == normalised(neighbour.text)


def _speak_of_different_things(claim: Claim, neighbour: Neighbour) -> bool:
    return name_different_things(claim, neighbour) or describe_different_things(claim, neighbour)


def _preference(neighbour: Neighbour) -> tuple[bool, float, object, str]:
    """Open before closed, nearest first, then the oldest (it has the history), then by id so that ties are stable."""
    return (not neighbour.is_open, -neighbour.cosine, neighbour.said_at, str(neighbour.id))


def _was_open(claim: Claim, neighbour: Neighbour) -> bool:
    return neighbour.valid_until is not None and claim.said_at < neighbour.valid_until


def _reinforcement(
    claim: Claim,
    neighbour: Neighbour,
    reason: DedupReason,
    *,
    other_source: float,
    same_session: float,
    other_session: float,
) -> tuple[Reinforcement, float]:
    is_same_source = claim.source_id is not None and claim.source_id in neighbour.source_ids
    if claim.role is Role.ASSISTANT or is_same_source or not neighbour.is_open:
        return Reinforcement.NONE, 0.0
    if claim.author != neighbour.author or not any(are_one(claim.voice, voice) for voice in neighbour.voices):
        return Reinforcement.OTHER_SOURCE, other_source
    if claim.session_id is not None and claim.session_id == neighbour.session_id:
        is_fresher = reason is DedupReason.PARAPHRASE and claim.said_at >= neighbour.said_at
        return Reinforcement.FRESHER_WORDING if is_fresher else Reinforcement.REPEATED, same_session
    return Reinforcement.REPEATED, other_session
