"""A night compares what came in by day: with its stored vectors, and by judgements that are remembered."""

from datetime import timedelta

import pytest

from apps.core import limiter, providers, scope
from apps.core.ids import new_id
from apps.index.models import Embedding256
from apps.memory import judging
from apps.memory.models import Item, ItemLink
from apps.memory.services import comparing
from apps.memory.services.comparing import compare
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.adapters.scripted import ScriptedJudge
from memory_platform.model import ClaimRelation
from memory_platform.ports import ClaimPair
from tests.apps.memory.conftest import UPDATE, fact, use_embedder
from tests.cast import ADAM, MARA

GREEN, BLUE, RED = "Anna's favourite colour is green.", "Anna's favourite colour is blue.", "Anna's favourite is red."
ENGINEER, REWORDED = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."
DEPOT, GATE = "The depot in Anna's street closes at noon.", "The gate in Anna's street closes at noon."
PROBABLY_SAME = ClaimRelation(same=0.8, distinct=0.2)
PAIR = ClaimPair(GREEN, BLUE, timedelta(days=2))


@pytest.fixture
def embedder(world, monkeypatch):
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: None)
    return use_embedder(monkeypatch)


def learn_all(world, user: str | None = None) -> None:
    world.judged(UPDATE, BLUE, RED)
    world.judged(PROBABLY_SAME, ENGINEER, REWORDED)
    for day, text in enumerate([GREEN, ENGINEER, DEPOT, BLUE, REWORDED, GATE, RED]):
        world.learn(f"{user} {day}", fact(text), day=day, user=user, session=f"{user} {day}")


def compare_all(world, user: str | None = None) -> None:
    compare([item.id for item in world.items(user_id=user)], within=world.worker)


def merge_from(world, share: float) -> None:
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"merge_from": share})


def found(world, user: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """What became of a user's items, and the open and closed links between them."""
    texts = {item.id: item.text for item in world.items(user_id=user)}
    with scope.enter(world.worker):
        links = ItemLink.objects.filter(tenant_id=world.tenant_id, user_id=user)
        linked = sorted((texts[link.from_item_id], link.kind, texts[link.to_item_id]) for link in links)
    items = Item.objects.filter(tenant_id=world.tenant_id, user_id=user).order_by("text")
    return world.query(lambda: list(items.values_list("text", "status", "status_reason", "confidence"))), linked


def test_a_night_asks_neither_model_about_what_came_in_by_day(world, embedder):
    learn_all(world)
    embedder.calls.clear()
    asked = len(world.judge.pairs)
    assert asked > 0

    compare_all(world)

    assert (embedder.calls, len(world.judge.pairs)) == ([], asked)


def test_a_night_finds_the_same_whether_or_not_it_is_remembered(world, embedder, monkeypatch):
    for user in (MARA.user_id, ADAM.user_id):
        learn_all(world, user)
    merge_from(world, 0.7)
    before = found(world, MARA.user_id)

    compare_all(world, MARA.user_id)
    asked = len(world.judge.pairs)
    monkeypatch.setattr(judging, "_remembered", lambda _keys: {})
    monkeypatch.setattr(comparing, "_held", lambda _candidates: {})
    embedder.calls.clear()
    compare_all(world, ADAM.user_id)

    assert (len(world.judge.pairs) > asked, bool(embedder.calls)) == (True, True)
    assert found(world, MARA.user_id) == found(world, ADAM.user_id) != before
    assert world.texts(user_id=MARA.user_id, status_reason="merged") == [ENGINEER]


def test_what_has_no_vector_yet_gets_one(world, embedder):
    learn_all(world)
    world.query(lambda: Embedding256.objects.filter(tenant_id=world.tenant_id).delete())

    compare_all(world)

    stored = world.query(lambda: Embedding256.objects.filter(tenant_id=world.tenant_id).count())
    assert stored == len(world.items(status="active"))


def judged_by(judge: ScriptedJudge, pair: ClaimPair, tenant_id) -> tuple[ClaimRelation, ...]:
    return judging.judged(judge, [pair], tenant_id=tenant_id)


@pytest.mark.parametrize(
    ("pair", "added", "is_another"),
    [
        (ClaimPair(BLUE, GREEN, PAIR.apart), {}, False),
        (ClaimPair(GREEN, BLUE, timedelta(days=3)), {}, False),
        (PAIR, {(GREEN, RED): UPDATE}, False),
        (PAIR, {}, True),
    ],
    ids=["the other way round", "another time apart", "another version", "another tenant"],
)
def test_only_the_same_question_is_remembered(tenant, pair, added, is_another):
    judge = ScriptedJudge({(GREEN, BLUE): UPDATE})
    assert judged_by(judge, PAIR, tenant.id) == (UPDATE,)
    assert judged_by(judge, PAIR, tenant.id) == (UPDATE,)
    assert judge.pairs == [PAIR]
    judge.relations |= added

    judged_by(judge, pair, new_id() if is_another else tenant.id)

    assert judge.pairs == [PAIR, pair]


def test_a_pair_that_is_asked_about_twice_at_once_is_judged_once(tenant):
    judge = ScriptedJudge({(GREEN, BLUE): UPDATE})

    assert judging.judged(judge, [PAIR, PAIR], tenant_id=tenant.id) == (UPDATE, UPDATE)
    assert judge.pairs == [PAIR]


def test_without_valkey_everything_is_judged_anew(tenant, monkeypatch):
    monkeypatch.setattr(limiter, "ask", lambda _question: None)
    judge = ScriptedJudge({(GREEN, BLUE): UPDATE})

    assert [judged_by(judge, PAIR, tenant.id) for _ in range(2)] == [(UPDATE,)] * 2
    assert judge.pairs == [PAIR, PAIR]
