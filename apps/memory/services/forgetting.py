"""Forgetting: items and documents are hidden, their claims suppressed at the source; restore undoes a batch."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from apps.core import clock, scope
from apps.core.rows import uuids
from apps.core.scope import Reach
from apps.core.sql import statement
from apps.index import services as index
from apps.jobs.services import enqueue
from apps.journal.services import record
from apps.memory import cold, topics
from apps.memory.documents import FRESHER_WORDING, MERGED
from apps.memory.models import ForgetBatch, ForgottenUnit, Item, ItemSource, Suppression
from apps.memory.requests import ForgetRequest
from apps.memory.results import EndedClaims, Forgotten, ForgottenItem
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.condensing import condensed_by, insights_of
from apps.memory.services.finding import refuse_changed
from apps.resources import selectors as resources
from apps.resources.models import Resource
from apps.resources.services import ForgottenMessage
from memory_platform.errors import Conflict, Forbidden, Invalid, NotFound
from memory_platform.model import Audience, JournalLine, Status, Unit

FORGOTTEN = "forgotten"
# The claim hash of a Suppression that stands for whatever a resource says.
EVERYTHING = ""

_WORDINGS = frozenset({MERGED, FRESHER_WORDING})


@dataclass(frozen=True, slots=True)
class _Forgettable:
    """What a request means: items with all their wordings, and whole episodes."""

    items: tuple[Item, ...]
    episode_ids: tuple[UUID, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.episode_ids)

    @property
    def user_id(self) -> str | None:
        """Whose the items all are; None: of several users, or of none."""
        users = {item.user_id for item in self.items}
        return users.pop() if len(users) == 1 else scope.current().whose.user_id

    @property
    def shown(self) -> tuple[ForgottenItem, ...]:
        """A merged or replaced wording goes with its item and is not listed."""
        return tuple(ForgottenItem(item.id, item.text) for item in self.items if item.status_reason not in _WORDINGS)


def forget(request: ForgetRequest) -> Forgotten:
    """Forget as asked; on a dry run say what would go. Needs an open scope.

    Raises NotFound when an id names nothing, Forbidden for another agent's shared item, Invalid for an empty request,
    Conflict when an item that was `seen` has changed.
    """
    target = _resolve(request)
    if request.dry_run or target.is_empty:
        return Forgotten(None, target.shown, target.episode_ids, request.dry_run, request.truncated)
    numbers = _lock(target)
    refuse_changed(request.seen)
    # Others may have changed the items, added some, or forgotten them while we waited.
    target = _resolve(request, within=numbers)
    if target.is_empty:
        return Forgotten(None, target.shown, target.episode_ids, dry_run=False, truncated=request.truncated)
    batch = ForgetBatch.objects.create(
        tenant_id=scope.current().tenant_id,
        agent_id=scope.current().agent_id,
        user_id=target.user_id,
        by=_way(request),
        reason=request.reason,
        created_at=clock.now(),
    )
    ForgottenUnit.objects.bulk_create([*_items_before(batch, target), *_episodes_before(batch, target)])
    Suppression.objects.bulk_create(_suppressions(batch, target), ignore_conflicts=True)
    shown = target.shown
    _alter(target.items, numbers, FORGOTTEN, lambda _item: (Status.DELETED.value, FORGOTTEN))
    index.hide(Unit.EPISODE, target.episode_ids)
    topics.episodes_changed(target.episode_ids)
    _record("memory.forgot", batch, target)
    return Forgotten(batch.id, shown, target.episode_ids, dry_run=False, truncated=request.truncated)


def restore(batch_id: UUID) -> Forgotten:
    """Give back what a batch took. Needs an open scope.

    An item whose claim was learnt anew meanwhile is compared with it by a job. Raises NotFound for an unknown batch or
    another agent's, Conflict when it was restored already.
    """
    batch = _batch(batch_id)
    units = list(ForgottenUnit.objects.filter(tenant_id=batch.tenant_id, batch_id=batch_id))
    before = {unit.unit_id: unit for unit in units if unit.unit == Unit.ITEM}
    numbers = _lock(_Forgettable(tuple(_items(list(before))), ()))
    items = [item for item in _items(list(before)) if item.status == Status.DELETED]
    Suppression.objects.filter(tenant_id=batch.tenant_id, batch_id=batch_id).delete()
    _alter(items, numbers, "restored", lambda item: _status_before(before[item.id]))
    episode_ids = [unit.unit_id for unit in units if unit.unit == Unit.EPISODE]
    free = sorted(set(episode_ids) - suppressed_episodes(episode_ids))
    index.hide(Unit.EPISODE, free, hidden=False)
    topics.episodes_changed(free)
    batch.restored_at = clock.now()
    batch.save(update_fields=["restored_at"])
    _compare_again(items)
    target = _Forgettable(tuple(items), tuple(free))
    _record("memory.restored_batch", batch, target)
    return Forgotten(batch.id, target.shown, target.episode_ids, dry_run=False)


def suppressed_episodes(resource_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the resources that are forgotten as a whole: their documents stay hidden, whoever rebuilds them."""
    rows = Suppression.objects.filter(
        tenant_id=scope.current().tenant_id, resource_id__in=resource_ids, claim_hash=EVERYTHING
    )
    return set(rows.values_list("resource_id", flat=True))


def forgotten_among(resource_ids: Collection[UUID]) -> set[UUID]:
    """Those of the resources of which something is forgotten. Needs an open scope."""
    rows = Suppression.objects.filter(tenant_id=scope.current().tenant_id, resource_id__in=resource_ids)
    return set(rows.values_list("resource_id", flat=True))


def forgotten_messages(digests: Collection[bytes]) -> list[ForgottenMessage]:
    """Messages of such contents of which something is forgotten, the latest last. Needs an open scope."""
    rows = Suppression.objects.select_related("resource", "batch").filter(
        tenant_id=scope.current().tenant_id, content_hash__in=list(digests)
    )
    return [
        ForgottenMessage(
            resource_id=row.resource_id,
            agent_id=row.resource.agent_id,
            user_id=row.resource.user_id,
            external_id=row.resource.external_id,
            digest=bytes(row.resource.content_hash),
            at=row.batch.created_at,
        )
        for row in rows.order_by("batch__created_at")
    ]


def ended_claims(resource_ids: Collection[UUID]) -> dict[UUID, EndedClaims]:
    """What may not be learnt again from those of the resources of which something ended. Needs an open scope."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "ended_claims"), {"tenant": scope.current().tenant_id, "ids": list(resource_ids)}
        )
        return {row[0]: EndedClaims(frozenset(row[1]), row[2]) for row in cursor.fetchall()}


def end_claims(ended: Mapping[UUID, EndedClaims]) -> None:
    """Keep these from being learnt of the resources, as where those came from. Needs the scope that stored them."""
    rows = resources.readable().filter(id__in=ended)
    batches = {row: _batch_of_import(row, ended[row.id].at) for row in rows.order_by("id")}
    ForgetBatch.objects.bulk_create(batches.values())
    # A batch lives as long as something of it does.
    ForgottenUnit.objects.bulk_create(
        unit for row, batch in batches.items() for unit in _episodes_before(batch, _Forgettable((), (row.id,)))
    )
    Suppression.objects.bulk_create(
        _suppression(batch, row.id, claim_hash, bytes(row.content_hash))
        for row, batch in batches.items()
        for claim_hash in ended[row.id].claims
    )


def _batch_of_import(row: Resource, at: datetime) -> ForgetBatch:
    return ForgetBatch(tenant_id=row.tenant_id, agent_id=row.agent_id, user_id=row.user_id, by="id", created_at=at)


def _resolve(request: ForgetRequest, *, within: Mapping[Audience, int] | None = None) -> _Forgettable:
    """What to forget now; once audiences are locked, `within` them only."""
    if request.user_id is not None:
        target = _of_user(request.user_id)
    elif request.item_ids or request.episode_ids:
        target = _named(request)
    elif request.by_query:
        target = _Forgettable((), ())
    else:
        raise Invalid("Name the memories to forget.", field="ids")
    target = _Forgettable((*target.items, *_insights(target.items)), target.episode_ids)
    if within is None:
        return target
    return _Forgettable(
        tuple(item for item in target.items if any(audiences.owns(audience, item) for audience in within)),
        target.episode_ids,
    )


def _of_user(user_id: str) -> _Forgettable:
    opened = scope.current()
    own: dict[str, Any] = {"tenant_id": opened.tenant_id, "user_id": user_id}
    if opened.reach is not Reach.TENANT:
        own["agent_id"] = opened.agent_id
    items = list(Item.objects.filter(**own).exclude(status=Status.DELETED).order_by("id"))
    cold.fill(items)
    episodes = resources.readable().filter(**own).order_by("id").values_list("id", flat=True)
    return _Forgettable(tuple(items), tuple(episodes))


def _named(request: ForgetRequest) -> _Forgettable:
    named = _items(request.item_ids)
    if not request.by_query:
        _require_all(request.item_ids, named)
    found = [item for item in named if item.status != Status.DELETED and _is_mine(item)]
    ids = with_wordings([item.id for item in found])
    if request.by_query:
        ids += with_wordings(condensed_by(ids))
    items = _items(ids)
    episodes: set[UUID] = set(request.episode_ids)
    if request.by_query:
        episodes.update(_sources([item.id for item in items]))
        rows = resources.readable().filter(id__in=episodes)
        episodes = {row.id for row in rows.only("id", "agent_id", "user_id") if _is_mine(row)}
    return _Forgettable(tuple(items), tuple(sorted(episodes)))


def _insights(items: Sequence[Item]) -> list[Item]:
    """The insights that tell of these items besides: what is forgotten is told by nothing."""
    known = {item.id for item in items}
    told = _items(insights_of(list(known)))
    return [item for item in told if item.id not in known and item.status != Status.DELETED]


def _require_all(item_ids: Sequence[UUID], found: Sequence[Item]) -> None:
    if set(item_ids) - {item.id for item in found}:
        raise NotFound("There is no such memory.", field="ids")
    if not all(map(_is_mine, found)):
        raise Forbidden("This memory is another agent's or no user's: it can be read here, not forgotten.")


def _is_mine(row: Item | Resource) -> bool:
    opened = scope.current()
    is_of_user = opened.whose.everyone or row.user_id == opened.whose.user_id
    return is_of_user and (opened.reach is Reach.TENANT or row.agent_id == opened.agent_id)


def _items(item_ids: Sequence[UUID]) -> list[Item]:
    items = list(Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids).order_by("id"))
    cold.fill(items)
    return items


def with_wordings(item_ids: Sequence[UUID]) -> list[UUID]:
    """The items and every other wording of theirs: what was merged into them, what a fresher wording replaced."""
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE wording AS (SELECT unnest(%(ids)s::uuid[]) AS id UNION"
            " SELECT CASE link.kind WHEN 'merged_into' THEN link.from_item_id ELSE link.to_item_id END"
            " FROM wording JOIN memory_item_link AS link ON link.tenant_id = %(tenant)s AND link.closed_at IS NULL"
            " AND ((link.kind = 'merged_into' AND link.to_item_id = wording.id) OR (link.kind = 'supersedes'"
            " AND link.reason = 'fresher_wording' AND link.from_item_id = wording.id)))"
            " SELECT id FROM wording",
            {"ids": uuids(item_ids), "tenant": scope.current().tenant_id},
        )
        return [row[0] for row in cursor.fetchall()]


def _sources(item_ids: Sequence[UUID]) -> list[UUID]:
    rows = ItemSource.objects.filter(tenant_id=scope.current().tenant_id, item_id__in=item_ids)
    return list(rows.values_list("resource_id", flat=True))


def _lock(target: _Forgettable) -> dict[Audience, int]:
    """Items and episodes share their audiences: a run that is about to store from an episode waits, or we do."""
    rows = resources.readable().filter(id__in=target.episode_ids)
    of_episodes = rows.values_list("agent_id", "user_id", "visibility").distinct()
    episodes = (audiences.audience(*columns) for columns in of_episodes)
    return audiences.lock_all({*map(audiences.of, target.items), *episodes})


def _way(request: ForgetRequest) -> str:
    if request.user_id is not None:
        return "user"
    return "query" if request.by_query else "id"


def _items_before(batch: ForgetBatch, target: _Forgettable) -> list[ForgottenUnit]:
    return [
        ForgottenUnit(
            tenant_id=batch.tenant_id,
            batch=batch,
            unit=Unit.ITEM,
            unit_id=item.id,
            status_before=item.status,
            status_reason_before=item.status_reason,
        )
        for item in target.items
        if item.status != Status.DELETED
    ]


def _episodes_before(batch: ForgetBatch, target: _Forgettable) -> list[ForgottenUnit]:
    return [
        ForgottenUnit(tenant_id=batch.tenant_id, batch=batch, unit=Unit.EPISODE, unit_id=episode_id)
        for episode_id in target.episode_ids
    ]


def _suppressions(batch: ForgetBatch, target: _Forgettable) -> list[Suppression]:
    """Each wording may not come back from where it came from; of a forgotten episode, nothing may."""
    hashes = {item.id: item.claim_hash for item in target.items}
    sources = ItemSource.objects.filter(tenant_id=batch.tenant_id, item_id__in=hashes)
    pairs = {(row.resource_id, hashes[row.item_id]) for row in sources}
    pairs.update((episode_id, EVERYTHING) for episode_id in target.episode_ids)
    said = resources.readable().filter(id__in={resource_id for resource_id, _ in pairs})
    digests = {resource_id: bytes(digest) for resource_id, digest in said.values_list("id", "content_hash")}
    return [
        _suppression(batch, resource_id, claim_hash, digests.get(resource_id))
        for resource_id, claim_hash in sorted(pairs)
    ]


def _suppression(batch: ForgetBatch, resource_id: UUID, claim_hash: str, digest: bytes | None) -> Suppression:
    return Suppression(
        tenant_id=batch.tenant_id,
        batch=batch,
        resource_id=resource_id,
        claim_hash=claim_hash,
        content_hash=digest,
    )


def _alter(
    items: Sequence[Item],
    numbers: Mapping[Audience, int],
    operation: str,
    status: Callable[[Item], tuple[str, str]],
) -> None:
    now: datetime = clock.now()
    for audience, number in numbers.items():
        changes = Changes(now=now, number=number)
        for item in items:
            if audiences.owns(audience, item) and item.status != status(item)[0]:
                new_status, reason = status(item)
                changes.alter(item, operation, "", status=new_status, status_reason=reason)
        changes.write()


def _status_before(unit: ForgottenUnit) -> tuple[str, str]:
    return unit.status_before, unit.status_reason_before


def _batch(batch_id: UUID) -> ForgetBatch:
    opened = scope.current()
    rows = ForgetBatch.objects.filter(tenant_id=opened.tenant_id, id=batch_id)
    if opened.reach is not Reach.TENANT:
        rows = rows.filter(agent_id=opened.agent_id)
    batch = rows.select_for_update().first()
    if batch is None:
        raise NotFound("There is no such batch.", field="batchId")
    if batch.restored_at is not None:
        raise Conflict("The batch was restored already.")
    return batch


def _compare_again(items: Sequence[Item]) -> None:
    """A restored claim may have been learnt anew from elsewhere: two of the same become one."""
    active = [item for item in items if item.status == Status.ACTIVE]
    twins = Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        claim_hash__in=[item.claim_hash for item in active],
        status__in=(Status.ACTIVE, Status.STALE),
    ).exclude(id__in=[item.id for item in active])
    hashes = set(twins.values_list("claim_hash", flat=True))
    doubled = [str(item.id) for item in active if item.claim_hash in hashes]
    if doubled:
        enqueue("memory.dedup", {"items": doubled})


def _record(operation: str, batch: ForgetBatch, target: _Forgettable) -> None:
    data = {"by": batch.by, "items": len(target.items), "episodes": len(target.episode_ids)}
    record(JournalLine(operation=operation, subject="forget_batch", subject_id=batch.id, data=data))
