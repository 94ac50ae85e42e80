"""Resources in, observations out: each resource is read once, whatever is retried, crashes or runs twice."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from uuid import UUID

import structlog
from django.db.models import Q

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.journal.services import record
from apps.memory import observations
from apps.memory.models import Extraction
from apps.resources import selectors as resources
from apps.resources.models import Resource
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.errors import BudgetSpent, CircuitOpen, ProviderError, ProviderRefused
from memory_platform.model import (
    Audience,
    CategoryRule,
    Extracted,
    JournalLine,
    Observation,
    Utterance,
    Visibility,
)
from memory_platform.ports import Extractor

# One call to the extractor reads this many messages or, of long ones, characters, after as many messages as context.
UTTERANCES_PER_CALL = 32
CHARACTERS_PER_CALL = 50_000
CONTEXT_UTTERANCES = 5
# What slow models have answered is saved this often, so that a crash costs little; rules answer at once.
SAVE_EVERY_SECONDS = 1.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CapturedMessage:
    """A resource as the write path needs it."""

    utterance: Utterance
    audience: Audience
    session_id: UUID
    ordinal: int
    turn_number: int | None


@dataclass(frozen=True, slots=True)
class Unread:
    """What still has to be stored: resources of which some were extracted before a crash (`known`)."""

    captured: tuple[CapturedMessage, ...]
    known: Mapping[UUID, Extraction]
    context: Mapping[UUID, tuple[Utterance, ...]]
    categories: tuple[CategoryRule, ...]
    policy: Policy


@dataclass(frozen=True, slots=True)
class _ExtractedChunk:
    """What the extractor said about one call's messages."""

    chunk: Sequence[CapturedMessage]
    extracted: Extracted


@dataclass(frozen=True, slots=True)
class Extract:
    """A resource with what `extractor` read out of it; `degraded` says why that was the fallback, if it was."""

    id: UUID
    captured: CapturedMessage
    observation: Observation
    extractor: str
    degraded: str


def load(resource_ids: Sequence[UUID], *, within: Scope) -> Unread:
    """Resources that no run has stored yet, in the order they were said."""
    with scope.enter(within):
        tenant_id = within.tenant_id
        earlier = Extraction.objects.filter(tenant_id=tenant_id, resource_id__in=resource_ids).order_by("id")
        known: dict[UUID, Extraction] = {}
        for row in earlier:
            if row.stored_at is not None or row.resource_id not in known:
                known[row.resource_id] = row
        stored = {resource_id for resource_id, row in known.items() if row.stored_at is not None}
        policy = tenants.policy(tenant_id)
        rows = resources.resources(set(resource_ids) - stored)
        captured = tuple(_captured(row, policy) for row in rows)
        unread = [one for one in captured if one.utterance.resource_id not in known]
        context = _context(unread, policy)
        return Unread(captured, known, context, tenants.category_rules(tenant_id), policy)


def extract(unread: Unread, *, within: Scope, fall_back: bool, seconds: float) -> list[Extract]:
    """Read what is unread, a call at a time; once `seconds` have passed no further call is made.

    With `fall_back` an extractor that keeps failing is replaced by the rules; without, ProviderRetryable is raised.
    ProviderRefused always falls back, asking again would not help; so do CircuitOpen, which costs no time, and
    BudgetSpent: what was said does not wait for a month to end.
    """
    rows = dict(unread.known)
    waiting: list[_ExtractedChunk] = []
    began = saved_at = time.monotonic()
    try:
        for number, chunk in enumerate(
            _chunks([one for one in unread.captured if one.utterance.resource_id not in rows])
        ):
            if number and time.monotonic() - began > seconds:
                break
            waiting.append(_ExtractedChunk(chunk, _call(chunk, unread, within=within, fall_back=fall_back)))
            if time.monotonic() - saved_at > SAVE_EVERY_SECONDS:
                rows.update(_save(waiting, within=within))
                waiting, saved_at = [], time.monotonic()
    finally:
        # A call that fails does not take the answers before it along.
        rows.update(_save(waiting, within=within))
    read = [one for one in unread.captured if one.utterance.resource_id in rows]
    return [_extract(one, rows[one.utterance.resource_id]) for one in read]


def _call(chunk: Sequence[CapturedMessage], unread: Unread, *, within: Scope, fall_back: bool) -> Extracted:
    try:
        with spending(operation="extract", within=within, agent_id=chunk[0].audience.agent_id):
            return _ask(providers.extractor(), chunk, unread)
    except ProviderError as error:
        if not fall_back and not isinstance(error, ProviderRefused | CircuitOpen | BudgetSpent):
            raise
        code = type(error).__name__
        log.warning("memory.extraction_degraded", error_class=code, resources=len(chunk))
        answer = _ask(providers.fallback_extractor(), chunk, unread)
        return Extracted(answer.observations, answer.extractor, answer.usage, degraded=code)


def _ask(extractor: Extractor, chunk: Sequence[CapturedMessage], unread: Unread) -> Extracted:
    extracted = extractor.extract(
        [one.utterance for one in chunk],
        context=_before(chunk, unread),
        categories=unread.categories,
        now=clock.now(),
        day_first=unread.policy.day_first,
    )
    if [one.resource_id for one in extracted.observations] != [one.utterance.resource_id for one in chunk]:
        refused = ProviderRefused("The extractor's answer does not match the messages it was given.")
        refused.usage = replace(extracted.usage, failed_calls=extracted.usage.llm_calls)
        raise refused
    return extracted


def _save(answers: Sequence[_ExtractedChunk], *, within: Scope) -> dict[UUID, Extraction]:
    """Insert and read back: where another worker was first, its row is the one that counts."""
    if not answers:
        return {}
    with scope.enter(within):
        made = [row for answer in answers for row in _rows(answer, within.tenant_id)]
        Extraction.objects.bulk_create(made, ignore_conflicts=True)
        for answer in answers:
            _account(answer)
        ids = [row.resource_id for row in made]
        rows = Extraction.objects.filter(tenant_id=within.tenant_id, resource_id__in=ids).order_by("-id")
        return {row.resource_id: row for row in rows}


def _rows(answer: _ExtractedChunk, tenant_id: UUID) -> list[Extraction]:
    return [
        Extraction(
            tenant_id=tenant_id,
            agent_id=one.audience.agent_id,
            user_id=one.audience.user_id,
            visibility=one.audience.visibility.value,
            resource_id=observation.resource_id,
            extractor=answer.extracted.extractor,
            observation=observations.dump(observation),
            degraded=(answer.extracted.degraded or "")[:64],
        )
        for one, observation in zip(answer.chunk, answer.extracted.observations, strict=True)
    ]


def _account(answer: _ExtractedChunk) -> None:
    """What a model's answer cost; rules cost nothing but time, which the run's journal entry tells."""
    chunk, extracted = answer.chunk, answer.extracted
    first = chunk[0]
    if extracted.usage.llm_calls:
        turns = {one.turn_number for one in chunk}
        meter(
            operation="extract",
            usages=(extracted.usage,),
            agent_id=first.audience.agent_id,
            session_id=first.session_id,
            turn_number=first.turn_number if len(turns) == 1 else None,
        )
    if extracted.degraded:
        data = {"reason": extracted.degraded, "extractor": extracted.extractor, "resources": len(chunk)}
        record(JournalLine(operation="memory.extraction_degraded", data=data), agent_id=first.audience.agent_id)


def _extract(captured: CapturedMessage, row: Extraction) -> Extract:
    observation = observations.load(captured.utterance.resource_id, row.observation)
    return Extract(row.id, captured, observation, row.extractor, row.degraded)


def _captured(row: Resource, policy: Policy) -> CapturedMessage:
    audience = Audience(row.agent_id, row.user_id, Visibility(row.visibility))
    return CapturedMessage(resources.utterance(row, policy), audience, row.session_id, row.ordinal, row.turn_number)


def _chunks(captured: Sequence[CapturedMessage]) -> Iterator[list[CapturedMessage]]:
    """Runs of one session and audience, so that context and cost have an owner."""
    for _, group in groupby(captured, key=lambda one: (one.session_id, one.audience)):
        chunk: list[CapturedMessage] = []
        characters = 0
        for one in group:
            characters += len(one.utterance.text)
            if chunk and (len(chunk) == UTTERANCES_PER_CALL or characters > CHARACTERS_PER_CALL):
                yield chunk
                chunk, characters = [], len(one.utterance.text)
            chunk.append(one)
        yield chunk


def _context(captured: Sequence[CapturedMessage], policy: Policy) -> dict[UUID, tuple[Utterance, ...]]:
    """The messages before the first unread one of each session, oldest first."""
    firsts: dict[UUID, int] = {}
    for one in captured:
        firsts[one.session_id] = min(one.ordinal, firsts.get(one.session_id, one.ordinal))
    which = Q()
    for session_id, ordinal in firsts.items():
        which |= Q(session_id=session_id, ordinal__lt=ordinal, ordinal__gte=ordinal - CONTEXT_UTTERANCES)
    if not which:
        return {}
    rows = resources.readable().filter(which).order_by("session_id", "ordinal")
    by_session = groupby(rows, key=lambda row: row.session_id)
    return {session_id: tuple(resources.utterance(row, policy) for row in group) for session_id, group in by_session}


def _before(chunk: Sequence[CapturedMessage], unread: Unread) -> list[Utterance]:
    """What precedes a chunk: stored messages, then those of the session that were read just now."""
    first = chunk[0]
    same = [one for one in unread.captured if one.session_id == first.session_id and one.ordinal < first.ordinal]
    stored = unread.context.get(first.session_id, ())
    return [*stored, *(one.utterance for one in same)][-CONTEXT_UTTERANCES:]
