"""What an utterance says that may last, clause by clause, and why each other clause was left out.

A passage is an utterance made ready to be read; a reader parses its prose, an appraiser says what each clause is worth,
and `observation` puts the two together. Nothing here rewrites what was said: a fact's text is the speaker's clause.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from memory_platform.extraction import naming
from memory_platform.extraction.classify import category_of, known_category
from memory_platform.extraction.clauses import Clause, clauses
from memory_platform.extraction.endings import names_what_was_stopped
from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.extraction.slots import slot_of, slot_of_entry
from memory_platform.knowledge.attribution import speaking
from memory_platform.model import (
    NO_SLOT,
    Appraisal,
    CategoryRule,
    Dropped,
    Fact,
    FiledBy,
    Kind,
    Mood,
    Observation,
    Priority,
    Role,
    Slot,
    Standing,
    Strength,
    Utterance,
    Verdict,
)
from memory_platform.ports import ClauseInContext
from memory_platform.text import secret, structure, times
from memory_platform.text.languages import language_of
from memory_platform.text.parse import Parse
from memory_platform.text.quotations import may_quote
from memory_platform.text.quoting import Quoted, quoted
from memory_platform.text.records import RecordEntry
from memory_platform.text.sentences import LONGEST_SENTENCE, QUESTION_MARKS, sentences, stretches
from memory_platform.text.structure import Structured
from memory_platform.text.terms import is_name
from memory_platform.text.times import Resolved


class DropReason(StrEnum):
    """Stable codes of Dropped.reason beside those an appraiser gives."""

    INJECTION = "injection"
    MARKER_NOT_TRUSTED = "marker_not_trusted"
    SECRET = "secret"  # noqa: S105  why, not what
    TOO_LONG = "too_long"
    QUESTION = "question"
    ECHO = "echo"
    UNMENTIONED = "unmentioned"
    TOO_MANY = "too_many"
    MEMORY_REQUEST = "memory_request"
    NOTHING_SAID = "nothing_said"


MARKER_CONFIDENCE: Final = 0.7
LONGEST_CLAUSE: Final = 400
"""Characters; what no grammar splits into less is a list, a log or a document, and stays an episode."""
LONGEST_STRETCH: Final = 300
"""Characters in which what is longer is judged and told of: as much as a judge looks at."""
MOST_CLAUSES: Final = 40
"""Clauses appraised of one message, the first of it; the rest stays searchable as the episode."""
MOST_MARKERS: Final = 100
"""Markers of one message that command, the first of it."""
DROP_BELOW: Final = 0.05
"""Worth below which a clause is not even shown to the gate."""
INJECTION_FROM: Final = 0.5
HIGH_FROM: Final = 0.9
LOW_BELOW: Final = 0.5
_ELLIPTIC_WORDS: Final = 6
_LONGEST_LEAD_IN: Final = 160
_TRUSTED: Final = frozenset({Role.USER})

_MARKER: Final = re.compile(
    r"\[MEMORY:(?P<category>[^:\]\n]{1,60})(?::(?P<service>[^\]\n]{0,60}))?\][ \t]*"
    r"(?P<text>(?:[^\n\[]|\[(?!MEMORY:))+(?<!\s)|[^\n\[])",
    re.IGNORECASE,
)
_SECRET_ALONE: Final = re.compile(r"[:=]\s*\[redacted:|\A\W*\[redacted:[^\]]*\]\W*\Z", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Passage:
    """An utterance ready to be read: `prose` is its text with markers, code, entries and quoted memories blanked,
    `lead_in` what it leans on, `left` what of a structured text is too long or too much to be read.
    """

    utterance: Utterance
    prose: str
    lead_in: str
    before: Utterance | None
    markers: tuple[re.Match[str], ...]
    entries: tuple[RecordEntry, ...] = ()
    left: tuple[RecordEntry, ...] = ()
    quotes: tuple[Quoted, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found in a passage: its clauses, entries of structured text among them, and the parse.

    Behind the clauses that may be kept come stretches of what is too long; `unread` is what nobody judges, `records`
    what records state beyond the entries, `marks` the parses of what the markers say (`said_by_markers`).
    """

    passage: Passage
    parse: Parse
    clauses: tuple[Clause, ...]
    unread: tuple[Clause, ...] = field(default=())
    marks: tuple[Parse, ...] = ()

    @property
    def records(self) -> list[Clause]:
        return [_of_entry(entry, self.passage) for entry in self.passage.left if not entry.is_prose]

    @property
    def in_context(self) -> list[ClauseInContext]:
        return [self._in_context(clause) for clause in self.clauses]

    def _in_context(self, clause: Clause) -> ClauseInContext:
        """A record is judged by itself: an order in another field of the print is not its own."""
        said, before = self.passage.utterance, self.passage.before
        if _is_record(clause):
            return ClauseInContext(clause.text, said.role, clause.text)
        return ClauseInContext(
            clause.text, said.role, said.text, before.text if before else "", before.role if before else None
        )


@dataclass(frozen=True, slots=True)
class Talk:
    """What holds for a whole talk: the tenant's categories, who speaks, and whether "3/5" is a day of May."""

    categories: tuple[CategoryRule, ...] = ()
    speakers: tuple[str, ...] = ()
    day_first: bool = True


NOBODY_KNOWN: Final = Talk()


def passage(utterance: Utterance, earlier: Sequence[Utterance] = ()) -> Passage:
    """Make an utterance ready; `earlier` are the messages before it, oldest first.

    What a tool reports between a question and its answer parts them not.
    """
    before = next((one for one in reversed(earlier) if one.role is not Role.TOOL), None)
    quotes = tuple(quoted(utterance.text))
    text = _without(utterance.text, ((each.start, each.end) for each in quotes))
    is_typed = utterance.role is Role.USER
    found = Structured(structure.blanked(text)) if is_typed else structure.taken_apart(text)
    markers = markers_in(text if is_typed else found.prose)
    prose = _without(found.prose, map(re.Match.span, markers))
    lead_in = "" if found.entries else lead_in_of(utterance, before)
    return Passage(utterance, prose, lead_in, before, markers, found.entries, found.left, quotes)


def language_of_talk(said: Iterable[Utterance]) -> str:
    """The ISO 639-1 code of a talk's language, as people tell it: the words of tools may be in any."""
    return language_of("\n".join(one.text for one in said if one.role is not Role.TOOL))


def spoken(passage: Passage) -> str:
    """The text with code, markers and quoted memories blanked, whatever a machine wrote of it left in its place."""
    text = _without(structure.blanked(passage.utterance.text), ((each.start, each.end) for each in passage.quotes))
    return _without(text, map(re.Match.span, markers_in(text)))


def markers_in(text: str) -> tuple[re.Match[str], ...]:
    return tuple(_MARKER.finditer(text)) if "[" in text else ()


def unmarked(text: str) -> str:
    """The text as it is shown: without the heads of its markers."""
    return _MARKER.sub(r"\g<text>", text) if "[" in text else text


def is_overlong(text: str) -> bool:
    """Whether nothing a user says in it can be learnt: it has sentences, and all are longer than a reader parses."""
    said = sentences(structure.blanked(text))
    return bool(said) and not markers_in(text) and all(len(one.text) > LONGEST_SENTENCE for one in said)


def _without(prose: str, spans: Iterable[tuple[int, int]]) -> str:
    """The prose with what lies in the spans blanked."""
    parts, done = [], 0
    for start, end in spans:
        parts += [prose[done:start], re.sub(r"[^\n]", " ", prose[start:end])]
        done = end
    return "".join([*parts, prose[done:]])


def is_brief(text: str) -> bool:
    """Whether a message has so few words that it may say nothing without the one before."""
    return len(text.split()) < _ELLIPTIC_WORDS


def lead_in_of(utterance: Utterance, before: Utterance | None) -> str:
    """The end of the message before, if this one answers it or is too short to be understood alone.

    Of a user and an assistant that nobody names, most of whose messages end with an offer, only a brief one answers.
    """
    if before is None or (before.role, before.speaker) == (utterance.role, utterance.speaker):
        return ""
    words = before.text.rstrip()
    asks, brief = words.endswith(QUESTION_MARKS), is_brief(utterance.text)
    if not (asks or brief) or (before.speaker == utterance.speaker and not (asks and brief)):
        return ""
    last = [part for part in _SENTENCE_END.split(words) if part.strip()][-1:]
    return " ".join(last[0].split())[-_LONGEST_LEAD_IN:] if last else ""


def read(passage: Passage, parse: Parse, marks: Sequence[Parse] = ()) -> Reading:
    """Split the parsed prose of a passage into clauses, at most MOST_CLAUSES with the entries, which come first."""
    found = (*(_of_entry(entry, passage) for entry in passage.entries), *clauses(parse))
    kept = [one for one in found[:MOST_CLAUSES] if len(one.text) <= LONGEST_CLAUSE]
    long = [one.text for one in found[:MOST_CLAUSES] if len(one.text) > LONGEST_CLAUSE]
    long += [entry.in_context for entry in passage.left if entry.is_prose]
    unread = [one.text for one in found[MOST_CLAUSES:]]
    unread.append("\n".join(entry.in_context for entry in passage.left if not entry.is_prose))
    return Reading(
        passage,
        parse,
        (*kept, *(piece for text in long for piece in _stretches(text, parse))),
        tuple(piece for text in unread for piece in _stretches(text, parse)),
        tuple(marks),
    )


def _stretches(text: str, parse: Parse) -> Iterator[Clause]:
    for span in stretches(text, LONGEST_STRETCH):
        yield Clause(span.text, span.start, parse.language, is_left=True)


def _of_entry(entry: RecordEntry, passage: Passage) -> Clause:
    return Clause(entry.text, passage.utterance.text.find(entry.quote), language="", entry=entry)


def observation(
    reading: Reading,
    appraisals: Sequence[Appraisal],
    *,
    talk: Talk = NOBODY_KNOWN,
) -> Observation:
    """Put a reading and what its clauses are worth together."""
    facts: list[Fact] = []
    dropped: list[Dropped] = []
    for found in _found(reading, appraisals, talk):
        if isinstance(found, Fact):
            facts.append(found)
        else:
            dropped.append(found)
    narrative = " ".join(fact.text for fact in facts)
    return Observation(reading.passage.utterance.resource_id, tuple(facts), tuple(dropped), narrative)


def _found(reading: Reading, appraisals: Sequence[Appraisal], talk: Talk) -> Iterator[Fact | Dropped]:
    yield from echoes(reading.passage)
    yield from commanded(reading.passage, language=reading.parse.language, talk=talk, parses=reading.marks)
    for clause, appraisal in zip(reading.clauses, appraisals, strict=True):
        reason = reason_to_drop(clause, appraisal) or _says_nothing(clause, reading)
        if reason is not None:
            yield Dropped(clause.text[:LONGEST_CLAUSE], reason)
        else:
            yield fact(clause, appraisal, reading, talk)
    for clause in reading.unread:
        yield Dropped(clause.text, reason_left(clause.text))


def reason_to_drop(clause: Clause, appraisal: Appraisal) -> str | None:
    """Why a clause is left out; None: it is not."""
    if clause.is_left:
        return reason_left(clause.text, appraisal.injection)
    if (barred := reason_barred(clause)) is not None:
        return barred
    if appraisal.injection >= INJECTION_FROM:
        return DropReason.INJECTION
    return appraisal.dropped_as if appraisal.worth < DROP_BELOW and not _is_record(clause) else None


def _says_nothing(clause: Clause, reading: Reading) -> DropReason | None:
    """What greets or agrees says something only where it answers: "Do you eat meat?" – "Never."."""
    is_answer = clause.says_nothing and _lead_in(clause, reading).endswith(QUESTION_MARKS)
    return DropReason.NOTHING_SAID if clause.says_nothing and not is_answer else None


def reason_barred(clause: Clause) -> str | None:
    """What of its form keeps a clause from being learnt, whatever it is worth; None: nothing does."""
    if clause.is_left:
        return None
    if clause.mood is Mood.QUESTION:
        return DropReason.QUESTION
    if clause.asks_of_memory:
        return DropReason.MEMORY_REQUEST
    if len(clause.text) > LONGEST_CLAUSE:
        return DropReason.TOO_LONG
    if clause.entry is not None and _MARKER.search(clause.text):
        return DropReason.MARKER_NOT_TRUSTED
    is_secret = _SECRET_ALONE.search(clause.text) or (clause.entry is not None and secret.MARK in clause.text)
    return DropReason.SECRET if is_secret else None


def reason_left(text: str, injection: float = 0.0) -> str:
    """Why a stretch of what is too long is left out: what it tries, if it tries something."""
    if _MARKER.search(text):
        return DropReason.MARKER_NOT_TRUSTED
    if secret.MARK in text:
        return DropReason.SECRET
    return DropReason.INJECTION if injection >= INJECTION_FROM else DropReason.TOO_LONG


def echoes(passage: Passage) -> Iterator[Dropped]:
    """The memories it quotes."""
    for quote in passage.quotes:
        yield Dropped(quote.text[:LONGEST_CLAUSE], DropReason.ECHO)


def said_by_markers(passage: Passage) -> list[str]:
    """What its markers say, in their order; nothing where who speaks may not command, so that nobody reads it."""
    is_trusted = passage.utterance.role in _TRUSTED
    return [_said_by(marker) for marker in passage.markers[:MOST_MARKERS]] if is_trusted else []


def commanded(passage: Passage, *, language: str, talk: Talk, parses: Sequence[Parse] = ()) -> Iterator[Fact | Dropped]:
    """What its markers have to be remembered; `parses` are those of what they say."""
    for marker, parse in zip_longest(passage.markers[:MOST_MARKERS], parses):
        yield marked(marker, passage.utterance, language=language, talk=talk, parse=parse)
    for marker in passage.markers[MOST_MARKERS:]:
        yield Dropped(marker[0][:LONGEST_CLAUSE], DropReason.TOO_MANY)


def _said_by(marker: re.Match[str]) -> str:
    return marker["text"].strip()


def marked(
    marker: re.Match[str], said: Utterance, *, language: str, talk: Talk, parse: Parse | None = None
) -> Fact | Dropped:
    """A `[MEMORY:category:service] text` of the user's; anybody else's is content and commands nothing.

    `parse` is that of its text: what is one clause has the clause's slot and dates.
    """
    text = _said_by(marker)
    if said.role not in _TRUSTED:
        return Dropped(marker[0], DropReason.MARKER_NOT_TRUSTED)
    category = known_category(marker["category"], talk.categories) if talk.categories else marker["category"].strip()
    stated = clauses(parse) if parse else ()
    clause = stated[0] if len(stated) == 1 else None
    when = _when(clause, said, talk) if clause is not None and clause.text == text else Resolved(text, None)
    return Fact(
        text=when.text,
        quote=marker[0],
        kind=Kind.RULE if category == "rules-conventions" else Kind.FACT,
        category=category or category_of(text, talk.categories),
        priority=Priority.HIGH,
        entities=naming.names_in_text(text, known=talk.speakers),
        event_time=when.event_time,
        service=(marker["service"] or "").strip() or None,
        confidence=MARKER_CONFIDENCE,
        slot=_marked_slot(text, clause, parse, speaker=speaker_of(said)),
        is_negated=clause is not None and clause.is_negated,
        said_by=speaker_of(said),
        language=language,
        filed_by=FiledBy.GIVEN if category else FiledBy.KEYWORDS,
    )


def _marked_slot(text: str, clause: Clause | None, parse: Parse | None, *, speaker: str) -> Slot:
    """What is written as "key: value" is meant so, whatever its grammar."""
    if (entry := slot_of_entry(text)) is not None:
        return entry
    return slot_of(clause, parse, speaker=speaker) if clause is not None and parse is not None else NO_SLOT


def fact(clause: Clause, appraisal: Appraisal, reading: Reading, talk: Talk) -> Fact:
    """What a clause of the reading states."""
    said = reading.passage.utterance
    speaker = speaker_of(said)
    when = _when(clause, said, talk)
    slot = slot_of(clause, reading.parse, speaker=_first_person(clause, reading.parse) or speaker)
    strength = _strength(clause, appraisal, slot, said.role)
    lead_in = _lead_in(clause, reading)
    return Fact(
        text=naming.with_speaker(when.text, clause, speaker, reading.parse) if clause.entry is None else clause.text,
        quote=clause.text if clause.entry is None else clause.entry.quote,
        kind=_kind(clause, appraisal.kind, said.role),
        category=category_of(f"{lead_in} {clause.text}", talk.categories),
        strength=strength,
        sentiment=sentiment_of(clause.text),
        priority=_priority(appraisal),
        entities=naming.names_of(clause, reading.parse, known=talk.speakers),
        event_time=when.event_time,
        suggestion=_suggestion(clause, said.role, strength),
        usefulness=None if _is_record(clause) else appraisal.worth,
        planned=None if _is_record(clause) else appraisal.planned,
        lead_in=lead_in,
        slot=slot,
        mood=clause.mood,
        is_negated=clause.is_negated or names_what_was_stopped(clause, slot),
        said_by=speaker,
        reported_by=clause.reported_by,
        language=clause.language or reading.parse.language,
    )


def _when(clause: Clause, said: Utterance, talk: Talk) -> Resolved:
    """The clause with its dates beside their words."""
    return times.resolve(
        clause.text,
        said.said_at,
        tense=clause.tense,
        past=clause.past,
        present=clause.present,
        language=clause.language,
        day_first=talk.day_first,
    )


def speaker_of(said: Utterance) -> str:
    """The name of who speaks; empty when only the role is known."""
    return (said.speaker or "").strip() if is_name(said.speaker) else ""


def _first_person(clause: Clause, parse: Parse) -> str:
    """Who "I" is in a clause, if that is not its speaker: only who is told in words of his own is meant by them."""
    sentence = parse.sentence_at(clause.start) if clause.reported_by else None
    return speaking(sentence) if sentence else ""


def _kind(clause: Clause, kind: Kind, role: Role) -> Kind:
    """Only the user states rules: what anybody else demands is at most a fact about the world, and so is an entry."""
    return Kind.FACT if clause.entry is not None or (kind is Kind.RULE and role not in _TRUSTED) else kind


def _lead_in(clause: Clause, reading: Reading) -> str:
    """What the clause leans on: of the first one the message before, of one that points back the clause before, of an
    entry what its structure says.
    """
    if clause.entry is not None:
        return clause.entry.lead_in
    place = next(place for place, one in enumerate(reading.clauses) if one is clause)
    if place == 0:
        return reading.passage.lead_in
    before = reading.clauses[place - 1].text
    return " ".join(before.split())[-_LONGEST_LEAD_IN:] if clause.points_back else ""


def _is_record(clause: Clause) -> bool:
    """Whether a machine states it of a thing that is named: the judge of what people say knows nothing of its worth."""
    return clause.entry is not None and clause.entry.is_record


def _strength(clause: Clause, appraisal: Appraisal, slot: Slot, role: Role) -> Strength:
    """How directly it is said. Where the grammar has a user give a state its value, no model is asked: it takes "the
    launch was moved to 12 May" for hearsay, and what is weaker than what was known changes nothing.
    """
    if clause.mood in {Mood.HYPOTHETICAL, Mood.WISH} or clause.reported_by or clause.is_unsure:
        return Strength.INFERRED
    is_stated = role in _TRUSTED and slot.standing is not Standing.UNKNOWN
    return Strength.EXPLICIT if is_stated or _is_record(clause) else appraisal.strength


def _priority(appraisal: Appraisal) -> Priority:
    if appraisal.kind is Kind.RULE or appraisal.worth >= HIGH_FROM:
        return Priority.HIGH
    return Priority.LOW if appraisal.worth < LOW_BELOW else Priority.MEDIUM


def _suggestion(clause: Clause, role: Role, strength: Strength) -> Verdict | None:
    """What nobody here asserts waits for review, and so does what a machine says unless it reports how the world is:
    a text that it passes on is somebody else's.
    """
    if clause.entry is not None and clause.entry.is_prose:
        return Verdict.HOLD
    if clause.mood in {Mood.HYPOTHETICAL, Mood.WISH} or (clause.reported_by and may_quote(clause.text)):
        return Verdict.HOLD
    if role in _TRUSTED:
        return None
    reports = role is Role.TOOL or (clause.mood is Mood.ASSERTED and clause.has_verb and strength is Strength.EXPLICIT)
    return None if reports and clause.mood is not Mood.COMMAND else Verdict.HOLD
