"""Folding in how often items were recalled and used: counters, not history, hence without versions or journal."""

import json
from collections.abc import Sequence

from django.db import connection

from apps.core import clock, scope
from apps.core.sql import statement
from apps.memory.requests import ItemUses
from apps.tenants import selectors as tenants


def count_uses(rows: Sequence[ItemUses]) -> int:
    """Add counts, at most one row per item; returns how many. Accesses raise confidence and restart its clock, but
    for that of operational memories.

    Needs an open scope. The caller makes sure that no use is told twice.
    """
    if not rows:
        return 0
    opened = scope.current()
    policy = tenants.policy(opened.tenant_id)
    told = [
        {
            "item_id": str(row.item_id),
            "recalled": row.recalled,
            "accessed": row.accessed,
            "at": (row.last_accessed_at or clock.now()).isoformat(),
        }
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            statement("memory", "count_uses"),
            {
                "rows": json.dumps(told),
                "tenant": opened.tenant_id,
                "bonus": policy.access_bonus,
                "scale": policy.access_scale,
                "operational": sorted(tenants.operational_categories(opened.tenant_id)),
            },
        )
    return len(rows)
