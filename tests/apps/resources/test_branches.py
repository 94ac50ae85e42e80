"""A session may begin as another was after one of its turns: it reads through, and copies nothing."""

import pytest

from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.resources import selectors
from apps.resources.models import Resource, Session
from apps.resources.services import NewTurn, branch, capture
from apps.resources.services.branching import MOST_ANCESTORS
from apps.tenants import selectors as tenants
from memory_platform.errors import Conflict, Invalid, NotFound
from tests.cast import ADAM, MARA


def say(session, text, **fields):
    return capture(NewTurn(session, user_input=text, **fields))


def replayed(session, turn=None):
    return [(each.turn_number, each.user_input) for each in selectors.replay(session, turn=turn)]


@pytest.fixture
def told(tenant, as_agent):
    """A session of three turns, the second with two messages; its scope stays open."""
    with as_agent():
        say("main", "One.")
        say("main", "Two.", llm_output="Noted.", internal_state={"step": 2})
        say("main", "Three.")
        yield selectors.session("main")


def branched(session, turn, name):
    return branch(session, turn=turn, new_session_id=name)


def test_a_branch_begins_as_its_parent_was(told):
    made = branched(told, 2, "side")
    say("side", "Another three.")
    say("main", "Four.")

    assert (made.parent_session_id, made.parent_turn, made.user_id) == ("main", 2, None)
    assert replayed("side") == [(1, "One."), (2, "Two."), (3, "Another three.")]
    assert replayed("side", 1) == [(1, "One.")]
    assert selectors.checkpoint("side", 2).llm_output == "Noted."
    assert selectors.checkpoint("side").user_input == "Another three."
    assert replayed("main") == [(1, "One."), (2, "Two."), (3, "Three."), (4, "Four.")]


def test_nothing_is_copied(tenant, told):
    before = Resource.objects.filter(tenant_id=tenant.id).count()

    made = branched(told, 2, "side")
    captured = say("side", "Another three.")

    assert Resource.objects.filter(tenant_id=tenant.id).count() == before + 1
    assert Resource.objects.get(id=captured.resource_ids[0]).ordinal == 3
    assert Resource.objects.filter(session_id=made.id).count() == 1


def test_the_last_messages_of_a_young_branch_are_its_parents(tenant, told):
    branched(told, 2, "side")
    say("side", "Another three.")
    policy = tenants.policy(tenant.id)

    def last(at_most):
        return [each.content for each in selectors.last_messages("side", at_most=at_most, policy=policy)]

    assert last(3) == ["Two.", "Noted.", "Another three."]
    assert last(1) == ["Another three."]


def test_a_branch_of_a_branch_reads_through_both(told):
    first = branched(told, 2, "side")
    say("side", "Another three.")
    say("side", "Another four.")
    branched(first, 3, "deeper")
    say("deeper", "Quite another four.")
    early = branched(first, 1, "early")

    assert replayed("deeper") == [(1, "One."), (2, "Two."), (3, "Another three."), (4, "Quite another four.")]
    assert replayed("early") == [(1, "One.")]
    assert early.next_ordinal == 1


def test_a_session_descends_from_fifty_others_at_most(tenant, told):
    line = [told]
    for number in range(MOST_ANCESTORS):
        line.append(branched(line[-1], 1, f"side-{number}"))

    with pytest.raises(Conflict) as refused:
        branched(line[-1], 1, "deeper")

    assert (refused.value.field, MOST_ANCESTORS) == ("sessionId", 50)
    assert branched(line[-2], 1, f"side-{MOST_ANCESTORS - 1}").id == line[-1].id
    assert branched(line[-2], 1, "beside").parent == line[-2]
    assert Session.objects.filter(tenant_id=tenant.id).count() == MOST_ANCESTORS + 2


def test_without_a_turn_it_parts_from_the_latest(told):
    assert branched(told, None, "side").parent_turn == 3


def test_branching_again_changes_nothing(tenant, told):
    first = branched(told, 2, "side")
    say("side", "Another three.")

    assert branched(told, 2, "side").id == first.id
    assert replayed("side")[-1] == (3, "Another three.")
    assert Entry.objects.filter(tenant_id=tenant.id, operation="session.branched").count() == 1


@pytest.mark.parametrize(("turn", "name"), [(1, "side"), (2, "main")])
def test_an_id_of_another_session_is_refused(tenant, told, turn, name):
    branched(told, 2, "side")
    before = Session.objects.filter(tenant_id=tenant.id).count()

    with pytest.raises(Conflict):
        branched(told, turn, name)

    assert Session.objects.filter(tenant_id=tenant.id).count() == before


@pytest.mark.parametrize(
    ("turn", "name", "error", "field"),
    [
        (9, "side", NotFound, "turn"),
        (2, "", Invalid, "newSessionId"),
    ],
)
def test_what_cannot_be_branched_is_refused(tenant, told, turn, name, error, field):
    with pytest.raises(error) as refused:
        branched(told, turn, name)

    assert refused.value.field == field
    assert Session.objects.filter(tenant_id=tenant.id).count() == 1


def test_the_parents_turns_cannot_be_captured_again(told):
    branched(told, 2, "side")

    with pytest.raises(Conflict) as refused:
        say("side", "Two.", turn_number=2)

    assert refused.value.field == "turnNumber"


def test_two_users_branches_may_be_called_the_same(tenant, as_agent):
    with as_agent():
        for user in (MARA.user_id, ADAM.user_id):
            say("main", f"I am {user}.", user_id=user)
        sessions = Session.objects.filter(tenant_id=tenant.id)
        made = [branched(sessions.get(user_id=user), 1, "side") for user in (MARA.user_id, ADAM.user_id)]

        assert [each.user_id for each in made] == [MARA.user_id, ADAM.user_id]
        assert [list(selectors.turns(each).values_list("user_input", flat=True)) for each in made] == [
            [f"I am {MARA.user_id}."],
            [f"I am {ADAM.user_id}."],
        ]


def test_recovering_gives_the_last_state_back_and_the_turns_since(tenant, told):
    branched(told, 3, "side")
    say("side", "Four.")

    found = selectors.recover("side")

    assert (found.state, found.state_turn) == ({"step": 2}, 2)
    assert [turn.user_input for turn in found.turns] == ["Three.", "Four."]


def test_of_many_turns_the_newest_are_recovered_in_order(as_agent):
    with as_agent():
        for number in range(1, 5):
            say("main", f"This is turn {number}.")

        assert [turn.turn_number for turn in selectors.recover("main", limit=2).turns] == [3, 4]


def test_without_a_state_all_turns_are_given_back(as_agent):
    with as_agent():
        say("main", "One.")
        found = selectors.recover("main")

        assert (found.state, found.state_turn, len(found.turns)) == (None, None, 1)


def test_an_unknown_session_cannot_be_recovered(tenant, as_agent):
    with tenant_scope(tenant.id), pytest.raises(NotFound):
        selectors.recover("never")
