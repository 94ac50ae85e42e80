"""Insights: an item that tells of a cluster of archived ones, with their sources. What is told of is told of once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final
from uuid import UUID

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, UUIDField, When

from apps.budgets.services import Done
from apps.core import clock, providers, scope
from apps.core.ids import new_id
from apps.core.rows import among
from apps.core.scope import Scope
from apps.index import embeddings
from apps.memory.documents import CONDENSED, MERGED
from apps.memory.filing import Filing
from apps.memory.models import Item, ItemLink, ItemSource
from apps.memory.services import audience as audiences
from apps.memory.services.changes import Changes
from apps.memory.services.phrasing import Occasion, Wording, worded
from apps.memory.summary_facts import summary_fact
from apps.tenants import selectors as tenants
from memory_platform.consolidation.claims import claim_hash
from memory_platform.lifecycle import insights
from memory_platform.lifecycle.insights import WRITER, Bounds
from memory_platform.model import (
    Audience,
    Kind,
    Mood,
    Status,
    Strength,
    SummaryFact,
    Unit,
    Verdict,
    Visibility,
)
from memory_platform.ports import Vectors

OPERATION: Final = "condense"
LOOKED_AT: Final = 2_000
"""Of a category and audience's archived memories that no insight tells of, the latest so many."""


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Memories of one filing that belong together, oldest first, and what an insight about them is written from."""

    filing: Filing
    items: tuple[Item, ...]
    facts: tuple[SummaryFact, ...]


def count_condensable() -> int:
    """How many insights there are to be written. Needs an open scope of the whole tenant."""
    return sum(len(_clusters(filing)) for filing in _filings())


def condense(*, within: Scope) -> Iterator[int]:
    """Write an insight for each cluster of archived memories, a transaction each; yields how many that were.

    Called without an open scope: a model may be asked.
    """
    with scope.enter(within):
        filings = _filings()
    for filing in filings:
        with scope.enter(within):
            found = _clusters(filing)
        for cluster in found:
            wording = _worded(cluster, within)
            with scope.enter(within):
                written = _store(cluster, wording)
            yield written


def _untold() -> QuerySet[Item]:
    """Archived memories that state something and that no insight tells of, or told of before it was forgotten."""
    tenant_id = scope.current().tenant_id
    told = ItemLink.objects.filter(tenant_id=tenant_id, kind=ItemLink.Kind.CONDENSES, to_item_id=OuterRef("id"))
    rows = Item.objects.filter(
        ~Exists(told),
        tenant_id=tenant_id,
        status=Status.ARCHIVED.value,
        verdict=Verdict.ALLOW.value,
        mood__in=(Mood.ASSERTED.value, Mood.COMMAND.value),
        retracted_at=None,
        cold_at=None,
    )
    return rows.exclude(status_reason=MERGED).exclude(verdict_reason=CONDENSED)


def _filings() -> list[Filing]:
    is_shared = When(visibility=Visibility.SHARED.value, then=None)
    owner = Case(is_shared, default="agent_id", output_field=UUIDField())
    rows = _untold().annotate(owner=owner).values_list("owner", "user_id", "visibility", "category")
    counted = rows.annotate(items=Count("id")).filter(items__gte=_policy_bounds().least)
    return [
        Filing(agent_id, user_id, Visibility(visibility), category)
        for agent_id, user_id, visibility, category, _ in counted.order_by("category", "owner", "user_id", "visibility")
    ]


def _clusters(filing: Filing) -> list[_Cluster]:
    mine = Q(user_id=filing.user_id, visibility=filing.visibility.value, category=filing.category)
    if filing.agent_id is not None:
        mine &= Q(agent_id=filing.agent_id)
    latest = list(_untold().filter(mine).order_by("-id")[:LOOKED_AT])
    by_language = sorted(latest, key=lambda item: (item.language, item.said_at, item.id))
    return [
        cluster
        for language, own in groupby(by_language, key=lambda item: item.language)
        for cluster in _clusters_in(filing, language, list(own))
    ]


def _clusters_in(filing: Filing, language: str, items: Sequence[Item]) -> Iterator[_Cluster]:
    """Those in one language: one model reads them, and their cosines can be compared."""
    policy, zone = tenants.policy(scope.current().tenant_id), tenants.time_zone(scope.current().tenant_id)
    facts = [summary_fact(item, zone) for item in items]
    embedder = providers.embedder_of(language)
    ids = [item.id for item in items]
    held = embeddings.vectors_of(Unit.ITEM, ids, model=embedder.model, dimension=embedder.dimension)
    vectors: Mapping[int, Vectors] = {place: held[each] for place, each in enumerate(ids) if each in held}
    between = embedder.thresholds.duplicate - embedder.thresholds.related
    bounds = _policy_bounds(embedder.thresholds.related + policy.insight_similarity * between)
    for places in insights.clusters(facts, vectors, bounds):
        yield _Cluster(filing, tuple(items[place] for place in places), tuple(facts[place] for place in places))


def _policy_bounds(similar_from: float = 1.0) -> Bounds:
    policy = tenants.policy(scope.current().tenant_id)
    return Bounds(policy.insight_least, policy.insight_most, similar_from)


def _worded(cluster: _Cluster, within: Scope) -> Wording:
    with scope.enter(within):
        label = tenants.category_label(cluster.filing.category)
    by_rules = Wording(insights.told(cluster.facts), WRITER)
    occasion = Occasion(OPERATION, cluster.items[-1].agent_id, Done(memories=1))
    return worded(label, cluster.facts, by_rules=by_rules, occasion=occasion, within=within)


def _store(cluster: _Cluster, wording: Wording) -> int:
    """Add the insight, unless one of its memories has changed since; returns how many were added."""
    number = audiences.lock(_audience(cluster))
    ids = [item.id for item in cluster.items]
    if _untold().filter(id__in=ids).count() != len(ids):
        return 0
    changes = Changes(now=clock.now(), number=number)
    writer = f"{wording.writer} {wording.degraded}".rstrip()
    insight = changes.create(_insight(cluster, wording.text, changes.now), operation=CONDENSED, reason=writer)
    for item in cluster.items:
        changes.link(ItemLink.Kind.CONDENSES, to=item, start=insight, reason=CONDENSED)
    for source in ItemSource.objects.filter(tenant_id=insight.tenant_id, item_id__in=ids).order_by("id"):
        changes.source(insight, source.resource_id, source.quote, inherited=True)
    changes.note(insight, CONDENSED, memories=len(ids), writer=writer)
    changes.write()
    return 1


def _audience(cluster: _Cluster) -> Audience:
    filing = cluster.filing
    return Audience(filing.agent_id or cluster.items[-1].agent_id, filing.user_id, filing.visibility)


def _insight(cluster: _Cluster, text: str, now: datetime) -> Item:
    """What all of the memories name, it names; it is believed from now on, and true since the first of them."""
    items, policy = cluster.items, tenants.policy(scope.current().tenant_id)
    services = {item.service for item in items}
    audience = _audience(cluster)
    return Item(
        id=new_id(),
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility.value,
        text=text,
        claim_hash=claim_hash(text),
        language=items[0].language,
        kind=Kind.INSIGHT.value,
        category=cluster.filing.category,
        taxonomy_version=tenants.taxonomy_version(scope.current().tenant_id),
        service=services.pop() if len(services) == 1 else "",
        entity_names=[name for name in items[0].entity_names if all(name in item.entity_names for item in items)],
        strength=Strength.INFERRED.value,
        confidence=policy.confidence_inferred,
        reinforced_at=now,
        verdict=Verdict.ALLOW.value,
        verdict_reason=CONDENSED,
        event_time=items[-1].event_time,
        said_at=items[-1].said_at,
        valid_from=min(item.valid_from for item in items),
        recorded_at=now,
    )


def insights_of(item_ids: Sequence[UUID]) -> list[UUID]:
    """The insights that tell of items, whatever has become of them."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.CONDENSES)
    rows = links.filter(to_item_id__in=among(item_ids)).order_by("id")
    return list(rows.values_list("from_item_id", flat=True).distinct())


def condensed_by(insight_ids: Sequence[UUID]) -> list[UUID]:
    """The items that insights tell of."""
    links = ItemLink.objects.filter(tenant_id=scope.current().tenant_id, kind=ItemLink.Kind.CONDENSES)
    return list(links.filter(from_item_id__in=insight_ids).values_list("to_item_id", flat=True))
