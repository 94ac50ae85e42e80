"""When a claim is merged, into what, and what that does to its target."""

import string
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_platform.consolidation import dedup
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.dedup import DedupOutcome, DedupReason, Reinforcement
from memory_platform.model import Status, Thresholds

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
THRESHOLDS = Thresholds(duplicate=0.8, related=0.5, spread=0.1)
HERE, ELSEWHERE = UUID(int=1001), UUID(int=1002)
SOURCE = UUID(int=2001)


def claim(text: str, **changes) -> Claim:
    return Claim(text, **({"said_at": NOW, "session_id": HERE} | changes))


def stored(text: str, number: int = 1, **changes) -> Neighbour:
    values = {"said_at": NOW - timedelta(days=1), "cosine": 0.95, "session_id": ELSEWHERE} | changes
    return Neighbour(UUID(int=number), text, **values)


def decide(new: Claim, *neighbours: Neighbour) -> dedup.DedupDecision:
    return dedup.decide(new, neighbours, thresholds=THRESHOLDS)


def test_another_source_confirms():
    decision = decide(claim("Tom has a peanut allergy."), stored("Tom is allergic to peanuts."))

    assert decision == dedup.DedupDecision(
        DedupOutcome.MERGE, DedupReason.PARAPHRASE, UUID(int=1), Reinforcement.OTHER_SOURCE, 0.1, 0.95
    )


def test_the_same_session_says_it_in_fresher_words():
    decision = decide(claim("Tom has a peanut allergy."), stored("Tom is allergic to peanuts.", session_id=HERE))

    assert (decision.reinforcement, decision.delta) == (Reinforcement.FRESHER_WORDING, 0.05)


def test_older_words_of_the_same_session_replace_nothing():
    newer = stored("Tom is allergic to peanuts.", session_id=HERE, said_at=NOW + timedelta(minutes=1))

    assert decide(claim("Tom has a peanut allergy."), newer).reinforcement is Reinforcement.REPEATED


def test_the_same_words_need_no_cosine():
    decision = decide(claim("tom is allergic to peanuts!"), stored("Tom is allergic to peanuts.", cosine=0.0))

    assert (decision.outcome, decision.reason) == (DedupOutcome.MERGE, DedupReason.SAME_WORDS)


def test_the_same_source_again_changes_nothing():
    known = stored("Tom is allergic to peanuts.", source_ids=frozenset({SOURCE}))
    decision = decide(claim("Tom has a peanut allergy.", source_id=SOURCE), known)

    assert (decision.outcome, decision.reason, decision.delta) == (DedupOutcome.MERGE, DedupReason.SAME_SOURCE, 0.0)


def test_without_neighbours_it_is_new():
    assert decide(claim("Anna likes tea.")) == dedup.DedupDecision(DedupOutcome.NEW, DedupReason.NO_NEIGHBOUR)


@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        ("We use PostgreSQL 16", "We use PostgreSQL 15", DedupReason.NUMBERS_DIFFER),
        ("The deadline is Monday", "The deadline is Friday", DedupReason.NUMBERS_DIFFER),
        ("Anna does not like tea", "Anna likes tea", DedupReason.NEGATION_DIFFERS),
        ("Ingrid never locks the door", "Ingrid always locks the door", DedupReason.NEGATION_DIFFERS),
        ("Bob likes tea", "Anna likes tea", DedupReason.NAMES_DIFFER),
        ("Anna prefers light mode", "Anna prefers dark mode", DedupReason.OPPOSITES),
        ("Anna dislikes running", "Anna likes running", DedupReason.OPPOSITES),
        ("The flag is off", "The flag is on", DedupReason.OPPOSITES),
        ("Migrate after the deploy", "Migrate before the deploy", DedupReason.OPPOSITES),
        ("I have a cat", "I have a dog", DedupReason.OPPOSITES),
        ("Viktor reviews Helena's code", "Helena reviews Viktor's code", DedupReason.ROLES_SWAPPED),
        ("Our team has nobody from sales", "Our team has a van", DedupReason.NEGATION_DIFFERS),
        ("Anna likes music and old films a lot", "Anna likes music", DedupReason.FEW_WORDS_SHARED),
        ("Puppet sets up hosts instead of Ansible", "Ansible sets up hosts", DedupReason.NAMES_DIFFER),
    ],
)
def test_near_in_cosine_and_yet_not_the_same(new, old, reason):
    decision = decide(claim(new), stored(old, cosine=0.99))

    assert (decision.outcome, decision.reason, decision.target) == (DedupOutcome.NEW, reason, None)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Lucia and Sam got engaged in Rome", "Sam and Lucia got engaged in Rome"),
        ("The billing module is owned by Maya", "Maya owns the billing module"),
        ("Our flight departs at 15:00", "Our flight leaves at 3 pm"),
        ("Every Monday the staging database is refreshed", "The staging database is refreshed on Mondays"),
    ],
)
def test_other_words_for_the_same(new, old):
    assert dedup.agreement(new, old) is DedupReason.PARAPHRASE


def test_below_the_threshold_nothing_is_merged():
    decision = decide(claim("Tom has a peanut allergy."), stored("Tom is allergic to peanuts.", cosine=0.79))

    assert (decision.outcome, decision.reason) == (DedupOutcome.NEW, DedupReason.BELOW_THRESHOLD)


def test_a_closed_item_is_not_revived_by_a_newer_claim():
    closed = stored("The deadline is Friday", status=Status.SUPERSEDED, valid_until=NOW - timedelta(hours=1))
    decision = decide(claim("The deadline is Friday"), closed)

    assert (decision.outcome, decision.reason) == (DedupOutcome.NEW, DedupReason.CLOSED)


def test_an_older_turn_after_its_correction_joins_the_closed_item_without_strengthening_it():
    closed = stored("The deadline is Friday", status=Status.SUPERSEDED, valid_until=NOW - timedelta(hours=1))
    decision = decide(claim("The deadline is Friday", said_at=NOW - timedelta(hours=2)), closed)

    assert (decision.outcome, decision.target, decision.delta) == (DedupOutcome.MERGE, UUID(int=1), 0.0)
    assert decision.reinforcement is Reinforcement.NONE


def test_an_open_item_is_preferred_to_a_nearer_closed_one():
    closed = stored("Anna likes tea", 1, status=Status.SUPERSEDED, valid_until=NOW + timedelta(1), cosine=1.0)
    open_item = stored("Anna likes tea.", 2, cosine=0.9)

    assert decide(claim("Anna likes tea"), closed, open_item).target == UUID(int=2)


WORDS = (
    "Anna",
    "Bob",
    "likes",
    "loves",
    "tea",
    "coffee",
    "not",
    "the",
    "limit",
    "is",
    "Friday",
    "3",
    "5",
    "dark",
    "light",
)
words = st.sampled_from(WORDS)
sentences = st.lists(words, min_size=1, max_size=7).map(" ".join)
neighbours = st.lists(
    st.builds(
        stored,
        sentences,
        st.integers(1, 10**6),
        cosine=st.floats(0, 1),
        session_id=st.sampled_from([HERE, ELSEWHERE]),
        said_at=st.sampled_from([NOW, NOW - timedelta(days=1)]),
        valid_until=st.none() | st.just(NOW),
    ),
    max_size=5,
    unique_by=lambda neighbour: neighbour.id,
)


@given(sentences, neighbours, st.randoms())
def test_the_order_of_the_neighbours_does_not_matter(text, known, random):
    shuffled = list(known)
    random.shuffle(shuffled)

    assert decide(claim(text), *known) == decide(claim(text), *shuffled)


@given(sentences, neighbours)
def test_every_claim_is_decided_and_a_merge_has_a_target_among_the_neighbours(text, known):
    decision = decide(claim(text), *known)

    assert (decision.target is not None) is (decision.outcome is DedupOutcome.MERGE)
    assert decision.target is None or decision.target in {neighbour.id for neighbour in known}


templates = st.sampled_from(
    ["The limit is {} MB.", "Anna has {} cats.", "We use PostgreSQL {}.", "Pay {} euros a month."]
)


@given(templates, st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0.8, 1))
def test_claims_with_other_numbers_are_never_merged(template, first, second, cosine):
    assume(first != second)

    assert decide(claim(template.format(first)), stored(template.format(second), cosine=cosine)).target is None


@given(st.text(string.printable, max_size=60), st.text(string.printable, max_size=60))
def test_any_two_texts_can_be_compared(new, old):
    assert decide(claim(new), stored(old)) == decide(claim(new), stored(old))
