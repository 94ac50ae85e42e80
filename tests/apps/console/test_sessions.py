"""The pages of sessions: which there were, and how one went."""

import re
from datetime import UTC, datetime

import pytest

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.resources import services
from apps.resources.models import Session
from apps.resources.services import NewTurn
from apps.retrieval.requests import RecallRequest
from apps.retrieval.services import recall, report_output
from tests.apps.console.conftest import MOST_QUERIES
from tests.cast import MARA

LIVES = "Mara lives in Lund."
ALLERGY = "Mara is allergic to penicillin."
FLAT = "Mara rents a small flat above the bakery in the Rua das Flores in Lisbon, on the third floor."
ANSWER = "She is allergic to penicillin, so no antibiotics of that family."
HOSTILE = "<script>alert('deep')</script><img src=x onerror=alert(1)>"


@pytest.fixture
def say(tenant, agent, judge):
    def capture(session, text, **fields):
        with scope.enter(Scope(tenant.id, agent.id, Reach.OWN)):
            services.capture(NewTurn(session_id=session, user_input=text, **fields))

    return capture


@pytest.fixture
def ask_in(tenant, agent):
    """Have the agent ask in a session; what reports its answer."""
    within = Scope(tenant.id, agent.id, Reach.OWN)

    def ask(session, query):
        recall_id = recall(RecallRequest(query=query, session_id=session), within=within).id

        def report(answer):
            with scope.enter(within):
                report_output(recall_id=recall_id, output=answer)

        return report

    return ask


@pytest.fixture
def there(tenant):
    """The address of a session."""

    def find(name):
        with scope.tenant_scope(tenant.id):
            return f"/console/sessions/{Session.objects.get(external_id=name).id}/"

    return find


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["hers", "two", "one", "imported"]),
        ({"user": "mara"}, ["hers", "two", "one", "imported"]),
        ({"user": "eve"}, ["two", "one", "imported"]),
        ({"agent": "nobody"}, []),
        ({"since": "2020-01-01"}, ["hers", "two", "one", "imported"]),
        ({"since": "2999-01-01"}, []),
    ],
)
def test_sessions_are_listed_those_that_began_last_first(operator, say, filters, names):
    for name, fields in (("one", {}), ("two", {}), ("hers", {"user_id": MARA.user_id})):
        say(name, LIVES, **fields)
    say("imported", LIVES, occurred_at=datetime(2026, 3, 2, tzinfo=UTC))

    told = operator.get("/console/sessions/", filters).content.decode()

    assert re.findall(r'<a href="/console/sessions/[0-9a-f-]{36}/">(\w+)</a>', told) == names


def test_a_session_is_replayed_turn_by_turn(operator, say, there, run_jobs):
    say("chat", LIVES, tool_calls=[{"name": "map"}], internal_state={"step": 1})
    say("chat", "Where does Mara live?", llm_output="In Lund.")
    run_jobs()

    told = operator.get(there("chat")).content.decode()

    assert re.findall(r"<h2>(Turn \d)</h2>", told) == ["Turn 1", "Turn 2"]
    assert re.search(rf'<a href="/console/memories/[0-9a-f-]+/">{LIVES}</a>', told)
    assert "Turned down" in told
    assert "&quot;step&quot;: 1" in told


def test_a_replay_tells_what_was_recalled_and_what_the_answer_used(operator, say, ask_in, there, run_jobs):
    for text in (ALLERGY, FLAT):
        say("chat", text)
    run_jobs()
    report = ask_in("chat", "What is Mara allergic to, and what does Mara rent in Lisbon?")
    say("chat", "Which pills may she have?", llm_output=ANSWER)

    before = replayed(operator.get(there("chat")))
    report(ANSWER)
    after = replayed(operator.get(there("chat")))

    assert before == {"Turn 3": [("", ALLERGY), ("", FLAT)]}
    assert after == {"Turn 3": [("Used", ALLERGY), ("Not used", FLAT)]}


def replayed(page):
    """Of each turn that had a recall its hits, by their words, each with what became of it."""
    turns = re.split(r"<h2>(?=Turn \d)", page.content.decode())[1:]
    hits = {each[:6]: re.search(r'<ol class="hits">(.*?)</ol>', each, re.DOTALL) for each in turns}
    return {
        name: sorted(
            re.findall(r"<li>(?:<span[^>]*>([\w ]+)</span>)? <a[^>]*>([^<]*)</a>", found[1]), key=lambda hit: hit[1]
        )
        for name, found in hits.items()
        if found
    }


def test_words_are_shown_and_never_run(operator, say, there):
    say(HOSTILE, HOSTILE, user_id=HOSTILE, llm_output=HOSTILE * 60, tool_calls=[{"name": HOSTILE, "result": HOSTILE}])

    for page in (operator.get("/console/sessions/"), operator.get(there(HOSTILE))):
        told = page.content.decode()
        assert page.status_code == 200
        assert "<script>alert" not in told
        assert "<img src=x" not in told


def test_what_is_no_filter_is_refused(operator, say, there):
    say("chat", LIVES)

    for page in (
        operator.get("/console/sessions/", {"agent": "x" * 201}),
        operator.get("/console/sessions/", {"since": "nonsense"}),
        operator.get("/console/sessions/", {"after": "nonsense"}),
        operator.get(there("chat"), {"after": "nonsense"}),
    ):
        assert page.status_code == 422
    assert operator.get("/console/sessions/nonsense/").status_code == 404


def test_another_tenants_session_is_not_there(stranger, say, there):
    say("chat", LIVES)

    assert stranger.get(there("chat")).status_code == 404
    assert "chat" not in re.findall(r">(\w+)</a>", stranger.get("/console/sessions/").content.decode())


@pytest.mark.parametrize("role", ["member", "billing"])
def test_conversations_are_for_those_who_operate(person_of, tenant, say, there, role):
    say("chat", LIVES)
    looking = person_of(tenant, role)

    assert looking.get("/console/sessions/").status_code == 403
    assert looking.get(there("chat")).status_code == 403


def test_many_turns_take_no_more_statements(operator, say, there, run_jobs, questions):
    say("short", LIVES)
    for number in range(15):
        say("long", f"Mara has {number + 2} cellos.")
    run_jobs()

    assert questions(operator, there("long")) == questions(operator, there("short")) <= MOST_QUERIES
