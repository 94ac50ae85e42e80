"""What people do on the console: filled forms with the ids of what a tenant holds, and the rows they need."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import connection

from apps.core.clock import now
from apps.core.scope import Reach, Scope, tenant_scope
from apps.curation.models import Proposal, ProposalState
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.services.requesting import looked
from apps.jobs.models import Job, JobState
from apps.memory import services as memory
from apps.memory.models import Item, ItemLink
from apps.memory.requests import NewMemory
from tests.cast import MARA
from tests.conftest import judging


@dataclass(frozen=True, slots=True)
class Deed:
    """A form of a page, `{…}` standing for an id, and the operation by which the journal has what it does."""

    page: str
    operation: str
    form: Mapping[str, str | list[str]]

    def filled_in(self, ids: Mapping[str, str]) -> dict[str, str | list[str]]:
        return filled_in(self.form, ids)


def filled_in(form: Mapping[str, str | list[str]], ids: Mapping[str, str]) -> dict[str, str | list[str]]:
    """The form with the ids of what somebody holds."""
    return {
        name: value.format(**ids) if isinstance(value, str) else [each.format(**ids) for each in value]
        for name, value in form.items()
    }


def _act(action: str, memory: str, operation: str) -> Deed:
    return Deed("memories_act", operation, {"action": action, "id": f"{{{memory}}}"})


def _decide(kind: str, decision: str, operation: str, **more: str | list[str]) -> Deed:
    form = {"kind": kind, "id": f"{{{kind}}}", "decision": decision, "version": "1"}
    return Deed("review_decide", operation, {**form, **more})


_HELD: Final = ["{held}:{held_version}"]
_PAIR: Final = ["{earlier}:{earlier_version}", "{later}:{later_version}"]
_OF_MARA: Final = {"kind": "user", "what": MARA.user_id}
DEEDS: Final[Mapping[str, Deed]] = {
    "correct": Deed("memory_correct", "memory.corrected", {"text": "It hangs in the hall.", "version": "1"}),
    "say": Deed("memory_feedback", "memory.feedback_given", {"kind": "helpful"}),
    "confirm": _act("confirm", "memory", "memory.confirmed"),
    "forget": _act("forget", "memory", "memory.forgotten"),
    "restore": _act("restore", "spare", "memory.restored"),
    "unmerge": _act("unmerge", "wording", "memory.unmerged"),
    "give back": Deed("memories_give_back", "memory.restored_batch", {"batch": "{batch}"}),
    "complete": Deed("complete_trigger", "trigger.completed", {}),
    "snooze": Deed("snooze_trigger", "trigger.snoozed", {"days": "7"}),
    "drop": Deed("dismiss_trigger", "trigger.dismissed", {}),
    "dismiss": Deed("dismiss_lesson", "lesson.dismissed", {}),
    "approve": _decide("proposal", "approve", "proposal.approved"),
    "edit": _decide("proposal", "edit", "proposal.approved", text="The bell rings at one.", section="other"),
    "reject": _decide("proposal", "reject", "proposal.rejected"),
    "undo": _decide("proposal", "undo", "proposal.queued", id="{decided}", version="2"),
    "keep the held": _decide("held", "approve", "memory.confirmed", seen=_HELD),
    "reword the held": _decide("held", "edit", "memory.corrected", seen=_HELD, text="The mill grinds in autumn."),
    "forget the held": _decide("held", "reject", "memory.forgotten", seen=_HELD),
    "the later holds": _decide("contradiction", "approve", "memory.confirmed", seen=_PAIR),
    "the earlier holds": _decide("contradiction", "reject", "memory.confirmed", seen=_PAIR),
    "approve the erasure": _decide("erasure", "approve", "erasure.approved"),
    "reject the erasure": _decide("erasure", "reject", "erasure.rejected"),
    "preview": Deed("preview_erasure", "erasure.previewed", _OF_MARA),
    "request": Deed("request_erasure", "erasure.requested", {**_OF_MARA, "fingerprint": "{fingerprint}"}),
    "approve there": Deed("approve_erasure", "erasure.approved", {}),
    "reject there": Deed("reject_erasure", "erasure.rejected", {}),
    "retry": Deed("retry_job", "job.retried", {}),
    "change": Deed("change_schedule", "schedule.changed", {"cron": "15 4 * * *", "enabled": "on"}),
    "run": Deed("run_schedule", "schedule.started", {}),
    "count": Deed("count_schedule", "maintenance.counting", {}),
}
CHANGING_NOTHING: Final = frozenset({"recall_answer"})
"""Trials, of which nothing is kept but what they spent."""


def prepare(tenant_id: UUID, agent_id: UUID, job_id: str) -> dict[str, str]:
    """Have a tenant hold what deeds are done to: the ids. Needs `judging`."""
    own = Scope(tenant_id, agent_id, Reach.SHARED)
    held, earlier, later, said, again = (
        _learnt(text, own)
        for text in (
            "The mill grinds in spring.",
            "The gate of the mill is green.",
            "The gate of the mill is red.",
            "The miller keeps bees behind the mill.",
            "The miller keeps bees behind the mill.",
        )
    )
    assert said == again
    with tenant_scope(tenant_id):
        Job.objects.filter(id=job_id).update(state=JobState.FAILED)
        Item.objects.filter(id=held).update(verdict="hold", verdict_reason="ambiguous")
        link = _disagree(earlier, later)
        wording = Item.objects.get(tenant_id=tenant_id, status_reason="merged").id
        versions = {each.id: each.change_number for each in Item.objects.filter(id__in=(held, earlier, later))}
        decided = _rejected(tenant_id)
        fingerprint = looked(Subject(ErasureKind.USER, user_id=MARA.user_id)).fingerprint
    rows = {"held": held, "earlier": earlier, "later": later}
    numbers = {f"{name}_version": versions[row_id] for name, row_id in rows.items()}
    others = {"contradiction": link, "wording": wording, "decided": decided, "fingerprint": fingerprint}
    return {name: str(value) for name, value in (rows | numbers | others).items()}


def contents(tenant_id: UUID) -> dict[str, Any]:
    """What each table holds of a tenant, as a digest."""
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname FROM pg_class c
               JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
        )
        tables = sorted(name for (name,) in cursor.fetchall())
        rows = "SELECT '{0}', md5(coalesce(string_agg(held::text, '' ORDER BY held::text), '')) FROM {0} held"
        cursor.execute(" UNION ALL ".join(rows.format(name) for name in tables))
        return dict(cursor.fetchall())


def tell_prepared(tenant_id: str, agent_id: str, job_id: str) -> None:
    """Print `prepare` as JSON: for tests before a stack, by its `manage.py shell`."""
    with judging():
        print(json.dumps(prepare(UUID(tenant_id), UUID(agent_id), job_id)))  # noqa: T201


def tell_contents(tenant_id: str) -> None:
    """The same of `contents`."""
    print(json.dumps(contents(UUID(tenant_id))))  # noqa: T201


def _learnt(text: str, own: Scope) -> UUID:
    made = memory.remember(NewMemory(text=text, category="other"), within=own).item
    assert made is not None, text
    return made.id


def _disagree(earlier: UUID, later: UUID) -> UUID:
    first = Item.objects.get(id=earlier)
    link = ItemLink(tenant_id=first.tenant_id, agent_id=first.agent_id, visibility=first.visibility)
    link.kind, link.reason, link.batch = ItemLink.Kind.CONTRADICTS, "differs", uuid4()
    link.from_item_id, link.to_item_id = later, earlier
    link.save(force_insert=True)
    return later


def _rejected(tenant_id: UUID) -> UUID:
    """A proposal that somebody rejected."""
    row = Proposal(tenant_id=tenant_id, section="other", change="add", text="The bell rings at dusk.")
    row.kind, row.confidence, row.said_on, row.proposed_by, row.claim = "fact", 0.5, now().date(), "rules", uuid4().hex
    row.state, row.decided_by, row.decided_at, row.version = ProposalState.REJECTED, "rules", now(), 2
    row.save(force_insert=True)
    return row.id
