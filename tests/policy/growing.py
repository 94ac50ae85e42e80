"""Tenants with a few rows of every kind and with many: what a page asks the database is the same for both."""

import re
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.core.scope import tenant_scope
from apps.memory.models import Rejection
from apps.resources.models import Resource
from apps.tenants import selectors, services
from apps.tenants.access import System
from bench.copying import NEW_ID, copied, counting, statement

FEW, MANY = 3, 30
MOST_STATEMENTS = 12
# Rows of every kind that a page shows, within the memory, session and entity that pages are of; first what others name.
GROWN = {
    "tenants_agent": {"id": NEW_ID, "slug": "held.slug || copy"},
    "tenants_api_key": {
        "id": NEW_ID,
        "prefix": "left(md5(held.prefix || copy), 12)",
        "agent_id": copied("agent_id"),
    },
    "tenants_membership": {"id": NEW_ID, "user_id": "NULL::int", "invited_as": "md5(held.id::text || copy)"},
    "tenants_category": {"id": NEW_ID, "slug": "held.slug || copy"},
    "budgets_price": {"id": NEW_ID, "model": "held.model || copy"},
    "budgets_budget": {"id": NEW_ID, "agent_id": copied("agent_id")},
    "resources_session": {"id": NEW_ID, "external_id": "held.external_id || copy"},
    "resources_resource": {
        "id": NEW_ID,
        "ordinal": "held.ordinal + copy * 100",
        "turn_number": "held.turn_number + copy",
    },
    "memory_item": {"id": NEW_ID, "text": "held.text || copy", "claim_hash": "md5(held.claim_hash || copy)"},
    "budgets_usage": {"id": NEW_ID, "session_id": "gen_random_uuid()"},
    "curation_entry": {"id": NEW_ID, "decision": "NULL::int"},
    "curation_proposal": {
        "id": NEW_ID,
        "claim": "md5(held.claim || copy)",
        "state": "CASE mod(copy, 2) WHEN 0 THEN 'queued' ELSE 'approved' END",
        "decided_by": "'member:1'",
        "decided_at": "now()",
    },
    "erasure_erasure": {"id": NEW_ID},
    "graph_entity": {
        "id": NEW_ID,
        "canonical_name": "held.canonical_name || copy",
        "name_key": "held.name_key || copy",
    },
    "graph_alias": {"id": NEW_ID, "name": "held.name || copy", "name_key": "held.name_key || copy"},
    "graph_mention": {"id": NEW_ID, "unit_id": copied("unit_id")},
    "graph_relation": {"id": NEW_ID, "digest": "held.digest + copy", "object_id": copied("object_id")},
    "jobs_job": {"id": NEW_ID, "dedup_key": "NULL::text", "state": "'done'"},
    "journal_entry": {"id": NEW_ID},
    "lessons_lesson": {"id": NEW_ID, "item_id": copied("item_id")},
    "lessons_version": {"id": NEW_ID},
    "memory_extraction": {"id": NEW_ID, "resource_id": copied("resource_id")},
    "memory_item_source": {"id": NEW_ID, "resource_id": copied("resource_id")},
    "memory_item_version": {"id": NEW_ID},
    "memory_rejection": {"id": NEW_ID},
    "resources_checkpoint": {"id": NEW_ID, "turn_number": "held.turn_number + copy"},
    "retrieval_recall": {"id": NEW_ID},
    "retrieval_recalled": {"recall_id": copied("recall_id")},
    "summaries_category_summary": {"id": NEW_ID, "category": "held.category || copy"},
    "summaries_version": {"id": NEW_ID, "number": "held.number + copy"},
    "triggers_future_trigger": {"id": NEW_ID, "digest": "md5(held.digest || copy)"},
}
# What opens and closes a transaction and its scope is no question to the database.
_FRAME = re.compile(r"^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SELECT set_config)", re.IGNORECASE)


def grow(held, wanted):
    """So many rows of every kind at least."""
    _turn_down(held)
    with tenant_scope(held.tenant_id), connection.cursor() as cursor:
        for table, own in GROWN.items():
            cursor.execute(counting(table), {"tenant": held.tenant_id})
            (count,) = cursor.fetchone()
            assert count > 0, table
            cursor.execute(statement(table, own), {"tenant": held.tenant_id, "copies": wanted})
            cursor.execute(counting(table), {"tenant": held.tenant_id})
            assert cursor.fetchone()[0] >= wanted, table
    return held


def _turn_down(held):
    """Something that was said in the session and became no memory."""
    with tenant_scope(held.tenant_id):
        said = Resource.objects.filter(session_id=held.ids["session_row"]).latest("ordinal")
        row = Rejection(tenant_id=held.tenant_id, agent_id=held.agent_id, user_id=said.user_id, resource_id=said.id)
        row.text, row.stage, row.reason = "Good morning.", "gate", "chitchat"
        row.save(force_insert=True)


def member(tenant_id, role, **login):
    """The browser of somebody logged in who is a member of a tenant in a role."""
    user = User.objects.create_user(f"{role}-{uuid4().hex[:8]}", **login)
    with tenant_scope(tenant_id):
        services.add_member(user_id=user.pk, role=role, by=System(tenant_id))
    made = Client()
    made.force_login(user)
    return made


def statements(held, ask, *, status=200):
    """What `ask`, to be answered with this status, asks the database when nothing is remembered of the tenant."""

    def answered():
        assert ask().status_code == status

    return captured(held, answered)


def captured(held, act):
    """What `act` asks the database when nothing is remembered of the tenant."""
    selectors.forget_cached(held.tenant_id)
    selectors._slugs.clear()
    with CaptureQueriesContext(connection) as asked:
        act()
    said = [str(each["sql"]).strip() for each in asked.captured_queries]
    return [sql[:160] for sql in said if not _FRAME.match(sql)]


def require_few(few, many, *, most=MOST_STATEMENTS, by_chance=0):
    """As many statements where there is much as where there is little, and not more than a page may take.

    `by_chance` more are asked or not, depending on what is found and not on how much there is.
    """
    assert len(many) <= most, "\n".join(many)
    assert len(many) <= len(few) + by_chance, "\n".join(sorted(set(many) - set(few)))
