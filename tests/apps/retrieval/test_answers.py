"""What becomes of candidates on the way to hits: what replaced them is shown first, questions and echoes are not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.core.scope import Reach, Scope, enter
from apps.memory import services as memory
from apps.memory.models import Item
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.results import RecallResult
from apps.retrieval.services import recall
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import ClaimRelation, Kind, Relevance, Status, TrustTag, Unit
from memory_platform.retrieval import relevance

RED, BLUE = "Mara's car is a red Volvo.", "Mara's car is a blue Volvo."
TOLD_OTHERWISE = "The uncle sold her something from Bohemia."
MAY = datetime(2026, 5, 4, 9, tzinfo=UTC)


def ask(within: Scope, query: str = "Is Mara's car a red Volvo?", **options: object) -> RecallResult:
    return recall(RecallRequest(query=query, **options), within=within)


def texts(answer: RecallResult) -> list[str]:
    return [hit.text for hit in answer.hits]


def item_id(within: Scope, text: str):
    with enter(within):
        return Item.objects.get(tenant_id=within.tenant_id, text=text).id


def change_policy(within: Scope, **numbers: object) -> None:
    with enter(replace(within, agent_id=None, reach=Reach.TENANT)):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), numbers)


@pytest.fixture
def doubted(know, judge: ScriptedJudge) -> None:
    judge.relations[RED, BLUE] = ClaimRelation(update=0.7, distinct=0.3)
    know(RED, occurred_at=MAY)
    know(BLUE, occurred_at=MAY + timedelta(days=9))
    assert [(pair.older, pair.newer) for pair in judge.pairs] == [(RED, BLUE)]


@pytest.fixture
def told_otherwise(say, run_jobs, within: Scope) -> None:
    """Two facts of one message, of which one was replaced in words that share none with it."""
    say(f"{RED} Mara plays the cello.", session="one")
    run_jobs()
    memory.correct(item_id(within, RED), TOLD_OTHERWISE, within=within)


def test_what_has_probably_replaced_a_fact_comes_before_it_and_the_fact_is_marked(doubted, within: Scope):
    first, second = ask(within).hits[:2]

    assert (first.text, second.text) == (BLUE, RED)
    assert TrustTag.PROBABLY_SUPERSEDED not in first.tags
    assert TrustTag.PROBABLY_SUPERSEDED in second.tags
    assert first.score < second.score


def test_once_the_doubt_is_answered_the_best_fact_comes_first_again(doubted, within: Scope):
    with enter(within):
        memory.confirm(item_id(within, RED))

    first = ask(within).hits[0]

    assert (first.text, first.tags) == (RED, ())


COLOURS = [f"The car of {name} is {colour}." for name, colour in (("Mara", "red"), ("Ben", "grey"), ("Ines", "black"))]


@pytest.mark.parametrize("by", [-1.0, 1.0])
def test_the_first_hits_stand_as_their_own_weights_order_them_by_scores_that_fall(know, within, monkeypatch, by):
    for text in COLOURS:
        know(text, occurred_at=MAY)
    likeliest = [hit.probability for hit in ask(within, "Whose car is red, grey or black?").hits]
    monkeypatch.setattr(relevance, "first_odds", lambda features, _: by * relevance.head().odds(features))

    hits = ask(within, "Whose car is red, grey or black?").hits

    expected = sorted(likeliest, reverse=by > 0)
    assert [hit.probability for hit in hits] == pytest.approx(expected)
    assert len(set(expected)) > 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_what_was_true_at_a_moment_is_not_doubted_by_what_came_later(doubted, within: Scope):
    (hit,) = ask(within, valid_at=MAY + timedelta(days=2)).hits

    assert (hit.text, hit.scores.stale) == (RED, 1.0)


def test_what_replaced_a_fact_in_other_words_is_pulled_in_before_it(told_otherwise, within: Scope):
    answer = ask(within)

    current, episode = answer.hits[:2]
    assert (current.text, current.unit) == (TOLD_OTHERWISE, Unit.ITEM)
    assert episode.text.startswith(RED)
    assert TrustTag.SUPERSEDED in episode.tags
    assert episode.current_fact_ids == (current.id,)


def test_what_is_pulled_in_passes_the_filters_too(told_otherwise, within: Scope):
    assert TOLD_OTHERWISE in texts(ask(within))
    assert TOLD_OTHERWISE not in texts(ask(within, filter=Filter(kinds=(Kind.PREFERENCE,))))
    assert TOLD_OTHERWISE not in texts(ask(within, units=(Unit.EPISODE,)))
    assert TOLD_OTHERWISE not in texts(ask(within, filter=Filter(statuses=(Status.STALE,))))


def test_an_open_contradiction_shows_both_sides_together_with_the_surer_first(know, judge, within: Scope):
    judge.relations[RED, BLUE] = ClaimRelation(conflict=0.9, distinct=0.1)
    know(RED, occurred_at=MAY, confidence=0.6)
    know(BLUE, occurred_at=MAY + timedelta(days=9), confidence=0.8)

    first, second = ask(within).hits[:2]

    assert (first.text, second.text) == (BLUE, RED)
    assert TrustTag.CONFLICT in first.tags
    assert TrustTag.CONFLICT in second.tags


def test_a_mere_question_answers_nothing(say, within: Scope):
    say("Where did I park the red Volvo?", session="one")
    say("I parked the red Volvo behind the bakery.", session="two")

    assert texts(ask(within, "Where is the red Volvo parked?")) == ["I parked the red Volvo behind the bakery."]


def test_a_long_message_that_ends_with_a_question_still_answers(say, within: Scope):
    told = (
        "I parked the red Volvo behind the bakery this morning because the whole street was full of delivery vans and"
        " the garage opposite the church stays closed until the painters finish their work; can you tell Ben?"
    )
    say(told)

    assert texts(ask(within, "Where is the red Volvo parked?")) == [told]


def test_the_query_itself_is_no_hit(say, within: Scope):
    say("The red Volvo is parked behind the bakery.", session="one")
    say("The red Volvo is parked at the station.", session="two")

    found = texts(ask(within, "the red Volvo is parked behind the bakery"))

    assert found == ["The red Volvo is parked at the station."]


def test_episodes_of_the_same_words_are_one_hit_with_the_sources_of_all(say, within: Scope):
    first = say("The red Volvo is parked behind the bakery.", session="one")
    second = say("the red Volvo is parked behind the bakery", session="two")

    (hit,) = ask(within, "Where is the red Volvo?").hits

    assert {source.resource_id for source in hit.sources} == {first, second}


def test_folded_hits_make_room_for_others(say, within: Scope):
    for session in ("one", "two", "three"):
        say("The red Volvo is parked behind the bakery.", session=session)
    say("The red Volvo needs new tyres.", session="four")

    answer = ask(within, "What about the red Volvo?", limit=2)

    assert set(texts(answer)) == {"The red Volvo is parked behind the bakery.", "The red Volvo needs new tyres."}
    assert [hit.rank for hit in answer.hits] == [1, 2]


@pytest.mark.parametrize(("sure_from", "relevance"), [(0.0, Relevance.HIGH), (1.0, Relevance.LOW)])
def test_a_weak_answer_says_so(know, within: Scope, sure_from: float, relevance: Relevance):
    change_policy(within, relevance_sure=sure_from)
    know(RED)

    (hit,) = ask(within).hits

    assert hit.relevance is relevance
    assert 0.0 < hit.probability < 1.0


def test_the_floor_tests_the_probability_that_is_shown(know, within: Scope):
    know(RED)
    (hit,) = ask(within).hits
    change_policy(within, relevance_floor=min(1.0, hit.probability + 0.001))

    answer = ask(within, explain=True)

    assert answer.hits == ()
    (missed,) = answer.explanation.below_floor
    assert missed.probability == pytest.approx(hit.probability)
    assert missed.probability < answer.explanation.floor
