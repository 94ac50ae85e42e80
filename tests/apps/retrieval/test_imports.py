"""What was imported lives at the time it was said: what it is worth today, and what was believed at a moment."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from apps.core import clock
from apps.core.paging import PageRequest
from apps.core.scope import Scope, enter
from apps.memory import selectors, services
from apps.memory.requests import NewMemory
from apps.resources.models import Resource
from apps.resources.services import NewTurn, capture
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.services import context, recall
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.lifecycle.belief import believed_from
from memory_platform.model import ClaimRelation, TrustTag, Unit

DAY = timedelta(days=1)
FIRST = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
ASKED = "Which PostgreSQL does Harbor run on?"
OLD, NEW = "Harbor runs on PostgreSQL 15.", "Harbor runs on PostgreSQL 17."
NEWER = "Harbor runs on PostgreSQL 18."


def found(within: Scope, query: str = ASKED, **asked) -> list[str]:
    return [hit.text for hit in recall(RecallRequest(query=query, **asked), within=within).hits]


def remember(within: Scope, text: str, said_at: datetime, **fields):
    return services.remember(NewMemory(text=text, occurred_at=said_at, **fields), within=within).item


@pytest.fixture
def changed(within: Scope, judged: ScriptedJudge, run_jobs) -> None:
    """A fact of FIRST that changed 100 days later, imported today in one go."""
    judged.relations[OLD, NEW] = ClaimRelation(update=0.97, distinct=0.03)
    remember(within, OLD, FIRST)
    remember(within, NEW, FIRST + 100 * DAY)
    run_jobs()


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize(("days", "expected"), [(-1, []), (0, [OLD]), (99, [OLD]), (100, [NEW]), (400, [NEW])])
def test_as_of_answers_with_what_had_been_said_and_still_held(within: Scope, days, expected):
    assert found(within, as_of=FIRST + days * DAY) == expected


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize(("asked", "is_told"), [({"as_of": FIRST + 99 * DAY}, False), ({"valid_at": FIRST}, True)])
def test_what_was_believed_then_is_not_tagged_with_what_came_later(within: Scope, asked, is_told):
    (hit,) = recall(RecallRequest(query=ASKED, **asked), within=within).hits

    assert (hit.text, TrustTag.SUPERSEDED in hit.tags) == (OLD, is_told)


DOUBTED, DISPUTED = {TrustTag.PROBABLY_SUPERSEDED}, {TrustTag.CONFLICT}


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (50, {OLD: set()}),
        (150, {OLD: DOUBTED, NEW: set()}),
        (250, {OLD: DOUBTED, NEW: DISPUTED, NEWER: DISPUTED}),
    ],
)
def test_what_was_believed_then_is_not_doubted_by_what_came_later(
    within: Scope, judged: ScriptedJudge, run_jobs, days, expected
):
    judged.relations |= {(OLD, NEW): ClaimRelation(update=0.7), (NEW, NEWER): ClaimRelation(conflict=0.97)}
    for place, text in enumerate((OLD, NEW, NEWER)):
        remember(within, text, FIRST + place * 100 * DAY)
    run_jobs()
    as_of = FIRST + days * DAY

    recalled = recall(RecallRequest(query=ASKED, as_of=as_of), within=within).hits
    listed = context(ContextRequest(as_of=as_of), within=within).included_hits

    for hits in (recalled, listed):
        assert {hit.text: set(hit.tags) & (DOUBTED | DISPUTED) for hit in hits} == expected


@pytest.mark.usefixtures("changed")
def test_an_older_claim_that_is_imported_last_is_believed_from_when_it_was_said(
    within: Scope, judged: ScriptedJudge, run_jobs
):
    oldest = "Harbor runs on PostgreSQL 13."
    judged.relations |= {(oldest, OLD): ClaimRelation(update=0.97), (oldest, NEW): ClaimRelation(update=0.97)}

    remember(within, oldest, FIRST - 50 * DAY)
    run_jobs()

    assert found(within, as_of=FIRST - 1 * DAY) == [oldest]
    assert found(within, as_of=FIRST + 100 * DAY) == [NEW]
    assert found(within) == [NEW]


def test_an_earlier_saying_that_arrives_late_moves_the_beginning(within: Scope, run_jobs):
    remember(within, OLD, FIRST)

    remember(within, OLD, FIRST - 10 * DAY)
    run_jobs()

    assert found(within, as_of=FIRST - 5 * DAY) == [OLD]
    assert found(within, as_of=FIRST - 11 * DAY) == []


def test_a_correction_that_was_imported_counts_from_when_it_was_said(within: Scope, judged: ScriptedJudge, run_jobs):
    judged.relations[OLD, NEW] = ClaimRelation(correction=0.97, distinct=0.03)
    remember(within, OLD, FIRST)
    remember(within, NEW, FIRST + 1 * DAY)
    run_jobs()

    assert found(within, as_of=FIRST + 0.5 * DAY) == [OLD]
    assert found(within, as_of=FIRST + 1 * DAY) == [NEW]


def test_as_of_knows_the_messages_that_had_been_said(say, within: Scope):
    say("The Harbor cluster lives in Tromsø.", at=FIRST)
    say("The Harbor cluster moved to Narvik.", at=FIRST + 10 * DAY)

    assert found(within, "Where does the Harbor cluster live?", as_of=FIRST - DAY) == []
    assert found(within, "Where does the Harbor cluster live?", as_of=FIRST + DAY) == [
        "The Harbor cluster lives in Tromsø."
    ]


@pytest.mark.parametrize(("days", "current", "replaced"), [(1, OLD, set()), (11, NEW, {OLD}), (21, NEWER, {OLD, NEW})])
def test_as_of_what_had_been_replaced_by_then_stands_behind_what_replaced_it(
    say, within: Scope, judged: ScriptedJudge, run_jobs, days, current, replaced
):
    for older, newer in ((OLD, NEW), (NEW, NEWER), (OLD, NEWER)):
        judged.relations[older, newer] = ClaimRelation(update=0.97, distinct=0.03)
    for number, text in enumerate((OLD, NEW, NEWER)):
        say(text, at=FIRST + 10 * number * DAY, session=text)
        run_jobs()

    hits = recall(RecallRequest(query=ASKED, as_of=FIRST + days * DAY), within=within).hits

    assert (hits[0].text, TrustTag.SUPERSEDED in hits[0].tags) == (current, False)
    assert {hit.text for hit in hits[1:] if TrustTag.SUPERSEDED in hit.tags} == replaced
    assert len(hits) == 1 + len(replaced)


def test_a_source_that_was_still_to_come_is_not_named(say, within: Scope, run_jobs):
    text = "The Harbor cluster lives in Tromsø."
    early = say(text, at=FIRST, session="one")
    say(text, at=FIRST + 10 * DAY, session="two")
    run_jobs()

    hits = recall(RecallRequest(query="Where does the Harbor cluster live?", as_of=FIRST + DAY), within=within).hits

    assert {source.resource_id for hit in hits for source in hit.sources} == {early}


@pytest.mark.usefixtures("changed")
@pytest.mark.parametrize(("days", "expected"), [(-1, []), (1, [OLD]), (101, [NEW])])
def test_a_context_without_a_question_knows_what_was_known_then(within: Scope, days, expected):
    told = context(ContextRequest(as_of=FIRST + days * DAY), within=within)

    assert [hit.text for hit in told.included_hits] == expected


def test_age_counts_from_when_it_was_said(say, within: Scope):
    remember(within, OLD, clock.now() - 20 * DAY, category="work")
    say("Ask Mara about the Harbor cluster and PostgreSQL.", at=clock.now() - 20 * DAY)

    hits = recall(RecallRequest(query=ASKED), within=within).hits

    assert {hit.unit for hit in hits} == {Unit.ITEM, Unit.EPISODE}
    assert [hit.scores.decay for hit in hits] == pytest.approx([math.exp(-0.2)] * len(hits), rel=1e-3)


@pytest.mark.parametrize(("days", "is_stale"), [(89, False), (91, True)])
def test_what_was_said_longer_ago_than_it_lasts_is_stale(within: Scope, days, is_stale):
    remember(within, OLD, clock.now() - days * DAY, category="work")

    (hit,) = recall(RecallRequest(query=ASKED), within=within).hits

    assert (TrustTag.STALE in hit.tags) is is_stale


def test_what_was_said_long_ago_is_weak(within: Scope):
    remember(within, OLD, clock.now() - 400 * DAY)
    remember(within, "Mara keeps a spare key under the red pot.", clock.now())

    with enter(within):
        weak = selectors.weak(page=PageRequest())

    assert [item.text for item in weak.rows] == [OLD]


def test_years_of_history_keep_the_order_that_relevance_gives_them_and_pass_the_floor(within: Scope):
    vague = "PostgreSQL was mentioned at some point."
    remember(within, OLD, FIRST - 1000 * DAY)
    remember(within, vague, FIRST)

    first, *_ = recall(RecallRequest(query=ASKED), within=within).hits

    assert (first.text, first.scores.decay) == (OLD, Policy().least_recency)
    assert first.score == pytest.approx(first.probability * Policy().least_recency)


@pytest.mark.parametrize(
    "said_at", [FIRST, clock.now() - DAY, clock.now() + 365 * DAY], ids=["long ago", "late", "ahead"]
)
def test_sql_and_core_agree_on_since_when_a_message_is_believed(within: Scope, said_at):
    with enter(within):
        (made,) = capture(NewTurn(session_id="s", user_input="The kiln is lit.", occurred_at=said_at)).resource_ids
        heard_at = Resource.objects.get(id=made).created_at
        with connection.cursor() as cursor:
            cursor.execute("SELECT recorded_at FROM resources_episode WHERE id = %s", [made])
            assert cursor.fetchone()[0] == believed_from(said_at=said_at, heard_at=heard_at)
