"""What was learnt from messages: which are not read yet, what was read out of others and which items rest on them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from apps.core import scope
from apps.core.sql import statement
from apps.memory import cold, observations
from apps.memory.cold import ItemWords
from apps.memory.models import Extraction, ItemSource
from apps.memory.results import Learnt, ReadOut, Resting
from apps.resources import selectors as resources
from apps.resources.models import Resource
from memory_platform.model import Kind, Observation, Status, Verdict


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


def _stored() -> QuerySet[Extraction]:
    return Extraction.objects.filter(tenant_id=scope.current().tenant_id, stored_at__isnull=False)


def _unobserved(session_id: UUID) -> QuerySet[Resource]:
    learnt = _stored().filter(resource_id=OuterRef("id"))
    return resources.readable().filter(~Exists(learnt), session_id=session_id)


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
