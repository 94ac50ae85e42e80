"""Reading proposals, the queue and the curated memory. All need an open scope of the whole tenant, but for `queue`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from apps.core import paging, scope
from apps.core.paging import PageRequest, Slice
from apps.core.scope import Reach, Scope
from apps.curation.models import CuratedEntry, CuratedFile, Proposal, ProposalState
from apps.curation.requests import ProposalFilter, ProposalOrder
from apps.curation.results import CuratedView, Ground, LineView, ProposalView, QueueEntry, QueueKind
from apps.curation.services import basis, deciding, lines
from apps.memory import commons
from apps.memory import selectors as memory
from apps.memory.commons import OpenQuestion, Position, QuestionKind
from apps.memory.models import ItemLink
from apps.memory.results import ItemView
from apps.tenants import selectors as tenants
from memory_platform.consolidation import memory_file
from memory_platform.consolidation.memory_file import FileLine
from memory_platform.model import Change, Kind, Status
from memory_platform.text.tokens import count as count_tokens

DECIDED: Final = (ProposalState.APPROVED, ProposalState.REJECTED, ProposalState.MERGED)
_ORDER: Final = ("created_at", "id")
_ORDERS: Final[Mapping[ProposalOrder, tuple[str, str]]] = {
    ProposalOrder.OLDEST: _ORDER,
    ProposalOrder.DECIDED: ("-decided_at", "-id"),
}
_QUEUE_ORDER: Final = ("at", "id")
_TASKS: Final = {
    Change.ADD: "Shall every agent know this?",
    Change.REPLACE: "Shall this take the place of the present line?",
    Change.REMOVE: "Shall this line go?",
}
_QUESTIONS: Final[Mapping[QuestionKind, tuple[str, tuple[str, ...]]]] = {
    QuestionKind.HELD: ("Is this worth remembering?", ("confirm", "correct", "forget")),
    QuestionKind.CONTRADICTION: ("Both cannot be true. Which one is?", ("confirm", "correct", "forget")),
    QuestionKind.REPLACEMENT: ("Did the later one take the earlier one's place?", ("confirm", "correct", "forget")),
}
_DECIDES: Final = ("decideProposal",)
_DISPUTED: Final = (QueueKind.CONTRADICTION, QueueKind.REPLACEMENT)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Something of the queue before its memories are read."""

    at: datetime
    id: UUID
    what: Proposal | OpenQuestion | QueueEntry


Others = Callable[[Position | None, int], Iterable[QueueEntry]]
"""What else of the tenant waits: the first so many entries behind a position, the earliest first."""


def proposals(
    *,
    filter: ProposalFilter,  # noqa: A002  the API's word
    page: PageRequest,
    order: ProposalOrder = ProposalOrder.OLDEST,
) -> Slice[ProposalView]:
    """One page. Raises Invalid on a malformed cursor."""
    given = {
        "section": filter.section,
        "kind": filter.kind,
        "id__in": filter.ids,
        "state__in": _states(filter, order),
        "decided_at__isnull": False if order is ProposalOrder.DECIDED else None,
    }
    rows = _proposals().filter(**{column: value for column, value in given.items() if value is not None})
    cut = paging.paginate(rows, order=_ORDERS[order], page=page)
    return cut.of(viewed(cut.rows))


def viewed(rows: Iterable[Proposal]) -> list[ProposalView]:
    """The rows with their tasks and evidence: a fixed number of statements, whatever their number."""
    listed = list(rows)
    return _viewed(listed, memory.hydrate(list({one for row in listed for one in row.items})))


def queue(
    *, within: Scope, kinds: Sequence[QueueKind], page: PageRequest, others: Others | None = None
) -> Slice[QueueEntry]:
    """Everything that waits for somebody, in one list, the earliest first: proposals, what of the memories is open
    that the scope `within`, which is open, may read, and `others`. Raises Invalid on a malformed cursor.
    """
    behind = _position(page.after)
    found = _waiting(within, kinds, others, behind, page.first + 1)
    found.sort(key=lambda one: (one.at, one.id))
    kept = found[: page.first]
    cursors = tuple(paging.encode([one.at, one.id], order=_QUEUE_ORDER) for one in kept)
    with _of_tenant(within):
        entries = _entries_of(kept)
    return Slice(tuple(entries), cursors, len(found) > page.first)


def curated() -> CuratedView:
    """MEMORY.md as it stands; what was forgotten a moment ago is not in it."""
    tenant_id = scope.current().tenant_id
    entries = _unforgotten(lines.present())
    file = CuratedFile.objects.filter(tenant_id=tenant_id).first()
    text = memory_file.rendered([file_line(entry) for entry in entries])
    return CuratedView(
        text=text,
        tokens=count_tokens(text),
        lines=tuple(_line_view(entry) for entry in entries),
        limit=tenants.policy(tenant_id).curation_entries,
        changes=0 if file is None else file.changes,
        changed_at=None if file is None or not file.changes else file.changed_at,
    )


def lines_digest() -> str:
    """MD5 over all lines there ever were, as they are: another one when any of them came, went or was changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT md5(coalesce(string_agg(entry::text, '' ORDER BY id), ''))"
            " FROM curation_entry AS entry WHERE tenant_id = %s",
            [scope.current().tenant_id],
        )
        (digest,) = cursor.fetchone()
    return str(digest)


def file_line(entry: CuratedEntry) -> FileLine:
    return FileLine(entry.section, entry.text, entry.said_on, entry.decision)


def _unforgotten(entries: Sequence[CuratedEntry]) -> list[CuratedEntry]:
    """Lines that rest on something: a job takes the others away in a moment."""
    if not entries:
        return []
    rests = basis.resting(entries)
    states = memory.item_states(list({one for own in rests.values() for one in own}))
    gone = {one for one, state in states.items() if state.is_forgotten}
    return [entry for entry in entries if not _is_gone(rests[entry.id], states.keys(), gone)]


def _is_gone(rests: Iterable[UUID], known: Iterable[UUID], gone: set[UUID]) -> bool:
    held = set(rests) & set(known)
    return bool(held) and held <= gone


def _line_view(entry: CuratedEntry) -> LineView:
    return LineView(
        id=entry.id,
        section=entry.section,
        kind=Kind(entry.kind),
        text=entry.text,
        said_on=entry.said_on,
        item_ids=tuple(entry.items),
        decision=entry.decision,
        added_by=entry.added_by,
        added_at=entry.added_at,
    )


def _view(row: Proposal, entries: Mapping[UUID, CuratedEntry], items: Sequence[ItemView]) -> ProposalView:
    change = Change(row.change)
    made = None if row.entry_id is None else entries[row.entry_id]
    evidence = [one for one in items if one.status is not Status.DELETED]
    is_forgotten = bool(items) and not evidence
    present = "" if row.target_id is None else entries[row.target_id].text
    return ProposalView(
        id=row.id,
        task=_TASKS[change],
        section=row.section,
        change=change,
        text="" if is_forgotten else row.text,
        present="" if is_forgotten else present,
        made="" if is_forgotten or made is None else made.text,
        kind=Kind(row.kind),
        confidence=row.confidence,
        said_on=row.said_on,
        state=ProposalState(row.state),
        reason=row.reason,
        comment=row.comment,
        proposed_by=row.proposed_by,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        can_be_undone=deciding.undo_refusal(row, made, is_forgotten=is_forgotten) is None,
        version=row.version,
        item_ids=tuple(row.items),
        evidence=tuple(Ground(one.id, one.text, one.said_at) for one in evidence if commons.is_common(one)),
        created_at=row.created_at,
    )


def _states(wanted: ProposalFilter, order: ProposalOrder) -> tuple[ProposalState, ...] | None:
    if wanted.states is not None or wanted.ids is not None:
        return wanted.states
    return DECIDED if order is ProposalOrder.DECIDED else deciding.OPEN


def _viewed(rows: Sequence[Proposal], items: Mapping[UUID, ItemView]) -> list[ProposalView]:
    named = {line_id for row in rows for line_id in (row.target_id, row.entry_id) if line_id is not None}
    entries = _entries().in_bulk(named) if named else {}
    return [_view(row, entries, [items[one] for one in row.items if one in items]) for row in rows]


def _waiting(
    within: Scope, kinds: Sequence[QueueKind], others: Others | None, behind: Position | None, most: int
) -> list[_Waiting]:
    """The first of each kind: at most a statement for proposals, one for what is held, one for what is disputed."""
    found: list[_Waiting] = []
    if QueueKind.PROPOSAL in kinds or others is not None:
        with _of_tenant(within):
            if QueueKind.PROPOSAL in kinds:
                found += [_Waiting(row.created_at, row.id, row) for row in _queued(behind, most)]
            if others is not None:
                found += [_Waiting(one.at, one.id, one) for one in others(behind, most)]
    if QueueKind.HELD in kinds:
        found += [_Waiting(one.at, one.id, one) for one in commons.held(behind=behind, most=most)]
    if disputed := [QuestionKind(kind) for kind in kinds if kind in _DISPUTED]:
        found += [_Waiting(one.at, one.id, one) for one in commons.disputed(disputed, behind=behind, most=most)]
    return found


def _of_tenant(within: Scope) -> AbstractContextManager[object]:
    """Proposals, and what they rest on, are the whole tenant's."""
    if within.reach is Reach.TENANT and within.whose.everyone:
        return nullcontext()
    return scope.enter(Scope(within.tenant_id, within.agent_id, Reach.TENANT))


def _queued(behind: Position | None, most: int) -> "QuerySet[Proposal]":
    rows = _proposals().filter(state=ProposalState.QUEUED)
    if behind is not None:
        rows = rows.filter(behind.rest("created_at"))
    return rows.order_by(*_ORDER)[:most]


def _entries_of(waiting: Sequence[_Waiting]) -> list[QueueEntry]:
    """What waits with its memories, all of them read at once."""
    proposals = [one.what for one in waiting if isinstance(one.what, Proposal)]
    questions = [one.what for one in waiting if isinstance(one.what, OpenQuestion)]
    named = [*(row.items for row in proposals), *(question.item_ids for question in questions)]
    items = memory.hydrate(list({item_id for ids in named for item_id in ids}))
    views = {view.id: view for view in _viewed(proposals, items)}
    return [_entry(one.what, views, items) for one in waiting]


def _entry(
    what: Proposal | OpenQuestion | QueueEntry, views: Mapping[UUID, ProposalView], items: Mapping[UUID, ItemView]
) -> QueueEntry:
    if isinstance(what, QueueEntry):
        return what
    return _proposed(views[what.id], items) if isinstance(what, Proposal) else _asked(what, items)


def _proposed(view: ProposalView, items: Mapping[UUID, ItemView]) -> QueueEntry:
    return QueueEntry(
        id=view.id,
        kind=QueueKind.PROPOSAL,
        at=view.created_at,
        task=view.task,
        texts=tuple(filter(None, (view.present, view.text))),
        items=tuple(items[one.item_id] for one in view.evidence),
        verbs=_DECIDES,
        user_id=None,
        proposal=view,
    )


def _asked(found: OpenQuestion, items: Mapping[UUID, ItemView]) -> QueueEntry:
    task, verbs = _QUESTIONS[found.question]
    return QueueEntry(
        id=found.id,
        kind=QueueKind(found.question.value),
        at=found.at,
        task=task,
        texts=found.texts,
        items=tuple(items[one] for one in found.item_ids if one in items),
        verbs=verbs,
        user_id=found.user_id,
    )


def _position(cursor: str | None) -> Position | None:
    if cursor is None:
        return None
    at, row_id = paging.decode(cursor, order=_QUEUE_ORDER)
    try:
        return Position(datetime.fromisoformat(str(at)), UUID(str(row_id)))
    except ValueError:
        raise paging.malformed() from None


def flagged_proposals() -> "QuerySet[Proposal]":
    """What rules could not decide and waits for people."""
    return _proposals().filter(state=ProposalState.QUEUED)


def open_replacements() -> "QuerySet[ItemLink]":
    """Where one memory probably took another's place, which people may say."""
    return commons.disputes([QuestionKind.REPLACEMENT])


def _proposals() -> "QuerySet[Proposal]":
    return Proposal.objects.filter(tenant_id=scope.current().tenant_id)


def _entries() -> "QuerySet[CuratedEntry]":
    return CuratedEntry.objects.filter(tenant_id=scope.current().tenant_id)
