"""Operational memories: how a service runs, one state of it at a time, in the words of whoever observes it."""

from dataclasses import dataclass
from typing import Final

from memory_platform.consolidation.claims import normalised, numbers, tell_of_one_state
from memory_platform.model import ClaimRelation, RelationThresholds, Slot
from memory_platform.text.terms import terms

_SAME: Final = ClaimRelation(same=1.0, distinct=0.0)
_REPLACED: Final = ClaimRelation(update=1.0, distinct=0.0)


@dataclass(frozen=True, slots=True)
class ServiceObservation:
    """What somebody observed of a service, filed under an operational category."""

    service: str
    category: str
    text: str
    slot: Slot

    def is_of_one_state(self, other: "ServiceObservation") -> bool:
        """Whether both give one state of the service a value: the same slot, and the same words but for the value.

        "Takes 3 s to start" and "takes 5 minutes to deploy" are two states.
        """
        return (
            (self.service, self.category) == (other.service, other.category)
            and bool(self.slot.attribute and self.slot.value and other.slot.value)
            and tell_of_one_state(self.slot, other.slot)
            and self.frame == other.frame
        )

    def relation_to(self, other: "ServiceObservation", thresholds: RelationThresholds) -> ClaimRelation | None:
        """How the newer of the two relates to the older one; None where the words do not tell.

        What gives the state another number has replaced it. Other values a service may have several of (what it depends
        on), so that the older one is only put in doubt: between where `thresholds` doubt and where they close.
        """
        if not self.is_of_one_state(other):
            return None
        own, others = self.slot.value, other.slot.value
        if normalised(own) == normalised(others):
            return _SAME
        if not (numbers(own) and numbers(others)):
            probable = (thresholds.doubt + thresholds.close) / 2
            return ClaimRelation(update=probable, distinct=1 - probable)
        return _REPLACED if numbers(own) != numbers(others) else None

    @property
    def frame(self) -> frozenset[str]:
        """What it says beside the value."""
        return frozenset(terms(self.text).keys() - terms(self.slot.value).keys())
