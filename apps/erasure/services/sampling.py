"""How much an erasure would take, with a few of the texts: for who asks for it, and for who decides on it.

Whichever agent's the texts are: who erases may export it all. Needs an open scope of the whole tenant.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db.models import Count

from apps.core import scope
from apps.erasure.models import ErasureTarget, Target
from apps.erasure.results import Extent, Sample
from apps.memory import cold
from apps.memory.models import Item
from apps.resources import selectors as resources
from apps.resources.models import Resource
from apps.tenants import selectors as tenants

SAMPLES: Final = 5
"""Of memories, and of messages."""
SAMPLE_CHARACTERS: Final = 300
_MEMORY: Final = "memory"
_MESSAGE: Final = "message"
SAMPLED: Final = (Target.ITEM, Target.RESOURCE)


def samples(item_ids: Collection[UUID], resource_ids: Collection[UUID]) -> tuple[Sample, ...]:
    """The newest of each."""
    return _texts(_newest(item_ids), _newest(resource_ids))


def again(shown: Collection[Sample]) -> tuple[Sample, ...]:
    """Those of the samples that are still there, with their texts."""
    ids = {kind: [each.id for each in shown if each.kind == kind] for kind in (_MEMORY, _MESSAGE)}
    return _texts(ids[_MEMORY], ids[_MESSAGE])


def extents_of(erasure_ids: Sequence[UUID]) -> Mapping[UUID, Extent]:
    """What each has written down to go. Four statements, whatever their number."""
    if not erasure_ids:
        return {}
    held: dict[UUID, Counter[str]] = defaultdict(Counter)
    targets = ErasureTarget.objects.filter(tenant_id=scope.current().tenant_id, erasure_id__in=erasure_ids)
    for erasure_id, kind, count in targets.values_list("erasure_id", "kind").annotate(Count("id")):
        held[erasure_id][kind] = count
    shown = _newest_targets(erasure_ids)
    every = set().union(*shown.values())
    texts = _texts(every, every)
    return {
        one: Extent(
            memories=held[one][Target.ITEM],
            messages=held[one][Target.RESOURCE],
            sessions=held[one][Target.SESSION],
            names=held[one][Target.ENTITY],
            samples=tuple(sample for sample in texts if sample.id in shown[one]),
        )
        for one in erasure_ids
    }


def _newest(ids: Collection[UUID]) -> list[UUID]:
    """Ids are made in order."""
    return sorted(ids)[-SAMPLES:]


def _newest_targets(erasure_ids: Sequence[UUID]) -> Mapping[UUID, set[UUID]]:
    """The memories and messages of each to show."""
    rows = ErasureTarget.objects.filter(tenant_id=scope.current().tenant_id).order_by("-unit_id")
    first, *others = (
        rows.filter(erasure_id=one, kind=kind).values_list("erasure_id", "unit_id")[:SAMPLES]
        for one in erasure_ids
        for kind in SAMPLED
    )
    found: dict[UUID, set[UUID]] = defaultdict(set)
    for erasure_id, unit_id in first.union(*others, all=True):
        found[erasure_id].add(unit_id)
    return found


def _texts(item_ids: Collection[UUID], resource_ids: Collection[UUID]) -> tuple[Sample, ...]:
    tenant_id = scope.current().tenant_id
    policy = tenants.policy(tenant_id)
    items = list(Item.objects.filter(tenant_id=tenant_id, id__in=item_ids).order_by("-id"))
    said = Resource.objects.filter(tenant_id=tenant_id, id__in=resource_ids).order_by("-id")
    cold.fill(items)
    texts = [
        *((item.id, _MEMORY, item.text) for item in items),
        *((row.id, _MESSAGE, resources.safe(row.raw_content, policy)) for row in said),
    ]
    return tuple(Sample(one, kind, text[:SAMPLE_CHARACTERS]) for one, kind, text in texts)
