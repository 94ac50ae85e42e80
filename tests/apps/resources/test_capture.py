"""Capturing turns: everything of a turn or nothing of it, once."""

import functools
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.core.scope import NoScope, Reach, tenant_scope
from apps.index.models import Document
from apps.jobs.models import Job
from apps.journal.models import Entry
from apps.resources import selectors, services
from apps.resources.models import Checkpoint, Resource
from apps.resources.services import NewTurn, capture
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import Role, Visibility
from tests.cast import MARA

SAID = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
CARD = "4111 1111 1111 1111"


def turn(session="s-1", **changes) -> NewTurn:
    return NewTurn(
        **{"session_id": session, "user_input": "I moved to Lisbon.", "llm_output": "Noted!", "occurred_at": SAID}
        | changes
    )


def counts(tenant):
    with tenant_scope(tenant.id):
        return {
            model.__name__: model.objects.filter(tenant_id=tenant.id).count()
            for model in (Checkpoint, Resource, Document, Entry, Job)
        }


def test_a_turn_becomes_checkpoint_resources_documents_journal_and_jobs(tenant, as_agent, agent):
    with as_agent():
        captured = capture(
            turn(
                user_id=MARA.user_id, tool_calls=[{"name": "search", "args": {"q": "flat"}}], internal_state={"mood": 1}
            )
        )

    assert (captured.session_external_id, captured.turn_number, captured.duplicate) == ("s-1", 1, False)
    with as_agent():
        resources = selectors.resources(captured.resource_ids)
        (entry,) = Entry.objects.filter(tenant_id=tenant.id, operation="turn.captured")
        checkpoint = selectors.checkpoint("s-1", 1)
        documents = Document.objects.filter(tenant_id=tenant.id, unit="episode")
        assert {document.unit_id for document in documents} == set(captured.resource_ids)
    assert [(r.role, r.raw_content, r.ordinal, r.turn_number, r.user_id, r.content_at) for r in resources] == [
        ("user", "I moved to Lisbon.", 0, 1, MARA.user_id, SAID),
        ("assistant", "Noted!", 1, 1, MARA.user_id, SAID),
    ]
    assert (checkpoint.user_input, checkpoint.llm_output) == ("I moved to Lisbon.", "Noted!")
    assert checkpoint.tool_calls == [{"name": "search", "args": {"q": "flat"}}]
    assert checkpoint.internal_state == {"mood": 1}
    assert (entry.agent_id, entry.subject_id, entry.data) == (
        agent.id,
        captured.session_id,
        {"turn": 1, "resources": 2, "redacted": []},
    )


def test_its_jobs_name_the_new_rows_and_follow_the_session(tenant, as_agent, run_jobs, observed):
    with as_agent():
        captured = capture(turn())
        (observe, embed) = Job.objects.filter(id__in=captured.job_ids).order_by("-name")
        documents = Document.objects.filter(tenant_id=tenant.id).order_by("id").values_list("id", flat=True)
        assert (observe.name, observe.serial_key) == ("memory.observe", str(captured.session_id))
        assert embed.arguments == {"documents": [str(number) for number in documents]}

    assert run_jobs() == 2
    assert ("memory.observe", {"resources": [str(i) for i in captured.resource_ids]}) in observed


def test_turns_are_numbered_and_ordinals_run_on(as_agent):
    with as_agent():
        first, second = capture(turn()), capture(turn(user_input="And now?", llm_output=None))
        seventh, eighth = capture(turn(turn_number=7)), capture(turn())
        ordinals = [
            r.ordinal for r in selectors.resources([i for c in (first, second, seventh) for i in c.resource_ids])
        ]

    assert [c.turn_number for c in (first, second, seventh, eighth)] == [1, 2, 7, 8]
    assert ordinals == [0, 1, 2, 3, 4]


def test_repeating_a_turn_changes_nothing(tenant, as_agent):
    with as_agent():
        first = capture(turn(turn_number=3))
    before = counts(tenant)

    with as_agent():
        again = capture(turn(turn_number=3))

    assert again.duplicate
    assert (again.resource_ids, again.job_ids) == (first.resource_ids, ())
    assert counts(tenant) == before
    with as_agent():
        assert selectors.session("s-1").next_ordinal == 2


@pytest.mark.parametrize(
    "change",
    [
        {"user_input": "I moved to Porto."},
        {"llm_output": None},
        {"tool_calls": [1]},
        {"internal_state": {}},
        {"user_input": "I moved to Lisbon.Noted!", "llm_output": ""},
    ],
)
def test_the_same_turn_with_other_content_conflicts_and_changes_nothing(tenant, as_agent, change):
    with as_agent():
        capture(turn(turn_number=1))
    before = counts(tenant)

    with pytest.raises(Conflict), as_agent():
        capture(turn(turn_number=1, **change))

    assert counts(tenant) == before


def test_two_agents_may_use_one_session_id(tenant, agent):
    with tenant_scope(tenant.id):
        other = tenant_services.create_agent(slug="other")
        one, two = capture(turn(agent_id=agent.id)), capture(turn(agent_id=other.id, user_input="Hello there."))

    assert one.session_id != two.session_id
    assert one.turn_number == two.turn_number == 1


def test_the_same_turn_sent_at_once_is_stored_once(tenant, agent):
    def send(_):
        try:
            with tenant_scope(tenant.id, agent_id=agent.id):
                return capture(turn(turn_number=1))
        finally:
            connection.close()

    before = counts(tenant)
    with ThreadPoolExecutor(8) as pool:
        captured = list(pool.map(send, range(16)))

    assert sorted(c.duplicate for c in captured) == [False] + [True] * 15
    assert len({c.resource_ids for c in captured}) == 1
    added = {name: after - before[name] for name, after in counts(tenant).items()}
    assert added == {"Checkpoint": 1, "Resource": 2, "Document": 2, "Entry": 1, "Job": 3}


def test_turns_sent_at_once_get_ordinals_and_numbers_of_their_own(tenant, agent):
    def send(number):
        try:
            with tenant_scope(tenant.id, agent_id=agent.id):
                return capture(turn(user_input=f"Message number {number}."))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        captured = list(pool.map(send, range(24)))

    assert sorted(c.turn_number for c in captured) == list(range(1, 25))
    with tenant_scope(tenant.id):
        ordinals = Resource.objects.filter(tenant_id=tenant.id).order_by("ordinal").values_list("ordinal", flat=True)
        assert list(ordinals) == list(range(48))


def holds_card(cursor, table):
    cursor.execute(f"SELECT count(*) FROM {table} t WHERE t::text ~ '4111 ?1111'")
    return cursor.fetchone() != (0,)


def test_secrets_are_gone_before_anything_is_stored(tenant, as_agent):
    with as_agent():
        captured = capture(
            turn(
                user_input=f"My card is {CARD}, thanks.",
                tool_calls={"pay": {"card": CARD}},
                internal_state=[f"saw {CARD}"],
            )
        )

    with tenant_scope(tenant.id), connection.cursor() as cursor:
        for table in ("resources_resource", "resources_checkpoint", "index_document", "journal_entry", "jobs_job"):
            assert not holds_card(cursor, table), table
        (line,) = Entry.objects.filter(tenant_id=tenant.id, operation="resource.redacted")
        captured_line = Entry.objects.get(tenant_id=tenant.id, operation="turn.captured")
    assert line.subject_id == captured.resource_ids[0]
    assert len(line.data["kinds"]) == 1
    assert captured_line.data["redacted"] == line.data["kinds"]


def test_a_policy_keeps_raw_secrets_in_resources_and_nowhere_else(tenant, as_agent):
    with tenant_scope(tenant.id):
        Policy.objects.filter(tenant_id=tenant.id).update(keep_raw_secrets=True)
    tenants.forget_cached(tenant.id)

    with as_agent():
        captured = capture(turn(user_input=f"My card is {CARD}, thanks.", llm_output=None))

    with as_agent(), connection.cursor() as cursor:
        assert selectors.resources(captured.resource_ids)[0].raw_content == f"My card is {CARD}, thanks."
        assert CARD not in selectors.as_utterances(captured.resource_ids)[0].text
        for table in ("resources_checkpoint", "index_document"):
            assert not holds_card(cursor, table), table


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"user_input": None, "llm_output": " \n"}, "userInput"),
        ({"session_id": ""}, "sessionId"),
        ({"session_id": "x" * 201}, "sessionId"),
        ({"turn_number": 0}, "turnNumber"),
        ({"turn_number": 2**31}, "turnNumber"),
        ({"user_id": "x" * 201}, "userId"),
        ({"occurred_at": datetime(2026, 3, 1)}, "occurredAt"),  # noqa: DTZ001  the point of the case
        ({"user_input": "nul \x00"}, "userInput"),
        ({"llm_output": "half \ud800"}, "llmOutput"),
        ({"tool_calls": {"a": ["\x00"]}}, "toolCalls"),
        ({"internal_state": {"\ud800": 1}}, "internalState"),
        ({"internal_state": [float("nan")]}, "internalState"),
        ({"internal_state": functools.reduce(lambda inner, _: [inner], range(5000), 1)}, "internalState"),
    ],
)
def test_a_wrong_turn_is_refused_with_its_field(tenant, as_agent, change, field):
    before = counts(tenant)

    with pytest.raises(Invalid) as refused, as_agent():
        capture(turn(**change))

    assert refused.value.field == field
    assert counts(tenant) == before


def test_capturing_needs_an_agent(tenant):
    with pytest.raises(NoScope), tenant_scope(tenant.id):
        capture(turn())


@pytest.mark.parametrize("table", ["resources_resource", "resources_checkpoint"])
@pytest.mark.parametrize("change", ["UPDATE {} SET user_id = 'x'", "DELETE FROM {}"])
def test_what_happened_cannot_be_changed(tenant, as_agent, table, change):
    with as_agent():
        capture(turn())

    with pytest.raises(DatabaseError), as_agent(), connection.cursor() as cursor:
        cursor.execute(change.format(table))


def test_even_the_owner_of_the_tables_cannot_change_what_happened(tenant, as_agent):
    with as_agent():
        capture(turn())

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('role', 'memory_owner', true)")
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            cursor.execute("UPDATE resources_resource SET raw_content = 'x'")


def test_other_agents_see_shared_turns_only(tenant, as_agent):
    with as_agent():
        private, shared = capture(turn()), capture(turn(visibility=Visibility.SHARED))
        ids = [*private.resource_ids, *shared.resource_ids]
    with tenant_scope(tenant.id):
        other = tenant_services.create_agent(slug="other")

    with tenant_scope(tenant.id, agent_id=other.id):
        assert selectors.resources(ids) == []
        assert selectors.sources(ids) == {}
    with tenant_scope(tenant.id, agent_id=other.id, reach=Reach.SHARED):
        assert {r.id for r in selectors.resources(ids)} == set(shared.resource_ids)
        assert set(selectors.sources(ids)) == set(shared.resource_ids)
        assert selectors.session("s-1") is None
        assert selectors.checkpoint("s-1") is None


def test_other_tenants_see_nothing(as_agent, make_tenant):
    with as_agent():
        captured = capture(turn())

    with tenant_scope(make_tenant().id):
        assert selectors.resources(captured.resource_ids) == []
        assert selectors.session("s-1") is None


def test_utterances_come_in_order(as_agent):
    with as_agent():
        second = capture(turn(user_input="And to Porto later.", speaker="Ann"))
        said = selectors.as_utterances(reversed(second.resource_ids))

    assert [(u.role, u.speaker, u.text, u.said_at) for u in said] == [
        (Role.USER, "Ann", "And to Porto later.", SAID),
        (Role.ASSISTANT, None, "Noted!", SAID),
    ]


def test_sources_say_where_something_was_said(as_agent):
    with as_agent():
        captured = capture(turn(speaker="Ann"))
        found = selectors.sources(captured.resource_ids)

    source = found[captured.resource_ids[0]]
    assert (source.session_external_id, source.speaker, source.said_at, source.turn_number, source.text) == (
        "s-1",
        "Ann",
        SAID,
        1,
        "I moved to Lisbon.",
    )


def test_replay_goes_up_to_a_turn(as_agent):
    with as_agent():
        for number in range(3):
            capture(turn(user_input=f"Message number {number}."))

        assert [c.turn_number for c in selectors.replay("s-1")] == [1, 2, 3]
        assert [c.user_input for c in selectors.replay("s-1", turn=2)] == ["Message number 0.", "Message number 1."]
        assert [c.turn_number for c in selectors.replay("s-1", limit=2)] == [2, 3]
        assert [c.turn_number for c in selectors.replay("s-1", turn=2, limit=1)] == [2]
        assert selectors.checkpoint("s-1").turn_number == 3


def test_a_session_ends_once_and_a_new_turn_reopens_it(tenant, as_agent):
    with as_agent():
        capture(turn())
        session_id = selectors.session("s-1").id
        ended = services.end(session_id).ended_at
        assert services.end(session_id).ended_at == ended
        assert Entry.objects.filter(tenant_id=tenant.id, operation="session.ended").count() == 1
        capture(turn())
        assert selectors.session("s-1").ended_at is None


def test_a_capture_costs_few_statements(tenant, as_agent):
    with as_agent():
        capture(turn())

    with CaptureQueriesContext(connection) as queries, as_agent():
        capture(turn())

    assert len(queries) <= 10, json.dumps([q["sql"][:80] for q in queries], indent=1)
