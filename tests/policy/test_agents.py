"""What PostgreSQL shows an agent's scope of another agent of the tenant, and what it lets it change: table by table."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import DatabaseError, ProgrammingError, connection, transaction

from apps.core.scope import Reach, tenant_scope, unscoped
from memory_platform.lifecycle.feedback import Opinion
from tests.policy.conftest import make_agent

PRIVATE = {
    "erasure_erasure",
    "erasure_receipt_key",
    "erasure_target",
    "budgets_budget",
    "budgets_usage",
    "budgets_usage_day",
    "graph_alias",
    "graph_entity",
    "graph_mention",
    "graph_relation",
    "index_document",
    "journal_entry",
    "journal_event",
    "journal_log_text",
    "memory_audience_clock",
    "memory_cold_item",
    "memory_extraction",
    "lessons_lesson",
    "lessons_version",
    "memory_forget_batch",
    "memory_forgotten_unit",
    "memory_item",
    "memory_item_feedback",
    "memory_item_link",
    "memory_item_source",
    "memory_item_version",
    "memory_rejection",
    "resources_checkpoint",
    "resources_resource",
    "resources_session",
    "retrieval_recall",
    "retrieval_recalled",
    "tenants_api_key",
    "tenants_membership",
    "summaries_category_summary",
    "summaries_version",
    "triggers_future_trigger",
}
# Every agent of the tenant reads them: why that is no leak.
TENANT_WIDE = {
    "budgets_price": "every agent's calls are priced by them",
    "curation_entry": "no agent's scope reads it; curatedMemory tells it to all of them",
    "curation_file": "numbers; no agent's scope reads it",
    "curation_proposal": "no agent's scope reads it; reviewers do, and it rests on what is shared",
    "graph_asked_episode": "ids; no agent's scope reads it",
    "graph_projection": "how far the tenant's copy has come",
    "index_corpus_stat": "one number",
    "index_embedding256": "numbers without words, found through documents (ADR 15)",
    "index_embedding384": "numbers without words, found through documents (ADR 15)",
    "index_posting": "hashes and document numbers, found through documents (ADR 15)",
    "index_term_delta": "hashes and counts, folded into the statistics",
    "index_term_stat": "hashes and counts",
    "jobs_job": "ids and states; `jobs` tells them to every agent",
    "jobs_schedule": "times, counts and codes; any agent's heartbeat starts what is overdue",
    "journal_event_count": "one number",
    "memory_item_use": "counters by item id",
    "memory_suppression": "ids and hashes; what is shared is read past them",
    "tenants_agent": "names: a shared memory says whose it is",
    "tenants_category": "every agent files by them",
    "tenants_policy": "every agent's answers follow it",
}
# Written by every agent for the whole tenant, or beside a document in one statement.
WRITABLE = {
    "index_embedding256",
    "index_embedding384",
    "index_posting",
    "index_term_delta",
    "jobs_job",
    "jobs_schedule",
}


@pytest.fixture(scope="module")
def logged(victim):
    """The victim, with words in the log, a say on a memory, a claim turned down that contradicts it, a member in the
    tenant and a day of usage summed up.
    """
    from apps.budgets import rolling  # noqa: PLC0415  Django must be set up first
    from apps.budgets.models import Usage  # noqa: PLC0415
    from apps.erasure import receipts  # noqa: PLC0415
    from apps.erasure.models import ErasureKind, ErasureTarget  # noqa: PLC0415
    from apps.erasure.requests import Subject  # noqa: PLC0415
    from apps.erasure.results import Selection  # noqa: PLC0415
    from apps.erasure.services.requesting import begin  # noqa: PLC0415
    from apps.journal.services import log_action  # noqa: PLC0415
    from apps.memory.models import Item  # noqa: PLC0415
    from apps.memory.services import give_feedback  # noqa: PLC0415
    from apps.tenants.access import System  # noqa: PLC0415
    from apps.tenants.services import invite_member  # noqa: PLC0415

    with tenant_scope(victim.tenant_id, agent_id=victim.agent_id):
        log_action(action="looked", tool="", detail="under the mat", reason="")
        own = Item.objects.filter(tenant_id=victim.tenant_id, agent_id=victim.agent_id, status="active")
        item_id = own.values_list("id", flat=True)[0]
        give_feedback(item_id, Opinion.HELPFUL)
        _turn_down(victim, item_id)
    with tenant_scope(victim.tenant_id):
        row = begin(Subject(ErasureKind.USER, user_id="nobody"), Selection(), waits=True)
        ErasureTarget.objects.create(tenant_id=victim.tenant_id, erasure=row, kind="item", unit_id=uuid4())
        receipts.sign({})
        invite_member(username="somebody", role="operator", by=System(victim.tenant_id))
        long_ago = datetime(2026, 3, 1, tzinfo=UTC)
        Usage.objects.create(tenant_id=victim.tenant_id, agent_id=victim.agent_id, at=long_ago, operation="recall")
        rolling.roll_next_day()
    return victim


def _turn_down(held, item_id):
    """A rejection of the agent's, linked to the memory it contradicts."""
    from apps.memory.models import ItemLink, Rejection, RejectionStage  # noqa: PLC0415  Django must be set up first

    owner = {"tenant_id": held.tenant_id, "agent_id": held.agent_id}
    rejection = Rejection.objects.create(**owner, text="It lies elsewhere.", stage=RejectionStage.CONFLICT.value)
    ItemLink.objects.create(
        **owner, kind=ItemLink.Kind.CONTRADICTS, from_rejection=rejection, to_item_id=item_id, reason="contradicts"
    )


@pytest.fixture
def sibling():
    """Another agent of the tenant, one that holds nothing itself: policies compare ids."""
    return uuid4()


def _tenant_tables():
    with unscoped("migrate data"), connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
               WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
        )
        return {name for (name,) in cursor.fetchall()}


@pytest.mark.usefixtures("database")
def test_every_table_is_private_to_an_agent_or_says_why_not():
    assert _tenant_tables() == PRIVATE | set(TENANT_WIDE)
    assert PRIVATE & set(TENANT_WIDE) == set()


@pytest.mark.parametrize("reach", [Reach.OWN, Reach.SHARED])
def test_an_agents_scope_sees_no_row_of_another_agent(logged, sibling, reach):
    with tenant_scope(logged.tenant_id, agent_id=sibling, reach=reach), connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in sorted(PRIVATE)))
        seen = {name for name, rows in cursor.fetchall() if rows}

    held = {name for name, rows in logged.counts().items() if rows}
    # A table without rows of the victim's would prove nothing.
    assert PRIVATE - held == set()
    assert seen == set()


@pytest.mark.parametrize("statement", ["UPDATE {table} SET tenant_id = tenant_id", "DELETE FROM {table}"])
def test_an_agents_scope_changes_no_row_of_another_agent_nor_of_the_tenant(logged, sibling, statement):
    before = logged.counts()
    changed = {table: _changed(logged, sibling, statement.format(table=table)) for table in _tenant_tables() - WRITABLE}

    assert {table for table, rows in changed.items() if rows} == set()
    after = logged.counts()
    assert {table: after[table] for table in changed} == {table: before[table] for table in changed}


def _changed(held, agent_id, sql):
    """How many rows the statement changed; none where it was refused."""
    try:
        with tenant_scope(held.tenant_id, agent_id=agent_id, reach=Reach.SHARED), connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.rowcount
    except ProgrammingError as refused:
        if "permission denied" not in str(refused):
            raise
        return 0


OWN_CHANGES = {
    "its key's scopes": "UPDATE tenants_api_key SET scopes = '{admin}'",
    "its limits": "UPDATE tenants_agent SET writes_per_minute = 1000000",
    "the policy": "UPDATE tenants_policy SET keep_raw_secrets = true",
    "what others are told of it": "DELETE FROM journal_event",
    "what it logged": "UPDATE journal_log_text SET detail = ''",
    "the tenant": "UPDATE tenants_tenant SET suspended_at = NULL",
}


@pytest.mark.parametrize("what", OWN_CHANGES)
def test_an_agents_scope_does_not_change(logged, what):
    assert _changed(logged, logged.agent_id, OWN_CHANGES[what]) == 0


def test_an_agents_scope_writes_nothing_in_the_name_of_another(logged, sibling):
    entry = """INSERT INTO journal_entry (tenant_id, id, agent_id, at, operation, actor, subject, request_id, data)
        VALUES (%s, gen_random_uuid(), %s, now(), 'memory.forgot', 'agent', '', '', '{}')"""
    with (
        tenant_scope(logged.tenant_id, agent_id=sibling),
        connection.cursor() as cursor,
        pytest.raises(DatabaseError, match="row-level security"),
        transaction.atomic(),
    ):
        cursor.execute(entry, [logged.tenant_id, logged.agent_id])


def test_a_session_is_seen_by_others_once_something_in_it_is_shared(make_tenant):
    from apps.resources import services  # noqa: PLC0415  Django must be set up first
    from memory_platform.model import Visibility  # noqa: PLC0415

    tenant = make_tenant()
    owner, other = (make_agent(tenant.id, slug)[0] for slug in ("owner", "other"))
    for name, visibility in (("open", Visibility.SHARED), ("closed", Visibility.PRIVATE)):
        with tenant_scope(tenant.id, agent_id=owner, reach=Reach.SHARED):
            services.capture(services.NewTurn(session_id=name, user_input="Hello there.", visibility=visibility))

    seen = {reach: _sessions(tenant.id, other, reach) for reach in (Reach.OWN, Reach.SHARED)}

    assert seen == {Reach.OWN: [], Reach.SHARED: ["open"]}


def _sessions(tenant_id, agent_id, reach):
    with tenant_scope(tenant_id, agent_id=agent_id, reach=reach), connection.cursor() as cursor:
        cursor.execute("SELECT external_id FROM resources_session")
        return [name for (name,) in cursor.fetchall()]
