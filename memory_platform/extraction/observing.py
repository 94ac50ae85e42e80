"""What an utterance asserts, as facts that stand alone, and why each other sentence was left out. Rules, English."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memory_platform.extraction import courtesies, referents
from memory_platform.extraction.classify import category_of, kind_of, known_category, priority_of
from memory_platform.extraction.informativeness import Chatter, chatter_of, informativeness
from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.extraction.speakers import name_speakers
from memory_platform.extraction.strength import strength_of
from memory_platform.knowledge import entities
from memory_platform.model import CategoryRule, Dropped, Fact, Kind, Observation, Role, Strength, Utterance
from memory_platform.text import temporal
from memory_platform.text.sentences import Span, clauses, conjuncts, sentences
from memory_platform.text.terms import ROLE_NAMES


class DropReason(StrEnum):
    """Stable codes of Dropped.reason."""

    QUESTION = "question"
    GREETING = "greeting"
    FILLER = "filler"
    REACTION = "reaction"
    INSTRUCTION_ARTEFACT = "instruction_artefact"
    TOO_SHORT = "too_short"
    NOT_INFORMATIVE = "not_informative"


MARKER_CONFIDENCE: Final = 0.7
KEEP_ABOVE: Final = 0.45
"""Informativeness below which a sentence is dropped: bench/extraction.py prints what each threshold keeps."""
ALLOWED_FROM: Final = 0.705
"""Usefulness of the least of what is kept: just above the gate's default for allowing."""
_NAMED_REFERENT: Final = 0.15
"""What a pronoun whose owner is known adds: the sentence goes on about somebody the talk is about."""
_ASSISTANT_KEEPS_ABOVE: Final = 0.5
_SHARED_IMAGE: Final = 0.35
"""An image's caption is held, not allowed: it says what was shown, seldom what is so."""
_SHORTEST_WORDS: Final = 3
_REASONS: Final = {
    Chatter.QUESTION: DropReason.QUESTION,
    Chatter.GREETING: DropReason.GREETING,
    Chatter.THANKS: DropReason.FILLER,
    Chatter.WISH: DropReason.FILLER,
    Chatter.INVITATION: DropReason.FILLER,
    Chatter.COMPLIMENT: DropReason.REACTION,
    Chatter.REACTION: DropReason.REACTION,
}
_ROLE_PHRASES: Final = {Role.ASSISTANT: "The assistant", Role.TOOL: "The tool", Role.SYSTEM: "The system"}

_MARKER: Final = re.compile(
    r"\[MEMORY:(?P<category>[^:\]\n]{1,60})(?::(?P<service>[^\]\n]{0,60}))?\][ \t]*"
    r"(?P<text>[^\n]+?)(?=\s*(?:\[MEMORY:|\n|\Z))",
    re.IGNORECASE,
)
_CAPTION: Final = re.compile(r"\[(?:shares|shared)\s+(?P<what>[^\]]{3,400})\]", re.IGNORECASE)
_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ARTEFACT: Final = re.compile(
    r"\A\W*(?:(?:please|now|then|next|also|just|ok(?:ay)?,?|could you|can you)\s+)*"
    r"(?:(?:add|insert|append|paste|put|move)\s+(?:this|that|the\s+following|it|after|before|below|above|at\s+the|to\s+the|a\s+\w+\s+(?:after|before))\b"
    r"|replace\b|(?:delete|remove)\s+(?:this|the)\b|(?:rewrite|rephrase|shorten|summari[sz]e|translate|reformat|proofread|continue|fix\s+the\s+typo)\b"
    r"|(?:write|generate|give|show|list|explain|tell)\s+(?:me|us|a|an|the|some)\b|use\s+this\s+(?:text|version)\b|here\s+is\s+the\s+(?:updated|revised|full)\b)",
    re.IGNORECASE,
)
_ASSISTANT_TALK: Final = re.compile(
    r"\b(?:i|i'm|i’m)\s+(?:will|can|could|would|may|might|am|understand|see|recommend|suggest|think)\b|\bI['’](?:ll|d|m)\b|\byou\s+(?:can|could|may|might|should|want|need)\b"
    r"|\A(?:here|let|feel free|sure|certainly|consider|try|make sure|ensure|remember|happy to|to\s+\w+)\b|\byour?\b",
    re.IGNORECASE,
)
_DECIDED: Final = re.compile(
    r"\b(?:decided|agreed|confirmed|fixed|deployed|created|updated|scheduled|booked|changed|merged)\b"
)


@dataclass(frozen=True, slots=True)
class _Scene:
    """Who speaks to whom, and what was said just before: what a pronoun may stand for."""

    utterance: Utterance
    speaker: str
    addressee: str | None
    names: tuple[str, ...]
    before: tuple[str, ...]
    categories: tuple[CategoryRule, ...]


def observe(
    utterance: Utterance, *, earlier: Sequence[Utterance] = (), categories: Sequence[CategoryRule] = ()
) -> Observation:
    """Facts and dropped sentences of one utterance; `earlier` are the messages before it, oldest first."""
    scene = _scene(utterance, earlier, categories)
    facts: list[Fact] = []
    dropped: list[Dropped] = []
    for found in _read(scene):
        if isinstance(found, Fact):
            facts.append(found)
        else:
            dropped.append(found)
    narrative = " ".join(fact.text for fact in facts)
    return Observation(utterance.resource_id, tuple(facts), tuple(dropped), narrative)


def _scene(utterance: Utterance, earlier: Sequence[Utterance], categories: Sequence[CategoryRule]) -> _Scene:
    names = {said.speaker for said in (*earlier, utterance) if said.speaker and is_name(said.speaker)}
    others = [said.speaker for said in reversed(earlier) if said.speaker in names and said.speaker != utterance.speaker]
    speaker = utterance.speaker if utterance.speaker in names else None
    return _Scene(
        utterance,
        speaker or _ROLE_PHRASES.get(utterance.role, "The user"),
        next(iter(others), None),
        tuple(sorted(names)),
        tuple(said.text for said in earlier[-3:]),
        tuple(categories),
    )


def is_name(speaker: str) -> bool:
    """Whether a speaker label names somebody, rather than a role."""
    return speaker.strip().casefold() not in ROLE_NAMES


def _read(scene: _Scene) -> Iterator[Fact | Dropped]:
    text = scene.utterance.text
    yield from (_marked(match, scene) for match in _MARKER.finditer(text))
    yield from (_shared(match, scene) for match in _CAPTION.finditer(text))
    prose = text
    for pattern in (_MARKER, _CAPTION, _CODE):
        # Blanked, not cut: spans keep pointing into the message.
        prose = pattern.sub(lambda match: "\n".ljust(len(match[0])), prose) if pattern.search(prose) else prose
    said: list[str] = []
    for sentence in sentences(prose):
        yield from _sentence(sentence, scene, said)
        said.append(sentence.text)


def _marked(match: re.Match[str], scene: _Scene) -> Fact:
    text = match["text"].strip()
    category = known_category(match["category"], scene.categories) if scene.categories else match["category"].strip()
    is_rule = category == "rules-conventions" or kind_of(text) is Kind.RULE
    return Fact(
        text=text,
        quote=match[0],
        kind=Kind.RULE if is_rule else Kind.FACT,
        category=category or category_of(text, scene.categories),
        priority=priority_of(text, informativeness=0.9),
        entities=entities.entity_names(text, known=scene.names),
        service=(match["service"] or "").strip() or None,
        confidence=MARKER_CONFIDENCE,
    )


def _shared(match: re.Match[str], scene: _Scene) -> Fact:
    what = match["what"].strip()
    text = f"{scene.speaker} shared: {what}."
    return Fact(
        text=text,
        quote=match[0],
        category=category_of(what, scene.categories),
        strength=Strength.IMPLIED,
        priority=priority_of(what, informativeness=_SHARED_IMAGE),
        entities=(scene.speaker,) if scene.speaker in scene.names else (),
        usefulness=_SHARED_IMAGE,
    )


def _sentence(sentence: Span, scene: _Scene, said: Sequence[str]) -> Iterator[Fact | Dropped]:
    if _ARTEFACT.match(sentence.text):
        yield Dropped(sentence.text, DropReason.INSTRUCTION_ARTEFACT)
        return
    bare = courtesies.bare(sentence.text, scene.names)
    if not bare.strip(" ,.!?:;)("):
        is_greeting = re.match(r"\W*(?:hi|hey|hello|good (?:morning|evening)|bye)\b", sentence.text, re.IGNORECASE)
        yield Dropped(sentence.text, DropReason.GREETING if is_greeting else DropReason.FILLER)
        return
    if (chatter := chatter_of(bare)) is not None:
        yield Dropped(sentence.text, _REASONS[chatter])
        return
    earlier = list(said)
    parts = clauses(bare)
    for part in parts:
        for clause in conjuncts(part):
            quote = _quote(part, sentence, parts)
            chatter = chatter_of(clause) if len(parts) > 1 else None
            yield Dropped(quote, _REASONS[chatter]) if chatter else _clause(clause, quote, scene, earlier)
        earlier.append(part)


def _quote(clause: str, sentence: Span, clauses_of_it: Sequence[str]) -> str:
    """The clause as the message has it, or the whole sentence where taking courtesies out changed it."""
    return clause if len(clauses_of_it) > 1 and clause in sentence.text else sentence.text


def _clause(clause: str, quote: str, scene: _Scene, said: Sequence[str]) -> Fact | Dropped:
    if len(clause.split()) < _SHORTEST_WORDS:
        return Dropped(quote, DropReason.TOO_SHORT)
    asserted = _REQUEST_TO_REMEMBER.sub("", clause)
    referred = referents.resolve(asserted, said=said, before=scene.before, speaker=scene.speaker, names=scene.names)
    score = min(1.0, informativeness(referred).score + (_NAMED_REFERENT if referred != asserted else 0.0))
    is_told = score >= KEEP_ABOVE and _is_kept_of_assistant(referred, score, scene)
    if not is_told or _ONLY_A_SECRET.search(referred):
        return Dropped(quote, DropReason.NOT_INFORMATIVE)
    return _fact(referred, quote, score, scene)


def _is_kept_of_assistant(text: str, score: float, scene: _Scene) -> bool:
    if scene.utterance.role is not Role.ASSISTANT:
        return True
    return score >= _ASSISTANT_KEEPS_ABOVE and (_DECIDED.search(text) is not None or not _ASSISTANT_TALK.search(text))


def _fact(referred: str, quote: str, score: float, scene: _Scene) -> Fact:
    strength = strength_of(referred)
    named = _standing(name_speakers(referred, speaker=scene.speaker, addressee=scene.addressee), scene)
    when = temporal.resolve(named, scene.utterance.said_at)
    text = _OPENING_DATE.sub(r"\1, ", when.text)
    return Fact(
        text=text,
        quote=quote,
        kind=kind_of(referred),
        category=category_of(text, scene.categories),
        strength=strength,
        sentiment=sentiment_of(referred),
        priority=priority_of(referred, informativeness=score),
        entities=entities.entity_names(named, known=scene.names),
        event_time=when.event_time,
        usefulness=_usefulness(score, strength),
    )


def _usefulness(score: float, strength: Strength) -> float:
    """What is kept and said outright is worth allowing; what is hedged or inferred the gate weighs as it is."""
    if strength is not Strength.EXPLICIT:
        return score
    return ALLOWED_FROM + (1.0 - ALLOWED_FROM) * (score - KEEP_ABOVE) / (1.0 - KEEP_ABOVE)


_OPENING_DATE: Final = re.compile(r"\A((?:On|In|At)\s[^,.]{0,24}\b\d{4})\s(?=[A-Z])")
_REQUEST_TO_REMEMBER: Final = re.compile(
    r"[,;–—-]?\s*(?:so\s+)?please\s+(?:remember|note|keep|don['’]t forget)\b.*\Z", re.IGNORECASE
)
_ONLY_A_SECRET: Final = re.compile(r"(?:\b(?:is|are|was)|[:=])\s*\[redacted:", re.IGNORECASE)
_ELLIPTIC: Final = re.compile(r"\A(?:just|recently|finally|already|still|also)?\s*(?P<verb>[A-Za-z]+)\b", re.IGNORECASE)
_ELLIPTIC_VERBS: Final = frozenset(
    [
        "went",
        "got",
        "took",
        "made",
        "saw",
        "met",
        "bought",
        "found",
        "started",
        "finished",
        "tried",
        "visited",
        "joined",
        "moved",
        "signed",
        "decided",
        "spent",
        "gonna",
        "been",
        "working",
        "planning",
        "thinking",
        "looking",
        "trying",
        "hoping",
        "feeling",
        "had",
        "did",
        "won",
        "lost",
        "came",
        "learned",
        "read",
        "wrote",
        "loved",
    ]
)
_PARTICIPLES: Final = re.compile(
    r"\A(?:gonna|working|planning|thinking|looking|trying|hoping|feeling)\Z", re.IGNORECASE
)
_DEPENDENT: Final = re.compile(r"\A(?:it|that|this|these|those|they|he|she|there|his|her|their|its)\b", re.IGNORECASE)


def _standing(text: str, scene: _Scene) -> str:
    """A capital, a full stop, the subject a clipped sentence leaves out, and whose words it is if nothing says so."""
    text = text.strip().rstrip(",;:–—- ")
    elliptic = _ELLIPTIC.match(text)
    if elliptic and elliptic["verb"].casefold() in _ELLIPTIC_VERBS and text[:1].isupper():
        verb = elliptic["verb"].casefold()
        joint = " is " if _PARTICIPLES.match(verb) else " has " if verb == "been" else " "
        text = f"{scene.speaker}{joint}{text[:1].lower()}{text[1:]}"
        text = text.replace(" is gonna", " is going to")
    elif _DEPENDENT.match(text) and scene.speaker not in text:
        text = f"{scene.speaker} says {text[:1].lower()}{text[1:]}"
    text = text[:1].upper() + text[1:] if not re.match(r"\w*_|https?:|[\w.-]*/", text) else text
    return text if text.endswith((".", "!", "?", '"', "”", "…", ")", "`")) else f"{text}."
