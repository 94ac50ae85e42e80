"""What time does to items: a new status, a batch and transaction at a time, over the whole tenant.

Each rule names the items that are due at a moment; what is done to them takes them out of it, so that running it twice
changes nothing. Nothing is due that a person vouched for, and nothing before it has lain here for as long as the rule
takes: what was imported from long ago had no chance to be recalled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import itemgetter, or_
from typing import Final, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from apps.core import scope
from apps.core.ids import earliest_id, new_id
from apps.core.sql import statement
from apps.index import services as index
from apps.jobs.services import NewJob, enqueue_many
from apps.memory import models, topics
from apps.memory.confidence import Confidence
from apps.memory.documents import CONDENSED
from apps.memory.models import Extraction, Item, ItemVersion
from apps.memory.requests import ForgetRequest
from apps.memory.services import audience as audiences
from apps.memory.services.forgetting import forget
from apps.resources import selectors as resources
from apps.resources.models import Resource
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import CategoryRule, Retention, Status, Unit, Verdict

ITEMS_AT_ONCE: Final = 1_000
FORGOTTEN_AT_ONCE: Final = 200
"""Whose wordings, sources and documents go with them."""
COMPARED_AT_ONCE: Final = 128
READ_AT_ONCE: Final = 64
"""Named by one job; ITEMS_AT_ONCE are asked for in one transaction."""
_OPEN: Final = (Status.ACTIVE.value, Status.STALE.value)

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Ages:
    """A moment and the tenant's numbers."""

    now: datetime
    policy: Policy
    rules: tuple[CategoryRule, ...]

    @classmethod
    def at(cls, now: datetime) -> "Ages":
        """Needs an open scope."""
        tenant_id = scope.current().tenant_id
        return cls(now, tenants.policy(tenant_id), tenants.category_rules(tenant_id))

    def ago(self, days: float) -> datetime:
        return self.now - timedelta(days=days)

    @property
    def confidence(self) -> Confidence:
        return Confidence.at(self.now, self.policy, self.rules)

    @property
    def operational(self) -> list[str]:
        return [rule.slug for rule in self.rules if rule.operational]

    @property
    def lasting(self) -> list[str]:
        return [rule.slug for rule in self.rules if rule.retention is Retention.NONE]


@dataclass(frozen=True, slots=True)
class Ageing:
    """A change that comes with time: from which of the open statuses, into which, and when it is due."""

    operation: str
    status: Status
    reason: str
    due: Callable[[Ages], QuerySet[Item]]


@dataclass(frozen=True, slots=True)
class Aged:
    """What a batch changed or asked for, and the last id it looked at; None: there is nothing behind it."""

    items: int
    last: UUID | None


def count_due(ageing: Ageing, ages: Ages) -> int:
    """How many items it would change. Needs an open scope of the whole tenant."""
    return ageing.due(ages).count()


def age(ageing: Ageing, ages: Ages, *, after: UUID | None = None) -> Aged:
    """Change the next ITEMS_AT_ONCE items behind `after`, in the open transaction of the whole tenant's scope.

    `topics.ITEMS_AGED` tells of it: what is active, stale or archived is all the same to who reads `memory_live_item`.
    """
    found = _next(ageing, ages, after, ITEMS_AT_ONCE)
    ids = _still_due(ageing, ages, found)
    _restate(ids, ageing, ages.now)
    if ids and ageing.status is Status.ARCHIVED:
        index.archive(Unit.ITEM, ids)
    topics.items_aged(ids)
    return Aged(len(ids), found[-1] if len(found) == ITEMS_AT_ONCE else None)


def forget_due(ageing: Ageing, ages: Ages, *, after: UUID | None = None) -> Aged:
    """Forget the next FORGOTTEN_AT_ONCE items as `forget` does: a batch that `restore` undoes."""
    found = _next(ageing, ages, after, FORGOTTEN_AT_ONCE)
    due = _still_due(ageing, ages, found)
    if due:
        forget(ForgetRequest(item_ids=tuple(due), reason=ageing.reason))
    return Aged(len(due), found[-1] if len(found) == FORGOTTEN_AT_ONCE else None)


def _next(ageing: Ageing, ages: Ages, after: UUID | None, most: int) -> list[UUID]:
    return list(_behind(ageing.due(ages), after).values_list("id", flat=True)[:most])


def _behind(rows: "QuerySet[Row]", after: UUID | None) -> "QuerySet[Row]":
    return (rows if after is None else rows.filter(id__gt=after)).order_by("id")


def _still_due(ageing: Ageing, ages: Ages, found: list[UUID]) -> list[UUID]:
    """Lock the audiences of what was found; others may have changed some while we waited."""
    audiences.lock_owners(found)
    return list(ageing.due(ages).filter(id__in=found).order_by("id").values_list("id", flat=True))


def _restate(ids: list[UUID], ageing: Ageing, at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "restate_items"),
            {
                "tenant": scope.current().tenant_id,
                "ids": ids,
                "version_ids": [new_id() for _ in ids],
                "status": ageing.status.value,
                "reason": ageing.reason,
                "operation": ageing.operation,
                "at": at,
            },
        )


def _held(ages: Ages, *, days: float, statuses: tuple[str, ...] = _OPEN) -> QuerySet[Item]:
    """What is here of the categories whose memories time does something to."""
    return _here(ages, days=days, statuses=statuses).exclude(category__in=ages.lasting)


def _here(ages: Ages, *, days: float, statuses: tuple[str, ...] = _OPEN) -> QuerySet[Item]:
    """Items nobody vouched for that have been here for `days`, with when they were `confirmed` last."""
    rows = Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        id__lt=earliest_id(ages.ago(days)),
        verdict=Verdict.ALLOW.value,
        status__in=statuses,
        protected=False,
    )
    return rows.annotate(confirmed=Coalesce("last_confirmed_at", "recorded_at"))


def _unused(since: datetime) -> Q:
    """Of what is held: that nobody recalled or said again since."""
    unrecalled = Q(use=None) | Q(use__last_accessed_at=None) | Q(use__last_accessed_at__lt=since)
    return Q(confirmed__lt=since) & unrecalled


def _unrecalled(ages: Ages) -> QuerySet[Item]:
    days = ages.policy.stale_after_days
    return _held(ages, days=days, statuses=(Status.ACTIVE.value,)).filter(_unused(ages.ago(days)))


def _recalled_again(ages: Ages) -> QuerySet[Item]:
    since = ages.ago(ages.policy.stale_after_days)
    used = Q(use__last_accessed_at__gte=since) | Q(last_confirmed_at__gte=since)
    rows = _held(ages, days=0, statuses=(Status.STALE.value,)).filter(used)
    return rows.exclude(status_reason=Opinion.OUTDATED.value)


def _stale_for_long(ages: Ages) -> QuerySet[Item]:
    since = ages.ago(ages.policy.forget_stale_after_days)
    became_stale = ItemVersion.objects.filter(
        tenant_id=scope.current().tenant_id, item_id=OuterRef("id"), at__gte=since, after__status=Status.STALE.value
    )
    stale = _held(ages, days=ages.policy.forget_stale_after_days, statuses=(Status.STALE.value,))
    return stale.filter(_unused(since), ~Exists(became_stale))


def _past_ttl(ages: Ages) -> QuerySet[Item]:
    """What was confirmed or used within its category's TTL stays; the rest goes, though its confidence never fades."""
    expired = [_expired(ages, rule.slug, rule.ttl_days) for rule in ages.rules if rule.ttl_days is not None]
    rows = _here(ages, days=0)
    return rows.filter(reduce(or_, expired)) if expired else rows.none()


def _expired(ages: Ages, category: str, days: int) -> Q:
    since = ages.ago(days)
    return Q(category=category, id__lt=earliest_id(since)) & _unused(since)


def _faded(ages: Ages) -> QuerySet[Item]:
    """Nothing within its category's TTL, which is a promise: what is faded and past it, though somebody recalled it."""
    rows = _held(ages, days=ages.policy.stale_after_days).exclude(category__in=ages.operational)
    for rule in ages.rules:
        if rule.ttl_days is not None:
            rows = rows.exclude(Q(category=rule.slug, confirmed__gte=ages.ago(rule.ttl_days)))
    return rows.annotate(effective=ages.confidence.expression()).filter(effective__lt=ages.policy.prune_below)


def _decayed(ages: Ages) -> QuerySet[Item]:
    rows = _held(ages, days=ages.policy.operational_grace_days).filter(category__in=ages.operational)
    return rows.annotate(effective=ages.confidence.expression()).filter(
        effective__lt=ages.policy.operational_inactive_below
    )


STALE: Final = Ageing("stale", Status.STALE, "unrecalled", _unrecalled)
REVIVED: Final = Ageing("revived", Status.ACTIVE, "", _recalled_again)
FORGOTTEN: Final = Ageing("forgotten", Status.DELETED, "stale", _stale_for_long)
EXPIRED: Final = Ageing("expired", Status.ARCHIVED, "expired", _past_ttl)
PRUNED: Final = Ageing("pruned", Status.ARCHIVED, "pruned", _faded)
DECAYED: Final = Ageing("decayed", Status.ARCHIVED, models.DECAYED, _decayed)


def count_unfavoured(since: datetime) -> int:
    """How many active items stored since then have not gained the priority of their first night."""
    return _new(since).exclude(use__favoured=True).count()


def favour_new(ages: Ages, since: datetime) -> int:
    """Let the next ITEMS_AT_ONCE of them gain it; returns how many did."""
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "favour_new"),
            {
                "tenant": scope.current().tenant_id,
                "since": earliest_id(since),
                "gain": ages.policy.new_priority,
                "most": ITEMS_AT_ONCE,
            },
        )
        return int(cursor.rowcount)


def count_new(since: datetime) -> int:
    """How many active items were stored since then that claim something themselves."""
    return _comparable(since).count()


def compare_new(since: datetime, *, after: UUID | None = None) -> Aged:
    """Ask for the comparison of the next ITEMS_AT_ONCE of them with all others, as if they came in now."""
    found = list(_behind(_comparable(since), after).values_list("id", flat=True)[:ITEMS_AT_ONCE])
    chunks = _chunks([str(item_id) for item_id in found], COMPARED_AT_ONCE)
    enqueue_many([NewJob("memory.dedup", {"items": chunk}, dedup_key=f"dedup {chunk[0]}") for chunk in chunks])
    return Aged(len(found), found[-1] if len(found) == ITEMS_AT_ONCE else None)


def count_unread(since: datetime) -> int:
    """How many messages captured since then were never read."""
    return _unread(since).count()


def read_unread(since: datetime, *, after: UUID | None = None) -> Aged:
    """Ask for the reading of the next ITEMS_AT_ONCE of them."""
    rows = _behind(_unread(since), after).values_list("id", "session_id", "ordinal")
    found = list(rows[:ITEMS_AT_ONCE])
    sessions: dict[UUID, list[str]] = {}
    for resource_id, session_id, _ in sorted(found, key=itemgetter(1, 2)):
        sessions.setdefault(session_id, []).append(str(resource_id))
    enqueue_many(
        [
            NewJob("memory.observe", {"resources": chunk}, str(session_id), dedup_key=f"observe {chunk[0]}")
            for session_id, ids in sessions.items()
            for chunk in _chunks(ids, READ_AT_ONCE)
        ]
    )
    return Aged(len(found), found[-1][0] if len(found) == ITEMS_AT_ONCE else None)


def _chunks(ids: list[str], most: int) -> list[list[str]]:
    return [ids[start : start + most] for start in range(0, len(ids), most)]


def _comparable(since: datetime) -> QuerySet[Item]:
    return _new(since).exclude(verdict_reason=CONDENSED)


def _new(since: datetime) -> QuerySet[Item]:
    return Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        id__gte=earliest_id(since),
        verdict=Verdict.ALLOW.value,
        status=Status.ACTIVE.value,
    )


def _unread(since: datetime) -> QuerySet[Resource]:
    of_tenant = Extraction.objects.filter(tenant_id=scope.current().tenant_id, stored_at__isnull=False)
    read = of_tenant.filter(resource_id=OuterRef("id"))
    return resources.readable().filter(~Exists(read), id__gte=earliest_id(since))
