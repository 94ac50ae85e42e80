"""Bulk ingest: an answer for each line, idempotent by the caller's ids."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.scope import tenant_scope
from apps.index.models import Document
from apps.jobs.models import Job
from apps.journal.models import Entry
from apps.resources import selectors
from apps.resources.models import Resource
from apps.resources.services import IngestLine, NewTurn, capture, ingest
from memory_platform.model import Role
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue, speaker_key

SAID = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def line(number, session="s-1", **changes) -> IngestLine:
    return IngestLine(
        **{
            "external_id": f"m-{number}",
            "session_id": session,
            "speaker": "Caroline",
            "content": f"This is message number {number}.",
            "content_at": SAID,
        }
        | changes
    )


def statuses(results):
    return [result.status.value for result in results]


def test_answers_come_right_after_what_they_answer_a_tools_report_apart(tenant, as_agent):
    with as_agent():
        results = ingest(
            [
                line(0),
                line(1, session="s-2", speaker="assistant"),
                line(2, role=Role.TOOL),
                line(3, speaker="assistant"),
                line(4),
            ]
        )
        first, other, tool, answer, last = (result.resource_id for result in results)

        assert selectors.answers([first, other]) == {tool: first, answer: first}
        assert selectors.answers([answer]) == {last: answer}


def test_lines_are_stored_in_order_with_their_documents(tenant, as_agent):
    with as_agent():
        results = ingest([line(0), line(1, session="s-2"), line(2), line(3, speaker="assistant")])
        rows = {r.id: r for r in selectors.resources([result.resource_id for result in results])}
        stored = [rows[result.resource_id] for result in results]
        texts = dict(Document.objects.filter(tenant_id=tenant.id).values_list("unit_id", "text"))

    assert statuses(results) == ["accepted"] * 4
    assert [result.line for result in results] == [0, 1, 2, 3]
    assert [(r.external_id, r.ordinal, r.role, r.speaker) for r in stored] == [
        ("m-0", 0, Role.USER, "Caroline"),
        ("m-1", 0, Role.USER, "Caroline"),
        ("m-2", 1, Role.USER, "Caroline"),
        ("m-3", 2, Role.ASSISTANT, "assistant"),
    ]
    assert texts[results[0].resource_id] == '(1 March 2026) Caroline said, "This is message number 0."'
    assert texts[results[3].resource_id] == "This is message number 3."


def test_what_the_form_of_a_message_says_is_indexed_with_it(tenant, as_agent):
    with as_agent():
        results = ingest([line(0, content="Where did you go?"), line(1, speaker="assistant", content="To Paris.")])
        cues = dict(Document.objects.filter(tenant_id=tenant.id).values_list("unit_id", "cues"))

    by_caroline = speaker_key("Caroline") << SPEAKER_SHIFT
    assert cues[results[0].resource_id] == by_caroline + (Cue.ASKS | Cue.OWN)
    assert cues[results[1].resource_id] & (Cue.ASKS | Cue.NAMES | Cue.OWN) == Cue.NAMES


def test_sending_again_changes_nothing(tenant, as_agent):
    with as_agent():
        first = ingest([line(number) for number in range(3)])
        again = ingest([line(2), line(0), line(3)])

        assert statuses(again) == ["duplicate", "duplicate", "accepted"]
        assert [again[0].resource_id, again[1].resource_id] == [first[2].resource_id, first[0].resource_id]
        assert selectors.session("s-1").next_ordinal == 4
        assert Resource.objects.filter(tenant_id=tenant.id).count() == 4


def test_other_content_under_a_known_id_conflicts(as_agent):
    with as_agent():
        (first,) = ingest([line(0)])
        (conflict,) = ingest([line(0, content="Something else entirely.")])

    assert (conflict.status, conflict.field, conflict.resource_id) == ("conflict", "external_id", first.resource_id)


def test_repeats_within_one_call_are_seen(as_agent):
    with as_agent():
        results = ingest([line(0), line(0), line(0, content="Something else entirely."), line(0, session="s-2")])

    assert statuses(results) == ["accepted", "duplicate", "conflict", "accepted"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": " "}, "content"),
        ({"content": "nul \x00"}, "content"),
        ({"content_at": datetime(2026, 3, 1)}, "content_at"),  # noqa: DTZ001  the point of the case
        ({"external_id": ""}, "external_id"),
        ({"external_id": "x" * 201}, "external_id"),
        ({"session_id": ""}, "session_id"),
        ({"speaker": "x" * 201}, "speaker"),
        ({"user_id": ""}, "user_id"),
        ({"turn_number": 0}, "turn_number"),
    ],
)
def test_a_wrong_line_is_named_and_its_neighbours_are_stored(as_agent, change, field):
    with as_agent():
        results = ingest([line(0), line(1, **change), line(2)])

    assert statuses(results) == ["accepted", "invalid", "accepted"]
    assert results[1].field == field
    assert results[1].resource_id is None


def test_a_naive_time_is_told_to_add_a_zone(as_agent):
    with as_agent():
        (result,) = ingest([line(0, content_at=datetime(2026, 3, 1))])  # noqa: DTZ001  the point of the test

    assert "add one, for example 2026-03-01T09:00:00Z" in result.error


def test_a_missing_time_is_now_and_does_not_make_a_repeat_another_line(as_agent):
    with as_agent():
        before = datetime.now(tz=UTC)
        (first,) = ingest([line(0, content_at=None)])
        (again,) = ingest([line(0, content_at=None)])
        (stored,) = selectors.resources([first.resource_id])

    assert before <= stored.content_at <= datetime.now(tz=UTC)
    assert again.status == "duplicate"


def test_jobs_are_cut_by_session_and_size(tenant, as_agent):
    with as_agent():
        ingest([line(number, session=f"s-{number // 100}") for number in range(150)])
        jobs = list(Job.objects.filter(tenant_id=tenant.id))

    observing = Counter(len(job.arguments["resources"]) for job in jobs if job.name == "memory.observe")
    embedding = Counter(len(job.arguments["documents"]) for job in jobs if job.name == "index.embed")
    assert observing == {64: 1, 36: 1, 50: 1}
    assert embedding == {64: 2, 22: 1}


def test_a_call_of_many_chunks_has_as_many_journal_lines(tenant, as_agent):
    with as_agent():
        results = ingest([line(number) for number in range(1001)] + [line(5), line(6, content="")])
        entries = Entry.objects.filter(tenant_id=tenant.id, operation="lines.ingested").order_by("at")
        counted = [entry.data for entry in entries]

    assert Counter(statuses(results)) == {"accepted": 1001, "duplicate": 1, "invalid": 1}
    assert [(data["accepted"], data["duplicate"], data["invalid"]) for data in counted] == [
        (500, 0, 0),
        (500, 0, 0),
        (1, 1, 1),
    ]


def test_a_chunk_costs_the_same_statements_whatever_its_size(as_agent):
    def cost(lines):
        with CaptureQueriesContext(connection) as queries, as_agent():
            ingest(lines)
        return len(queries)

    cost([line(0, session="warm")])
    small = cost([line(number, session="a") for number in range(2)])
    large = cost([line(number, session=f"s-{number % 7}") for number in range(400)])

    assert small == large <= 12


def test_ingested_and_captured_messages_share_a_sessions_order(as_agent):
    with as_agent():
        ingest([line(0, turn_number=1), line(1, turn_number=1)])
        captured = capture(NewTurn(session_id="s-1", user_input="Now live."))
        (stored,) = selectors.resources(captured.resource_ids)

    assert (captured.turn_number, stored.ordinal) == (2, 2)


def test_the_same_lines_sent_at_once_are_stored_once(tenant, agent):
    lines = [line(number, session=f"s-{number % 3}") for number in range(60)]

    def send(shift):
        try:
            with tenant_scope(tenant.id, agent_id=agent.id):
                return ingest(lines[shift:] + lines[:shift])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(send, (0, 7, 20, 41)))

    counted = Counter(status for results in answers for status in statuses(results))
    assert counted == {"accepted": 60, "duplicate": 180}
    with tenant_scope(tenant.id):
        rows = Resource.objects.filter(tenant_id=tenant.id).values_list("session_id", "ordinal")
        assert Counter(ordinal for _, ordinal in rows) == dict.fromkeys(range(20), 3)
