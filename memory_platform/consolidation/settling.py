"""What a repetition settles: a doubt or a contradiction between two items, of which somebody says one again."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Settlement(StrEnum):
    """REPLACED: the other side no longer holds. DISMISSED: both hold, the question is answered with no."""

    REPLACED = "replaced"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two, or the claim that repeats one: when it was (last) said, for which agent, by whom if named."""

    said_at: datetime
    author: UUID
    said_by: str = ""


def settle(
    claim: Side, repeated: Side, other: Side, *, repeats_newer: bool, is_contradiction: bool
) -> Settlement | None:
    """What follows for `other` from `claim`, which says what `repeated` says; None where it settles nothing.

    It settles only what was said before it, on both sides, and takes back only what its own speaker and agent said.
    Who says the newer again means it: the older is replaced. Who says the older again has not given it up, so what was
    only suspected of replacing it did not; but of two that cannot both be true the one said last holds.
    """
    if claim.said_at <= max(repeated.said_at, other.said_at) or not _speaks_for(claim, other):
        return None
    return Settlement.REPLACED if repeats_newer or is_contradiction else Settlement.DISMISSED


def _speaks_for(claim: Side, other: Side) -> bool:
    if claim.author != other.author:
        return False
    return not claim.said_by or not other.said_by or claim.said_by.casefold() == other.said_by.casefold()
