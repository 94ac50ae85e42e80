"""An Extractor over any OpenAI-compatible server: one structured call a batch, whose claims are verified, not believed.

The model says which clauses are worth keeping and fills their fields. What becomes of them, who may state a rule, what
a date means and whether each name was said at all is decided by the same code that reads without a model.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from typing_extensions import override

from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_prompted import (
    IndexedAnswer,
    PromptedModel,
    StrictAnswer,
    index_problem,
    transcript,
)
from memory_platform.extraction import observing, verifying
from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.observing import LONGEST_CLAUSE, DropReason, Passage, Reading, Talk
from memory_platform.extraction.verifying import SpokenEvidence
from memory_platform.model import (
    Appraisal,
    CategoryRule,
    Dropped,
    Extracted,
    Fact,
    FiledBy,
    Kind,
    ModelUsage,
    Mood,
    Observation,
    Priority,
    Role,
    Sentiment,
    Slot,
    Strength,
    Utterance,
)
from memory_platform.ports import Extractor
from memory_platform.text.parse import Parse
from memory_platform.text.sentences import stretches

BEFORE: Final = 5
"""Messages before a claim's own that its names may come from."""
_LONGEST_FIELD: Final = 200
_LANGUAGE: Final = re.compile(r"[a-z]{2}\Z")


class _ClaimAnswer(StrictAnswer):
    text: str
    quote: str
    lead_in: str
    subject: str
    attribute: str
    value: str
    qualifier: str
    kind: Kind
    category: str
    certainty: Strength
    mood: Mood
    is_negated: bool
    reported_by: str
    language: str
    sentiment: Sentiment
    priority: Priority
    entities: list[str]
    service: str | None
    event_time: str | None
    usefulness: float


class _DroppedAnswer(StrictAnswer):
    text: str
    reason: str


class _UtteranceAnswer(IndexedAnswer):
    claims: list[_ClaimAnswer]
    dropped: list[_DroppedAnswer]


class _ExtractionAnswer(StrictAnswer):
    utterances: list[_UtteranceAnswer]


class OpenAiExtractor(PromptedModel, Extractor):
    """One structured-output call a batch. An answer off the schema gets one repair round, then ProviderRefused.

    What tools print is no talk: `printed` reads it by its structure, and the model never sees it. None: it sees all.
    """

    PROMPT = "extraction"
    PROMPT_VERSION = 2

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        printed: Extractor | None = None,
        timeout_seconds: float = 60,
        has_strict_schema: bool = True,
    ) -> None:
        super().__init__(endpoint, timeout_seconds=timeout_seconds, has_strict_schema=has_strict_schema)
        self._printed = printed

    @override
    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
        day_first: bool = True,
    ) -> Extracted:
        """See the port. `timeout_seconds` of the constructor bound the whole of it: retries, pauses and repair."""
        said = [*context, *utterances]
        passages = [observing.passage(one, said[:place]) for place, one in enumerate(utterances, len(context))]
        speakers = sorted({name for one in said if (name := observing.speaker_of(one))})
        talk = Talk(tuple(categories), tuple(speakers), day_first)
        printed = [one.utterance for one in passages if self._is_printed(one)]
        read = iter(self._read(printed, context, talk, now))
        spoken = [one for one in passages if not self._is_printed(one)]
        before = [one for one in context if not self._is_printed(observing.passage(one))]
        answers, usage = self._answers(spoken, before, talk, now)
        answered = iter(answers)
        observations = tuple(
            next(read)
            if self._is_printed(passage)
            else _UtteranceCheck(passage, next(answered), said[max(0, place - BEFORE) : place], talk).observation()
            for place, passage in enumerate(passages, len(context))
        )
        return Extracted(observations, self.version, usage)

    def _is_printed(self, passage: Passage) -> bool:
        is_structured = bool(passage.entries or passage.left)
        return self._printed is not None and passage.utterance.role is Role.TOOL and is_structured

    def _read(
        self, printed: Sequence[Utterance], context: Sequence[Utterance], talk: Talk, now: datetime
    ) -> Sequence[Observation]:
        """What the results of tools state, in order."""
        if self._printed is None or not printed:
            return ()
        return self._printed.extract(
            printed, context=context, categories=talk.categories, now=now, day_first=talk.day_first
        ).observations

    def _answers(
        self, spoken: Sequence[Passage], before: Sequence[Utterance], talk: Talk, now: datetime
    ) -> tuple[Sequence[_UtteranceAnswer], ModelUsage]:
        """What the model says of each message, in order; it is not asked of none."""
        if not spoken:
            return (), self._nothing_asked()
        slugs = [rule.slug for rule in talk.categories] or ["other"]
        system = self._prompt.fill(now=now.isoformat(timespec="minutes"), categories=", ".join(slugs))
        shown = [replace(one.utterance, text=_without_markers(one)) for one in spoken]
        answer, usage = self._ask(
            system,
            transcript(shown, before),
            _ExtractionAnswer,
            problem=lambda found: index_problem(found.utterances, len(shown)),
        )
        return sorted(answer.utterances, key=lambda entry: entry.index), usage


@dataclass(frozen=True, slots=True)
class _UtteranceCheck:
    """What the model said of one message, and what that is checked against: the message and those `before` it."""

    passage: Passage
    given: _UtteranceAnswer
    before: Sequence[Utterance]
    talk: Talk

    def observation(self) -> Observation:
        found = list(self._found())
        facts = tuple(one for one in found if isinstance(one, Fact))
        dropped = tuple(one for one in found if isinstance(one, Dropped))
        narrative = " ".join(fact.text for fact in facts)
        return Observation(self.passage.utterance.resource_id, facts, dropped, narrative)

    def _found(self) -> Iterator[Fact | Dropped]:
        language = next((_language(claim) for claim in self.given.claims), "en")
        yield from observing.echoes(self.passage)
        yield from observing.commanded(self.passage, language=language, talk=self.talk)
        evidence: Mapping[str, SpokenEvidence] = {
            language: SpokenEvidence.of_talk(
                self.passage.utterance, self.before, language=language, day_first=self.talk.day_first
            )
            for language in {_language(claim) for claim in self.given.claims}
        }
        for claim in self.given.claims:
            if claim.text.strip():
                yield self._fact(claim, evidence[_language(claim)])
        for entry in self.given.dropped:
            yield Dropped(self._as_said(entry.text)[:LONGEST_CLAUSE], _code(entry.reason))
        for sentence in verifying.unmentioned(observing.spoken(self.passage), list(self._mentions())):
            for piece in stretches(sentence, LONGEST_CLAUSE):
                yield Dropped(piece.text, DropReason.UNMENTIONED)

    def _as_said(self, text: str) -> str:
        """The text where it stands in the message; else all of the message."""
        return text if text in self.passage.utterance.text else self.passage.utterance.text

    def _mentions(self) -> Iterator[str]:
        for claim in self.given.claims:
            yield from (claim.quote, claim.text)
        for entry in self.given.dropped:
            yield self._as_said(entry.text)

    def _fact(self, given: _ClaimAnswer, evidence: SpokenEvidence) -> Fact | Dropped:
        clause = _clause(given, self.passage.utterance.text)
        appraisal = Appraisal(min(1.0, max(0.0, given.usefulness)), given.kind, given.certainty)
        if (reason := observing.reason_to_drop(clause, appraisal)) is not None:
            return Dropped(clause.text[:LONGEST_CLAUSE], reason)
        reading = Reading(self.passage, Parse(self.passage.utterance.text, clause.language, ()), (clause,))
        read = observing.fact(clause, appraisal, reading, self.talk)
        stated = self._with_fields(read, given)
        claimed = replace(stated, text=clause.text, event_time=self._moment(given.event_time, clause.language))
        event_time = claimed.event_time or read.event_time
        return replace(stated, event_time=event_time, unsupported=verifying.unsupported(claimed, evidence))

    def _with_fields(self, read: Fact, given: _ClaimAnswer) -> Fact:
        """The fact with what the model says of it, where its word counts; a quote nobody said is the whole message."""
        said = self.passage.utterance
        slugs = {rule.slug for rule in self.talk.categories}
        return replace(
            read,
            quote=given.quote if given.quote and given.quote in said.text else said.text,
            category=given.category if given.category in slugs else read.category,
            filed_by=FiledBy.MODEL if given.category in slugs else read.filed_by,
            sentiment=given.sentiment,
            priority=given.priority,
            entities=tuple(dict.fromkeys(name for given_name in given.entities if (name := _field(given_name)))),
            service=_field(given.service or "") or None,
            lead_in=self._lead_in(given.lead_in),
            slot=Slot(_field(given.subject), _field(given.attribute), _field(given.value), _field(given.qualifier)),
        )

    def _lead_in(self, given: str) -> str:
        """As the model copied it; where it is no copy, what the message leans on by our own rule."""
        wanted = " ".join(given.split())
        spoken = (" ".join(one.text.split()) for one in (self.passage.utterance, *self.before))
        return wanted if not wanted or any(wanted in text for text in spoken) else self.passage.lead_in

    def _moment(self, text: str | None, language: str) -> datetime | None:
        """An ISO 8601 time, one without zone in the speaker's; None where it says no more than when it was said, or
        nothing can be said for or against it.
        """
        said_at = self.passage.utterance.said_at
        try:
            moment = datetime.fromisoformat(text or "")
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=said_at.tzinfo or UTC)
        return None if moment.date() == said_at.date() or not verifying.reads_dates_of(language) else moment


def _field(part: str) -> str:
    return " ".join(part.split())[:_LONGEST_FIELD]


def _clause(given: _ClaimAnswer, source: str) -> Clause:
    text = " ".join(given.text.split())
    return Clause(
        text,
        max(0, source.find(text)),
        _language(given),
        subject=given.subject,
        mood=given.mood,
        is_negated=given.is_negated,
        reported_by=given.reported_by.strip()[:_LONGEST_FIELD],
        has_verb=True,
    )


def _language(given: _ClaimAnswer) -> str:
    code = given.language.casefold().split("-")[0]
    return code if _LANGUAGE.match(code) else "en"


def _code(reason: str) -> str:
    """A stable code: a word of ours, or that the model gave another."""
    word = reason.strip().casefold()
    return word if word in _REASONS else "not_informative"


_REASONS: Final = frozenset(
    {"chitchat", "momentary", "noise", "fiction", "acknowledgement", DropReason.QUESTION, DropReason.INJECTION,
     DropReason.SECRET}
)  # fmt: skip


def _without_markers(passage: Passage) -> str:
    """The text without what its markers state and what it quotes of a memory: that is read by rule."""
    text = passage.utterance.text
    for quote in reversed(passage.quotes):
        text = text[: quote.start] + text[quote.end :]
    for marker in reversed(observing.markers_in(text)):
        text = text[: marker.start()] + text[marker.end() :]
    return text
