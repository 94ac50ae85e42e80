"""Sessions begin, are heard of, and end: when somebody says so, when another follows, or when they fall silent."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.jobs.models import Job
from apps.journal.models import Entry
from apps.resources import selectors, services
from apps.resources.models import Session
from apps.resources.services import IngestLine, NewTurn, capture, ingest, start, touch
from apps.resources.services.ending import END_SILENT_JOB
from apps.tenants import services as tenant_services
from memory_platform.errors import Invalid, NotFound
from tests.cast import ADAM, MARA


def turn(session="s-1", **changes) -> NewTurn:
    return NewTurn(session_id=session, user_input="I moved to Lisbon.", **changes)


def watches(tenant):
    rows = Job.objects.filter(tenant_id=tenant.id, name=END_SILENT_JOB, state="queued")
    return list(rows.order_by("run_after"))


def reasons(tenant):
    rows = Entry.objects.filter(tenant_id=tenant.id, operation="session.ended").order_by("id")
    return [row.data["reason"] for row in rows]


def fall_silent(session_id, **since):
    Session.objects.filter(id=session_id).update(last_active_at=now() - timedelta(**since))


def test_starting_a_session_creates_it_once(tenant, agent, as_agent):
    with as_agent():
        first = start("s-1", user_id=MARA.user_id).session
        again = start("s-1", user_id=MARA.user_id).session

        assert again.id == first.id
        assert (first.external_id, first.user_id, first.agent_id, first.next_turn) == ("s-1", MARA.user_id, agent.id, 1)
        assert again.last_active_at > first.last_active_at
        assert Entry.objects.filter(tenant_id=tenant.id, operation="session.started").count() == 1


def test_a_session_without_a_name_does_not_start(as_agent):
    with pytest.raises(Invalid) as refused, as_agent():
        start("", user_id=None)

    assert refused.value.field == "sessionId"


def test_another_session_of_the_same_user_ends_the_one_before(tenant, as_agent):
    with as_agent():
        for user, name in ((MARA.user_id, "s-1"), (ADAM.user_id, "s-1"), (None, "s-1"), (MARA.user_id, "s-2")):
            capture(turn(name, user_id=user))
        opened = start("s-3", user_id=MARA.user_id)
        again = start("s-3", user_id=MARA.user_id)

        assert (opened.predecessor.external_id, opened.predecessor.user_id) == ("s-2", MARA.user_id)
        assert again.predecessor is None
        ended = Session.objects.filter(tenant_id=tenant.id, ended_at__isnull=False).order_by("external_id")
        assert [(session.external_id, session.user_id) for session in ended] == [
            ("s-1", MARA.user_id),
            ("s-2", MARA.user_id),
        ]
    with tenant_scope(tenant.id):
        assert reasons(tenant) == ["followed", "followed"]


def test_a_session_of_another_agent_goes_on(tenant, as_agent):
    with tenant_scope(tenant.id):
        other = tenant_services.create_agent(slug="other")
        capture(turn("s-1", agent_id=other.id, user_id=MARA.user_id))

    with as_agent():
        assert start("s-2", user_id=MARA.user_id).predecessor is None


def test_without_a_user_no_session_ends_another(tenant, as_agent):
    with as_agent():
        start("s-1", user_id=None)
        start("s-2", user_id=MARA.user_id)

        assert start("s-3", user_id=None).predecessor is None
        assert not Session.objects.filter(tenant_id=tenant.id, ended_at__isnull=False).exists()


def test_coming_back_to_a_session_opens_it_and_ends_the_other(as_agent):
    with as_agent():
        start("s-1", user_id=MARA.user_id)
        start("s-2", user_id=MARA.user_id)
        back = start("s-1", user_id=MARA.user_id)

        assert back.session.ended_at is None
        assert back.predecessor.external_id == "s-2"


def test_ending_an_unknown_session_is_refused(tenant, as_agent):
    with pytest.raises(NotFound), as_agent():
        services.end(tenant.id)


def test_a_session_that_falls_silent_is_ended(tenant, as_agent):
    with as_agent():
        session_id = capture(turn()).session_id
        fall_silent(session_id, minutes=31)

    with tenant_scope(tenant.id):
        assert services.end_silent(session_id).id == session_id
        assert services.end_silent(session_id) is None
        assert selectors.session("s-1").ended_at is not None
        assert reasons(tenant) == ["silent"]


def test_a_session_that_goes_on_is_looked_at_again_when_it_may_be_silent(tenant, as_agent):
    with as_agent():
        session_id = capture(turn()).session_id
    with tenant_scope(tenant.id):
        Job.objects.filter(tenant_id=tenant.id, name=END_SILENT_JOB).update(state="running")
        heard = now() - timedelta(minutes=10)
        Session.objects.filter(id=session_id).update(last_active_at=heard)

        assert services.end_silent(session_id) is None
        assert services.end_silent(session_id) is None

        assert selectors.session("s-1").ended_at is None
        assert [watch.run_after for watch in watches(tenant)] == [heard + timedelta(minutes=30)]


def test_turns_and_heartbeats_of_an_open_session_add_no_watch(tenant, as_agent):
    with as_agent():
        capture(turn())
        capture(turn())
        touch(selectors.session("s-1"))
        start("s-1", user_id=None)

        (watch,) = watches(tenant)
        assert watch.arguments == {"session": str(selectors.session("s-1").id)}
        assert timedelta(minutes=29) < watch.run_after - now() <= timedelta(minutes=30)


def test_a_session_that_goes_on_after_its_end_is_watched_again(tenant, as_agent):
    with as_agent():
        session_id = capture(turn()).session_id
        services.end(session_id)
        Job.objects.filter(tenant_id=tenant.id, name=END_SILENT_JOB).update(state="done")

        touch(selectors.session("s-1"))

        assert selectors.session("s-1").ended_at is None
        assert len(watches(tenant)) == 1


def test_watching_costs_a_statement_when_a_session_opens_and_none_after(as_agent):
    def statements(lines):
        with CaptureQueriesContext(connection) as captured, as_agent():
            ingest(lines)
        return len(captured)

    def lines(name, sessions):
        return [
            IngestLine(external_id=name, session_id=f"{name}-{number}", content="Hello there.")
            for number in range(sessions)
        ]

    with as_agent():
        ingest(lines("warm", 1))

    opens_one, opens_twenty = statements(lines("one", 1)), statements(lines("many", 20))
    again = statements([IngestLine(external_id="second", session_id="one-0", content="Hello again.")])

    assert opens_one == opens_twenty == again + 1
