"""Which tier answers: a search, unless the policy asks the summaries first and they hold what is asked."""

from datetime import timedelta
from decimal import Decimal

import pytest

from apps.api.flows import forgetting
from apps.budgets.models import Budget
from apps.budgets.services import set_budget
from apps.core import clock, scope
from apps.index import services as index
from apps.maintenance import reporting
from apps.memory.documents import document
from apps.memory.models import Item
from apps.retrieval import selectors, services
from apps.retrieval.models import Recall
from apps.retrieval.requests import ContextRequest, Filter, RecallRequest
from memory_platform.model import Message, Role
from tests.cast import ADAM, MARA

QUESTION = "When do we deploy the harbour app?"


@pytest.fixture
def told(world):
    """Something to answer with, summed up."""
    ids = [
        world.hold("We deploy the harbour app on Thursdays.", day=2),
        world.hold("We deploy the harbour app with two people.", day=3),
        world.hold("Mara paints the boats of the harbour.", day=4),
    ]
    world.follow(*ids)
    return ids


@pytest.fixture
def pressed(world, told):
    """The same, once the soft amount of a budget is reached."""
    with scope.enter(world.worker):
        set_budget(agent_id=None, period=Budget.Period.DAY, soft_usd=Decimal(0), hard_usd=None)
    return told


def ask(world, query=QUESTION, **request):
    return services.recall(RecallRequest(query, **request), within=world.reader())


@pytest.mark.usefixtures("told")
def test_without_pressure_a_search_answers(world):
    assert ask(world).tier == 2


def test_under_pressure_the_summaries_answer_and_say_so(world, pressed):
    answer = ask(world, explain=True)

    assert (answer.tier, answer.degraded, answer.cost_usd) == (1, ("budget_soft",), 0)
    assert [hit.id for hit in answer.hits] == [pressed[1], pressed[0]]
    assert [hit.rank for hit in answer.hits] == [1, 2]
    assert [(arm.name, arm.candidates) for arm in answer.explanation.arms] == [("summaries", 2)]
    with scope.enter(world.worker):
        kept = Recall.objects.get(id=answer.id)
    assert (kept.tier, kept.returned) == (1, 2)


@pytest.mark.usefixtures("pressed")
def test_under_pressure_too_a_session_is_told_nothing_twice(world):
    first, second = (ask(world, session_id="a", repeat=False) for _ in range(2))
    again = ask(world, session_id="a", repeat=True)

    assert ([len(each.hits) for each in (first, second, again)], second.tier) == ([2, 0, 2], 1)
    assert (first.already_given, second.already_given) == (0, 2)


@pytest.mark.usefixtures("pressed")
def test_switched_off_they_answer_under_no_pressure(world):
    world.set_policy(tier1="off")

    assert ask(world).tier == 2


@pytest.fixture
def always(world, told):
    """The summaries are asked first, whatever the budgets; they suffice where anything is found in them."""
    world.set_policy(tier1="always", tier1_sufficient=0.0)
    with scope.enter(world.worker):
        index.put([document(item) for item in Item.objects.filter(id__in=told)])
    return told


def test_always_asked_first_they_answer_by_how_probable_their_memories_are(world, always):
    answer = ask(world, explain=True)

    assert (answer.tier, answer.degraded) == (1, ())
    assert answer.hits
    assert {hit.id for hit in answer.hits} <= set(always)
    with scope.enter(world.worker):
        assert Recall.objects.get(id=answer.id).tier == 1


@pytest.mark.usefixtures("always")
def test_what_is_not_probable_enough_is_searched_for(world):
    world.set_policy(tier1_sufficient=1.0)

    answer = ask(world)

    assert answer.tier == 2
    assert answer.hits


def test_what_no_summary_holds_is_searched_for_among_everything(world, always):
    outside = world.hold("We deploy the harbour app at noon.", day=5)
    with scope.enter(world.worker):
        index.put([document(Item.objects.get(id=outside))])

    assert outside not in {hit.id for hit in ask(world).hits}
    world.set_policy(tier1="pressure")
    assert outside in {hit.id for hit in ask(world).hits}


def test_what_is_to_be_forgotten_is_searched_for_among_everything(world, always):
    world.set_policy(relevance_sure=0.0)
    outside = world.hold("We deploy the harbour app at noon.", day=5)
    with scope.enter(world.worker):
        index.put([document(Item.objects.get(id=outside))])

    found = forgetting.surely(QUESTION, filter=Filter(), limit=20, within=world.reader(), domain="")

    assert {*always[:2], outside} <= set(found.item_ids)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    "request_", [{"filter": Filter(categories=("work",))}, {"query": "When did we deploy the harbour app last week?"}]
)
def test_no_plain_question_is_put_to_them(world, request_):
    assert ask(world, **{"query": QUESTION, **request_}).tier == 2


def test_another_users_summaries_are_never_asked(world, always):
    del always
    world.follow(world.hold("Mara deploys the harbour app on Fridays.", user=MARA.user_id))

    answer = services.recall(RecallRequest(QUESTION), within=world.reader(ADAM.user_id))

    assert not any("Mara" in hit.text for hit in answer.hits)


@pytest.mark.usefixtures("pressed")
@pytest.mark.parametrize(
    "request_",
    [
        {"query": "Who repairs the harbour lighthouse?"},
        {"filter": Filter(categories=("work",))},
        {"as_of": clock.now() - timedelta(days=1)},
        {"query": "When did we deploy the harbour app last week?"},
        {"messages": (Message(Role.USER, "The harbour app is new."),)},
        {"query": "And when?"},
    ],
)
def test_what_they_do_not_hold_and_what_is_no_plain_question_is_searched(world, request_):
    assert ask(world, **{"query": QUESTION, **request_}).tier == 2


def test_what_does_not_stand_any_more_does_not_answer(world, pressed):
    with scope.enter(world.worker):
        Item.objects.filter(id=pressed[1]).update(status="superseded")
        Item.objects.filter(id=pressed[0]).update(valid_until=clock.now())

    assert ask(world).tier == 2


def test_another_users_summaries_do_not_answer(world):
    world.follow(world.hold("Mara deploys the harbour app on Fridays.", user=MARA.user_id))
    with scope.enter(world.worker):
        set_budget(agent_id=None, period=Budget.Period.DAY, soft_usd=Decimal(0), hard_usd=None)

    assert ask(world).tier == 2
    asked = RecallRequest(QUESTION)
    assert services.recall(asked, within=world.reader(MARA.user_id)).tier == 1
    assert services.recall(asked, within=world.reader(ADAM.user_id)).hits == ()


def test_a_context_is_packed_from_them_too(world, pressed):
    block = services.context(ContextRequest(query=QUESTION), within=world.reader())

    assert [hit.id for hit in block.included_hits] == [pressed[1], pressed[0]]
    assert "Thursdays" in block.text


@pytest.mark.usefixtures("pressed")
def test_the_hit_rate_of_each_tier_is_counted(world):
    ask(world)
    ask(world, "Who repairs the lighthouse of Lyra?")
    services.context(ContextRequest(), within=world.reader())

    with scope.enter(world.worker):
        tiers = {each.tier: each for each in selectors.by_tier(clock.now() - timedelta(days=1))}
        counts = reporting.health().counts
    assert {tier: each.recalls for tier, each in tiers.items()} == {0: 1, 1: 1, 2: 1}
    assert (tiers[1].percent, counts["recent.tier1.percent"]) == (100, 100)
