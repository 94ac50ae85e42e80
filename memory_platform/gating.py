"""The gate: whether an extracted fact becomes an item, waits for review, or is thrown away, and why."""

from dataclasses import dataclass
from enum import StrEnum

from memory_platform.model import Fact, Verdict


class GateReason(StrEnum):
    """Stable codes stored with every verdict."""

    TOO_SHORT = "too_short"
    ARTEFACT = "artefact"
    TRANSCRIPT = "transcript"
    NOISE = "noise"
    QUESTION = "question"
    EXTRACTOR_DISCARDED = "extractor_discarded"
    EXTRACTOR_HELD = "extractor_held"
    AMBIGUOUS = "ambiguous"
    USEFUL = "useful"
    REFERENCE = "reference"
    MARKER = "marker"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """`score` is the usefulness 0..1 the verdict rests on; `detail` names the features that made it, never content."""

    verdict: Verdict
    reason: GateReason
    score: float
    detail: str = ""


def decide(
    fact: Fact, *, minimum_length: int = 12, allow_above: float = 0.7, discard_below: float = 0.3
) -> GateDecision:
    """Judge one fact; the defaults are Policy's gate_minimum_length, gate_allow_above and gate_discard_below."""
    raise NotImplementedError
