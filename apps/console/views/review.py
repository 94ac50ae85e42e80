"""Everything that waits for somebody, decided one by one: by keyboard, by mouse, and without a script.

Each decision names the versions that were looked at. Who comes second is told who decided what, and when.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from pydantic import Field, ValidationError

from apps.api import verbs
from apps.api.contract import Input, Text, problem_of
from apps.api.curation import handlers as curation
from apps.api.curation.contract import DecisionInput, Proposal, ProposalFilter, QueueEntry
from apps.api.erasure import handlers as erasing
from apps.api.gateway import Gateway
from apps.api.memories import handlers as memories
from apps.api.memories.contract import ConfirmInput, CorrectInput, ForgetInput, Memory, SeenInput
from apps.api.operations import handlers as operations
from apps.api.operations.contract import JournalFilter
from apps.console import people
from apps.core import paging
from apps.core.paging import PageRequest
from apps.core.problems import Problem
from apps.curation.requests import ReviewDecision
from apps.curation.results import QueueKind
from apps.erasure.models import ErasureState
from apps.tenants import logins
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict, Invalid, MemoryPlatformError

AT_ONCE: Final = 20
LOOKED_THROUGH: Final = 100
"""How many of a kind's entries are looked through for one that was taken back."""
KINDS: Final[Mapping[QueueKind, str]] = {
    QueueKind.PROPOSAL: "Proposals",
    QueueKind.HELD: "Held memories",
    QueueKind.CONTRADICTION: "Contradictions",
    QueueKind.REPLACEMENT: "Replacements",
    QueueKind.ERASURE: "Erasures",
}
PAIRS: Final = (QueueKind.CONTRADICTION, QueueKind.REPLACEMENT)


class ReviewVerdict(Input):
    """What was decided on an entry: its memories are `seen` in the order they are shown, what was there first."""

    kind: QueueKind
    id: UUID
    decision: ReviewDecision
    version: int = Field(default=0, ge=0, description="The proposal's.")
    seen: Annotated[tuple[SeenInput, ...], Field(max_length=2)] = ()
    text: str | None = None
    section: str | None = None
    claim: Text = ""
    comment: Text = ""
    as_decision: bool = False
    batch: UUID | None = None
    in_queue: bool = Field(default=False, description="Taken back where the queue is shown: it stands there again.")

    @classmethod
    def of(cls, request: HttpRequest) -> "ReviewVerdict":
        """Raises ValidationError."""
        fields = {name: value for name, value in request.POST.items() if name in cls.model_fields and value}
        seen = [dict(zip(("id", "version"), each.split(":", 1), strict=False)) for each in request.POST.getlist("seen")]
        return cls.model_validate({**fields, "seen": seen})


@dataclass(frozen=True, slots=True)
class DecidedEntry:
    """What became of an entry, in words, and how to take that back where it can be."""

    told: str
    by: str
    at: datetime | None
    about: str = ""
    is_mine: bool = True
    undo: ReviewVerdict | None = None
    memory_id: UUID | None = None


def review(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    chosen = request.GET.get("kind", "")
    if chosen and chosen not in KINDS:
        raise Invalid("There is no such kind.", field="kind")
    kinds = (QueueKind(chosen),) if chosen else tuple(KINDS)
    page = paging.page(AT_ONCE, request.GET.get("after") or None)
    cut = curation.review_queue(gateway.of(all_users=True), kinds, page)
    told = {"cut": cut, "kinds": offered(gateway), "chosen": chosen, **_frame(gateway, cut.rows)}
    return render(request, "console/review.html", told)


def offered(gateway: Gateway) -> Mapping[QueueKind, str]:
    """The kinds of which something may wait for the person."""
    hidden = None if gateway.administers else QueueKind.ERASURE
    return {kind: name for kind, name in KINDS.items() if kind is not hidden}


def decide(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """Answered in the entry's place where htmx asked, else by the page whose button was pressed, with a message."""
    try:
        verdict = ReviewVerdict.of(request)
        outcome = _decided_first(gateway, verdict)
    except (MemoryPlatformError, ValidationError) as error:
        return _refused(request, problem_of(error))
    if "HX-Request" in request.headers:
        return _in_its_place(request, gateway, verdict, outcome)
    (messages.success if outcome.is_mine else messages.warning)(request, outcome.told)
    return HttpResponseRedirect(logins.origin(request, otherwise=reverse("console:review")))


def _in_its_place(
    request: HttpRequest, gateway: Gateway, verdict: ReviewVerdict, outcome: DecidedEntry
) -> HttpResponse:
    """The entry itself where it waits again, else what became of it."""
    waiting = _waiting(gateway, verdict) if verdict.in_queue and outcome.is_mine else None
    if waiting is None:
        return render(request, "console/review_outcome.html", {"outcome": outcome})
    return render(request, "console/review_entry.html", {"entry": waiting, **_frame(gateway, (waiting,))})


def _waiting(gateway: Gateway, verdict: ReviewVerdict) -> QueueEntry | None:
    """It, if it is among the first that wait of its kind."""
    cut = curation.review_queue(gateway.of(all_users=True), (verdict.kind,), PageRequest(first=LOOKED_THROUGH))
    return next((entry for entry in cut.rows if entry.id == verdict.id), None)


def _decided_first(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    """The decision, or who made another one before."""
    try:
        return _decided(gateway, verdict)
    except Conflict as error:
        return _decided_by_another(gateway, verdict, error)


def _decided(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    if verdict.kind is QueueKind.PROPOSAL:
        return _on_proposal(gateway, verdict)
    if verdict.kind is QueueKind.ERASURE:
        return _on_erasure(gateway, verdict)
    if verdict.decision is ReviewDecision.UNDO:
        return _take_back(gateway, verdict)
    answers = _ON_PAIR if verdict.kind in PAIRS else _ON_HELD
    if verdict.decision not in answers or not verdict.seen:
        raise Invalid("This cannot be decided so.", field="decision")
    return answers[verdict.decision](gateway, verdict)


def _on_proposal(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    edits = verdict.decision is ReviewDecision.EDIT
    given = DecisionInput(
        decision=verdict.decision,
        version=verdict.version,
        text=verdict.text if edits else None,
        section=verdict.section if edits else None,
        comment=verdict.comment,
        as_decision=verdict.as_decision,
    )
    decided = curation.decide_proposal(gateway, verdict.id, given)
    if verdict.decision is ReviewDecision.UNDO:
        return DecidedEntry("Taken back: it waits again.", "you", decided.decided_at)
    undo = ReviewVerdict(kind=verdict.kind, id=verdict.id, decision=ReviewDecision.UNDO, version=decided.version)
    return DecidedEntry(
        f"{_DONE[verdict.decision]}: {verdict.text if edits else decided.text or decided.present}",
        "you",
        decided.decided_at,
        undo=undo,
    )


def _on_erasure(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    """For good either way: what is asked for again is asked for anew."""
    if verdict.decision is ReviewDecision.APPROVE:
        return DecidedEntry(
            "Approved: it is being erased.", "you", erasing.approve_erasure(gateway, verdict.id).decided_at
        )
    if verdict.decision is ReviewDecision.REJECT:
        return DecidedEntry(
            "Rejected: nothing is erased.", "you", erasing.reject_erasure(gateway, verdict.id).decided_at
        )
    raise Invalid("An erasure is approved or rejected.", field="decision")


def _allow(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    kept = memories.confirm(gateway, verdict.seen[0].id, ConfirmInput(seen=verdict.seen))
    return _vouched(verdict, "Kept", kept)


def _reword(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    given = CorrectInput(text=verdict.text or "", reason=verdict.comment, seen=verdict.seen)
    done = memories.correct(gateway, verdict.seen[0].id, given)
    if done.memory is None:
        raise Invalid(done.reason, field="text")
    return DecidedEntry(f"Corrected: {done.memory.text}", "you", done.memory.recorded_at, memory_id=done.memory.id)


def _forget(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    given = ForgetInput(ids=(verdict.seen[0].id,), reason=verdict.comment, seen=verdict.seen)
    gone = memories.forget(gateway, given)
    undo = None if gone.batch_id is None else _undo(verdict, batch=gone.batch_id)
    return DecidedEntry(f"Forgotten: {', '.join(item.text for item in gone.items)}", "you", None, undo=undo)


def _later_holds(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    """The later of two; where it had become no memory, its words now do."""
    if len(verdict.seen) == 1:
        return _reword(gateway, verdict.model_copy(update={"text": verdict.claim}))
    return _holds(gateway, verdict, verdict.seen[1].id)


def _earlier_holds(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    return _holds(gateway, verdict, verdict.seen[0].id)


def _holds(gateway: Gateway, verdict: ReviewVerdict, memory_id: UUID) -> DecidedEntry:
    kept = memories.confirm(gateway, memory_id, ConfirmInput(seen=verdict.seen))
    return _vouched(verdict, "Holds", kept)


def _vouched(verdict: ReviewVerdict, done: str, kept: Memory) -> DecidedEntry:
    undo = _undo(verdict, seen=(SeenInput(id=kept.id, version=kept.version),))
    return DecidedEntry(f"{done}: {kept.text}", "you", kept.last_confirmed_at, undo=undo, memory_id=kept.id)


def _take_back(gateway: Gateway, verdict: ReviewVerdict) -> DecidedEntry:
    """What was forgotten comes back; what was kept, and what that answered, waits as it did before."""
    if verdict.batch is not None:
        memories.restore(gateway, verdict.batch)
    elif verdict.seen:
        memories.withdraw_confirmation(gateway, verdict.seen[0].id, ConfirmInput(seen=verdict.seen))
    else:
        raise Invalid("This cannot be taken back so.", field="decision")
    return DecidedEntry("Taken back: it waits again.", "you", None)


_Answer = Callable[[Gateway, ReviewVerdict], DecidedEntry]
_ON_HELD: Final[Mapping[ReviewDecision, _Answer]] = {
    ReviewDecision.APPROVE: _allow,
    ReviewDecision.EDIT: _reword,
    ReviewDecision.REJECT: _forget,
}
_ON_PAIR: Final[Mapping[ReviewDecision, _Answer]] = {
    ReviewDecision.APPROVE: _later_holds,
    ReviewDecision.REJECT: _earlier_holds,
}
_DONE: Final = {
    ReviewDecision.APPROVE: "Approved",
    ReviewDecision.EDIT: "Approved in other words",
    ReviewDecision.REJECT: "Rejected",
}


def _undo(verdict: ReviewVerdict, *, seen: tuple[SeenInput, ...] = (), batch: UUID | None = None) -> ReviewVerdict:
    return ReviewVerdict(kind=verdict.kind, id=verdict.id, decision=ReviewDecision.UNDO, seen=seen, batch=batch)


def _decided_by_another(gateway: Gateway, verdict: ReviewVerdict, error: Conflict) -> DecidedEntry:
    """Who decided what, and when, as far as that is known; else what is in the way."""
    if verdict.kind is QueueKind.PROPOSAL:
        return _proposal_now(gateway, verdict, error)
    if verdict.kind is QueueKind.ERASURE:
        return _erasure_now(gateway, verdict, error)
    return _memory_now(gateway, verdict, error)


def _proposal_now(gateway: Gateway, verdict: ReviewVerdict, error: Conflict) -> DecidedEntry:
    held = curation.proposals(gateway, ProposalFilter(ids=(verdict.id,)).as_filter(), PageRequest(first=1)).rows
    if not held or held[0].version == verdict.version or held[0].decided_at is None:
        return DecidedEntry(error.message, "", None, is_mine=False)
    (now,) = held
    by = people.told(gateway, [now.decided_by])[now.decided_by]
    return DecidedEntry(
        f"{by} decided this before you: {became(now)}.", by, now.decided_at, now.text or now.present, is_mine=False
    )


def became(proposal: Proposal) -> str:
    """What was decided on it, in words."""
    told = {"edited": "approved in other words", "undone": "taken back, it waits again", "turned_down": "rejected"}
    return told.get(proposal.reason, str(proposal.state))


def _erasure_now(gateway: Gateway, verdict: ReviewVerdict, error: Conflict) -> DecidedEntry:
    now = erasing.erasure(gateway, verdict.id)
    if now.decided_at is None:
        return DecidedEntry(error.message, "", None, is_mine=False)
    decided_by = now.decided_by or ""
    by = now.decided_agent_id or people.told(gateway, [decided_by])[decided_by]
    became = "rejected" if now.state is ErasureState.REJECTED else "approved"
    return DecidedEntry(f"{by} decided this before you: {became}.", by, now.decided_at, is_mine=False)


def _memory_now(gateway: Gateway, verdict: ReviewVerdict, error: Conflict) -> DecidedEntry:
    latest = [
        entry
        for one in verdict.seen
        for entry in operations.journal(gateway, JournalFilter(subject_id=one.id), PageRequest(first=1)).rows
    ]
    if not latest:
        return DecidedEntry(error.message, "", None, is_mine=False)
    last = max(latest, key=lambda entry: entry.at)
    by = last.agent_id if last.actor == "agent" and last.agent_id else people.told(gateway, [last.actor])[last.actor]
    what = last.operation.removeprefix("memory.").replace("_", " ")
    return DecidedEntry(f"{by} decided this before you: {what}.", by, last.at, is_mine=False, memory_id=last.subject_id)


def _refused(request: HttpRequest, problem: Problem) -> HttpResponse:
    if "HX-Request" not in request.headers:
        return render(request, "console/refused.html", {"problem": problem}, status=problem.status)
    # Beside the entry, which keeps its place and the words that were typed.
    answer = render(request, "console/review_refused.html", {"problem": problem})
    answer["HX-Reswap"], answer["HX-Retarget"] = "innerHTML", "find .refusal"
    return answer


def _frame(gateway: Gateway, entries: tuple[QueueEntry, ...]) -> dict[str, object]:
    labels = {entry.proposal.proposed_by for entry in entries if entry.proposal is not None}
    with gateway.open(verbs.CATEGORIES):
        categories = [rule.slug for rule in tenants.category_rules(gateway.principal.tenant_id)]
    return {"categories": categories, "people": people.told(gateway, labels), "pairs": PAIRS}
