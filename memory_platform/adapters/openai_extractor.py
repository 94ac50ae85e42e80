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

from memory_platform.adapters.openai_compatible import (
    IndexedAnswer,
    PromptedModel,
    StrictAnswer,
    index_problem,
    transcript,
)
from memory_platform.extraction import observing, verifying
from memory_platform.extraction.clauses import Clause
from memory_platform.extraction.observing import LONGEST_CLAUSE, DropReason, Passage, Reading, Talk
from memory_platform.extraction.verifying import Evidence
from memory_platform.model import (
    Appraisal,
    CategoryRule,
    Dropped,
    Extracted,
    Fact,
    Kind,
    Mood,
    Observation,
    Priority,
    Sentiment,
    Slot,
    Strength,
    Utterance,
)
from memory_platform.ports import Extractor
from memory_platform.text.parse import Parse

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
    """One structured-output call a batch. An answer off the schema gets one repair round, then ProviderRefused."""

    PROMPT = "extraction"
    PROMPT_VERSION = 2

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
        if not utterances:
            return Extracted((), self.version, self._nothing_asked())
        said = [*context, *utterances]
        passages = [observing.passage(one, said[:place]) for place, one in enumerate(utterances, len(context))]
        slugs = [rule.slug for rule in categories] or ["other"]
        system = self._prompt.fill(now=now.isoformat(timespec="minutes"), categories=", ".join(slugs))
        shown = [replace(one.utterance, text=_without_markers(one)) for one in passages]
        answer, usage = self._ask(
            system,
            transcript(shown, context),
            _ExtractionAnswer,
            problem=lambda found: index_problem(found.utterances, len(utterances)),
        )
        speakers = sorted({name for one in said if (name := observing.speaker_of(one))})
        talk = Talk(tuple(categories), tuple(speakers), day_first)
        answers = sorted(answer.utterances, key=lambda entry: entry.index)
        observations = tuple(
            _Listener(passage, given, said[max(0, place - BEFORE) : place], talk).observation()
            for place, (passage, given) in enumerate(zip(passages, answers, strict=True), len(context))
        )
        return Extracted(observations, self.version, usage)


@dataclass(frozen=True, slots=True)
class _Listener:
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
        for marker in self.passage.markers:
            yield observing.marked(marker, self.passage.utterance, language=language, talk=self.talk)
        evidence: Mapping[str, Evidence] = {
            language: Evidence.of_talk(
                self.passage.utterance, self.before, language=language, day_first=self.talk.day_first
            )
            for language in {_language(claim) for claim in self.given.claims}
        }
        for claim in self.given.claims:
            if claim.text.strip():
                yield self._fact(claim, evidence[_language(claim)])
        for entry in self.given.dropped:
            text = entry.text if entry.text in self.passage.utterance.text else self.passage.utterance.text
            yield Dropped(text[:LONGEST_CLAUSE], _code(entry.reason))

    def _fact(self, given: _ClaimAnswer, evidence: Evidence) -> Fact | Dropped:
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
            sentiment=given.sentiment,
            priority=given.priority,
            entities=tuple(dict.fromkeys(name.strip() for name in given.entities if name.strip())),
            service=given.service or None,
            lead_in=self._lead_in(given.lead_in),
            slot=Slot(
                *(
                    " ".join(part.split())[:_LONGEST_FIELD]
                    for part in (given.subject, given.attribute, given.value, given.qualifier)
                )
            ),
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
