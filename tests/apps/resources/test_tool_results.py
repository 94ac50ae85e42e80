"""What tools report in a turn: a resource of its own for each result, between the question and the answer."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.index.models import Document
from apps.jobs.models import Job
from apps.journal.models import Entry
from apps.resources import selectors
from apps.resources.services import LONGEST_RESULT, MOST_RESULTS, capture
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict, Invalid
from memory_platform.model import Role
from tests.apps.resources.test_capture import CARD, SAID, counts, turn
from tests.cast import MARA

ORDER = {"name": "get_order", "arguments": {"id": 4711}, "result": {"id": 4711, "status": "shipped", "note": "für Zoë"}}
LOG = {"function": {"name": "read_log"}, "output": "The deploy failed at noon."}


def test_each_result_is_a_resource_between_the_question_and_the_answer(tenant, as_agent):
    with as_agent():
        captured = capture(turn(user_id=MARA.user_id, tool_calls=[ORDER, {"name": "search", "arguments": {}}, LOG]))
        rows = selectors.resources(captured.resource_ids)
        found = Document.objects.filter(tenant_id=tenant.id, unit="episode", unit_id__in=captured.resource_ids)
        texts = set(found.values_list("text", flat=True))
        job = Job.objects.get(id__in=captured.job_ids, name="memory.observe")
        checkpoint = selectors.checkpoint("s-1")

    said = '{"id": 4711, "status": "shipped", "note": "für Zoë"}'
    assert [(row.role, row.speaker, row.content_type, row.raw_content, row.ordinal) for row in rows] == [
        ("user", None, "text/plain", "I moved to Lisbon.", 0),
        ("tool", "get_order", "application/json", said, 1),
        ("tool", "read_log", "text/plain", "The deploy failed at noon.", 2),
        ("assistant", None, "text/plain", "Noted!", 3),
    ]
    assert {(row.user_id, row.turn_number, row.content_at) for row in rows} == {(MARA.user_id, 1, SAID)}
    assert sum("4711" in text for text in texts) == 1
    assert job.arguments == {"resources": [str(row.id) for row in rows]}
    assert checkpoint.tool_calls[0]["result"] == ORDER["result"]


@pytest.mark.parametrize(
    ("result", "content_type"),
    [
        ({"a": 1}, "application/json"),
        ([{"a": 1}], "application/json"),
        ('{"a": 1}', "application/json"),
        ("id,status\n4711,shipped\n", "text/csv"),
        ("| id | status |\n|---|---|\n| 4711 | shipped |", "text/markdown"),
        ('{"a": 1', "text/plain"),
        ("We met, then we left.\nIt rained, so we ran.", "text/plain"),
        (4711, "text/plain"),
    ],
)
def test_what_a_result_is_written_in_is_told(as_agent, result, content_type):
    with as_agent():
        captured = capture(turn(user_input=None, llm_output=None, tool_calls={"name": "t", "result": result}))
        (row,) = selectors.resources(captured.resource_ids)

    assert row.content_type == content_type


@pytest.mark.parametrize(
    "calls",
    [None, [], [1], "text", {"pay": {"card": 1}}, {"name": "t", "result": None}, [{"name": "t", "result": {}}],
     [{"name": "t", "result": " \n"}], [{"name": "t", "arguments": {"q": 1}}]],
)  # fmt: skip
def test_a_call_that_reports_nothing_is_no_resource(as_agent, calls):
    with as_agent():
        captured = capture(turn(tool_calls=calls))
        roles = [row.role for row in selectors.resources(captured.resource_ids)]

    assert roles == ["user", "assistant"]


def test_repeating_a_turn_with_results_changes_nothing(tenant, as_agent):
    with as_agent():
        first = capture(turn(turn_number=3, tool_calls=[ORDER, LOG]))
    before = counts(tenant)

    with as_agent():
        again = capture(turn(turn_number=3, tool_calls=[ORDER, LOG]))
    with pytest.raises(Conflict), as_agent():
        capture(turn(turn_number=3, tool_calls=[LOG, ORDER]))

    assert (again.duplicate, again.resource_ids) == (True, first.resource_ids)
    assert counts(tenant) == before


@pytest.mark.parametrize(
    "result",
    [
        {"order": {"card": CARD, "password": "tr0ub4dor&3"}},
        json.dumps({"order": {"card": CARD, "password": "tr0ub4dor&3"}}),
        f"card: {CARD}\npassword: tr0ub4dor&3",
    ],
)
def test_secrets_in_results_are_gone_before_anything_is_stored(tenant, as_agent, result):
    with as_agent():
        captured = capture(turn(tool_calls=[{"name": "pay", "result": result}]))
        content = selectors.resources(captured.resource_ids)[1].raw_content
        line = Entry.objects.get(tenant_id=tenant.id, operation="resource.redacted")

    assert "4111" not in content
    assert "tr0ub4dor" not in content
    assert (line.subject_id, "card" in line.data["kinds"]) == (captured.resource_ids[1], True)


@pytest.mark.parametrize(
    "calls",
    [
        [{"name": "t", "result": "x"}] * (MOST_RESULTS + 1),
        [{"name": "t", "result": "x" * (LONGEST_RESULT + 1)}],
        [{"name": "t" * 201, "result": "x"}],
    ],
    ids=["too many", "too long", "a name too long"],
)
def test_what_is_too_much_is_refused_and_changes_nothing(tenant, as_agent, calls):
    before = counts(tenant)

    with pytest.raises(Invalid) as refused, as_agent():
        capture(turn(tool_calls=calls))

    assert refused.value.field == "toolCalls"
    assert counts(tenant) == before


def test_any_number_of_results_costs_no_statement_more(tenant, as_agent):
    def statements(**changes):
        with CaptureQueriesContext(connection) as queries, as_agent():
            capture(turn(**changes))
        return len(queries)

    statements()
    without = statements()

    assert statements(tool_calls=[ORDER, LOG] * 20) == without


def test_what_was_said_last_is_what_people_and_the_agent_said(tenant, as_agent):
    with as_agent():
        capture(turn(tool_calls=[ORDER]))
        last = selectors.last_messages("s-1", at_most=5, policy=tenants.policy(tenant.id))

    assert [message.role for message in last] == [Role.USER, Role.ASSISTANT]
