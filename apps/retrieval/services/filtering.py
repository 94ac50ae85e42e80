"""A caller's filter as the filter of memory's own lists."""

from datetime import datetime
from typing import Final

from apps.memory.requests import ItemFilter
from apps.retrieval.requests import Filter
from apps.retrieval.services import periods
from apps.tenants.selectors import agent_id_of
from memory_platform.model import Status

PAST_OR_PRESENT: Final = (Status.ACTIVE, Status.STALE, Status.ARCHIVED, Status.SUPERSEDED)
"""What may have held at a past moment, whatever became of it."""


def item_filter(
    wanted: Filter,
    *,
    now: datetime,
    statuses: tuple[Status, ...] = (Status.ACTIVE, Status.STALE),
    as_of: datetime | None = None,
) -> ItemFilter:
    """`statuses` are those a filter means that names none; `as_of`: what was believed and true then, PAST_OR_PRESENT.

    Raises Invalid when `after` or `before` is no time.
    """
    after, before = periods.bounds(wanted, now=now)
    return ItemFilter(
        kinds=wanted.kinds,
        categories=wanted.domain_categories,
        services=wanted.services,
        agent_id=agent_id_of(wanted.agent_id),
        session_id=wanted.session_id,
        entity=wanted.entity,
        statuses=wanted.statuses if wanted.statuses is not None else PAST_OR_PRESENT if as_of else statuses,
        verdicts=wanted.verdicts,
        minimum_confidence=wanted.minimum_confidence,
        visibility=wanted.visibility,
        after=after,
        before=before,
        as_of=as_of,
        id_part=wanted.id_part,
    )
