"""What was said and became no item."""

from collections.abc import Sequence
from datetime import UTC, timedelta
from uuid import UUID

from django.db.models import Count
from django.db.models.functions import TruncWeek

from apps.core import clock, paging, scope
from apps.core.paging import PageRequest, Slice
from apps.memory.models import Rejection
from apps.memory.requests import MAXIMUM_WEEKS, REJECTION_WEEKS, RejectionFilter
from apps.memory.results import RejectionCount, RejectionView
from memory_platform.errors import Invalid
from memory_platform.model import Verdict

MOST_TURNED_DOWN = 1_000


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


def turned_down(resource_ids: Sequence[UUID]) -> dict[UUID, list[RejectionView]]:
    """What was said in messages and became no item, by message, MOST_TURNED_DOWN at most; one statement."""
    rows = Rejection.objects.filter(tenant_id=scope.current().tenant_id, resource_id__in=resource_ids)
    found: dict[UUID, list[RejectionView]] = {}
    for row in rows.order_by("id")[:MOST_TURNED_DOWN]:
        if row.resource_id is not None:
            found.setdefault(row.resource_id, []).append(_rejection(row))
    return found


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
