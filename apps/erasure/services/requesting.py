"""Asking for an erasure: seen first, then asked for, and approved by somebody else where the policy says so."""

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from apps.core import clock, context, erasing, scope, signing
from apps.erasure import receipts, selectors
from apps.erasure.models import Erasure, ErasureState
from apps.erasure.requests import Subject
from apps.erasure.results import ErasureView, Preview, Selection
from apps.erasure.services import sampling, selecting, targets
from apps.erasure.tables import RULES
from apps.jobs.services import enqueue
from apps.journal.services import record
from apps.tenants import selectors as tenants
from apps.tenants.access import MEMBER
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.model import JournalLine

JOB: Final = "erasure.run"


@dataclass(frozen=True, slots=True)
class Requester:
    """Who asks or decides: an agent's key, or (`agent_id` None) whom `actor` names."""

    actor: str
    agent_id: UUID | None

    @classmethod
    def present(cls) -> "Requester":
        return cls(context.current().actor, scope.current().agent_id)


def preview(subject: Subject) -> Preview:
    """What would go, by table, with a few of the texts. Needs an open scope of the whole tenant; changes none of it.

    Raises NotFound for an entity or memory that is not there.
    """
    found = looked(subject)
    told = {"kind": subject.kind.value, "memories": found.memories, "messages": found.messages}
    record(JournalLine("erasure.previewed", "erasure", data=told))
    return found


def looked(subject: Subject, *, counted: Callable[[int], None] = lambda _: None) -> Preview:
    """The same, unrecorded; `counted` is told how many of the RULES are."""
    selection = selecting.select(subject)
    until = (clock.now() + timedelta(seconds=shown_seconds())).replace(microsecond=0)
    return Preview(
        kind=subject.kind,
        memories=len(selection.item_ids),
        messages=len(selection.resource_ids),
        sessions=len(selection.session_ids),
        rows=_counted(subject, selection, counted),
        samples=sampling.samples(selection.item_ids, selection.resource_ids),
        entities=selection.matched,
        memory_ids=subject.memory_ids,
        message_ids=subject.message_ids,
        fingerprint=_fingerprint(subject, selection, until),
        expires_at=until,
    )


def request(subject: Subject, fingerprint: str, *, reason: str) -> ErasureView:
    """Write down what is to go and have it erased, or approved first. Needs an open scope of the whole tenant.

    Raises Conflict when it is not what the preview of this `fingerprint` showed, or that one is over.
    """
    selection = selecting.select(subject)
    _require_seen(subject, selection, fingerprint)
    return selectors.view(begin(subject, selection, reason=reason, waits=needs_approval()))


def needs_approval() -> bool:
    """Whether the policy says that somebody else must approve."""
    return _policy().erasure_approval != "none"


def begin(subject: Subject, selection: Selection, *, reason: str = "", waits: bool = False) -> Erasure:
    """Write an erasure down with its targets; unless it waits for somebody, a job runs it."""
    tenant_id, caller = scope.current().tenant_id, Requester.present()
    about = subject.as_json()
    row = Erasure.objects.create(
        tenant_id=tenant_id,
        kind=subject.kind.value,
        about=about,
        digest=receipts.digest_of(tenant_id, subject.kind.value, about),
        reason=reason,
        state=ErasureState.WAITING if waits else ErasureState.RUNNING,
        requested_by=caller.actor,
        requested_agent_id=caller.agent_id,
        requested_person=tenants.person(),
    )
    targets.add(row, selection)
    _record("erasure.requested", row)
    if not waits:
        start(row.id)
    return row


def start(erasure_id: UUID) -> UUID:
    """Have a job run it; one that is queued already is enough."""
    return enqueue(JOB, {"erasure": str(erasure_id)}, serial_key=JOB, dedup_key=f"{JOB} {erasure_id}")


def approve(erasure_id: UUID) -> ErasureView:
    """Let a waiting erasure run. Raises Forbidden for who asked for it, Conflict when it does not wait, NotFound."""
    row = _decided(erasure_id, ErasureState.RUNNING)
    start(row.id)
    _record("erasure.approved", row)
    return selectors.view(row)


def reject(erasure_id: UUID) -> ErasureView:
    """Let nothing of it happen; raises as `approve` does, but who asked for it may take it back."""
    row = _decided(erasure_id, ErasureState.REJECTED)
    row.about, row.reason, row.finished_at = {}, "", clock.now()
    row.save(update_fields=["about", "reason", "finished_at"])
    row.targets.filter(tenant_id=row.tenant_id).delete()
    _record("erasure.rejected", row)
    return selectors.view(row)


def _decided(erasure_id: UUID, state: ErasureState) -> Erasure:
    row = Erasure.objects.select_for_update().filter(tenant_id=scope.current().tenant_id, id=erasure_id).first()
    if row is None:
        raise NotFound("There is no such erasure.", field="id")
    caller, person = Requester.present(), tenants.person()
    if row.state != ErasureState.WAITING:
        raise Conflict(f"This erasure does not wait for approval: it is {row.state}.")
    if state is ErasureState.RUNNING:
        _require_second_person(row, person)
    row.state, row.decided_at = state, clock.now()
    row.decided_by, row.decided_agent_id, row.decided_person = caller.actor, caller.agent_id, person
    row.save(update_fields=["state", "decided_by", "decided_agent_id", "decided_person", "decided_at"])
    return row


def _require_second_person(row: Erasure, person: str) -> None:
    if person == row.requested_person:
        raise Forbidden(
            "Who asked for an erasure does not approve it.",
            hint="Somebody else does, in the admin or by a key that they made there; your keys and theirs are yours.",
        )
    if not person.startswith(MEMBER):
        raise Forbidden(
            "A key of the command line approves no erasure: nobody can say whose hands it is in.",
            hint="Approve it in the console or the admin, or by a key that you made in the admin.",
        )


def shown_seconds() -> int:
    """For how long what a preview shows may be asked for."""
    return _policy().erasure_preview_minutes * 60


def _counted(subject: Subject, selection: Selection, counted: Callable[[int], None]) -> Counter[str]:
    rows: Counter[str] = Counter()
    for tables, found in enumerate(erasing.counts(RULES, selecting.doomed(subject, selection)), 1):
        rows += found
        counted(tables)
    return rows


def _fingerprint(subject: Subject, selection: Selection, until: datetime) -> str:
    """`<seconds>.<HMAC>`: of this subject, these ids, until then."""
    ids = [*selection.item_ids, *selection.resource_ids, *selection.session_ids]
    seen: dict[str, Any] = {
        "about": receipts.digest_of(scope.current().tenant_id, subject.kind.value, subject.as_json()),
        "ids": receipts.digest_of_ids(ids),
        "until": int(until.timestamp()),
    }
    mark = hmac.new(signing.secret(), receipts.canonical(seen), hashlib.sha256).hexdigest()
    return f"{seen['until']}.{mark}"


def _require_seen(subject: Subject, selection: Selection, fingerprint: str) -> None:
    seconds, _, _ = fingerprint.partition(".")
    again = "Preview it again, and ask for what that shows."
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) <= len(str(2**32))):
        raise Conflict("This is no fingerprint of a preview.", field="fingerprint", hint=again)
    until = datetime.fromtimestamp(int(seconds), tz=UTC)
    if until < clock.now():
        raise Conflict("The preview is over.", field="fingerprint", hint=again)
    if not hmac.compare_digest(_fingerprint(subject, selection, until).encode(), fingerprint.encode()):
        raise Conflict("What would go is not what the preview showed.", field="fingerprint", hint=again)


def _policy() -> Policy:
    return tenants.policy(scope.current().tenant_id)


def _record(operation: str, row: Erasure) -> None:
    record(JournalLine(operation, "erasure", row.id, {"kind": row.kind, "targets": row.targets_count}))


def unfinished() -> Sequence[UUID]:
    """Erasures that run, or should. Needs an open scope of the whole tenant."""
    rows = Erasure.objects.filter(tenant_id=scope.current().tenant_id, state=ErasureState.RUNNING)
    return list(rows.order_by("id").values_list("id", flat=True))
