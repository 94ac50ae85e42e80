"""What people and agents say of a memory: its consequence, once a principal, and that it can be taken back."""

import pytest
import time_machine

from apps.core import clock, context, scope
from apps.core.scope import Reach, Scope, tenant_scope
from apps.journal.models import Entry
from apps.memory import selectors, services
from apps.memory.models import Item, ItemFeedback, ItemVersion
from apps.memory.services import ageing
from apps.memory.services.ageing import REVIVED, Ages
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Conflict, Forbidden, NotFound
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import Status, Verdict, Visibility
from tests.apps.memory.conftest import fact, held

TEXT = "Anna works at Siemens as an engineer."
NOTE = "She left in May, she told me."


def give(world, kind: Opinion, *, within: Scope | None = None, actor: str = "agent", note: str = ""):
    with scope.enter(within or world.agent), context.acting_as(actor):
        return services.give_feedback(item_id(world), kind, note)


def withdraw(world, *, within: Scope | None = None, actor: str = "agent"):
    with scope.enter(within or world.agent), context.acting_as(actor):
        return services.withdraw_feedback(item_id(world))


def item_id(world):
    (row,) = world.items(text=TEXT)
    return row.id


def state(world) -> tuple[str, str, str, str, object]:
    (row,) = world.items(text=TEXT)
    return row.verdict, row.verdict_reason, row.status, row.status_reason, row.valid_until


def another_agent(world, reach: Reach = Reach.SHARED) -> Scope:
    with tenant_scope(world.tenant_id):
        made = tenants.create_agent(slug="other")
    return Scope(world.tenant_id, made.id, reach)


def change_policy(world, **fields: object) -> None:
    with tenant_scope(world.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), fields)


def operations(world) -> list[str]:
    with scope.enter(world.worker):
        return list(Entry.objects.filter(subject_id=item_id(world)).order_by("id").values_list("operation", flat=True))


@pytest.fixture(autouse=True)
def learnt(world):
    world.learn("a", fact(TEXT))
    return state(world)


def test_a_helpful_memory_gains_priority_once_and_no_confidence(world):
    before = world.items(text=TEXT)[0].confidence

    told = [give(world, Opinion.HELPFUL) for _ in range(3)]

    assert [round(each.item.retrieval_priority, 3) for each in told] == [0.1] * 3
    assert len({each.at for each in told}) == 1
    assert world.items(text=TEXT)[0].confidence == before
    assert [name for name in operations(world) if "feedback" in name] == ["memory.feedback_given"]


def test_a_wrong_memory_is_held_for_review_with_the_reason(world):
    told = give(world, Opinion.WRONG, note=NOTE)

    assert (told.item.verdict, told.kind) == (Verdict.HOLD, Opinion.WRONG)
    assert state(world)[:2] == ("hold", "wrong")
    assert TEXT not in world.searchable()
    with scope.enter(world.worker):
        version = ItemVersion.objects.filter(item_id=item_id(world)).latest("id")
    assert (version.operation, version.reason) == ("held", NOTE)
    with scope.enter(world.worker):
        written = [str(entry.data) for entry in Entry.objects.filter(subject_id=item_id(world))]
    assert not any("May" in each for each in written)


def test_an_outdated_memory_is_put_in_doubt_and_not_revived_by_being_recalled(world):
    give(world, Opinion.OUTDATED)

    assert state(world)[2:4] == ("stale", "outdated")
    assert TEXT in world.searchable()
    with scope.enter(world.worker):
        services.count_uses([])
        assert ageing.count_due(REVIVED, Ages.at(clock.now())) == 0


def test_an_outdated_memory_is_no_longer_true_where_the_policy_says_so(world):
    change_policy(world, outdated_ends_validity=True)

    with time_machine.travel("2026-03-01T09:00:00Z", tick=False):
        give(world, Opinion.OUTDATED)
        give(world, Opinion.OUTDATED, actor="member:7")
        assert state(world)[4] == clock.now()
        withdraw(world)
        assert state(world)[4] == clock.now()
        withdraw(world, actor="member:7")

    assert state(world)[4] is None


@pytest.mark.parametrize("kind", [Opinion.WRONG, Opinion.OUTDATED, Opinion.HELPFUL])
@pytest.mark.parametrize("ends", [False, True])
def test_what_was_said_can_be_taken_back(world, learnt, kind, ends):
    change_policy(world, outdated_ends_validity=ends)
    give(world, kind, note=NOTE)

    views = [withdraw(world) for _ in range(2)]

    assert state(world) == learnt
    assert {round(view.retrieval_priority, 6) for view in views} == {0.0}
    assert TEXT in world.searchable()
    assert operations(world).count("memory.feedback_withdrawn") == 1


def test_giving_and_taking_back_again_and_again_wins_nothing(world):
    for _ in range(5):
        give(world, Opinion.HELPFUL)
        left = withdraw(world)

    assert left.retrieval_priority == pytest.approx(0.0, abs=1e-6)


def test_another_opinion_takes_the_place_of_the_first(world, learnt):
    give(world, Opinion.WRONG)
    told = give(world, Opinion.HELPFUL)

    assert state(world) == learnt
    assert round(told.item.retrieval_priority, 3) == 0.1
    with scope.enter(world.worker):
        assert list(ItemFeedback.objects.filter(closed_at=None).values_list("kind", flat=True)) == ["helpful"]


def test_each_principal_counts_once_and_together_no_more_than_the_bound(world):
    told = [give(world, Opinion.HELPFUL, actor=f"member:{number}", within=world.worker) for number in range(9)]

    assert round(told[-1].item.retrieval_priority, 3) == 0.3


def test_a_complaint_stands_until_the_last_who_made_it_takes_it_back(world, learnt):
    give(world, Opinion.WRONG)
    give(world, Opinion.WRONG, within=world.worker, actor="member:7")

    withdraw(world)
    assert state(world)[0] == "hold"
    withdraw(world, within=world.worker, actor="member:7")
    assert state(world) == learnt


def test_what_waited_for_review_before_waits_again(world):
    world.learn("b", held("Anna may move."))
    (row,) = world.items(text="Anna may move.")
    with scope.enter(world.agent):
        services.give_feedback(row.id, Opinion.WRONG)
        services.withdraw_feedback(row.id)

    assert world.items(text="Anna may move.")[0].verdict_reason == row.verdict_reason
    assert world.items(text="Anna may move.")[0].verdict == "hold"


def test_who_vouches_for_a_memory_answers_complaints(world, learnt):
    change_policy(world, outdated_ends_validity=True)
    give(world, Opinion.OUTDATED)
    give(world, Opinion.WRONG, within=world.worker, actor="member:7")

    with scope.enter(world.agent):
        services.confirm(item_id(world))

    assert state(world) == learnt
    withdraw(world)
    assert state(world) == learnt
    give(world, Opinion.WRONG)
    assert state(world)[0] == "hold"


def test_taking_back_leaves_alone_what_changed_since(world):
    give(world, Opinion.OUTDATED)
    with scope.enter(world.worker):
        Item.objects.filter(id=item_id(world)).update(status=Status.ARCHIVED.value, status_reason="expired")

    withdraw(world)

    assert state(world)[2:4] == ("archived", "expired")


def test_the_journal_names_the_principal(world):
    give(world, Opinion.WRONG, within=world.worker, actor="member:7")

    with scope.enter(world.worker):
        entry = Entry.objects.get(operation="memory.feedback_given")
    assert (entry.actor, entry.agent_id, entry.data) == ("member:7", None, {"kind": "wrong"})


def test_another_agents_memory_is_not_touched(world):
    world.learn("s", fact("The office is in Porto."), visibility=Visibility.SHARED)
    (shared,) = world.items(text="The office is in Porto.")
    other = another_agent(world)

    with pytest.raises(NotFound):
        give(world, Opinion.WRONG, within=other)
    with scope.enter(other):
        assert selectors.item(shared.id) is not None
        with pytest.raises(Forbidden):
            services.give_feedback(shared.id, Opinion.WRONG)
        with pytest.raises(Forbidden):
            services.withdraw_feedback(shared.id)

    assert world.items(text="The office is in Porto.")[0].verdict == "allow"


def test_what_is_gone_is_not_spoken_of(world):
    from apps.memory.requests import ForgetRequest  # noqa: PLC0415

    with scope.enter(world.agent):
        services.forget(ForgetRequest(item_ids=(item_id(world),)))

    with pytest.raises(Conflict):
        give(world, Opinion.WRONG)
