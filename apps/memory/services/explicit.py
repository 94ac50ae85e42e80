"""What remember and correct have in common: a caller's own words go the way of observed ones."""

from dataclasses import dataclass, replace
from uuid import UUID

from apps.budgets.services import Done, meter, spending
from apps.core import clock, providers, scope
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.journal.services import record
from apps.memory import selectors
from apps.memory.models import RejectionStage
from apps.memory.requests import MAXIMUM_TEXT_CHARACTERS
from apps.memory.results import PendingStep, WriteOutcome, WriteResult
from apps.memory.services import classifying, neighbourhood
from apps.memory.services.candidates import Candidate, Origin
from apps.memory.services.deciding import MADE, CandidateDecision, Outcome
from apps.memory.services.embedding import Embedded, embed
from apps.memory.services.relating import relate
from apps.memory.services.rows import rejected
from apps.memory.services.storing import store
from apps.memory.services.wording import in_words
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.extraction.observing import DropReason, is_overlong
from memory_platform.model import CategoryRule, Fact, JournalLine, Role, Utterance, Verdict, Visibility

EMBEDDING_SECONDS = 1.0
ASKED_ODDS = 3.0
_BARS_THE_WHOLE = (DropReason.INJECTION, DropReason.ECHO)

_OUTCOMES = {
    Outcome.STORED: WriteOutcome.STORED,
    Outcome.CLOSED: WriteOutcome.STORED,
    Outcome.HELD: WriteOutcome.HELD,
    Outcome.MERGED: WriteOutcome.MERGED,
    Outcome.SUPERSEDED: WriteOutcome.SUPERSEDED,
    Outcome.REJECTED: WriteOutcome.REJECTED,
}


def checked(text: str) -> str:
    """Raises Invalid on an empty or overlong text."""
    text = text.strip()
    if not text:
        raise Invalid("text is empty.", field="text")
    if len(text) > MAXIMUM_TEXT_CHARACTERS:
        raise Invalid(f"text is longer than {MAXIMUM_TEXT_CHARACTERS} characters.", field="text")
    return text


@dataclass(frozen=True, slots=True)
class Read:
    """What a caller's words say; `dropped_as` is why a turn that says so would leave nothing."""

    fact: Fact
    dropped_as: str = ""


def read(text: str, origin: Origin, categories: tuple[CategoryRule, ...], *, day_first: bool) -> Read:
    """Read a caller's words as a captured turn is; the words stay the caller's, dates put beside them.

    Who says "remember" has thought about it: the odds that it is worth keeping count ASKED_ODDS times. Words that hold
    an order to the agent, or a line that a memory told, are not kept in part. What is too long to be learnt is not
    judged: that takes a second.
    """
    if is_overlong(text):
        return _unlearnable(text, DropReason.TOO_LONG)
    said = Utterance(new_id(), Role.USER, None, text, origin.said_at)
    extracted = providers.fallback_extractor().extract(
        [said], categories=categories, now=clock.now(), day_first=day_first
    )
    facts, dropped = extracted.observations[0].facts, [each.reason for each in extracted.observations[0].dropped]
    barred = next((reason for reason in _BARS_THE_WHOLE if reason in dropped), None)
    if barred is not None or not facts:
        return _unlearnable(text, barred or next(iter(dropped), ""))
    if text.lstrip().upper().startswith("[MEMORY"):
        return Read(facts[0])
    foremost = max(facts, key=lambda fact: fact.usefulness or 0.0)
    whole = text
    for fact in facts:
        whole = whole.replace(fact.quote, fact.text, 1)
    return Read(replace(foremost, text=whole, quote=text, usefulness=_asked(foremost.usefulness)))


def _unlearnable(text: str, why: str) -> Read:
    return Read(Fact(text=text, quote=text, suggestion=Verdict.DISCARD), why)


def _asked(usefulness: float | None) -> float | None:
    return None if usefulness is None else ASKED_ODDS * usefulness / (1 + (ASKED_ODDS - 1) * usefulness)


def write(
    candidate: Candidate, policy: Policy, categories: tuple[CategoryRule, ...], *, within: Scope, operation: str
) -> WriteResult:
    """Embed and file, then decide and store. Called without an open scope."""
    is_shared = candidate.origin.audience.visibility is Visibility.SHARED
    # A shared fact may be merged into another agent's: that is the whole tenant's to write, as an observed one is.
    reach = Scope(within.tenant_id, None, Reach.TENANT) if is_shared else within
    if candidate.gate.verdict is Verdict.DISCARD:
        with scope.enter(reach):
            return _discard(candidate, operation)
    audience = candidate.origin.audience
    with spending(operation=operation, within=reach, agent_id=audience.agent_id) as asked:
        embedded = embed([candidate], policy, required=False, timeout=EMBEDDING_SECONDS)
        embedded = classifying.file(embedded, categories, within=reach, timeout=EMBEDDING_SECONDS)
        asked.usages.extend(embedded.usages)
        with scope.enter(reach):
            near = neighbourhood.read(embedded, audience)
        relate(near, policy=policy, required=False)
        with scope.enter(reach):
            (settled,) = store(audience, near).settled
            if settled is None:
                raise RuntimeError("A caller's own words have no source that could be suppressed.")
            _account(operation, candidate, embedded, settled)
            return _result(settled)


def _discard(candidate: Candidate, operation: str) -> WriteResult:
    gate = candidate.gate
    rejection = rejected(candidate, stage=RejectionStage.GATE, reason=gate.reason, detail=gate.detail)
    rejection.save(force_insert=True)
    _record(operation, candidate, outcome=Outcome.REJECTED, reason=gate.reason, subject_id=None)
    return WriteResult(WriteOutcome.REJECTED, None, in_words(Outcome.REJECTED, gate.detail or gate.reason))


def _account(operation: str, candidate: Candidate, embedded: Embedded, settled: CandidateDecision) -> None:
    item_id = settled.item.id if settled.item else None
    _record(operation, candidate, outcome=settled.outcome, reason=settled.reason, subject_id=item_id)
    meter(
        operation=operation,
        usages=embedded.usages,
        agent_id=candidate.origin.audience.agent_id,
        session_id=candidate.origin.session_id,
        done=Done(memories=int(settled.outcome in MADE)),
    )


def _record(operation: str, candidate: Candidate, *, outcome: Outcome, reason: str, subject_id: UUID | None) -> None:
    data = {"outcome": outcome.value, "reason": reason}
    line = JournalLine(operation=f"memory.{operation}", subject="memory", subject_id=subject_id, data=data)
    record(line, agent_id=candidate.origin.audience.agent_id)


def _result(settled: CandidateDecision) -> WriteResult:
    ids = [item.id for item in (settled.item, *settled.superseded_items) if item is not None]
    views = selectors.hydrate(ids)
    superseded_items = settled.superseded_items[0] if settled.superseded_items and settled.item is not None else None
    return WriteResult(
        outcome=_OUTCOMES[settled.outcome],
        item=views[settled.item.id] if settled.item else None,
        reason=in_words(settled.outcome, settled.reason),
        supersedes=views.get(superseded_items.id) if superseded_items else None,
        pending=(PendingStep.DEDUP,) if settled.item is not None and settled.item.dedup_pending else (),
    )
