"""The gate: whether an extracted fact becomes an item, waits for review, or is thrown away, and why."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.model import Fact, FiledBy, Mood, Verdict
from memory_platform.text.sentences import QUESTION_MARKS


class GateReason(StrEnum):
    """Stable codes stored with every verdict."""

    TOO_SHORT = "too_short"
    ARTEFACT = "artefact"
    TRANSCRIPT = "transcript"
    QUESTION = "question"
    NOISE = "noise"
    EXTRACTOR_DISCARDED = "extractor_discarded"
    EXTRACTOR_HELD = "extractor_held"
    UNSUPPORTED = "unsupported"
    AMBIGUOUS = "ambiguous"
    USEFUL = "useful"
    REFERENCE = "reference"
    MARKER = "marker"
    MARKER_CATEGORY_UNKNOWN = "marker_category_unknown"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """`score` is the usefulness 0..1 the verdict rests on; `detail` is the word that counted, if one did: content."""

    verdict: Verdict
    reason: GateReason
    score: float
    detail: str = ""


LONGEST: Final = 1000
"""Characters; an atomic fact is a sentence or two, what is longer is a transcript or a document."""
UNSTATED: Final = 0.75
"""Usefulness of a fact whose extractor states none: it would not have returned it for nothing."""
_ARTEFACT: Final = re.compile(r"\A\W*(?:(?:old|new)_str\b|@@\s|\+\+\+\s|---\s|```|</?\w+>)")
_SPEAKER_LINE: Final = re.compile(
    r"^\s*(?:\[[^\]]*\]\s*)?(?:user|assistant|human|ai|system|tool|[A-Z]\w+)\s*:\s", re.MULTILINE
)
_REFERENCE: Final = re.compile(
    r"\bADR[-\s]?\d+\b|\bRFC\s?\d+\b|(?:^|[\s(`])(?:~|\.{1,2})?/(?:[\w.-]+/)+[\w.-]+"
    r"|(?<![\w/-])[/-]*+\w[\w-]*+/[\w./-]+\.\w{1,5}\b|`[^`]+`"
)
_MARKER: Final = re.compile(r"\s*\[MEMORY\b(?P<category>:)?", re.IGNORECASE)
_VISIBLE: Final = re.compile(r"\w")


def decide(
    fact: Fact, *, minimum_length: int = 4, allow_above: float = 0.45, discard_below: float = 0.05
) -> GateDecision:
    """Judge one fact; the defaults are Policy's gate_minimum_length, gate_allow_above and gate_discard_below.

    Hard rules first (fewer letters and digits than `minimum_length`, artefact, transcript, question). A marker is
    allowed, and its reason tells of a category that there is not. Then the fact's usefulness: above `allow_above` it
    is allowed, below `discard_below` discarded, between them held; a reference or path leans to allow. What the
    extractor would hold is never allowed, what it would discard never kept. What names something its source does not
    say is held.
    """
    if reason := _refusal(fact, minimum_length):
        return GateDecision(Verdict.DISCARD, reason, 0.0)
    if marker := _MARKER.match(fact.quote):
        is_unknown = marker["category"] is not None and fact.filed_by is not FiledBy.GIVEN
        reason = GateReason.MARKER_CATEGORY_UNKNOWN if is_unknown else GateReason.MARKER
        return GateDecision(Verdict.ALLOW, reason, 0.9)
    score = round(UNSTATED if fact.usefulness is None else fact.usefulness, 4)
    verdict, reason = _weighed(fact, score, allow_above, discard_below)
    return GateDecision(verdict, reason, score, fact.unsupported if reason is GateReason.UNSUPPORTED else "")


def is_artefact(text: str) -> bool:
    """Whether a text is a piece of an edit, a patch or markup, and no statement."""
    return bool(_ARTEFACT.search(text))


def has_reference(text: str) -> bool:
    """Whether a text names a decision record, a standard, a path or a command in backticks."""
    return bool(_REFERENCE.search(text))


def visible_length(text: str) -> int:
    """How many letters and digits a text has."""
    return len(_VISIBLE.findall(text))


def _weighed(fact: Fact, score: float, allow_above: float, discard_below: float) -> tuple[Verdict, GateReason]:
    if fact.suggestion is Verdict.DISCARD:
        return Verdict.DISCARD, GateReason.EXTRACTOR_DISCARDED
    if score < discard_below:
        return Verdict.DISCARD, GateReason.NOISE
    if fact.unsupported or fact.suggestion is Verdict.HOLD:
        return Verdict.HOLD, GateReason.UNSUPPORTED if fact.unsupported else GateReason.EXTRACTOR_HELD
    if score > allow_above:
        return Verdict.ALLOW, GateReason.USEFUL
    if has_reference(fact.text):
        return Verdict.ALLOW, GateReason.REFERENCE
    return Verdict.HOLD, GateReason.AMBIGUOUS


def _refusal(fact: Fact, minimum_length: int) -> GateReason | None:
    text = fact.in_context.strip()
    if visible_length(text) < minimum_length:
        return GateReason.TOO_SHORT
    if is_artefact(fact.text):
        return GateReason.ARTEFACT
    if len(text) > LONGEST or len(_SPEAKER_LINE.findall(fact.text)) > 1:
        return GateReason.TRANSCRIPT
    return GateReason.QUESTION if fact.mood is Mood.QUESTION or fact.text.rstrip().endswith(QUESTION_MARKS) else None
