"""Answering open questions about items: by a turn that says one side again, or by a person who vouches for it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from apps.core import scope
from apps.memory.confidence import Confidence
from apps.memory.models import Item, ItemLink, ItemVersion
from apps.memory.services.changes import Changes, is_as, parsed
from apps.memory.services.closing import SUPERSEDED, Closing, close
from memory_platform.consolidation.settling import Settlement, Side, settle
from memory_platform.model import Status

SETTLED = "settled"
REOPENED = "reopened"
QUESTIONS = (ItemLink.Kind.PROBABLY_SUPERSEDED, ItemLink.Kind.CONTRADICTS)
_OPEN = frozenset({Status.ACTIVE, Status.STALE})


def open_questions(item_ids: Collection[UUID], changes: Changes) -> list[ItemLink]:
    """The open links between two items of which one is among these, those of the running transaction included."""
    stored = ItemLink.objects.filter(
        Q(from_item_id__in=item_ids) | Q(to_item_id__in=item_ids),
        tenant_id=scope.current().tenant_id,
        kind__in=QUESTIONS,
        closed_at=None,
        from_item__isnull=False,
    )
    made = [link for link in changes.links if link.kind in QUESTIONS and not ends(link).isdisjoint(item_ids)]
    return [link for link in [*stored.order_by("id"), *made] if link.id not in changes.answered]


def ends(link: ItemLink) -> set[UUID]:
    return {end for end in (link.from_item_id, link.to_item_id) if end is not None}


@dataclass(frozen=True, slots=True)
class Settler:
    """Answers questions in one transaction; `penalty` is Policy's contradicted_penalty."""

    changes: Changes
    confidence: Confidence
    penalty: float

    def settle(
        self, claim: Side, repeated: Collection[UUID], links: Collection[ItemLink], items: Mapping[UUID, Item]
    ) -> list[tuple[Item, Closing]]:
        """Answer what a claim answers that says each of `repeated` again; returns what was closed, and how.

        `items` holds both ends of the links as this transaction knows them. Who says both sides settles nothing.
        """
        closed = []
        for link in links:
            said, others = ends(link) & set(repeated), ends(link) - set(repeated)
            if len(said) != 1 or len(others) != 1:
                continue
            item, other = items.get(said.pop()), items.get(others.pop())
            if item and other and item.status in _OPEN and other.status in _OPEN:
                closed += self._answer(claim, link, item, other)
        return closed

    def _answer(self, claim: Side, link: ItemLink, item: Item, other: Item) -> list[tuple[Item, Closing]]:
        is_newer = link.from_item_id == item.id
        settlement = settle(
            claim,
            _side(item),
            _side(other),
            repeats_newer=is_newer,
            is_contradiction=link.kind == ItemLink.Kind.CONTRADICTS,
        )
        if settlement is None:
            return []
        self.changes.answer(link)
        if settlement is Settlement.DISMISSED:
            self.changes.remark(item, SETTLED, settlement, open_link=link.kind, by=str(other.id))
            return []
        until = max(item.valid_from, other.said_at) if is_newer else claim.said_at
        closing = Closing(item, SETTLED, until, claim.said_at)
        close(other, closing, changes=self.changes, confidence=self.confidence, penalty=self.penalty)
        return [(other, closing)]


def carry_over(old: Item, new: Item, changes: Changes) -> None:
    """What is open about an item stays open about the fresher wording of it."""
    for link in open_questions([old.id], changes):
        changes.answer(link)
        changes.links.append(
            ItemLink(
                tenant_id=link.tenant_id,
                agent_id=link.agent_id,
                user_id=link.user_id,
                visibility=link.visibility,
                kind=link.kind,
                from_item_id=new.id if link.from_item_id == old.id else link.from_item_id,
                to_item_id=new.id if link.to_item_id == old.id else link.to_item_id,
                reason=link.reason,
                batch=changes.batch,
                created_at=changes.now,
            )
        )


def ask_again(item: Item, *, answered_at: datetime, changes: Changes) -> None:
    """Who vouched for an item took it back: the questions that answered are open again, and what it closed is as it
    was, unless that has changed since.
    """
    links = ItemLink.objects.filter(tenant_id=item.tenant_id)
    about = links.filter(Q(from_item_id=item.id) | Q(to_item_id=item.id), kind__in=QUESTIONS)
    about.filter(closed_at=answered_at).update(closed_at=None)
    closed = links.filter(
        kind=ItemLink.Kind.SUPERSEDES,
        reason=SETTLED,
        from_item_id=item.id,
        created_at=answered_at,
        closed_at=None,
    )
    for other in Item.objects.select_for_update().filter(id__in=closed.values("to_item_id")).order_by("id"):
        _reopen(other, answered_at, changes)
    closed.update(closed_at=changes.now)


def _reopen(item: Item, closed_at: datetime, changes: Changes) -> None:
    versions = ItemVersion.objects.filter(
        tenant_id=item.tenant_id, item_id=item.id, operation=SUPERSEDED, at=closed_at
    ).order_by("id")
    closing = versions.last()
    if closing is not None and is_as(item, closing.after):
        changes.alter(item, REOPENED, "", **parsed(closing.before))


def _side(item: Item) -> Side:
    return Side(item.said_at, item.agent_id, item.said_by)


def vouched(item: Item, at: datetime) -> Side:
    """Someone who says of an item that it is so."""
    return Side(at, item.agent_id)
