"""Which texts contradict each other, and what becomes of the two."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import conflict
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.conflict import ConflictDecision, ConflictOutcome, ConflictReason
from memory_platform.consolidation.contradiction import Disagreement, disagreement
from memory_platform.model import Status, Strength, Thresholds

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
BEFORE, AFTER = NOW - timedelta(days=3), NOW + timedelta(days=3)
THRESHOLDS = Thresholds(duplicate=0.8, related=0.5, spread=0.1)
FRIDAY, MONDAY = "The deadline is Friday", "The deadline moved to Monday"


def claim(text: str, **changes) -> Claim:
    return Claim(text, **({"said_at": NOW} | changes))


def stored(text: str, number: int = 1, **changes) -> Neighbour:
    return Neighbour(UUID(int=number), text, **({"said_at": BEFORE, "cosine": 0.7} | changes))


def decide(new: Claim, *neighbours: Neighbour) -> ConflictDecision:
    return conflict.decide(new, neighbours, thresholds=THRESHOLDS)


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("My dog is called Rex", "My dog is called Max", Disagreement.VALUE_CHANGED),
        (FRIDAY, MONDAY, Disagreement.VALUE_CHANGED),
        ("We use PostgreSQL 15", "We upgraded to PostgreSQL 16", Disagreement.VALUE_CHANGED),
        ("Caroline lives in Boston", "Caroline moved to Denver", Disagreement.VALUE_CHANGED),
        ("Caroline works at Acme", "Caroline now works at Globex", Disagreement.VALUE_CHANGED),
        ("The log store is Loki", "The log store is Elasticsearch", Disagreement.VALUE_CHANGED),
        ("The CI runs on Jenkins", "The CI was moved from Jenkins to GitHub Actions", Disagreement.CORRECTED),
        ("Maya owns billing now", "Tobias owns billing now", Disagreement.CORRECTED),
        ("Anna likes tea", "Anna does not like tea", Disagreement.NEGATED),
        ("Anna does not like tea", "Anna likes green tea", Disagreement.NEGATED),
        ("Marek sings in a choir", "Marek stopped singing in the choir", Disagreement.NEGATED),
        ("The user prefers dark mode", "The user prefers light mode", Disagreement.OPPOSITE),
        ("Run migrations before the deploy", "Run migrations after the deploy", Disagreement.OPPOSITE),
    ],
)
def test_contradictions_are_named(older, newer, kind):
    assert disagreement(newer, older) is kind


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Anna likes tea", "Bob likes tea"),
        ("Anna likes tea", "Bob does not like tea"),
        ("I have a dog", "I have a cat"),
        ("Anna likes tea", "Anna likes coffee"),
        ("Anna likes tea", "Anna doesn't like green tea"),
        ("Anna's dog is called Rex", "Anna's other dog is called Max"),
        ("Anna works", "Anna doesn't work on Fridays"),
        ("Anna went to Paris", "Anna went to Rome"),
        ("Nina ran 10 km on Monday", "Nina ran 12 km on Friday"),
        ("Incident 338 lasted 45 minutes", "Incident 352 lasted 20 minutes"),
        ("Node 3 was rebooted on Monday", "Node 5 was rebooted on Tuesday"),
        ("Anna prefers dark mode at night", "Anna prefers light mode in the morning"),
        ("Anna has a brother", "Anna has a sister"),
        ("Caroline lives in Boston", "Melanie lives in Denver"),
        ("We chose Kafka over RabbitMQ for events", "For events we picked Kafka instead of RabbitMQ"),
        ("Bob is happy", "Bob is tired"),
    ],
)
def test_what_can_both_be_true_coexists(older, newer):
    assert disagreement(newer, older) is None


def test_newer_and_as_strong_supersedes():
    assert decide(claim(MONDAY), stored(FRIDAY)) == ConflictDecision(
        ConflictOutcome.SUPERSEDE,
        ConflictReason.NEWER,
        Disagreement.VALUE_CHANGED,
        (UUID(int=1),),
        valid_until=NOW,
        delta=-0.2,
    )


def test_a_weaker_claim_is_rejected():
    weak = claim(MONDAY, strength=Strength.INFERRED, confidence=0.5)
    decision = decide(weak, stored(FRIDAY))

    assert (decision.outcome, decision.reason, decision.targets) == (
        ConflictOutcome.REJECT,
        ConflictReason.WEAKER,
        (UUID(int=1),),
    )
    assert (decision.valid_until, decision.delta) == (None, 0.0)


def test_a_decayed_item_gives_way_to_a_weaker_claim():
    weak = claim(MONDAY, strength=Strength.INFERRED, confidence=0.5)

    assert decide(weak, stored(FRIDAY, confidence=0.2)).outcome is ConflictOutcome.SUPERSEDE


def test_an_older_claim_that_arrives_late_is_stored_closed():
    decision = decide(claim(FRIDAY, said_at=BEFORE), stored(MONDAY, said_at=NOW))

    assert (decision.outcome, decision.reason) == (ConflictOutcome.STORE_CLOSED, ConflictReason.OLDER)
    assert (decision.valid_until, decision.closed_by, decision.targets) == (NOW, UUID(int=1), ())


def test_a_claim_between_two_is_closed_by_the_next_and_closes_the_one_before():
    tuesday = claim("The deadline is Tuesday")
    decision = decide(tuesday, stored(MONDAY, 2, said_at=AFTER), stored(FRIDAY, 1, said_at=BEFORE))

    assert (decision.outcome, decision.valid_until, decision.closed_by) == (
        ConflictOutcome.STORE_CLOSED,
        AFTER,
        UUID(int=2),
    )
    assert (decision.targets, decision.delta) == ((UUID(int=1),), -0.2)


def test_a_late_claim_stronger_than_what_contradicts_it_is_flagged():
    weak = stored(MONDAY, said_at=AFTER, strength=Strength.INFERRED, confidence=0.5)

    assert decide(claim(FRIDAY), weak).outcome is ConflictOutcome.FLAG


def test_one_stronger_item_is_enough_to_reject():
    weak = claim(MONDAY, strength=Strength.IMPLIED, confidence=0.7)
    known = [stored(FRIDAY, 1), stored("The deadline is Thursday", 2, strength=Strength.INFERRED, confidence=0.5)]

    assert decide(weak, *known).targets == (UUID(int=1),)


@pytest.mark.parametrize(
    "known",
    [
        stored(FRIDAY, cosine=0.49),
        stored(FRIDAY, status=Status.SUPERSEDED, valid_until=BEFORE),
        stored(FRIDAY, status=Status.DELETED),
    ],
    ids=["unrelated", "closed", "forgotten"],
)
def test_only_open_related_items_are_compared(known):
    assert decide(claim(MONDAY), known) == ConflictDecision(ConflictOutcome.NONE, ConflictReason.UNRELATED)


def test_a_sentence_said_again_with_another_subject_need_not_lie_near_in_meaning():
    approver = stored("Tomás approves every release before it ships.", cosine=0.46)

    assert decide(claim("Wanda approves the releases from now on."), approver).outcome is ConflictOutcome.SUPERSEDE
    passive = replace(approver, text="Every release is approved by Tomás before it ships.")
    assert decide(claim("Wanda approves the releases from now on."), passive).outcome is ConflictOutcome.SUPERSEDE
    assert decide(claim("Wanda approves the budgets from now on."), approver).outcome is ConflictOutcome.NONE
    assert decide(claim("Wanda also approves the releases now."), approver).outcome is ConflictOutcome.NONE


def test_related_and_compatible_is_stored():
    decision = decide(claim("I have a cat"), stored("I have a dog"))

    assert decision == ConflictDecision(ConflictOutcome.NONE, ConflictReason.COMPATIBLE)


days = st.sampled_from(["Friday", "Monday", "Tuesday"])
known_items = st.lists(
    st.builds(
        lambda day, number, hours, strength: stored(
            f"The deadline is {day}", number, said_at=NOW + timedelta(hours=hours), strength=strength
        ),
        days,
        st.integers(1, 10**6),
        st.integers(-5, 5),
        st.sampled_from(Strength),
    ),
    max_size=5,
    unique_by=lambda item: item.id,
)


@given(days, st.sampled_from(Strength), known_items, st.randoms())
def test_the_order_of_the_neighbours_does_not_matter(day, strength, known, random):
    new = claim(f"The deadline is {day}", strength=strength)
    shuffled = list(known)
    random.shuffle(shuffled)

    assert decide(new, *known) == decide(new, *shuffled)


@given(days, st.sampled_from(Strength), known_items)
def test_whichever_arrives_last_the_same_one_holds(day, strength, known):
    """Arrival order must not matter: of two contradicting claims of one strength the one said later stays open."""
    new = claim(f"The deadline is {day}", strength=strength)
    for item in known:
        if item.said_at == new.said_at or item.strength is not strength or item.text == new.text:
            continue
        decision = decide(new, item)
        expected = ConflictOutcome.SUPERSEDE if new.said_at > item.said_at else ConflictOutcome.STORE_CLOSED
        assert decision.outcome is expected
        assert decision.valid_until == max(new.said_at, item.said_at)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(newer, older):
    assert disagreement(newer, older) == disagreement(newer, older)


@given(st.text(max_size=60))
def test_nothing_contradicts_itself(text):
    assert disagreement(text, text) is None


US, THEM = UUID(int=901), UUID(int=902)


def test_what_another_agent_says_is_neither_closed_nor_turned_down():
    newer = decide(claim(MONDAY, author=US), stored(FRIDAY, 1, author=THEM))
    weaker = decide(claim(MONDAY, author=US, strength=Strength.INFERRED, confidence=0.3), stored(FRIDAY, author=THEM))
    late = decide(claim(FRIDAY, author=US), stored(MONDAY, author=THEM, said_at=AFTER))

    for decision in (newer, weaker, late):
        assert (decision.outcome, decision.reason) == (ConflictOutcome.FLAG, ConflictReason.DISPUTED)
        assert (decision.targets, decision.disputed, decision.delta) == ((), (UUID(int=1),), 0.0)
        assert decision.valid_until is None


def test_an_agents_own_newer_statement_still_supersedes_its_older_one():
    decision = decide(claim(MONDAY, author=US), stored(FRIDAY, 1, author=US), stored(FRIDAY, 2, author=THEM))

    assert (decision.outcome, decision.targets) == (ConflictOutcome.SUPERSEDE, (UUID(int=1),))
    assert decision.disputed == (UUID(int=2),)


def test_a_claim_its_own_agent_knows_better_disputes_nothing():
    own_newer = stored(MONDAY, 1, author=US, said_at=AFTER)
    closed = decide(claim(FRIDAY, author=US), own_newer, stored(MONDAY, 2, author=THEM))
    own_stronger = stored(FRIDAY, 1, author=US)
    refused = decide(
        claim(MONDAY, author=US, strength=Strength.INFERRED, confidence=0.3), own_stronger, stored(FRIDAY, author=THEM)
    )

    assert (closed.outcome, closed.disputed) == (ConflictOutcome.STORE_CLOSED, ())
    assert (refused.outcome, refused.disputed) == (ConflictOutcome.REJECT, ())
