"""Threads with connections of their own. Each test says which guard it fails without."""

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from apps.core import providers, scope
from apps.memory import services
from apps.memory.models import Extraction, ForgetBatch, Item, Suppression
from apps.memory.requests import ForgetRequest, NewMemory
from apps.memory.services import forgetting
from memory_platform.adapters.scripted import ScriptedEmbedder
from memory_platform.errors import Conflict
from memory_platform.model import Visibility
from tests.apps.memory.conftest import SAME, START, UPDATE, fact
from tests.cast import MARA

GREEN, BLUE, RED = (f"Anna's favourite colour is {colour}." for colour in ("green", "blue", "red"))
ENGINEER, REWORDED = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."
LOKI, ELASTIC = "The release log store is Loki.", "The release log store is Elasticsearch."


class MeetingEmbedder(ScriptedEmbedder):
    """Lets no one pass until `parties` have arrived: all have read their neighbours by then, and none has stored.

    Who comes later, as the job does that compares what nobody had judged, finds the door open.
    """

    def __init__(self, parties: int) -> None:
        super().__init__(dimension=256)
        self.arrivals = itertools.count(1)
        self.barrier = threading.Barrier(parties, timeout=20)

    def embed(self, texts, *, timeout=None):
        answer = super().embed(texts, timeout=timeout)
        if next(self.arrivals) <= self.barrier.parties:
            self.barrier.wait()
        return answer


def at_once(*calls: Callable[[], object]) -> list[object]:
    def run(call: Callable[[], object]) -> object:
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result(timeout=60) for future in [pool.submit(run, call) for call in calls]]


@pytest.fixture
def meet(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def arrange(parties: int) -> None:
        embedder = MeetingEmbedder(parties)
        monkeypatch.setattr(providers, "embedder", lambda: embedder)

    return arrange


def test_two_workers_with_the_same_fact_at_once_make_one_item_with_two_sources(world, meet, run_jobs):
    # Fails without the audience's lock, and without comparing later what nobody had judged before it was taken.
    world.judged(SAME, ENGINEER, REWORDED, ENGINEER)
    first = world.hear("a", fact(ENGINEER), session="monday")
    second = world.hear("b", fact(REWORDED), session="tuesday")
    meet(2)

    at_once(lambda: world.observe(first), lambda: world.observe(second))
    run_jobs()

    (item,) = world.items(status="active")
    assert (item.merged_count, len(world.item(item.text).sources)) == (1, 2)
    assert world.searchable() == {item.text}


def test_many_workers_with_one_fact_lose_no_reinforcement(world, meet):
    # Fails when a merge writes what it read before it held the lock.
    heard = [
        world.hear(f"{n}", fact("Anna works at Siemens.", confidence=0.1, said_by=name), session=f"s{n}", speaker=name)
        for n, name in enumerate(("Ben", "Carla", "Dora", "Emil"))
    ]
    meet(4)

    at_once(*(lambda resource_id=resource_id: world.observe(resource_id) for resource_id in heard))

    item = world.item("Anna works at Siemens.")
    assert (item.merged_count, len(item.sources), round(item.base_confidence, 2)) == (3, 4, 0.4)


def test_one_job_run_by_two_workers_at_once_stores_once(world, meet):
    # Fails without claiming the extraction under the lock: the second run would count as a repetition.
    resource_id = world.hear("Anna works at Siemens.")
    meet(2)

    results = at_once(lambda: world.observe(resource_id), lambda: world.observe(resource_id))

    assert sorted(observed.resources for observed in results) == [0, 1]
    item = world.item("Anna works at Siemens.")
    assert (item.merged_count, len(item.sources), len(world.items())) == (0, 1, 1)
    assert world.query(lambda: Extraction.objects.filter(tenant_id=world.tenant_id).count()) == 1


def test_an_older_turn_and_a_newer_correction_at_once_leave_the_newer_one_standing(world, meet, run_jobs):
    # Fails when "newer" means when we heard it, or when the loser of the race does not look again.
    world.judged(UPDATE, GREEN, BLUE)
    older = world.hear("a", fact(GREEN), session="monday", day=0)
    newer = world.hear("b", fact(BLUE), session="tuesday", day=2)
    meet(2)

    at_once(lambda: world.observe(older), lambda: world.observe(newer))
    run_jobs()

    assert world.searchable() == {BLUE}
    assert world.item(GREEN).status == "superseded"


def test_an_older_turn_retried_after_a_correction_by_hand_does_not_return(world):
    # Fails when the time compared is that of storing.
    world.judged(UPDATE, GREEN, BLUE, RED)
    world.learn("b", fact(BLUE), session="tuesday", day=1)
    wrong = world.item(BLUE)
    services.correct(wrong.id, RED, within=world.agent)

    world.learn("a", fact(GREEN), session="monday", day=0)

    assert world.searchable() == {RED}


def test_what_is_forgotten_while_it_is_being_observed_does_not_appear(world, monkeypatch):
    # Fails without suppressing the resource itself, or when suppression is read before the lock.
    resource_id = world.hear("Anna works at Siemens.", user=MARA.user_id)

    class ForgettingEmbedder(ScriptedEmbedder):
        def embed(self, texts, *, timeout=None):
            answer = super().embed(texts, timeout=timeout)
            (forgotten,) = at_once(lambda: forget_user(world, MARA.user_id))
            assert forgotten.episode_ids == (resource_id,)
            return answer

    embedder = ForgettingEmbedder(dimension=256)
    monkeypatch.setattr(providers, "embedder", lambda: embedder)

    observed = world.observe(resource_id)

    assert (observed.suppressed, world.items()) == (1, [])


def forget_user(world, user: str):
    with scope.enter(world.agent):
        return services.forget(ForgetRequest(user_id=user))


def test_a_fact_forgotten_by_two_at_once_is_forgotten_once(world, monkeypatch):
    # Fails when the second reads the item's status before it holds the lock: restore would then undo only one half.
    world.learn("Anna works at Siemens.")
    item = world.item("Anna works at Siemens.")
    have_looked, lock = threading.Barrier(2, timeout=20), forgetting._lock

    def forget() -> object:
        with scope.enter(world.agent):
            return services.forget(ForgetRequest(item_ids=(item.id,)))

    with monkeypatch.context() as both:
        both.setattr(forgetting, "_lock", lambda target: (have_looked.wait(), lock(target))[1])
        results = at_once(forget, forget)

    assert world.searchable() == set()
    (batch_id,) = (result.batch_id for result in results if result.items)
    acts = world.query(lambda: list(ForgetBatch.objects.filter(tenant_id=world.tenant_id).values_list("id", flat=True)))
    assert ([result.batch_id for result in results].count(None), acts) == (1, [batch_id])
    with scope.enter(world.agent):
        services.restore(batch_id)
    assert world.searchable() == {"Anna works at Siemens."}
    assert world.query(lambda: Suppression.objects.filter(tenant_id=world.tenant_id).count()) == 0


def test_one_external_id_remembered_by_two_at_once_is_one_item(world, meet):
    # Fails without the unique constraint, and without answering the loser with what the winner stored.
    meet(2)
    new = NewMemory(text="Anna works at Siemens in Munich.", external_id="a-1", occurred_at=START)

    first, second = at_once(*[lambda: services.remember(new, within=world.agent)] * 2)

    assert first.item.id == second.item.id
    assert world.query(lambda: Item.objects.filter(tenant_id=world.tenant_id).count()) == 1


def test_two_corrections_of_one_item_at_once_leave_one_current_fact(world, meet):
    # Fails when the corrected item's status is not read again under the lock.
    world.learn("b", fact(BLUE), day=1)
    wrong = world.item(BLUE)
    meet(2)

    def correct(colour: str) -> Callable[[], object]:
        def call() -> object:
            try:
                return services.correct(wrong.id, f"Anna's favourite colour is {colour}.", within=world.agent)
            except Conflict as error:
                return error

        return call

    results = at_once(correct("red"), correct("pink"))

    assert sum(isinstance(result, Exception) for result in results) == 1
    assert len(world.searchable()) == 1


def test_two_agents_that_contradict_each_other_at_once_both_stay_flagged(world, other_agent, meet, run_jobs):
    # Fails without the one lock of all who share, and without comparing later what nobody had judged before.
    world.judged(UPDATE, LOKI, ELASTIC, LOKI)
    agents = (world.agent_id, other_agent.id)
    meet(2)

    at_once(
        *(
            lambda text=text, agent_id=agent_id: services.remember(
                NewMemory(text=text, visibility=Visibility.SHARED),
                within=scope.Scope(world.tenant_id, agent_id, scope.Reach.SHARED),
            )
            for text, agent_id in zip((LOKI, ELASTIC), agents, strict=True)
        )
    )

    run_jobs()

    first, second = world.items(status="active")
    assert {first.text, second.text} == {LOKI, ELASTIC}
    assert world.item(first.text).contradicted_by == (second.id,)
    assert world.item(second.text).contradicted_by == (first.id,)


def test_sharing_one_memory_twice_at_once_leaves_one_shared_item(world, meet):
    # Fails without the dedup under the lock: neither saw the other's copy before.
    agent = scope.Scope(world.tenant_id, world.agent_id, scope.Reach.SHARED)
    original = services.remember(NewMemory(text=LOKI), within=agent).item
    meet(2)

    shared = at_once(*[lambda: services.share(original.id, within=agent)] * 2)

    (item,) = world.items(status="active", visibility="shared")
    assert {each.id for each in shared} == {item.id}
