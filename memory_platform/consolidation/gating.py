"""The gate: whether an extracted fact becomes an item, waits for review, or is thrown away, and why."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.consolidation.claims import Reading, read
from memory_platform.model import Fact, Kind, Priority, Strength, Verdict


class GateReason(StrEnum):
    """Stable codes stored with every verdict."""

    TOO_SHORT = "too_short"
    ARTEFACT = "artefact"
    TRANSCRIPT = "transcript"
    QUESTION = "question"
    NOISE = "noise"
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


_ARTEFACT: Final = re.compile(
    r"^\W*(?:(?:add|insert|append|paste|put)\s+(?:this|the\s+following|it|after|before|below|above|at\s+the)\b"
    r"|(?:replace|delete|remove)\s+(?:this|the\s+(?:line|following|block|section|paragraph)|line|with|lines)\b"
    r"|replace\b.*\bwith\b|(?:old|new)_str\b|@@\s|\+\+\+\s|---\s|```|<\/?\w+>|here\s+is\s+the\s+(?:updated|revised|full)\b"
    r"|\[(?:insert|todo|placeholder)\b|as\s+an\s+ai\b|i'?(?:ll|\s+will)\s+(?:now\s+)?(?:help|update|check|look|fix)\b)",
    re.IGNORECASE,
)
_SPEAKER_LINE: Final = re.compile(
    r"^\s*(?:\[[^\]]*\]\s*)?(?:user|assistant|human|ai|system|tool|[A-Z]\w+)\s*:\s", re.MULTILINE
)
_REFERENCE: Final = re.compile(
    r"\bADR[-\s]?\d+\b|\bRFC\s?\d+\b|(?:^|[\s(`])(?:~|\.{1,2})?/(?:[\w.-]+/)*[\w.-]+|\b[\w-]+/[\w./-]+\.\w{1,5}\b"
    r"|\b[\w-]+\.(?:py|ts|js|go|rs|java|md|ya?ml|toml|json|sql|sh|lock|conf|ini|tf)\b"
    r"|`[^`]+`|(?:^|\s)(?:make|git|docker|kubectl|npm|pip|uv|cargo|helm|terraform|systemctl|curl|ssh|psql)\s+[a-z][\w-]*"
    r"|\s--[a-z][\w-]+",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(r"\?\s*$")
_NOISE: Final = re.compile(
    r"^\W*(?:(?:hi|hello|hey|thanks?(?:\s+you)?|thx|ok(?:ay)?|sure|great|nice|cool|wow|awesome|lol|haha|yes|yeah|yep|no|nope|"
    r"bye|good\s+(?:morning|night|evening|luck|point|idea)|sounds\s+good|got\s+it|no\s+problem|you're\s+welcome|of\s+course|"
    r"congrat\w*|take\s+care|see\s+you|talk\s+soon|well\s+done|same\s+here|me\s+too|i\s+see|i\s+agree|exactly|absolutely|right|"
    r"please|sorry|hmm+|oh|ah)\b[\s,.!]*)+(?:\w+[\s,.!]*){0,3}$",
    re.IGNORECASE,
)
_MARKER: Final = re.compile(r"^\s*\[MEMORY\b", re.IGNORECASE)
_VAGUE: Final = re.compile(
    r"^\W*(?:it|that|this|they|there|something|stuff|things?)\b(?:'s|\s+(?:is|was|are|were|seems?|looks?|sounds?|feels?|works?))",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|i\s+guess|not\s+sure|probably|somehow|kind\s+of|sort\s+of)\b", re.IGNORECASE
)
_DURABLE: Final = re.compile(
    r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|always|never|must|should|every|favou?rite|allergic|works?|lives?|uses?|owns?|"
    r"plans?|wants?|needs?|decided|chose|agreed|because|born|married|called|named|moved|started|studies|requires?|deadline|"
    r"policy|rule|default|limit|version|password|birthday|anniversary|goal|remember)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 1000
"""Characters; an atomic fact is a sentence or two, what is longer is a transcript or a document."""
_DURABLE_KINDS: Final = frozenset(
    {Kind.PREFERENCE, Kind.PROCEDURE, Kind.RULE, Kind.LESSON, Kind.INSIGHT, Kind.REFLECTION}
)
_PRIORITY: Final = {Priority.HIGH: 0.2, Priority.MEDIUM: 0.0, Priority.LOW: -0.15}
_STRENGTH: Final = {Strength.EXPLICIT: 0.1, Strength.IMPLIED: 0.0, Strength.INFERRED: -0.1}
_SUGGESTION: Final = {Verdict.ALLOW: 0.15, Verdict.HOLD: -0.1, Verdict.DISCARD: -0.3}


def decide(
    fact: Fact, *, minimum_length: int = 12, allow_above: float = 0.7, discard_below: float = 0.3
) -> GateDecision:
    """Judge one fact; the defaults are Policy's gate_minimum_length, gate_allow_above and gate_discard_below.

    Hard rules first (too short, artefact, transcript, question, noise). Then the usefulness: the extractor's, or else
    one added up from what makes a statement verifiable and durable. Above `allow_above` it is allowed, below
    `discard_below` discarded, between them held; a reference, path or command leans to allow.
    """
    text = fact.text.strip()
    if reason := _refusal(text, minimum_length):
        return GateDecision(Verdict.DISCARD, reason, 0.0)
    score, features = usefulness(fact)
    detail = " ".join(features)
    if "reference" in features and score >= discard_below:
        return GateDecision(Verdict.ALLOW, GateReason.REFERENCE, score, detail)
    if score > allow_above:
        return GateDecision(
            Verdict.ALLOW, GateReason.MARKER if "marker" in features else GateReason.USEFUL, score, detail
        )
    if score < discard_below:
        is_extractors = fact.suggestion is Verdict.DISCARD
        reason = GateReason.EXTRACTOR_DISCARDED if is_extractors else GateReason.NOISE
        return GateDecision(Verdict.DISCARD, reason, score, detail)
    reason = GateReason.EXTRACTOR_HELD if fact.suggestion is Verdict.HOLD else GateReason.AMBIGUOUS
    return GateDecision(Verdict.HOLD, reason, score, detail)


def usefulness(fact: Fact) -> tuple[float, tuple[str, ...]]:
    """How verifiable and useful a fact is, 0..1, and the names of the features that say so.

    The extractor's own `usefulness` replaces what rules add up; its `suggestion` moves either by −0.3, −0.1 or +0.15.
    """
    features = _features(fact)
    score = 0.35 + sum(features.values()) if fact.usefulness is None else fact.usefulness
    if fact.suggestion is not None:
        score += _SUGGESTION[fact.suggestion]
        features[f"suggested_{fact.suggestion}"] = 0.0
    if "marker" in features:
        score = max(score, 0.9)
    return round(min(1.0, max(0.0, score)), 4), tuple(features)


def _refusal(text: str, minimum_length: int) -> GateReason | None:
    if len(text) < minimum_length:
        return GateReason.TOO_SHORT
    if _ARTEFACT.search(text):
        return GateReason.ARTEFACT
    if len(text) > _LONGEST or len(_SPEAKER_LINE.findall(text)) > 1:
        return GateReason.TRANSCRIPT
    if _QUESTION.search(text):
        return GateReason.QUESTION
    return GateReason.NOISE if _NOISE.match(text) else None


def _features(fact: Fact) -> dict[str, float]:
    reading = read(fact.text, fact.entities)
    candidates = (
        ("marker", _MARKER.match(fact.quote) is not None, 0.4),
        ("reference", _REFERENCE.search(fact.text) is not None, 0.3),
        ("number", bool(reading.numbers), 0.15),
        ("name", _has_name(fact, reading), 0.15),
        ("subject", bool(reading.openers) and not _has_name(fact, reading), 0.12),
        ("durable", fact.kind in _DURABLE_KINDS or _DURABLE.search(fact.text) is not None, 0.3),
        ("event", fact.event_time is not None, 0.1),
        ("vague", _VAGUE.match(fact.text) is not None, -0.25),
        ("hedged", _HEDGE.search(fact.text) is not None, -0.2),
        ("thin", len(reading.content) < 3, -0.15),
        (f"priority_{fact.priority}", fact.priority is not Priority.MEDIUM, _PRIORITY[fact.priority]),
        (f"strength_{fact.strength}", fact.strength is not Strength.IMPLIED, _STRENGTH[fact.strength]),
    )
    return {name: weight for name, is_present, weight in candidates if is_present}


def _has_name(fact: Fact, reading: Reading) -> bool:
    return bool(fact.entities or fact.service or reading.names)
