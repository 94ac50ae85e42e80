"""The unit of work of one transaction: changes, collected while decisions fall and written in a few statements.

Nothing changes an item but `alter`, which notes the version; `write` adds documents and journal entries to match.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, models

from apps.core import rows, scope
from apps.core.ids import new_id
from apps.index import services as index
from apps.jobs.services import enqueue
from apps.journal.services import NewEvent, record, tell
from apps.memory import cold, topics
from apps.memory.documents import document, has_document, is_archived, is_hidden, period
from apps.memory.models import Item, ItemLink, ItemSource, ItemVersion, Rejection
from memory_platform.model import EventKind, JournalLine, Status, Unit, Verdict
from memory_platform.ports import Vectors

# Columns an item may change after it was stored; its text is not among them.
CHANGEABLE = (
    "confidence", "reinforced_at", "verdict", "verdict_reason", "status", "status_reason", "said_at", "valid_from",
    "valid_until", "recorded_at", "retracted_at", "last_confirmed_at", "merged_count", "protected", "dedup_pending",
    "change_number", "cold_at",
)  # fmt: skip
PERIOD = frozenset({"valid_from", "valid_until", "recorded_at", "retracted_at"})
# What an item becomes that those who listen are told; who ages or forgets, knows.
_HEARD = frozenset({Status.ACTIVE, Status.SUPERSEDED})


@dataclass(slots=True)
class Changes:
    """`number` is the audience's change number, `vectors` of new items with their model, `batch` the run, `now` when it
    happens.
    """

    now: datetime
    number: int
    batch: UUID = field(default_factory=new_id)
    created: dict[UUID, Item] = field(default_factory=dict)
    altered: dict[UUID, Item] = field(default_factory=dict)
    sources: list[ItemSource] = field(default_factory=list)
    links: list[ItemLink] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    vectors: dict[UUID, tuple[str, Vectors]] = field(default_factory=dict)
    inherited_use: list[tuple[UUID, UUID]] = field(default_factory=list)
    answered: dict[UUID, ItemLink] = field(default_factory=dict)
    _versions: list[ItemVersion] = field(default_factory=list)
    _lines: list[tuple[UUID, JournalLine]] = field(default_factory=list)
    _periods: dict[UUID, Item] = field(default_factory=dict)
    _visibility: dict[UUID, Item] = field(default_factory=dict)
    _archival: dict[UUID, Item] = field(default_factory=dict)
    _documents: dict[UUID, Item] = field(default_factory=dict)
    _dropped: list[UUID] = field(default_factory=list)
    _told: dict[UUID, tuple[Item, EventKind]] = field(default_factory=dict)
    _unpacked: list[UUID] = field(default_factory=list)

    def create(self, item: Item, *, operation: str = "stored", reason: str = "") -> Item:
        """Add a new item; its first version says what it started with."""
        item.change_number = self.number
        self.created[item.id] = item
        self._told[item.id] = item, _kind_of(item)
        after = {"status": item.status, "verdict": item.verdict, "confidence": round(item.confidence, 4)}
        self._versions.append(_version(item, operation, reason or item.verdict_reason, {}, after, self.now))
        if has_document(item):
            self._documents[item.id] = item
        return item

    def alter(self, item: Item, operation: str, reason: str, why: str = "", /, **fields: Any) -> bool:
        """Set columns of a stored item; False when they were so already. Operations become `memory.<operation>`.

        `reason` is a code; `why`, a caller's own words, stays out of the journal. What is packed away is unpacked.
        """
        if item.cold_at is not None:
            cold.fill([item])
            self._unpacked.append(item.id)
            fields["cold_at"] = None
        changed = {name: value for name, value in fields.items() if getattr(item, name) != value}
        if not changed:
            return False
        before = {name: plain(getattr(item, name)) for name in changed}
        hidden, archived, was_listed = is_hidden(item), is_archived(item), has_document(item)
        for name, value in changed.items():
            setattr(item, name, value)
        item.change_number = self.number
        after = {name: plain(value) for name, value in changed.items()}
        self._versions.append(_version(item, operation, why or reason, before, after, self.now))
        self._follow(item, changed, hidden=hidden, archived=archived, was_listed=was_listed)
        if not {"status", "verdict"}.isdisjoint(changed) and item.status in _HEARD:
            self._told[item.id] = item, _kind_of(item)
        if item.id not in self.created:
            self.altered[item.id] = item
            self.note(item, operation, reason=reason)
        return True

    def note(self, item: Item, operation: str, **data: object) -> None:
        """Journal something about an item."""
        line = JournalLine(operation=f"memory.{operation}", subject="memory", subject_id=item.id, data=data)
        self._lines.append((item.agent_id, line))

    def source(self, item: Item, resource_id: UUID, quote: str, *, inherited: bool = False) -> None:
        row = ItemSource(
            tenant_id=item.tenant_id,
            agent_id=item.agent_id,
            user_id=item.user_id,
            visibility=item.visibility,
            item_id=item.id,
            resource_id=resource_id,
            quote=quote,
            inherited=inherited,
            created_at=self.now,
        )
        self.sources.append(row)

    def link(
        self,
        kind: ItemLink.Kind,
        *,
        to: Item,
        start: Item | Rejection,
        reason: str,
        undo: Mapping[str, Any] | None = None,
    ) -> ItemLink:
        link = ItemLink(
            tenant_id=to.tenant_id,
            agent_id=to.agent_id,
            user_id=to.user_id,
            visibility=to.visibility,
            kind=kind,
            from_item_id=start.id if isinstance(start, Item) else None,
            from_rejection_id=start.id if isinstance(start, Rejection) else None,
            to_item_id=to.id,
            reason=reason,
            batch=self.batch,
            undo=undo or {},
            created_at=self.now,
        )
        self.links.append(link)
        return link

    def echo(self, resource_id: UUID, of: Item) -> None:
        """Note that a message only says an item back."""
        self.links.append(
            ItemLink(
                tenant_id=of.tenant_id,
                agent_id=of.agent_id,
                user_id=of.user_id,
                visibility=of.visibility,
                kind=ItemLink.Kind.ECHOES,
                from_resource_id=resource_id,
                to_item_id=of.id,
                reason=ItemLink.Kind.ECHOES,
                batch=self.batch,
                created_at=self.now,
            )
        )

    def answer(self, link: ItemLink) -> None:
        """Close an open link: its question is answered."""
        link.closed_at = self.now
        self.answered[link.id] = link

    def remark(self, item: Item, operation: str, reason: str, **before: object) -> None:
        """Note in an item's history what changed about it and in none of its columns."""
        self._versions.append(_version(item, operation, reason, dict(before), {}, self.now))
        self.note(item, operation, reason=reason)

    def write(self) -> None:
        """Put everything into the database and the index; a fixed number of statements whatever the size."""
        rows.insert(list(self.created.values()))
        rows.update(Item, [_changeable(each) for each in self.altered.values()], tenant_id=scope.current().tenant_id)
        cold.unpack(self._unpacked)
        rows.insert(self.rejections)
        rows.insert(self._versions)
        rows.insert(self.sources, ignore_conflicts=True)
        rows.insert(self.links)
        self._answer()
        self._inherit_use()
        self._index()
        self._journal()
        self._tell()
        topics.items_changed([*self.created, *self.altered])

    def _answer(self) -> None:
        """Links of this run carry their end already."""
        if self.answered:
            links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, id__in=list(self.answered))
            links.update(closed_at=self.now)

    def _follow(
        self, item: Item, changed: Mapping[str, Any], *, hidden: bool, archived: bool, was_listed: bool
    ) -> None:
        """Remember what the index has to learn of a change."""
        if item.id in self._documents:
            if not has_document(item):
                del self._documents[item.id]
            return
        if was_listed != has_document(item):
            if was_listed:
                self._dropped.append(item.id)
            else:
                self._documents[item.id] = item
        elif was_listed:
            if not changed.keys().isdisjoint(PERIOD):
                self._periods[item.id] = item
            if is_hidden(item) != hidden:
                self._visibility[item.id] = item
            if is_archived(item) != archived:
                self._archival[item.id] = item

    def _index(self) -> None:
        if self._dropped:
            index.drop(Unit.ITEM, self._dropped)
        items = list(self._documents.values())
        if items:
            ids = index.put([document(item) for item in items])
            self._embed({item.id: document_id for item, document_id in zip(items, ids, strict=True)})
        kept = [period(item) for item in self._periods.values() if item.id not in self._dropped]
        if kept:
            index.set_periods(Unit.ITEM, kept)
        for hidden, changed in _parted(self._visibility.values(), is_hidden):
            index.hide(Unit.ITEM, changed, hidden=hidden)
        for archived, changed in _parted(self._archival.values(), is_archived):
            index.archive(Unit.ITEM, changed, archived=archived)

    def _embed(self, document_ids: Mapping[UUID, int]) -> None:
        """Store the vectors at hand; documents without get theirs from a job, with the comparison they still miss."""
        for model in {model for model, _ in self.vectors.values()}:
            known = [each for each in document_ids if each in self.vectors and self.vectors[each][0] == model]
            if known:
                vectors = np.stack([self.vectors[item_id][1] for item_id in known])
                index.store_embeddings([document_ids[item_id] for item_id in known], vectors, model)
        items = [self._documents[item_id] for item_id in document_ids]
        missing = [document_ids[item.id] for item in items if item.id not in self.vectors and not item.dedup_pending]
        if missing:
            index.enqueue_embedding(missing)
        pending = [str(item.id) for item in items if item.dedup_pending]
        if pending:
            enqueue("memory.dedup", {"items": pending})

    def _inherit_use(self) -> None:
        """A fresher wording keeps what its predecessor had learnt about its use."""
        if not self.inherited_use:
            return
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO memory_item_use (tenant_id, item_id, retrieval_priority, learnt, learnt_at, access_count,"
                " recall_count, last_accessed_at) SELECT tenant_id, %s, retrieval_priority, learnt, learnt_at,"
                " access_count, recall_count, last_accessed_at FROM memory_item_use"
                " WHERE tenant_id = %s AND item_id = %s",
                [(new, scope.current().tenant_id, old) for old, new in self.inherited_use],
            )

    def _journal(self) -> None:
        lines: dict[UUID, list[JournalLine]] = defaultdict(list)
        for agent_id, line in self._lines:
            lines[agent_id].append(line)
        for agent_id, own in lines.items():
            record(*own, agent_id=agent_id)

    def _tell(self) -> None:
        taken = {link.to_item_id: link.from_item_id for link in self.links if link.kind == ItemLink.Kind.SUPERSEDES}
        tell([_event(item, kind, taken.get(item.id)) for item, kind in self._told.values()])


def _parted(items: Collection[Item], holds: Callable[[Item], bool]) -> Iterator[tuple[bool, list[UUID]]]:
    """The ids of those of which it holds, and of those of which it does not; none that has none."""
    for wanted in (True, False):
        ids = [item.id for item in items if holds(item) is wanted]
        if ids:
            yield wanted, ids


def _event(item: Item, kind: EventKind, by: UUID | None) -> NewEvent:
    return NewEvent(kind, "memory", item.id, item.agent_id, item.user_id, item.visibility, related_id=by)


def _kind_of(item: Item) -> EventKind:
    if item.status == Status.SUPERSEDED:
        return EventKind.SUPERSEDED
    return EventKind.HELD if item.verdict == Verdict.HOLD else EventKind.STORED


def _changeable(item: Item) -> dict[str, Any]:
    return {name: getattr(item, name) for name in ("id", *CHANGEABLE)}


def _version(
    item: Item, operation: str, reason: str, before: dict[str, Any], after: dict[str, Any], at: datetime
) -> ItemVersion:
    return ItemVersion(
        tenant_id=item.tenant_id,
        agent_id=item.agent_id,
        user_id=item.user_id,
        visibility=item.visibility,
        item_id=item.id,
        at=at,
        operation=operation,
        reason=reason,
        before=before,
        after=after,
    )


def plain(value: object) -> object:
    """A column's value as JSON holds it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, StrEnum) else value


def parsed(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of an item as `plain` wrote them, but for where its words lie: those stay unpacked."""
    return {name: _value(name, value) for name, value in columns.items() if name != "cold_at"}


def is_as(item: Item, columns: Mapping[str, Any]) -> bool:
    """Whether an item still has these columns, as `plain` wrote them."""
    return all(plain(getattr(item, name)) == value for name, value in columns.items())


def _value(name: str, value: Any) -> Any:
    column = Item._meta.get_field(name)  # noqa: SLF001  the documented way to a model's columns
    is_time = isinstance(column, models.DateTimeField) and value is not None
    return datetime.fromisoformat(value) if is_time else value
