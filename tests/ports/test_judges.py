"""What every appraiser and every relator promises, on each adapter."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from datetime import timedelta

import numpy as np
import pytest

from memory_platform.adapters import claim_judge
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import Appraisal, ClaimRelation, Kind, Role, Strength
from memory_platform.ports import Appraiser, ClaimPair, ClauseInContext, Relator

ADAPTERS: dict[str, Callable[[], ClaimJudge | ScriptedJudge]] = {"cross-encoder": ClaimJudge, "scripted": ScriptedJudge}
CLAUSES = (
    ClauseInContext("I'm vegan.", Role.USER, "Hi! I'm vegan.", "Any wishes?", Role.ASSISTANT),
    ClauseInContext("Ok", Role.ASSISTANT, "Ok"),
    ClauseInContext("Never push to main directly.", Role.USER, "Never push to main directly."),
    ClauseInContext("word " * 500, Role.TOOL, "word " * 5000, "word " * 5000, Role.USER),
    ClauseInContext("", Role.SYSTEM, ""),
    ClauseInContext("\ud800 日本語 🙂", Role.USER, "\ud800 日本語 🙂", before_role=Role.TOOL),
)
ALLOWED = 0.45
"""Policy's gate_allow_above at first."""
PAIRS = (
    ClaimPair("The launch is on Friday.", "The launch moved to Monday.", timedelta(hours=1)),
    ClaimPair("The launch is on Friday.", "The launch is on Friday.", timedelta(days=3)),
    ClaimPair("I have a dog.", "Where to? / The vendor is Adyen.", timedelta(days=300)),
    ClaimPair("word " * 500, "\ud800 🙂", timedelta()),
    ClaimPair("", "", timedelta(days=30)),
)


@pytest.fixture(params=ADAPTERS, scope="module")
def judge(request) -> ClaimJudge | ScriptedJudge:
    return ADAPTERS[request.param]()


def are_close(
    first: Sequence[Appraisal | ClaimRelation], second: Sequence[Appraisal | ClaimRelation], *, within: float
) -> bool:
    """Whether answers agree; int8 values are quantised over the batch's range, so company moves an answer a little."""
    numbers = [[value for value in astuple(one) if isinstance(value, float)] for one in (*first, *second)]
    return numbers[: len(first)] == [pytest.approx(one, abs=within) for one in numbers[len(first) :]]


def test_one_appraisal_per_clause_within_bounds(judge: Appraiser):
    appraisals = judge.appraise(CLAUSES)

    assert len(appraisals) == len(CLAUSES)
    for one in appraisals:
        assert 0 <= one.worth <= 1
        assert 0 <= one.injection <= 1
        assert (type(one.kind), type(one.strength)) == (Kind, Strength)
        assert one.dropped_as


def test_one_relation_per_pair_and_its_probabilities_sum_up_to_1(judge: Relator):
    relations = judge.relate(PAIRS)

    assert len(relations) == len(PAIRS)
    assert [sum(astuple(one)) for one in relations] == pytest.approx([1.0] * len(PAIRS), abs=1e-5)
    assert all(0 <= share <= 1 for one in relations for share in astuple(one))


def test_order_is_kept_whatever_the_lengths(judge):
    assert are_close(judge.appraise(CLAUSES[::-1]), judge.appraise(CLAUSES)[::-1], within=1e-3)
    assert are_close(judge.relate(PAIRS[::-1]), judge.relate(PAIRS)[::-1], within=1e-3)


def test_company_moves_an_answer_a_little_at_most(judge):
    alone = [judge.appraise([clause])[0] for clause in CLAUSES]
    apart = [judge.relate([pair])[0] for pair in PAIRS]

    assert are_close(judge.appraise(CLAUSES * 5), alone * 5, within=0.2)
    assert are_close(judge.relate(PAIRS * 5), apart * 5, within=0.2)


def test_the_same_question_has_the_same_answer(judge):
    assert judge.appraise(CLAUSES) == judge.appraise(CLAUSES)
    assert judge.relate(PAIRS) == judge.relate(PAIRS)


def test_nothing_asked_nothing_answered(judge):
    assert (judge.appraise([]), judge.relate([])) == ((), ())


def test_thresholds_close_later_than_they_doubt(judge: Relator):
    thresholds = judge.thresholds

    assert 0 < thresholds.doubt <= thresholds.close <= 1
    assert 0 < thresholds.conflict <= 1
    assert 0 < thresholds.merge <= 1
    assert judge.version


def test_concurrent_callers_get_what_a_single_one_gets(judge):
    expected = judge.relate(PAIRS[:2])
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: judge.relate(PAIRS[:2]), range(4))) == [expected] * 4


def test_the_script_is_kept_to():
    relations = {("Friday", "Monday"): ClaimRelation(update=1.0, distinct=0.0)}
    judge = ScriptedJudge(relations, appraisals={"Ok": Appraisal(0.1)}, worth=0.7)
    pairs = [("Friday", "Monday"), ("Monday", "Friday"), ("On Monday.", "on monday")]
    found = judge.relate([ClaimPair(older, newer, timedelta()) for older, newer in pairs])

    assert [one.worth for one in judge.appraise(CLAUSES[:2])] == [0.7, 0.1]
    assert [(one.update, one.distinct, one.same) for one in found] == [
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
    ]
    assert [(pair.older, pair.newer) for pair in judge.pairs] == pairs


def test_an_appraisal_rests_on_the_end_of_a_long_talk_and_on_the_clause():
    brief = ClauseInContext("I moved.", Role.USER, "Hi. I moved.")
    long = ClauseInContext("I moved.", Role.USER, "Hi. I moved.", "noise " * 900, Role.ASSISTANT)
    own, other = claim_judge.appraisal_encoding(brief), claim_judge.appraisal_encoding(long)
    context, clause = claim_judge.CONTEXT_TOKENS

    assert len(other.ids) <= context + clause + 3
    assert own.ids[-6:] == other.ids[-6:]
    assert own.types.count(1) == other.types.count(1)


def test_a_relation_rests_on_how_far_apart_the_two_were_said():
    said = {
        claim_judge.relation_encoding(ClaimPair("a", "b", timedelta(days=days))).ids
        for days in (0, 0.9, 1, 13, 14, 59, 60, 900)
    }

    assert len(said) == 4


def test_shares_of_logits_sum_up_to_1_and_keep_their_order():
    found = claim_judge.shares(np.array([[1e4, 9990, 9985], [1, 2, 3]], dtype=np.float32))

    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found.argsort(axis=1).tolist() == [[2, 1, 0], [0, 1, 2]]


ENDED = (
    ("We use Datadog for alerts.", "Datadog is gone."),
    ("I drive a Volvo.", "I sold the Volvo."),
    ("Marek is our scrum master.", "Marek left."),
)


@pytest.mark.parametrize("days", [0, 5, 60])
@pytest.mark.parametrize("pair", ENDED, ids=lambda pair: pair[1])
def test_our_own_judge_takes_no_end_for_a_repetition(pair, days):
    (relation,) = ClaimJudge().relate([ClaimPair(*pair, timedelta(days=days))])

    assert relation.same < 0.5
    assert relation.replaces + relation.conflict > relation.same


@pytest.mark.parametrize(
    ("before", "role"),
    [
        ("Got it, I'll keep that in mind.", Role.ASSISTANT),
        ("Good morning!", Role.USER),
        ("We deploy on Thursdays.", Role.USER),
    ],
)
@pytest.mark.parametrize("text", ["I am allergic to penicillin.", "I got divorced.", "I'm deaf in my left ear."])
def test_our_own_judge_keeps_a_fact_whatever_was_said_before_it(text, before, role):
    (appraisal,) = ClaimJudge().appraise([ClauseInContext(text, Role.USER, text, before, role)])

    assert appraisal.worth > ALLOWED


@pytest.mark.parametrize("text", ["Thanks!", "Ok, sounds good.", "What is the time?", "Back in five minutes."])
def test_our_own_judge_keeps_no_small_talk_for_being_asked_twice(text):
    (appraisal,) = ClaimJudge().appraise([ClauseInContext(text, Role.USER, text, "The gate is green.", Role.ASSISTANT)])

    assert appraisal.worth < ALLOWED
