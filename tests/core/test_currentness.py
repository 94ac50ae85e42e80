from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters import encoder
from memory_platform.model import ClaimRelation, Slot
from memory_platform.ports import ClaimPair
from memory_platform.retrieval.currentness import (
    LIKELY,
    LONGEST,
    LOOKED_AT,
    MOST_PAIRS,
    REACH,
    ComparedHit,
    nearness,
    order,
    outdated,
    pairs,
)

MARCH = datetime(2026, 3, 2, tzinfo=UTC)
DAY = timedelta(days=1)


def said(place: int, *, day: int, text: str = "", source: int | None = None, **fields: object) -> ComparedHit:
    rests_on = frozenset({place if source is None else source})
    return ComparedHit(place, text or f"said on {day}", MARCH + day * DAY, sources=rests_on, **fields)


def all_near(statements: Sequence[ComparedHit]) -> set[frozenset[int]]:
    return {frozenset({one.place, other.place}) for one, other in combinations(statements, 2)}


def pairs_of(statements: Sequence[ComparedHit]) -> dict[tuple[int, int], ClaimPair]:
    return pairs(statements, all_near(statements))


statements = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 5), st.sampled_from(["sales", "support"])), max_size=LOOKED_AT
).map(
    lambda rows: [
        said(place, day=day, source=source, author=author) for place, (day, source, author) in enumerate(rows)
    ]
)


def test_two_that_lie_near_each_other_are_judged_the_older_first_with_the_time_between_them():
    hits = [said(0, day=0, text="backups go to Zenica"), said(1, day=9, text="borg goes to Helsinki now")]

    assert pairs_of(hits) == {(0, 1): ClaimPair("backups go to Zenica", "borg goes to Helsinki now", 9 * DAY)}
    assert pairs_of(hits[::-1]) == pairs_of(hits)
    assert pairs(hits, set()) == {}


def test_how_two_records_relate_their_structure_has_told():
    slots = [Slot("ticket 88", "assignee", "Priya", "88"), Slot("ticket 88", "status", "closed", "88")]
    records = [said(place, day=place, text=slot.spelled, slot=slot) for place, slot in enumerate(slots)]

    assert pairs_of(records) == {}
    assert list(pairs_of([records[0], said(1, day=1, text="Ticket 88 is with Ana.")])) == [(0, 1)]


def test_messages_about_two_tickets_replace_nothing_of_each_other():
    tickets = [said(0, day=0, text="PAY-1 is with Tom"), said(1, day=9, text="PAY-10 is with Ana")]
    one_ticket = [said(0, day=0, text="PAY-1 is with Tom"), said(1, day=9, text="Ana has PAY-1")]

    assert pairs_of(tickets) == {}
    assert list(pairs_of(one_ticket)) == [(0, 1)]


def test_what_was_confirmed_after_the_newer_was_said_is_not_suspected():
    newer = said(1, day=5)

    assert pairs_of([said(0, day=0, confirmed_at=MARCH + 4 * DAY), newer])
    assert not pairs_of([said(0, day=0, confirmed_at=MARCH + 5 * DAY), newer])


@given(statements)
def test_only_another_message_of_the_same_author_at_a_later_time_is_suspected(hits):
    for older, newer in pairs_of(hits):
        assert hits[older].said_at < hits[newer].said_at
        assert hits[older].sources.isdisjoint(hits[newer].sources)
        assert hits[older].author == hits[newer].author


@given(statements)
def test_however_many_lie_near_each_other_few_are_judged_and_those_of_the_best_hits(hits):
    judged = [sorted(pair) for pair in pairs_of(hits)]
    possible = [
        [first, second]
        for first, second in combinations(range(len(hits)), 2)
        if hits[first].said_at != hits[second].said_at
        and hits[first].sources.isdisjoint(hits[second].sources)
        and hits[first].author == hits[second].author
    ]

    assert judged == possible[:MOST_PAIRS]


def test_another_identifier_is_another_thing():
    bug = said(0, day=0, slot=Slot("ticket", "be", "done", "PAY-1"))

    assert not pairs_of([bug, said(1, day=1, slot=Slot("ticket", "be", "open", "PAY-10"))])
    assert pairs_of([bug, said(1, day=1, slot=Slot("ticket", "be", "open", "PAY-1"))])
    assert pairs_of([bug, said(1, day=1)])


def test_of_a_long_message_its_beginning_is_judged():
    long = said(0, day=0, text="word " * 16_000)

    ((_, claims),) = pairs_of([long, said(1, day=1)]).items()

    assert claims.older == long.text[:LONGEST]


def replaced(share: float) -> ClaimRelation:
    return ClaimRelation(update=share, distinct=1 - share)


def test_what_another_replaces_or_excludes_more_likely_than_seldom_is_outdated():
    judged = {
        (0, 1): ClaimRelation(update=0.2, correction=LIKELY - 0.2, distinct=1 - LIKELY),
        (1, 2): ClaimRelation(update=0.1, conflict=LIKELY - 0.1, distinct=1 - LIKELY),
        (2, 4): replaced(LIKELY - 0.01),
        (3, 4): ClaimRelation(same=0.9, distinct=0.1),
    }

    assert outdated(judged) == {0, 1}


def test_the_surer_it_replaces_an_older_one_the_less_a_newer_must_answer_to_come_first():
    assert order([0.5, 0.5], {(0, 1): replaced(0.05)}) == [1, 0]
    assert order([0.5, 0.4], {(0, 1): replaced(0.05)}) == [0, 1]
    assert order([0.5, 0.05], {(0, 1): replaced(0.6)}) == [1, 0]
    assert order([0.5, 0.05], {(0, 1): replaced(0.3)}) == [0, 1]
    assert order([0.5, 0.4, 0.3], {(0, 1): replaced(0.5), (0, 2): replaced(0.9)}) == [2, 1, 0]
    assert order([0.5, 0.4, 0.3], {}) == [0, 1, 2]


def test_what_lies_far_below_is_not_lifted():
    scores = [0.5] * LOOKED_AT

    assert order(scores, {(0, REACH): replaced(0.9)})[0] == REACH
    assert order(scores, {(0, REACH + 1): replaced(0.9)})[0] == 0


@given(statements, st.lists(st.floats(0.0, 1.0), min_size=LOOKED_AT, max_size=LOOKED_AT), st.data())
def test_an_order_loses_no_hit_and_puts_what_surely_replaced_one_before_it(hits, numbers, data):
    suspected = pairs_of(hits)
    shares = data.draw(st.lists(st.floats(0, 1), min_size=len(suspected), max_size=len(suspected)))
    judged = {pair: replaced(share) for pair, share in zip(suspected, shares, strict=True)}
    scores = sorted(numbers[: len(hits)], reverse=True)

    ordered = order(scores, judged)

    assert sorted(ordered) == list(range(len(hits)))
    for (older, newer), relation in judged.items():
        if relation.replaces == 1 and newer - older <= REACH:
            assert ordered.index(newer) < ordered.index(older)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_surer_or_better_a_newer_hit_loses_no_place(share, surer, score, better):
    """A newer hit that comes first still does when it replaces more surely or answers better."""
    more_likely, more_worth = max(share, surer), max(score, better)

    if order([1.0, score], {(0, 1): replaced(share)}) == [1, 0]:
        assert order([1.0, more_worth], {(0, 1): replaced(more_likely)}) == [1, 0]


def test_two_hits_are_compared_from_nearer_than_a_claim_and_its_neighbours():
    found = nearness(encoder.THRESHOLDS)

    assert encoder.THRESHOLDS.related < found < encoder.THRESHOLDS.duplicate
