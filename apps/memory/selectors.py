"""Reading what was learnt."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection
from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    F,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Ln, TruncWeek

from apps.core import clock, context, paging, scope
from apps.core.ids import earliest_id
from apps.core.paging import PageRequest, Slice
from apps.core.sql import prepared_cursor, statement
from apps.memory import cold, observations
from apps.memory.cold import ItemWords
from apps.memory.confidence import Confidence
from apps.memory.documents import CONDENSED, FRESHER_WORDING, MERGED
from apps.memory.models import (
    ColdItem,
    Extraction,
    ForgottenUnit,
    Item,
    ItemFeedback,
    ItemLink,
    ItemSource,
    ItemVersion,
    Rejection,
)
from apps.memory.requests import MAXIMUM_WEEKS, REJECTION_WEEKS, ItemFilter, ItemOrder, RejectionFilter
from apps.memory.results import (
    EpisodeState,
    Explanation,
    Growth,
    ItemState,
    ItemView,
    Learnt,
    LinkView,
    OpenLink,
    OpenLinkKind,
    ReadOut,
    RejectionCount,
    RejectionView,
    Replaced,
    Replacement,
    Resting,
    SharedCategory,
    SourceView,
    Stats,
    VersionView,
)
from apps.resources.models import Resource
from apps.tenants import selectors as tenants
from memory_platform.consolidation.conflict import ConflictReason
from memory_platform.errors import Invalid
from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import (
    Audience,
    Kind,
    Mood,
    Observation,
    Priority,
    Retention,
    Role,
    Sentiment,
    Slot,
    Status,
    Strength,
    Unit,
    Verdict,
    Visibility,
)

_ORDERS = {
    ItemOrder.NEWEST: ("-recorded_at", "-id"),
    ItemOrder.OLDEST: ("recorded_at", "id"),
    ItemOrder.MOST_CONFIDENT: ("-confidence", "-id"),
    ItemOrder.MOST_USED: ("-accesses", "-id"),
    ItemOrder.WEIGHTIEST: ("-precedence", "-weight", "-id"),
}
_WEAKEST_FIRST = (paging.ASKED, "effective", "id")
MOST_TURNED_DOWN = 1_000
_PRECEDENCE = Case(When(kind=Kind.RULE.value, then=2), When(kind=Kind.PREFERENCE.value, then=1), default=0)
_WORTH = Case(
    When(priority=Priority.MEDIUM.value, then=0.85),
    When(priority=Priority.LOW.value, then=0.7),
    default=1.0,
    output_field=FloatField(),
)
"""How much of its weight an item keeps that was less surely worth keeping: more of these come from small talk
(docs/benchmarks.md, "Understanding")."""
_WEIGHT_OF_USE = 0.2
"""What e-fold more sources and uses add to an item's weight, as a share of its confidence."""


def item(item_id: UUID) -> ItemView | None:
    """The item, whatever its status, if the scope may read it."""
    return hydrate([item_id]).get(item_id)


def unobserved(session_id: UUID) -> list[UUID]:
    """The messages of a session of which nothing was learnt yet, in the order they were said; one statement."""
    return list(_unobserved(session_id).order_by("ordinal").values_list("id", flat=True))


def pending(session_id: UUID) -> int:
    """How many messages of a session nothing was learnt of yet; one statement."""
    return _unobserved(session_id).count()


def observations_of(resource_ids: Sequence[UUID]) -> dict[UUID, Observation]:
    """What was read out of messages last and decided on, by message; one statement."""
    rows = _stored().filter(resource_id__in=resource_ids).order_by("id")
    return {row.resource_id: observations.load(row.resource_id, row.observation) for row in rows}


def count_observed(resource_ids: Sequence[UUID]) -> int:
    """How many of the messages `observations_of` would answer; one statement."""
    return _stored().filter(resource_id__in=resource_ids).values("resource_id").distinct().count()


def hydrate(ids: Sequence[UUID]) -> dict[UUID, ItemView]:
    """Readable items by id, with sources and open contradictions: two statements, on recall's hot path."""
    if not ids:
        return {}
    tenant_id = scope.current().tenant_id
    confidence, half_life = _confidence(tenant_id), tenants.policy(tenant_id).feedback_half_life_days
    with prepared_cursor() as cursor:
        cursor.execute(statement("memory", "hydrate_items"), {"tenant": tenant_id, "ids": list(ids)})
        rows = cursor.fetchall()
        cursor.execute(statement("memory", "hydrate_sources"), {"tenant": tenant_id, "ids": [row[0] for row in rows]})
        sources: dict[UUID, list[SourceView]] = {row[0]: [] for row in rows}
        for item_id, *columns in cursor.fetchall():
            sources[item_id].append(_source(*columns))
    views = [_view(row, tuple(sources[row[0]]), confidence, half_life) for row in rows]
    return {view.id: view for view in cold.worded(views)}


def insights_among(ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the items that nobody said: they tell what others have in common."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids, verdict_reason=CONDENSED)
    return frozenset(rows.values_list("id", flat=True))


def copies_among(ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of the items that were shared: their words were said as another item."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.SHARED_FROM)
    return frozenset(links.filter(from_item_id__in=ids).values_list("from_item_id", flat=True))


def categories_of(ids: Iterable[UUID]) -> dict[UUID, str]:
    """The category of each that can be read."""
    return dict(Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=ids).values_list("id", "category"))


def items(*, filter: ItemFilter, order: ItemOrder = ItemOrder.NEWEST, page: PageRequest) -> Slice[ItemView]:  # noqa: A002  the API's word
    """One page of items. Raises Invalid on a malformed cursor."""
    rows = _filtered(filter)
    if order is ItemOrder.MOST_USED:
        rows = rows.annotate(accesses=Coalesce(F("use__access_count"), 0))
    if order is ItemOrder.WEIGHTIEST:
        rows = rows.annotate(precedence=_PRECEDENCE, weight=_weight())
    return _viewed(paging.paginate(rows, order=_ORDERS[order], page=page))


def weak(*, page: PageRequest) -> Slice[ItemView]:
    """Items whose confidence is low, or soon will be, the lowest first: not those that never fade.

    All pages are of the moment of the first one, for items fade past each other. Raises Invalid on a malformed cursor.
    """
    tenant_id, asked = scope.current().tenant_id, paging.asked_at(page, order=_WEAKEST_FIRST)
    policy = tenants.policy(tenant_id)
    lasting = [rule.slug for rule in tenants.category_rules(tenant_id) if rule.retention is Retention.NONE]
    fading = _filtered(ItemFilter()).filter(protected=False).exclude(category__in=lasting)
    rows = fading.annotate(
        asked=Value(asked, DateTimeField()),
        effective=_confidence(tenant_id, at=asked).expression(),
        soon=_confidence(tenant_id, at=asked + timedelta(days=policy.weak_soon_days)).expression(),
    ).filter(soon__lt=policy.weak_below)
    return _viewed(paging.paginate(rows, order=_WEAKEST_FIRST, page=page))


def explain(item_id: UUID) -> Explanation | None:
    """Where an item comes from and what became of it."""
    found = item(item_id)
    if found is None:
        return None
    tenant_id = scope.current().tenant_id
    rows = ItemVersion.objects.filter(tenant_id=tenant_id, item_id=item_id).order_by("at", "id")
    versions = list(rows.annotate(opinion=Subquery(own_feedback(item_id).values("kind")[:1])))
    links = list(
        ItemLink.objects.filter(Q(from_item_id=item_id) | Q(to_item_id=item_id), tenant_id=tenant_id)
        .select_related("from_item", "to_item", "from_rejection")
        .order_by("id")
    )
    cold.fill([end for link in links for end in (link.from_item, link.to_item) if end is not None])
    kind = ItemLink.Kind
    confidence = _confidence(tenant_id)

    def ends(wanted: ItemLink.Kind, *, start: UUID | None = None, end: UUID | None = None) -> tuple[LinkView, ...]:
        return _ends(links, wanted, confidence, start=start, end=end)

    into = ends(kind.MERGED_INTO, start=item_id)
    shared_from = ends(kind.SHARED_FROM, start=item_id)
    contradicts = (*ends(kind.CONTRADICTS, end=item_id), *ends(kind.CONTRADICTS, start=item_id))
    return Explanation(
        item=found,
        versions=tuple(_version(row) for row in versions),
        opinion=next((Opinion(row.opinion) for row in versions if row.opinion), None),
        merged=ends(kind.MERGED_INTO, end=item_id),
        merged_into=next((link for link in into if link.open), None),
        supersedes=ends(kind.SUPERSEDES, start=item_id),
        superseded_by=ends(kind.SUPERSEDES, end=item_id),
        contradicts=tuple(sorted(contradicts, key=lambda link: -(link.confidence or 0.0))),
        shared_from=shared_from[0] if shared_from else None,
        shared_as=ends(kind.SHARED_FROM, end=item_id),
    )


def own_feedback(item_id: UUID) -> "QuerySet[ItemFeedback]":
    """What the principal says of an item by now, if anything. Needs an open scope."""
    opened = scope.current()
    return ItemFeedback.objects.filter(
        tenant_id=opened.tenant_id,
        item_id=item_id,
        actor=context.current().actor,
        by_agent_id=opened.agent_id,
        closed_at=None,
    )


def superseded(item_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What each of the items took the place of, the first link first; one statement."""
    return _grouped(_superseding().filter(from_item_id__in=item_ids).values_list("from_item_id", "to_item_id"))


def superseding(item_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """What took the place of each of the items, the first link first; one statement."""
    return _grouped(_superseding().filter(to_item_id__in=item_ids).values_list("to_item_id", "from_item_id"))


def _superseding() -> QuerySet[ItemLink]:
    kind = ItemLink.Kind.SUPERSEDES
    return ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=kind, closed_at=None).order_by("id")


def _grouped(pairs: Iterable[tuple[UUID, UUID]]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = {}
    for near, far in pairs:
        found.setdefault(near, []).append(far)
    return found


def audiences(item_ids: Sequence[UUID]) -> set[Audience]:
    """Whose the items are, forgotten ones included."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id, id__in=item_ids)
    owners = rows.values_list("agent_id", "user_id", "visibility").distinct()
    return {Audience(agent_id, user_id, Visibility(visibility)) for agent_id, user_id, visibility in owners}


def every_id() -> list[UUID]:
    """All items there are, in the order they were made."""
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id)
    return list(rows.order_by("id").values_list("id", flat=True))


def shared_domains() -> list[SharedCategory]:
    """What agents share, by category: current items only, the fullest first. A scope without reach sees its own."""
    rows = Item.objects.filter(
        tenant_id=scope.current().tenant_id,
        visibility=Visibility.SHARED.value,
        verdict=Verdict.ALLOW.value,
        status__in=(Status.ACTIVE.value, Status.STALE.value),
    )
    grouped = rows.values("category").annotate(
        memories=Count("id"), agents=ArrayAgg("agent_id", distinct=True), last=Max("recorded_at")
    )
    return [
        SharedCategory(row["category"], row["memories"], tuple(row["agents"]), row["last"])
        for row in grouped.order_by("-memories", "category")
    ]


def resting_on(resource_ids: Sequence[UUID]) -> dict[UUID, list[Resting]]:
    """The items that rest on messages, in the order they came, each with the words it rests on."""
    rows = ItemSource.objects.filter(tenant_id=scope.current().tenant_id, resource_id__in=resource_ids)
    found: dict[UUID, list[Resting]] = {}
    for resource_id, item_id, quote in rows.order_by("id").values_list("resource_id", "item_id", "quote"):
        found.setdefault(resource_id, []).append(Resting(item_id, quote))
    return found


def read_out_of(resource_ids: Sequence[UUID], *, item_ids: Sequence[UUID] = ()) -> dict[UUID, ReadOut]:
    """What was read out of messages last and decided on, and the items that rest on them, in the order they came;
    under the ids of items those themselves. One statement, two where some items are cold.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "read_out_of"),
            {"tenant": scope.current().tenant_id, "ids": list(resource_ids), "items": list(item_ids)},
        )
        rows = [(resource_id, seen, json.loads(learnt)) for resource_id, seen, learnt in cursor.fetchall()]
    packed = cold.words([UUID(one["item_id"]) for _, _, learnt in rows for one in learnt if not one["text"]])
    return {
        resource_id: ReadOut(
            observation=None if seen is None else observations.load(resource_id, json.loads(seen)),
            learnt=tuple(_learnt(one, packed) for one in learnt),
        )
        for resource_id, seen, learnt in rows
    }


def turned_down(resource_ids: Sequence[UUID]) -> dict[UUID, list[RejectionView]]:
    """What was said in messages and became no item, by message, MOST_TURNED_DOWN at most; one statement."""
    rows = Rejection.objects.filter(tenant_id=scope.current().tenant_id, resource_id__in=resource_ids)
    found: dict[UUID, list[RejectionView]] = {}
    for row in rows.order_by("id")[:MOST_TURNED_DOWN]:
        if row.resource_id is not None:
            found.setdefault(row.resource_id, []).append(_rejection(row))
    return found


def forgotten_in(item_ids: Sequence[UUID]) -> list[UUID]:
    """The acts of forgetting that took items and were not undone, the earliest first; one statement."""
    units = ForgottenUnit.objects.filter(
        tenant_id=scope.current().tenant_id, unit=Unit.ITEM.value, unit_id__in=item_ids, batch__restored_at=None
    )
    return list(units.order_by("batch_id").values_list("batch_id", flat=True).distinct())


def item_states(item_ids: Sequence[UUID]) -> dict[UUID, ItemState]:
    """What has become of items."""
    tenant_id, kind = scope.current().tenant_id, ItemLink.Kind
    links = ItemLink.objects.filter(tenant_id=tenant_id, closed_at__isnull=True).order_by("id")
    into = links.filter(kind=kind.MERGED_INTO, from_item_id__in=item_ids)
    by = links.filter(kind=kind.SUPERSEDES, to_item_id__in=item_ids)
    merged = dict(into.values_list("from_item_id", "to_item_id"))
    superseded = dict(by.values_list("to_item_id", "from_item_id"))
    rows = Item.objects.filter(tenant_id=tenant_id, id__in=item_ids).values_list("id", "status")
    return {
        item_id: ItemState(
            is_forgotten=status == Status.DELETED.value,
            is_superseded=status == Status.SUPERSEDED.value,
            superseded_by=superseded.get(item_id),
            merged_into=merged.get(item_id),
        )
        for item_id, status in rows
    }


def episode_standing(resource_ids: Sequence[UUID]) -> dict[UUID, EpisodeState]:
    """How the items drawn from episodes stand; episodes without items are left out.

    `superseded_by` are current items at the end of the chains that start at the episode's superseded ones,
    `doubted_by` those that have probably replaced one that still stands.
    """
    if not resource_ids:
        return {}
    with prepared_cursor() as cursor:
        cursor.execute(
            statement("memory", "episode_standing"), {"tenant": scope.current().tenant_id, "ids": list(resource_ids)}
        )
        return {row[0]: EpisodeState(row[1], tuple(row[2]), tuple(row[3])) for row in cursor.fetchall()}


def compared(item_ids: Sequence[UUID]) -> frozenset[frozenset[UUID]]:
    """Between which two of these items a doubt or a contradiction lies, open or answered; one statement."""
    links = ItemLink.objects.filter(
        tenant_id=scope.current().tenant_id,
        kind__in=(ItemLink.Kind.PROBABLY_SUPERSEDED, ItemLink.Kind.CONTRADICTS),
        to_item_id__in=item_ids,
        from_item_id__in=item_ids,
    )
    return frozenset(map(frozenset, links.values_list("from_item_id", "to_item_id")))


def replacements(item_ids: Sequence[UUID]) -> list[Replacement]:
    """What is current and took, or probably took, the place of items; one statement."""
    if not item_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "item_replacements"), {"tenant": scope.current().tenant_id, "ids": list(item_ids)}
        )
        return [Replacement(*row) for row in cursor.fetchall()]


def replaced(item_ids: Sequence[UUID]) -> dict[UUID, list[Replaced]]:
    """Whose place items took: what they superseded and what was merged into them; one statement."""
    kind = ItemLink.Kind
    links = _standing_links().filter(
        Q(kind=kind.SUPERSEDES, from_item_id__in=item_ids) | Q(kind=kind.MERGED_INTO, to_item_id__in=item_ids)
    )
    found: dict[UUID, list[Replaced]] = {item_id: [] for item_id in item_ids}
    for link in links:
        is_merge = link.kind == kind.MERGED_INTO
        by, gone = (link.to_item_id, link.from_item_id) if is_merge else (link.from_item_id, link.to_item_id)
        if by is not None and gone is not None:
            found[by].append(Replaced(gone, is_merge or link.reason == FRESHER_WORDING))
    return found


def corrected_by(item_ids: Sequence[UUID]) -> dict[UUID, str]:
    """What items took the place of because it never held, by item, unless it is forgotten; one statement."""
    links = _standing_links().filter(
        kind=ItemLink.Kind.SUPERSEDES, from_item_id__in=item_ids, reason=ConflictReason.CORRECTED
    )
    rows = links.exclude(to_item__status=Status.DELETED.value).values_list("from_item_id", "to_item__text")
    return {item_id: text for item_id, text in rows if item_id}


def said_by_users(item_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the items that rest on a message of a user's; one statement."""
    rows = ItemSource.objects.filter(
        tenant_id=scope.current().tenant_id, item_id__in=item_ids, resource__role=Role.USER.value
    )
    return set(rows.values_list("item_id", flat=True))


def _standing_links() -> QuerySet[ItemLink]:
    return ItemLink.objects.filter(tenant_id=scope.current().tenant_id, closed_at__isnull=True).order_by("id")


def rejections(
    *,
    wanted: RejectionFilter = RejectionFilter(),  # noqa: B008  frozen
    page: PageRequest,
    resource_ids: Sequence[UUID] | None = None,
) -> Slice[RejectionView]:
    """What became no item, newest first."""
    chosen = {
        "resource__session__external_id": wanted.session_id,
        "resource__turn_number": wanted.turn,
        "stage": wanted.stage,
        "reason": wanted.reason,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
        "resource_id__in": resource_ids,
    }
    rows = Rejection.objects.filter(
        tenant_id=scope.current().tenant_id, **{column: value for column, value in chosen.items() if value is not None}
    )
    cut = paging.paginate(rows, order=("-created_at", "-id"), page=page)
    return cut.of([_rejection(row) for row in cut.rows])


def rejection_counts(*, weeks: int = REJECTION_WEEKS) -> list[RejectionCount]:
    """How many rejections each of the last `weeks` saw, by stage and reason: the latest week first, then the most.

    Raises Invalid when `weeks` is not 1..MAXIMUM_WEEKS.
    """
    if not 1 <= weeks <= MAXIMUM_WEEKS:
        raise Invalid(f"weeks is 1 to {MAXIMUM_WEEKS}.", field="weeks")
    rows = Rejection.objects.filter(
        tenant_id=scope.current().tenant_id, created_at__gte=clock.now() - timedelta(weeks=weeks)
    )
    grouped = rows.annotate(week=TruncWeek("created_at", tzinfo=UTC)).values("week", "stage", "reason")
    counted = grouped.annotate(count=Count("id")).order_by("-week", "-count", "reason")
    return [RejectionCount(row["week"].date(), row["stage"], row["reason"], row["count"]) for row in counted]


def stats() -> Stats:
    """Counts over what the scope may read. Merged wordings are counted with their item, not beside it."""
    with connection.cursor() as cursor:
        cursor.execute(statement("memory", "count_items"), {"tenant": scope.current().tenant_id})
        counted = cursor.fetchall()
    by: dict[str, dict[str, int]] = defaultdict(dict)
    for dimension, name, count in counted:
        by[dimension][name] = count
    return Stats(
        items=by["all"][""],
        by_status=by["status"],
        by_verdict=by["verdict"],
        by_category=by["category"],
        rejections=by["rejections"][""],
        open_contradictions=by["contradictions"][""],
    )


def packed_away() -> int:
    """How many items lie in the cold archive, as far as the scope reads them."""
    return ColdItem.objects.filter(tenant_id=scope.current().tenant_id).count()


def growth(since: datetime) -> Growth:
    """What came in since then, in the whole of the scope."""
    tenant_id = scope.current().tenant_id
    merges = ItemLink.objects.filter(
        tenant_id=tenant_id, kind=ItemLink.Kind.MERGED_INTO, created_at__gte=since, closed_at=None
    )
    return Growth(Item.objects.filter(tenant_id=tenant_id, id__gte=earliest_id(since)).count(), merges.count())


def _confidence(tenant_id: UUID, *, at: datetime | None = None) -> Confidence:
    return Confidence.at(at or clock.now(), tenants.policy(tenant_id), tenants.category_rules(tenant_id))


def _view(
    row: tuple[Any, ...], sources: tuple[SourceView, ...], confidence: Confidence, half_life_days: float
) -> ItemView:
    (
        item_id, text, kind, category, service, entity_names, strength, sentiment, priority, base, reinforced_at,
        verdict, status, status_reason, protected, event_time, said_at, valid_from, valid_until, recorded_at,
        retracted_at, last_confirmed_at, merged_count, agent_id, user_id, visibility, session_id, external_id,
        retrieval_priority, learnt, learnt_at, access_count, recall_count, last_accessed_at, lead_in, subject,
        attribute, value, qualifier, mood, is_negated, said_by, reported_by, language, version, open_links,
    ) = row  # fmt: skip
    return ItemView(
        id=item_id,
        text=text,
        lead_in=lead_in,
        slot=Slot(subject, attribute, value, qualifier),
        mood=Mood(mood),
        is_negated=is_negated,
        said_by=said_by,
        reported_by=reported_by,
        language=language,
        version=version,
        kind=Kind(kind),
        category=category,
        service=service,
        entity_names=tuple(entity_names),
        strength=Strength(strength),
        sentiment=Sentiment(sentiment),
        priority=Priority(priority),
        confidence=confidence.value(base, reinforced_at, category, is_protected=protected),
        base_confidence=base,
        reinforced_at=reinforced_at,
        verdict=Verdict(verdict),
        status=Status(status),
        status_reason=status_reason,
        protected=protected,
        event_time=event_time,
        said_at=said_at,
        valid_from=valid_from,
        valid_until=valid_until,
        recorded_at=recorded_at,
        retracted_at=retracted_at,
        last_confirmed_at=last_confirmed_at,
        expires_at=confidence.expires_at(category, recorded_at, last_confirmed_at),
        merged_count=merged_count,
        agent_id=agent_id,
        user_id=user_id,
        visibility=Visibility(visibility),
        session_id=session_id,
        external_id=external_id,
        retrieval_priority=retrieval_priority
        + feedback.left_of(learnt, since=learnt_at, now=confidence.now, half_life_days=half_life_days),
        access_count=access_count,
        recall_count=recall_count,
        last_accessed_at=last_accessed_at,
        sources=sources,
        open_links=tuple(_open_link(link) for link in open_links),
    )


def _source(resource_id: UUID, external_id: str | None, role: str | None, *said: Any) -> SourceView:
    return SourceView(resource_id, external_id, None if role is None else Role(role), *said)


def _open_link(written: str) -> OpenLink:
    kind, other_id = written.split(":")
    return OpenLink(OpenLinkKind(kind), UUID(other_id))


def _viewed(cut: Slice[Item]) -> Slice[ItemView]:
    views = hydrate([row.id for row in cut.rows])
    return cut.of([views[row.id] for row in cut.rows])


def _stored() -> QuerySet[Extraction]:
    return Extraction.objects.filter(tenant_id=scope.current().tenant_id, stored_at__isnull=False)


def _unobserved(session_id: UUID) -> QuerySet[Resource]:
    learnt = _stored().filter(resource_id=OuterRef("id"))
    return Resource.objects.filter(~Exists(learnt), tenant_id=scope.current().tenant_id, session_id=session_id)


def _filtered(wanted: ItemFilter) -> QuerySet[Item]:
    rows = Item.objects.filter(tenant_id=scope.current().tenant_id)
    if wanted.id_part is None:
        rows = rows.exclude(status_reason=MERGED)
    for column, values in _listed(wanted):
        if values is not None:
            rows = rows.filter(**{f"{column}__in": values})
    for column, value in _single(wanted):
        if value is not None:
            rows = rows.filter(**{column: value})
    if wanted.as_of is not None:
        rows = rows.filter(*_held_at(wanted.as_of))
    if wanted.minimum_confidence is not None:
        rows = rows.annotate(effective=_confidence(scope.current().tenant_id).expression()).filter(
            effective__gte=wanted.minimum_confidence
        )
    return rows


def _held_at(moment: datetime) -> Iterator[Q]:
    """What was believed and true then, as `apps.index.filters` says of documents."""
    for since, until in (("recorded_at", "retracted_at"), ("valid_from", "valid_until")):
        yield Q(**{f"{since}__lte": moment})
        yield Q(**{until: None}) | Q(**{f"{until}__gt": moment})


def _listed(wanted: ItemFilter) -> list[tuple[str, Sequence[str] | Sequence[UUID] | None]]:
    return [
        ("id", wanted.ids),
        ("kind", wanted.kinds),
        ("category", wanted.categories),
        ("service", wanted.services),
        ("status", wanted.statuses),
        ("verdict", wanted.verdicts),
        ("sentiment", wanted.sentiments),
    ]


def _single(wanted: ItemFilter) -> list[tuple[str, object]]:
    return [
        ("agent_id", wanted.agent_id),
        ("session__external_id", wanted.session_id),
        ("entity_names__contains", None if wanted.entity is None else [wanted.entity]),
        ("visibility", wanted.visibility),
        ("id__contains", wanted.id_part),
        ("event_time__gte", wanted.after),
        ("event_time__lt", wanted.before),
    ]


def _weight() -> Combinable:
    """Effective confidence, more where an item was said and used often, less where it was hardly worth keeping."""
    support = F("merged_count") + Coalesce(F("use__access_count"), 0)
    return (
        _confidence(scope.current().tenant_id).expression()
        * _WORTH
        * (1.0 + _WEIGHT_OF_USE * Ln(1.0 + support, output_field=FloatField()))
    )


def _ends(
    links: Sequence[ItemLink],
    kind: ItemLink.Kind,
    confidence: Confidence,
    *,
    start: UUID | None = None,
    end: UUID | None = None,
) -> tuple[LinkView, ...]:
    """The other ends of the links of a kind that start or end at an item, as far as the scope may read them."""
    found = []
    for link in links:
        if link.kind == kind and (link.from_item_id == start if end is None else link.to_item_id == end):
            other = link.to_item if end is None else link.from_item or link.from_rejection
            if other is not None:
                found.append(_link(link, other, confidence))
    return tuple(found)


def _link(link: ItemLink, other: Item | Rejection, confidence: Confidence) -> LinkView:
    said_at, worth = (
        (other.said_at, confidence.effective(other)) if isinstance(other, Item) else (other.created_at, None)
    )
    return LinkView(
        id=other.id,
        text=other.text,
        reason=link.reason,
        at=link.created_at,
        open=link.closed_at is None,
        agent_id=other.agent_id,
        said_at=said_at,
        confidence=worth,
    )


def _learnt(row: Mapping[str, Any], packed: Mapping[UUID, ItemWords]) -> Learnt:
    item_id = UUID(row["item_id"])
    return Learnt(
        item_id=item_id,
        text=packed[item_id].text if item_id in packed else row["text"],
        quote=row["quote"],
        kind=Kind(row["kind"]),
        category=row["category"],
        status=Status(row["status"]),
        verdict=Verdict(row["verdict"]),
    )


def _version(row: ItemVersion) -> VersionView:
    return VersionView(row.id, row.at, row.operation, row.reason, row.before, row.after)


def _rejection(row: Rejection) -> RejectionView:
    return RejectionView(
        id=row.id,
        text=row.text,
        stage=row.stage,
        verdict=Verdict(row.verdict),
        reason=row.reason,
        detail=row.detail,
        scores=row.scores,
        resource_id=row.resource_id,
        user_id=row.user_id,
        created_at=row.created_at,
    )
