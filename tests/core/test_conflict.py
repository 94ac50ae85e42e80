"""What a claim closes, disputes or puts in doubt, on relations written down."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation import claims, conflict
from memory_platform.consolidation.authority import MAY_CLOSE, Voice, may_close
from memory_platform.consolidation.claims import Claim, Neighbour
from memory_platform.consolidation.conflict import ConflictDecision, ConflictOutcome, ConflictReason
from memory_platform.model import ClaimRelation, RelationThresholds, Role, Slot, Status, Strength

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
BEFORE, AFTER = NOW - timedelta(days=3), NOW + timedelta(days=3)
THRESHOLDS = RelationThresholds(merge=0.9, close=0.9, doubt=0.5, conflict=0.6)
UPDATE = ClaimRelation(update=0.95, distinct=0.05)
LIKELY = ClaimRelation(update=0.6, distinct=0.4)
CONFLICT = ClaimRelation(conflict=0.7, distinct=0.3)
ONE, TWO, THREE = (UUID(int=number) for number in (1, 2, 3))
MINE, YOURS = UUID(int=101), UUID(int=102)


def claim(**changes) -> Claim:
    return Claim("The deadline moved to Monday", **({"said_at": NOW} | changes))


def stored(identity: UUID = ONE, relation: ClaimRelation | None = UPDATE, **changes) -> Neighbour:
    values = {"said_at": BEFORE, "cosine": 0.7} | changes
    return Neighbour(identity, "The deadline is Friday", relation=relation, **values)


def decide(new: Claim, *neighbours: Neighbour, **settings) -> ConflictDecision:
    return conflict.decide(new, neighbours, **({"thresholds": THRESHOLDS} | settings))


def test_what_is_surely_replaced_is_closed():
    assert decide(claim(), stored()) == ConflictDecision(
        ConflictOutcome.SUPERSEDE, ConflictReason.UPDATED, (ONE,), delta=-0.2
    )


def test_what_a_judge_takes_for_the_same_but_for_a_not_is_replaced():
    held = replace(stored(relation=ClaimRelation(same=0.95, distinct=0.05)), text="Tom commutes by bicycle.")
    denied = replace(claim(is_negated=True), text="Tom no longer commutes by bicycle.")

    assert decide(denied, held).targets == (ONE,)
    assert decide(replace(denied, is_negated=False), held).outcome is ConflictOutcome.NONE


def test_what_denies_the_very_same_state_need_not_be_judged_as_surely():
    state = Slot("my supplier", "be", "Acme")
    likely = ClaimRelation(same=0.1, correction=0.7, distinct=0.2)
    held = replace(stored(relation=likely, slot=state), text="My supplier is Acme.")
    denied = replace(claim(slot=state, is_negated=True), text="No, my supplier is not Acme")
    decision = decide(denied, held)

    assert (decision.reason, decision.targets, decision.corrected) == (
        ConflictReason.CORRECTED,
        (ONE,),
        frozenset({ONE}),
    )
    dated = replace(denied, slot=Slot("the launch", "be on", "on 12 May"))
    assert decide(dated, replace(held, slot=Slot("The launch", "be on", "12 May"))).targets == (ONE,)
    for other in (
        replace(denied, slot=Slot("my supplier", "be", "Acme South")),
        replace(denied, is_negated=False),
        replace(denied, slot=Slot("it", "be", "Acme")),
    ):
        assert decide(other, held).targets == ()


def test_what_never_held_is_told_from_what_held_before():
    corrected = stored(TWO, ClaimRelation(update=0.2, correction=0.75, distinct=0.05))
    decision = decide(claim(), stored(ONE), corrected)

    assert (decision.reason, decision.targets, decision.corrected) == (
        ConflictReason.CORRECTED,
        (ONE, TWO),
        frozenset({TWO}),
    )


@pytest.mark.parametrize(
    "relation",
    [
        None,
        ClaimRelation(),
        ClaimRelation(same=1, distinct=0),
        ClaimRelation(refines=1, distinct=0),
        ClaimRelation(update=0.49, distinct=0.51),
    ],
)
def test_what_replaces_nothing_is_stored_beside_it(relation):
    decision = decide(claim(), stored(relation=relation))

    assert decision.outcome is ConflictOutcome.NONE
    assert (decision.targets, decision.disputed, decision.doubted) == ((), (), ())


def test_without_neighbours_it_is_unrelated():
    assert decide(claim()) == ConflictDecision(ConflictOutcome.NONE, ConflictReason.UNRELATED)


@pytest.mark.parametrize(
    "changes", [{"status": Status.ARCHIVED}, {"status": Status.SUPERSEDED}, {"valid_until": BEFORE}]
)
def test_what_is_closed_already_stays_as_it_is(changes):
    assert decide(claim(), stored(**changes)).reason is ConflictReason.UNRELATED


def test_what_is_only_likely_replaced_stays_open_and_in_doubt():
    assert decide(claim(), stored(relation=LIKELY)) == ConflictDecision(
        ConflictOutcome.FLAG, ConflictReason.DOUBTED, doubted=(ONE,)
    )


def test_an_older_claim_is_itself_put_in_doubt():
    assert decide(claim(), stored(relation=LIKELY, said_at=AFTER)) == ConflictDecision(
        ConflictOutcome.FLAG, ConflictReason.DOUBTED, doubted_by=(ONE,)
    )


def test_what_cannot_both_be_true_is_disputed():
    assert decide(claim(), stored(relation=CONFLICT)) == ConflictDecision(
        ConflictOutcome.FLAG, ConflictReason.DISPUTED, disputed=(ONE,)
    )


def test_an_update_closes_one_and_leaves_questions_about_others():
    decision = decide(claim(), stored(ONE), stored(TWO, CONFLICT), stored(THREE, LIKELY))

    assert decision == ConflictDecision(
        ConflictOutcome.SUPERSEDE, ConflictReason.UPDATED, (ONE,), delta=-0.2, disputed=(TWO,), doubted=(THREE,)
    )


def test_every_item_of_the_slot_that_is_probably_replaced_is_closed_along():
    slot, other = Slot("the deadline", "be", "Friday"), Slot("the venue", "be", "Rome")
    near_duplicate = stored(TWO, LIKELY, slot=replace(slot, value="on Friday"))

    decision = decide(claim(), stored(ONE, slot=slot), near_duplicate, stored(THREE, LIKELY, slot=other))

    assert (decision.targets, decision.doubted) == ((ONE, TWO), (THREE,))


def test_a_weaker_claim_is_turned_down():
    weak = claim(strength=Strength.INFERRED, confidence=0.5)

    assert decide(weak, stored(), stored(TWO, CONFLICT)) == ConflictDecision(
        ConflictOutcome.REJECT, ConflictReason.WEAKER, (ONE,)
    )


def test_a_decayed_item_gives_way_to_a_weaker_claim():
    weak = claim(strength=Strength.INFERRED, confidence=0.5)

    assert decide(weak, stored(confidence=0.2)).outcome is ConflictOutcome.SUPERSEDE


def test_an_older_claim_that_arrives_late_is_stored_closed():
    assert decide(claim(), stored(said_at=AFTER)) == ConflictDecision(
        ConflictOutcome.STORE_CLOSED, ConflictReason.OLDER, valid_until=AFTER, closed_by=ONE
    )


def test_a_claim_between_two_is_closed_by_the_next_and_closes_the_one_before():
    later = AFTER + timedelta(days=1)
    decision = decide(claim(), stored(TWO, said_at=later), stored(THREE, said_at=AFTER), stored(ONE))

    assert decision == ConflictDecision(
        ConflictOutcome.STORE_CLOSED,
        ConflictReason.OLDER,
        (ONE,),
        valid_until=AFTER,
        closed_by=THREE,
        delta=-0.2,
    )


def test_a_late_claim_ends_with_what_replaced_it_though_that_was_replaced_since():
    last = AFTER + timedelta(days=1)
    replaced = stored(TWO, said_at=AFTER, status=Status.SUPERSEDED, valid_until=last)

    assert decide(claim(), stored(ONE, said_at=last), replaced) == ConflictDecision(
        ConflictOutcome.STORE_CLOSED, ConflictReason.OLDER, valid_until=AFTER, closed_by=TWO
    )
    assert decide(claim(), replaced).closed_by == TWO


@pytest.mark.parametrize(
    "changes",
    [{"status": Status.ARCHIVED}, {"valid_until": None}, {"relation": LIKELY}, {"author": YOURS}],
    ids=["archived", "reworded", "only likely", "another agent's"],
)
def test_what_replaced_nothing_ends_no_late_claim(changes):
    closed = {"said_at": AFTER, "status": Status.SUPERSEDED, "valid_until": AFTER + timedelta(days=1)}
    decision = decide(claim(author=MINE), stored(**closed | changes))

    assert decision.outcome is ConflictOutcome.NONE


def test_a_late_claim_held_until_the_newer_was_first_said():
    again = AFTER + timedelta(days=9)

    assert decide(claim(), stored(said_at=again, valid_from=AFTER)).valid_until == AFTER
    assert decide(claim(), stored(said_at=again, valid_from=BEFORE)).valid_until == again


def test_no_agent_closes_what_another_one_said():
    assert decide(claim(author=MINE), stored(author=YOURS)) == ConflictDecision(
        ConflictOutcome.FLAG, ConflictReason.DISPUTED, disputed=(ONE,)
    )
    assert decide(claim(author=MINE), stored(author=MINE)).outcome is ConflictOutcome.SUPERSEDE


def test_what_two_people_say_of_themselves_does_not_meet():
    own, other = {"said_by": "Tom", "slot": Slot("Tom")}, {"said_by": "Ann", "slot": Slot("Ann")}

    assert decide(claim(**own), stored(**other)).reason is ConflictReason.UNRELATED


def test_one_ticket_never_closes_another():
    decision = decide(claim(slot=Slot(qualifier="pay-1")), stored(slot=Slot(qualifier="pay-10")))

    assert decision.reason is ConflictReason.UNRELATED


MARCH, APRIL = Slot("The March invoice", "be", "", "march"), Slot("The April invoice", "be", "", "april")
LEFT, RIGHT = Slot("My left knee", "be", "", "(left)"), Slot("My right knee", "be", "", "(right)")


def test_the_invoice_of_one_month_never_closes_that_of_another():
    assert decide(claim(slot=APRIL), stored(slot=MARCH)).reason is ConflictReason.UNRELATED
    assert decide(claim(slot=APRIL), stored(slot=APRIL)).outcome is ConflictOutcome.SUPERSEDE


@pytest.mark.parametrize("said_at", [BEFORE, AFTER])
def test_of_two_that_are_only_described_in_two_ways_one_is_at_most_in_doubt(said_at):
    decision = decide(claim(slot=RIGHT), stored(slot=LEFT, said_at=said_at))

    assert (decision.outcome, decision.targets, decision.closed_by) == (ConflictOutcome.FLAG, (), None)
    assert (decision.doubted or decision.doubted_by) == (ONE,)


def test_the_penalty_is_the_tenants():
    assert decide(claim(), stored(), penalty=0.3).delta == -0.3


shares = st.lists(st.floats(0.01, 1), min_size=6, max_size=6).map(
    lambda found: ClaimRelation(*(one / sum(found) for one in found))
)
slots = st.sampled_from(
    [Slot(), Slot("the deadline", "be", "Friday"), Slot("PAY-1", "be", "done", "pay-1"), MARCH, APRIL, LEFT, RIGHT]
)
neighbours = st.lists(
    st.builds(
        stored,
        st.integers(1, 99).map(lambda number: UUID(int=number)),
        st.none() | shares,
        said_at=st.sampled_from([BEFORE, NOW, AFTER]),
        author=st.sampled_from([None, MINE, YOURS]),
        confidence=st.sampled_from([0.2, 0.9]),
        strength=st.sampled_from(Strength),
        slot=slots,
    ),
    max_size=6,
    unique_by=lambda neighbour: neighbour.id,
)
claimed = st.builds(
    claim, author=st.sampled_from([None, MINE]), strength=st.sampled_from(Strength), confidence=st.just(0.5), slot=slots
)


@given(claimed, neighbours, st.randoms())
def test_the_order_of_the_neighbours_does_not_matter(new, known, random):
    def told(decision):
        open_questions = (decision.disputed, decision.doubted, decision.doubted_by)
        return replace(decision, targets=(), disputed=(), doubted=(), doubted_by=()), *map(
            set, (decision.targets, *open_questions)
        )

    assert told(decide(new, *known)) == told(decide(new, *random.sample(known, len(known))))


@given(claimed, neighbours)
def test_an_item_is_closed_disputed_or_doubted_but_never_two_of_these(new, known):
    decision = decide(new, *known)
    named = [*decision.targets, *decision.disputed, *decision.doubted, *decision.doubted_by]
    named += [decision.closed_by] if decision.closed_by else []

    assert len(named) == len(set(named))
    assert set(named) <= {neighbour.id for neighbour in known}
    assert decision.corrected <= set(decision.targets)
    assert (decision.delta < 0) is (bool(decision.targets) and decision.outcome is not ConflictOutcome.REJECT)


@given(claimed, neighbours)
def test_nothing_that_is_qualified_otherwise_is_ever_closed(new, known):
    decision = decide(new, *known)
    closed = conflict.closed_along(new, [one for one in known if one.id in decision.targets], known)

    for one in known:
        if one.id in {*decision.targets, *closed, decision.closed_by}:
            assert not claims.name_different_things(new, one)
            assert not claims.describe_different_things(new, one)


@given(claimed, neighbours)
def test_only_older_items_are_closed_and_only_newer_ones_close(new, known):
    said_at = {neighbour.id: neighbour.said_at for neighbour in known}
    decision = decide(new, *known)

    assert all(said_at[target] <= new.said_at for target in decision.targets)
    assert decision.closed_by is None or said_at[decision.closed_by] > new.said_at


# How much is done to an item: nothing, a question, closed.
def weight(decision: ConflictDecision) -> int:
    closed = decision.outcome in {ConflictOutcome.SUPERSEDE, ConflictOutcome.STORE_CLOSED}
    return 2 if closed else int(decision.outcome is ConflictOutcome.FLAG)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([BEFORE, AFTER]))
def test_the_likelier_a_replacement_the_more_is_done(first, second, said_at):
    low, high = (
        stored(relation=ClaimRelation(update=p, distinct=1 - p), said_at=said_at) for p in sorted((first, second))
    )

    assert weight(decide(claim(), low)) <= weight(decide(claim(), high))


@given(shares, st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_never_does_more(relation, first, second):
    low, high = (replace(THRESHOLDS, close=close) for close in sorted((first, second)))

    assert weight(decide(claim(), stored(relation=relation), thresholds=high)) <= weight(
        decide(claim(), stored(relation=relation), thresholds=low)
    )


# Whose word may close whose.

USER, ASSISTANT, TOOL, SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM
ROLES = [(role, held) for role in Role for held in Role]
CLOSES = {
    (USER, USER), (USER, ASSISTANT), (USER, TOOL), (USER, SYSTEM),
    (TOOL, TOOL), (TOOL, ASSISTANT),
    (SYSTEM, SYSTEM), (SYSTEM, ASSISTANT),
    (ASSISTANT, ASSISTANT),
}  # fmt: skip
SHIPPED, DELIVERED = (Slot("order 4711", "status", value) for value in ("shipped", "delivered"))


def held_by(*roles: Role, **changes) -> Neighbour:
    return stored(voices=frozenset(map(Voice, roles)), **changes)


def recorded(role: Role, held: Role) -> tuple[Claim, Neighbour]:
    """A record of the one role, and an older one of the other."""
    new = Claim(DELIVERED.spelled, NOW, role=role, slot=DELIVERED)
    return new, Neighbour(ONE, SHIPPED.spelled, BEFORE, 1.0, UPDATE, slot=SHIPPED, voices=frozenset({Voice(held)}))


def test_every_role_has_its_line():
    assert MAY_CLOSE.keys() == set(Role)
    assert {(role, held) for role, held in ROLES if may_close(role, held)} == CLOSES


@pytest.mark.parametrize(("role", "held"), ROLES)
def test_a_claim_closes_what_its_role_may_and_doubts_the_rest(role, held):
    decision = decide(claim(role=role), held_by(held))

    if (role, held) in CLOSES:
        assert (decision.outcome, decision.targets, decision.doubted) == (ConflictOutcome.SUPERSEDE, (ONE,), ())
    else:
        assert (decision.outcome, decision.targets, decision.doubted) == (ConflictOutcome.FLAG, (), (ONE,))


@pytest.mark.parametrize(("role", "held"), ROLES)
def test_a_claim_that_comes_late_is_closed_by_what_may_close_it(role, held):
    decision = decide(claim(role=held), held_by(role, said_at=AFTER))

    if (role, held) in CLOSES:
        assert (decision.outcome, decision.closed_by) == (ConflictOutcome.STORE_CLOSED, ONE)
    else:
        assert (decision.outcome, decision.closed_by, decision.doubted_by) == (ConflictOutcome.FLAG, None, (ONE,))


@pytest.mark.parametrize(("role", "held"), ROLES)
def test_a_record_of_a_tool_closes_any_record(role, held):
    new, old = recorded(role, held)

    assert (decide(new, old).targets == (ONE,)) is (role is TOOL or (role, held) in CLOSES)


def test_what_a_user_said_too_is_held_on_the_users_word():
    assert decide(claim(role=ASSISTANT), held_by(ASSISTANT, USER)).targets == ()
    assert decide(claim(role=ASSISTANT), held_by(ASSISTANT)).targets == (ONE,)


def test_what_an_assistant_replaces_takes_along_nothing_a_user_said():
    slot = Slot("The deadline", "be", "Friday")
    closed, users, own = (
        held_by(role, identity=identity, slot=slot)
        for role, identity in ((ASSISTANT, ONE), (USER, TWO), (ASSISTANT, THREE))
    )
    new = claim(role=ASSISTANT)

    assert conflict.closed_along(new, [closed], [users, own]) == (THREE,)
    assert conflict.closed_along(replace(new, role=USER), [closed], [users, own]) == (TWO, THREE)


def test_an_assistants_weaker_claim_is_still_turned_down():
    weak = claim(role=ASSISTANT, strength=Strength.INFERRED, confidence=0.5)

    assert decide(weak, held_by(USER)).outcome is ConflictOutcome.REJECT
