"""When a claim is merged, into what, and what that does to its target."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_platform.consolidation import dedup
from memory_platform.consolidation.authority import Voice
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.dedup import DedupDecision, DedupOutcome, DedupReason, Reinforcement
from memory_platform.model import ClaimRelation, Role, Slot, Status

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
HERE, ELSEWHERE = UUID(int=1001), UUID(int=1002)
SOURCE = UUID(int=2001)
SAME = ClaimRelation(same=0.95, distinct=0.05)
PEANUTS, ALLERGY = "Tom is allergic to peanuts.", "Tom has a peanut allergy."


def claim(text: str = ALLERGY, **changes) -> Claim:
    return Claim(text, **({"said_at": NOW, "session_id": HERE} | changes))


def stored(text: str = PEANUTS, number: int = 1, **changes) -> Neighbour:
    values = {"said_at": NOW - timedelta(days=1), "cosine": 0.8, "session_id": ELSEWHERE, "relation": SAME} | changes
    return Neighbour(UUID(int=number), text, **values)


def decide(new: Claim, *neighbours: Neighbour, **settings) -> DedupDecision:
    return dedup.decide(new, neighbours, **({"merge_from": 0.9} | settings))


def test_without_neighbours_it_is_new():
    assert decide(claim()) == DedupDecision(DedupOutcome.NEW, DedupReason.NO_NEIGHBOUR)


def spoken(*said: tuple[Role, str], **changes) -> Neighbour:
    return stored(voices=frozenset(Voice(role, name) for role, name in said), **changes)


def test_the_same_one_in_another_session_adds_what_the_caller_says():
    again = decide(claim(), stored(), other_session=0.1)

    assert (again.reinforcement, again.delta) == (Reinforcement.REPEATED, 0.1)
    assert decide(claim(), stored()).delta == 0.0
    assert decide(claim(), stored(session_id=HERE), other_session=0.1, same_session=0.05).delta == 0.05
    assert decide(claim(role=Role.ASSISTANT), stored(), other_session=0.1).delta == 0.0


@pytest.mark.parametrize(
    ("other", "held"),
    [
        ({"said_by": "Anna"}, spoken((Role.USER, "Tom"))),
        ({"said_by": "Anna"}, spoken((Role.USER, "Tom"), session_id=HERE)),
        ({"author": UUID(int=7)}, spoken((Role.USER, ""))),
        ({"role": Role.TOOL}, spoken((Role.USER, ""))),
        ({}, spoken((Role.ASSISTANT, ""))),
    ],
    ids=["another person", "another person in the same session", "another agent", "a tool", "a user an assistant"],
)
def test_another_source_confirms(other, held):
    assert decide(claim(**other), held) == DedupDecision(
        DedupOutcome.MERGE, DedupReason.PARAPHRASE, UUID(int=1), Reinforcement.OTHER_SOURCE, 0.1, 0.8
    )


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("Tom", [(Role.USER, "")]),
        ("", [(Role.USER, "Tom")]),
        ("tom", [(Role.USER, "Tom")]),
        ("Anna", [(Role.USER, "Tom"), (Role.USER, "Anna")]),
    ],
    ids=["captured after remembered", "remembered after captured", "another spelling", "one of those who said it"],
)
def test_who_is_not_known_to_be_another_confirms_nothing(name, held):
    decision = decide(claim(said_by=name), spoken(*held))

    assert (decision.reinforcement, decision.delta) == (Reinforcement.REPEATED, 0.0)


def test_who_says_it_again_confirms_nothing():
    decision = decide(claim(said_by="Tom"), spoken((Role.USER, "Tom"), said_by="Tom"))

    assert (decision.outcome, decision.reinforcement, decision.delta) == (
        DedupOutcome.MERGE,
        Reinforcement.REPEATED,
        0.0,
    )


def test_the_same_session_says_it_in_fresher_words():
    decision = decide(claim(), stored(session_id=HERE))

    assert (decision.reinforcement, decision.delta) == (Reinforcement.FRESHER_WORDING, 0.05)


@pytest.mark.parametrize(
    ("text", "said_at"), [(ALLERGY, NOW + timedelta(minutes=1)), ("tom IS allergic to peanuts", NOW)]
)
def test_older_words_and_the_same_ones_replace_nothing(text, said_at):
    decision = decide(claim(text), stored(session_id=HERE, said_at=said_at))

    assert (decision.reinforcement, decision.delta) == (Reinforcement.REPEATED, 0.05)


def test_the_same_words_need_no_judge():
    decision = decide(claim("tom is allergic to peanuts!"), stored(relation=None, cosine=0.0))

    assert (decision.outcome, decision.reason) == (DedupOutcome.MERGE, DedupReason.SAME_WORDS)


def test_the_same_answer_to_another_question_is_not_the_same():
    decision = decide(claim("Yes.", lead_in="Do you smoke?"), stored("Yes.", lead_in="Are you married?", relation=None))

    assert (decision.outcome, decision.reason) == (DedupOutcome.NEW, DedupReason.NOT_SURE)


@pytest.mark.parametrize(
    ("text", "slot", "other", "reason"),
    [
        ("I'm allergic to kiwi.", Slot("I", "be", "allergic to kiwi"), "", DedupReason.SAME_WORDS),
        ("I'm allergic to kiwi.", Slot("I", "be", "allergic to kiwi"), "Who is there?", DedupReason.NOT_SURE),
        ("She likes tea.", Slot("She", "like", "tea"), "", DedupReason.NOT_SURE),
        ("I like it.", Slot("I", "like", "it"), "", DedupReason.NOT_SURE),
        ("Yes.", Slot(), "", DedupReason.NOT_SURE),
    ],
)
def test_what_once_leant_on_nothing_is_the_same_behind_a_question(text, slot, other, reason):
    asked = claim(text, lead_in="Anything else?", slot=slot)

    assert decide(asked, stored(text, lead_in=other, slot=slot, relation=None)).reason is reason


def test_the_same_source_again_changes_nothing():
    decision = decide(claim(source_id=SOURCE, said_by="Anna"), stored(source_ids=frozenset({SOURCE})))

    assert (decision.outcome, decision.reason) == (DedupOutcome.MERGE, DedupReason.SAME_SOURCE)
    assert (decision.reinforcement, decision.delta) == (Reinforcement.NONE, 0.0)


def test_what_may_quote_a_memory_confirms_none():
    decision = decide(claim(role=Role.ASSISTANT), stored())

    assert (decision.outcome, decision.reinforcement, decision.delta) == (DedupOutcome.MERGE, Reinforcement.NONE, 0.0)


@pytest.mark.parametrize(
    ("own", "other", "reason"),
    [
        ({}, {"relation": None}, DedupReason.NOT_SURE),
        ({}, {"relation": ClaimRelation(same=0.89, distinct=0.11)}, DedupReason.NOT_SURE),
        ({"text": "Tom has 2 allergies."}, {"text": "Tom has 3 allergies."}, DedupReason.NUMBERS_DIFFER),
        ({"text": "Tom is not allergic to peanuts.", "is_negated": True}, {}, DedupReason.DENIED),
        ({"text": "Tom is averse to peanuts."}, {}, DedupReason.WORD_DIFFERS),
        ({"text": "Ship before lunch."}, {"text": "Ship after lunch."}, DedupReason.WORD_DIFFERS),
        ({"slot": Slot(qualifier="pay-1")}, {"slot": Slot(qualifier="pay-10")}, DedupReason.THINGS_DIFFER),
        (
            {"slot": Slot("the March bill", qualifier="march")},
            {"slot": Slot("the bill for April", qualifier="april")},
            DedupReason.THINGS_DIFFER,
        ),
        (
            {"slot": Slot("the left knee", qualifier="(left)")},
            {"slot": Slot("the right knee", qualifier="(right)")},
            DedupReason.THINGS_DIFFER,
        ),
        (
            {"said_by": "Tom", "slot": Slot("Tom")},
            {"said_by": "Ann", "slot": Slot("Ann")},
            DedupReason.PEOPLE_DIFFER,
        ),
    ],
)  # fmt: skip
def test_what_speaks_against_a_merge(own, other, reason):
    decision = decide(claim(**own), stored(**other))

    assert decision == DedupDecision(DedupOutcome.NEW, reason, cosine=0.8)


@pytest.mark.parametrize(
    "own", ["Peanuts? Tom never touches them, he would not survive it.", "Tom is allergic to 3 nuts."]
)
def test_what_one_writes_out_and_the_other_does_not_is_no_difference(own):
    decision = decide(claim(own, is_negated="not" in own), stored())

    assert decision.outcome is DedupOutcome.MERGE


def test_another_form_of_a_word_is_the_same_word():
    assert decide(claim("Tom eats peanuts."), stored("Tom eats peanut.")).reason is DedupReason.PARAPHRASE


def test_two_people_who_say_the_same_of_themselves_are_two():
    own, other = {"said_by": "Tom", "slot": Slot("Tom")}, {"said_by": "Ann", "slot": Slot("Ann")}

    assert decide(claim("I'm vegan.", **own), stored("I'm vegan.", **other)).reason is DedupReason.PEOPLE_DIFFER


def test_a_closed_item_is_not_revived_by_a_newer_claim():
    closed = stored(status=Status.SUPERSEDED, valid_until=NOW - timedelta(hours=1))

    assert decide(claim(), closed).reason is DedupReason.CLOSED


def test_an_older_turn_after_its_correction_joins_the_closed_item_without_strengthening_it():
    closed = stored(status=Status.SUPERSEDED, valid_until=NOW - timedelta(hours=1))
    decision = decide(claim(said_at=NOW - timedelta(hours=2), said_by="Anna"), closed)

    assert (decision.outcome, decision.target) == (DedupOutcome.MERGE, UUID(int=1))
    assert (decision.reinforcement, decision.delta) == (Reinforcement.NONE, 0.0)


def test_an_open_item_is_preferred_to_a_nearer_closed_one():
    closed = stored(number=1, status=Status.SUPERSEDED, valid_until=NOW + timedelta(1), cosine=1.0)

    assert decide(claim(), closed, stored(number=2, cosine=0.6)).target == UUID(int=2)


def test_the_nearest_then_the_oldest_takes_the_merge():
    near, old = stored(number=1, cosine=0.9), stored(number=2, cosine=0.9, said_at=NOW - timedelta(days=9))

    assert decide(claim(), stored(number=3, cosine=0.7), near, old).target == UUID(int=2)


shares = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(
    lambda found: ClaimRelation(*(one / sum(found) for one in found))
)
words = st.sampled_from(("Anna", "Bob", "likes", "tea", "3", "5"))
sentences = st.lists(words, min_size=1, max_size=4).map(" ".join)
neighbours = st.lists(
    st.builds(
        stored,
        sentences,
        st.integers(1, 10**6),
        cosine=st.floats(0, 1),
        relation=st.none() | shares,
        session_id=st.sampled_from([HERE, ELSEWHERE]),
        said_at=st.sampled_from([NOW, NOW - timedelta(days=1)]),
        valid_until=st.none() | st.just(NOW),
        is_negated=st.booleans(),
    ),
    max_size=5,
    unique_by=lambda neighbour: neighbour.id,
)


@given(sentences, neighbours, st.randoms())
def test_the_order_of_the_neighbours_does_not_matter(text, known, random):
    shuffled = random.sample(known, len(known))

    assert decide(claim(text), *known) == decide(claim(text), *shuffled)


@given(sentences, neighbours)
def test_every_claim_is_decided_and_a_merge_has_a_target_among_the_neighbours(text, known):
    decision = decide(claim(text), *known)

    assert (decision.target is not None) is (decision.outcome is DedupOutcome.MERGE)
    assert decision.target is None or decision.target in {neighbour.id for neighbour in known}


@given(sentences, neighbours, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_never_merges_more(text, known, first, second):
    low, high = sorted((first, second))

    if decide(claim(text), *known, merge_from=high).outcome is DedupOutcome.MERGE:
        assert decide(claim(text), *known, merge_from=low).outcome is DedupOutcome.MERGE


@given(st.floats(0, 1), st.floats(0, 1))
def test_what_is_likelier_the_same_is_merged_first_of_all(first, second):
    low, high = sorted((first, second))
    likely, unlikely = (stored(relation=ClaimRelation(same=one, distinct=1 - one)) for one in (high, low))

    if decide(claim(), unlikely).outcome is DedupOutcome.MERGE:
        assert decide(claim(), likely).outcome is DedupOutcome.MERGE


templates = st.sampled_from(["The limit is {} MB.", "Anna has {} cats.", "We use PostgreSQL {}."])


@given(templates, st.integers(0, 10**6), st.integers(0, 10**6))
def test_claims_with_other_numbers_are_never_merged(template, first, second):
    assume(first != second)

    assert decide(claim(template.format(first)), stored(template.format(second))).target is None
