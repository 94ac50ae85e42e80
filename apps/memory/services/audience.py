"""Who may be compared with whom, and the lock under which an audience's items change."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import connection
from django.db.models import Q

from apps.core import scope
from apps.core.sql import statement
from apps.memory.models import AudienceClock, Item
from memory_platform.model import Audience, Visibility


def audience(agent_id: UUID, user_id: str | None, visibility: str) -> Audience:
    return Audience(agent_id, user_id, Visibility(visibility))


def of(item: Item) -> Audience:
    return audience(item.agent_id, item.user_id, item.visibility)


def owns(audience: Audience, item: Item) -> bool:
    """Whether the audience's lock covers the item: shared ones of all agents lie under one."""
    return _key(audience) == _key(of(item))


def matching(audience: Audience) -> Q:
    """Rows comparable with the audience's: same user and visibility, private ones of the same agent."""
    same = Q(user_id=audience.user_id, visibility=audience.visibility.value)
    return same if audience.visibility is Visibility.SHARED else same & Q(agent_id=audience.agent_id)


def changes_seen(audience: Audience) -> int:
    """The number of the last committed change. Read it before the items: what changes later has a higher one."""
    number = (
        AudienceClock.objects.filter(
            tenant_id=scope.current().tenant_id,
            agent_id=_owner(audience),
            user_id=audience.user_id,
            visibility=audience.visibility.value,
        )
        .values_list("changes", flat=True)
        .first()
    )
    return number or 0


def lock(audience: Audience) -> int:
    """Wait until no one else changes the audience's items, keep it so until the commit, and number this change."""
    opened = scope.current()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_audience_clock AS clock (tenant_id, agent_id, user_id, visibility, changes)"
            " VALUES (%s, %s, %s, %s, 1) ON CONFLICT (tenant_id, agent_id, user_id, visibility)"
            " DO UPDATE SET changes = clock.changes + 1 RETURNING changes",
            [opened.tenant_id, _owner(audience), audience.user_id, audience.visibility.value],
        )
        (number,) = cursor.fetchone()
    return int(number)


def lock_all(audiences: Iterable[Audience]) -> dict[Audience, int]:
    """Lock several audiences, in one order everywhere, so that two who need the same ones cannot block each other."""
    by_key = {_key(audience): audience for audience in audiences}
    return {by_key[key]: lock(by_key[key]) for key in sorted(by_key)}


def lock_owners(item_ids: Sequence[UUID]) -> None:
    """Lock the audiences of items, in the order of `lock_all`; `AudienceClock.changes` numbers this change in each."""
    with connection.cursor() as cursor:
        cursor.execute(statement("memory", "lock_owners"), {"tenant": scope.current().tenant_id, "ids": list(item_ids)})


def _owner(audience: Audience) -> UUID | None:
    return None if audience.visibility is Visibility.SHARED else audience.agent_id


def _key(audience: Audience) -> tuple[str, str, str]:
    """One per row of AudienceClock."""
    user = "" if audience.user_id is None else f"={audience.user_id}"
    return str(_owner(audience)), user, audience.visibility.value
