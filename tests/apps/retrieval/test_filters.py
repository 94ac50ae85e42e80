"""Filters: whatever an arm finds, only what passes them answers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.core.scope import Reach, Scope, tenant_scope
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.services import recall
from apps.tenants import services as tenants
from memory_platform.model import NOBODY, Kind, Profile, Strength, Whose
from tests.cast import ADAM, MARA

QUERY = "What does Northwind Ferries say about the ticket office?"


def found(within: Scope, query: str = QUERY, **wanted: object) -> set[str]:
    request = RecallRequest(query=query, filter=Filter(**wanted), profile=Profile.DEEP)
    return {hit.text for hit in recall(request, within=within).hits}


def days_ago(days: float) -> datetime:
    return datetime.now(tz=UTC) - timedelta(days=days)


@pytest.fixture
def months(say):
    """One message of three months ago, one of last week, one of today."""
    texts = {name: f"Northwind Ferries paints the ticket office {name}." for name in ("green", "white", "blue")}
    last_week = days_ago(days_ago(0).weekday() + 5)
    for name, at in (("green", days_ago(95)), ("white", last_week), ("blue", days_ago(0))):
        say(texts[name], session=name, at=at)
    return texts


def test_after_and_before_take_words_and_dates(months, within: Scope):
    green, white, blue = months.values()

    assert found(within, after="last_week") == {white, blue}
    assert found(within, before="last_month") == {green}
    assert found(within, after=days_ago(100).date().isoformat(), before="last_week") == {green}
    assert found(within, after="last_week", before="this_week") == {white}
    assert found(within, after=days_ago(-1).isoformat()) == set()


def test_what_the_question_names_as_its_time_is_no_filter_but_an_arm(months, within: Scope):
    request = RecallRequest(query="What did Northwind Ferries paint last week?", explain=True)

    answer = recall(request, within=within)

    arms = {arm.name: arm.candidates for arm in answer.explanation.arms}
    assert arms["time"] == 1
    assert {hit.text: hit.scores.time for hit in answer.hits}[months["white"]] is not None
    assert answer.explanation.time_range.phrase == "last week"
    assert {hit.text for hit in answer.hits} > {months["white"]}


def test_lean_asks_neither_graph_nor_time(months, within: Scope):
    request = RecallRequest(query="What did Northwind Ferries paint last week?", profile=Profile.LEAN, explain=True)

    arms = {arm.name: arm.candidates for arm in recall(request, within=within).explanation.arms}

    assert (arms["graph"], arms["time"]) == (0, 0)
    assert min(arms["keyword"], arms["vector"]) > 0


def test_kind_category_and_service(know, within: Scope):
    rule = "Northwind Ferries never sells tickets at the office on Sundays."
    know(rule, kind=Kind.RULE, category="rules-conventions", service="tickets")
    know("Northwind Ferries has a ticket office in Porto.", kind=Kind.FACT, category="work")

    assert found(within, kinds=(Kind.RULE,)) == {rule}
    assert found(within, categories=("rules-conventions",)) == {rule}
    assert found(within, services=("tickets",)) == {rule}
    assert found(within, kinds=()) == set()


def test_user_and_agent(know, within: Scope):
    ours, other = (f"Northwind Ferries has a ticket office in {place}." for place in ("Porto", "Faro"))
    know(ours, user_id=MARA.user_id)
    know(other, user_id=ADAM.user_id)
    with tenant_scope(within.tenant_id):
        tenants.create_agent(slug="other")

    assert found(replace(within, whose=Whose(MARA.user_id))) == {ours}
    assert found(replace(within, whose=NOBODY)) == set()
    assert found(within, agent_id="assistant") == {ours, other}
    assert found(Scope(within.tenant_id, None, Reach.TENANT), agent_id="other") == set()


def test_session(say, within: Scope):
    say("Northwind Ferries moves the ticket office.", session="one")
    say("Northwind Ferries closes the ticket office.", session="two")

    assert found(within, session_id="two") == {"Northwind Ferries closes the ticket office."}


def test_confidence(know, within: Scope):
    sure = "Northwind Ferries has a ticket office in Porto."
    know(sure)
    know("Northwind Ferries probably plans a ticket office in Faro.", strength=Strength.INFERRED)

    assert found(within, minimum_confidence=0.8) == {sure}
    assert len(found(within, minimum_confidence=0.4)) == 2
