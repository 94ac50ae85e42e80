"""How a batch's claims relate to what lies near them is asked before the audience is locked, and once."""

import pytest
from django.db import connection

from apps.core import providers, scope
from apps.memory import services
from apps.memory.requests import NewMemory
from apps.memory.results import PendingStep, WriteOutcome
from apps.memory.services.relating import RELATED_NEIGHBOURS
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.errors import ProviderRetryable
from memory_platform.model import Appraisal
from tests.apps.memory.conftest import PROBABLE_UPDATE, SAME, START, UPDATE, fact, use_embedder

GREEN, BLUE = "Anna's favourite colour is green.", "Anna's favourite colour is blue."
ENGINEER, REWORDED = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."


class DownJudge(ScriptedJudge):
    """Appraises, and does not answer when asked to relate."""

    def relate(self, pairs):
        raise ProviderRetryable(f"down before {len(pairs)} pairs")


class WatchfulJudge(ScriptedJudge):
    """Notes whether a transaction was open while it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.was_locked: list[bool] = []

    def relate(self, pairs):
        self.was_locked.append(connection.in_atomic_block)
        return super().relate(pairs)


@pytest.fixture
def use_judge(world, monkeypatch):
    def use(judge: ScriptedJudge) -> ScriptedJudge:
        monkeypatch.setattr(providers, "relator", lambda: judge)
        return judge

    return use


def pairs(world) -> list[tuple[str, str]]:
    return [(pair.older, pair.newer) for pair in world.judge.pairs]


def change_policy(world, **numbers) -> None:
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), numbers)


def test_no_transaction_is_open_while_the_relator_thinks(world, use_judge):
    judge = use_judge(WatchfulJudge())
    world.learn("a", fact(GREEN))

    world.learn("b", fact(BLUE), day=2)
    services.remember(NewMemory(text=GREEN, occurred_at=START), within=world.agent)

    assert judge.was_locked == [False, False]


def test_the_older_of_a_pair_is_the_one_said_first_whoever_was_heard_first(world):
    world.learn("b", fact(BLUE), day=2)
    world.learn("a", fact(GREEN), day=0)

    assert pairs(world) == [(GREEN, BLUE)]
    assert world.judge.pairs[0].apart.days == 2


def test_claims_are_related_with_the_questions_they_answer(world):
    world.learn("a", fact("Green.", lead_in="What is Anna's favourite colour?"))
    world.learn("b", fact("Blue.", lead_in="What is Anna's favourite colour?"), day=2)

    assert pairs(world) == [
        ("What is Anna's favourite colour? / Green.", "What is Anna's favourite colour? / Blue.")
    ]  # fmt: skip


def test_claims_of_one_batch_are_related_with_each_other(world):
    world.judged(UPDATE, GREEN, BLUE)
    both = [world.hear("a", fact(GREEN)), world.hear("b", fact(BLUE), day=2)]

    world.observe(*both)

    assert pairs(world) == [(GREEN, BLUE)]
    assert world.item(GREEN).status == "superseded"


def test_what_has_nothing_to_do_with_it_is_not_asked_about(world):
    world.learn("a", fact("The depot closes at noon."))
    world.learn("b", fact(BLUE))

    assert pairs(world) == []


def test_at_most_the_nearest_neighbours_are_asked_about(world):
    for number in range(RELATED_NEIGHBOURS + 2):
        world.learn(f"{number}", fact(f"Anna's favourite colour of day {number} is green."), session=f"s{number}")
    world.judge.pairs.clear()

    world.learn("b", fact(BLUE), day=2)

    assert len(pairs(world)) == RELATED_NEIGHBOURS


def test_a_relator_that_does_not_answer_is_asked_again_and_at_last_done_without(world, use_judge, run_jobs):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(GREEN))
    newer = world.hear("b", fact(BLUE), day=2)
    use_judge(DownJudge())
    with pytest.raises(ProviderRetryable):
        world.observe(newer)
    assert world.texts() == [GREEN]

    world.observe(newer, fall_back=True)

    assert [item.dedup_pending for item in world.items(status="active")] == [False, True]
    use_judge(world.judge)
    run_jobs()
    assert world.searchable() == {BLUE}
    assert [item.dedup_pending for item in world.items()] == [False, False]


def test_remember_says_that_the_comparison_is_still_to_come(world, use_judge, run_jobs):
    world.judged(SAME, ENGINEER, REWORDED)
    services.remember(NewMemory(text=ENGINEER, occurred_at=START), within=world.agent)
    use_judge(DownJudge(appraisals={REWORDED: Appraisal(0.9)}))

    told = services.remember(NewMemory(text=REWORDED, occurred_at=START), within=world.agent)

    assert (told.outcome, told.pending) == (WriteOutcome.STORED, (PendingStep.DEDUP,))
    use_judge(world.judge)
    run_jobs()
    assert world.searchable() == {ENGINEER}


def test_without_vectors_there_is_nothing_to_relate_and_the_same_words_are_known_all_the_same(world, monkeypatch):
    world.learn("a", fact(GREEN), session="monday")
    use_embedder(monkeypatch, failures=[ProviderRetryable("slow")])
    second = world.hear("b", fact(GREEN), session="tuesday", day=1)

    observed = world.observe(second, fall_back=True)

    assert observed.merged == 1


def test_a_tenants_thresholds_go_before_the_models_own(world):
    world.judged(PROBABLE_UPDATE, GREEN, BLUE)
    change_policy(world, close_from=0.6)

    world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE), day=2)

    assert world.item(GREEN).status == "superseded"
