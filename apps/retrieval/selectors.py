"""Reading what became of recalls."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q

from apps.core import scope
from apps.core.ids import NO_ROW
from apps.core.sql import statement
from apps.resources.models import Session
from apps.resources.selectors import ancestors
from apps.retrieval.models import Recall
from memory_platform.model import Unit

MOST_ASKED: Final = 500
_LAST: Final = UUID(int=2**128 - 1)


@dataclass(frozen=True, slots=True)
class TierCount:
    """Recalls that a tier answered, and those with a hit; 0: what to begin with, 1: summaries, 2: a search."""

    tier: int
    recalls: int
    answered: int

    @property
    def percent(self) -> int:
        """The hit rate, rounded."""
        return round(100 * self.answered / self.recalls) if self.recalls else 0


@dataclass(frozen=True, slots=True)
class GivenHit:
    """A hit as it was given; `used` is None while nobody reported the output. `text` is for who knows the words."""

    rank: int
    unit: Unit
    unit_id: UUID
    item_id: UUID | None
    score: float
    tags: tuple[str, ...]
    used: bool | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A recall that a session made, with what it was given."""

    id: UUID
    at: datetime
    query: str
    rewritten: str
    profile: str
    intent: str
    tier: int
    degraded: tuple[str, ...]
    milliseconds: float
    is_reported: bool
    hits: tuple[GivenHit, ...]


def by_tier(since: datetime) -> list[TierCount]:
    """Recalls since then, by the tier that answered."""
    rows = Recall.objects.filter(tenant_id=scope.current().tenant_id, at__gte=since)
    counted = rows.values("tier").annotate(recalls=Count("id"), answered=Count("id", filter=Q(returned__gt=0)))
    return [TierCount(row["tier"], row["recalls"], row["answered"]) for row in counted.order_by("tier")]


def asked_in(session: Session, *, after: UUID | None = None, before: UUID | None = None) -> list[Asked]:
    """What was recalled in a session, and in those it is a branch of until it began, between two ids of any rows: ids
    sort by time. MOST_ASKED at most, the earliest first; one statement.
    """
    names, ends = _line_of(session, before or _LAST)
    values = {
        "tenant": session.tenant_id,
        "agent": session.agent_id,
        "user": session.user_id,
        "names": names,
        "before": ends,
        "after": after or NO_ROW,
        "most": MOST_ASKED,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("retrieval", "asked_in_session"), values)
        return [_asked(row) for row in cursor.fetchall()]


def _line_of(session: Session, before: UUID) -> tuple[list[str], list[UUID]]:
    """The callers' ids of the session and its ancestors, and before which row each counts."""
    names, ends = [session.external_id], [before]
    child = session
    for parent in ancestors(session):
        names.append(parent.external_id)
        ends.append(min(ends[-1], child.id))
        child = parent
    return names, ends


def _asked(row: tuple[Any, ...]) -> Asked:
    row_id, at, query, rewritten, profile, intent, tier, degraded, milliseconds, is_reported, hits = row
    return Asked(
        id=row_id,
        at=at,
        query=query,
        rewritten=rewritten,
        profile=profile,
        intent=intent,
        tier=tier,
        degraded=tuple(json.loads(degraded)),
        milliseconds=milliseconds,
        is_reported=is_reported,
        hits=tuple(_given(hit) for hit in json.loads(hits)),
    )


def _given(hit: dict[str, Any]) -> GivenHit:
    return GivenHit(
        rank=hit["rank"],
        unit=Unit(hit["unit"]),
        unit_id=UUID(hit["unit_id"]),
        item_id=UUID(hit["item_id"]) if hit["item_id"] else None,
        score=hit["score"],
        tags=tuple(hit["tags"]),
        used=hit["used"],
    )
