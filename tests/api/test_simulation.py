"""Trying other numbers: what they would have made of recalls and captures, over both APIs; nothing is changed by it."""

from datetime import timedelta

import pytest

from apps.core import clock
from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.memory.models import Item, ItemUse
from apps.retrieval import services as retrieval
from apps.retrieval.models import Recall, Recalled
from apps.tenants.models import Policy

SIMULATE = """query($input: SimulationInput!) { simulatePolicy(input: $input) {
  recalls { recalls examined hits unscored lost emptied reordered firstChanged changed { recallId lost isEmptied } }
  captures { messages facts turned { was wouldBe facts } sample }
  memories { step now then } unknown } }"""
CURRENT = "Hits that would have come up from below the last one that was answered."


def simulate(caller, **policy):
    return caller.field(SIMULATE, input={"policy": policy})


@pytest.fixture
def recalled(caller):
    """A recall with hits; its id."""
    caller.post("/api/v1/memories", {"text": "We deploy the harbour service on Thursdays."})
    found = caller.post("/api/v1/recall", {"query": "When do we deploy the harbour service?"}).json()
    assert found["hits"]
    return found["id"]


def test_a_floor_nobody_reaches_empties_every_answer(caller, recalled):
    told = simulate(caller, relevanceFloor=1.0)["recalls"]

    assert (told["recalls"], told["examined"], told["emptied"], told["unscored"]) == (1, 1, 1, 0)
    assert told["lost"] == told["hits"] > 0
    assert [(each["recallId"], each["isEmptied"]) for each in told["changed"]] == [(recalled, True)]


def test_the_same_numbers_change_nothing(caller, recalled):
    told = simulate(caller)

    assert [told["recalls"][name] for name in ("lost", "emptied", "reordered", "firstChanged")] == [0] * 4
    assert all(each["now"] == each["then"] for each in told["memories"])
    assert (told["captures"]["turned"], told["unknown"]) == ([], [CURRENT])


def test_a_gate_of_one_would_have_held_what_was_allowed(caller, tenant):
    body = {"session_id": "chat", "user_input": "My sister Mara lives in Lisbon."}
    (resource_id,) = caller.post("/api/v1/capture", body).json()["resource_ids"]
    jobs.drain("test", tenant_id=tenant.id)

    told = simulate(caller, gateAllowAbove=1.0)["captures"]

    assert told["messages"] == 1
    assert told["turned"] == [{"was": "ALLOW", "wouldBe": "HOLD", "facts": told["facts"]}]
    assert told["sample"] == [resource_id]


def test_a_shorter_ttl_would_archive_what_lies_here(caller, tenant, recalled):
    with tenant_scope(tenant.id):
        category = Item.objects.values_list("category", flat=True).get(tenant_id=tenant.id)
    body = {"policy": {"categories": [{"slug": category, "ttl_days": 1}]}}
    answered = caller.post("/api/v1/policy/simulate", body).json()

    assert {each["step"] for each in answered["memories"]} == {"expired", "pruned", "decayed", "stale", "forgotten"}
    assert all(each["now"] == each["then"] == 0 for each in answered["memories"])


def test_nothing_is_changed(caller, tenant, recalled):
    def held():
        with tenant_scope(tenant.id):
            policy = Policy.objects.filter(tenant_id=tenant.id).values().get()
            return policy, Recall.objects.count(), list(Recalled.objects.order_by("recall_id", "rank").values())

    before = held()
    simulate(caller, relevanceFloor=0.9, staleMultiplier=0.1, gateDiscardBelow=0.4, staleAfterDays=1)

    assert held() == before


def test_what_cannot_be_told_is_named(caller):
    told = simulate(caller, relevanceFloor=0.0, priorityClamp=1.0, gateDiscardBelow=0.0)

    assert len(told["unknown"]) == 4
    assert told["unknown"][-1] == CURRENT


@pytest.mark.parametrize(
    "policy",
    [
        {"relevanceFloor": 1.1},
        {"staleMultiplier": -0.1},
        {"staleAfterDays": 0},
        {"gateAllowAbove": 0.1, "gateDiscardBelow": 0.2},
        {"categories": [{"slug": "nosuch", "ttlDays": 5}]},
        {"categories": [{"slug": "work", "ttlDays": 1}] * 51},
    ],
)
def test_numbers_that_no_policy_has_are_refused(caller, policy):
    assert caller.code(SIMULATE, input={"policy": policy}) == "INVALID"


TRY = """query($options: RecallTrialOptions) { tryRecall(query: "When do we deploy the harbour service?",
  options: $options) {
  id hits { rank text score } explanation { floor belowFloor { text } } } }"""
TRY_CONTEXT = """query($options: ContextTrialOptions) { tryContext(query: "When do we deploy the harbour service?",
  options: $options) { text included } }"""


def tried(caller, **policy):
    return caller.field(TRY, options={"explain": True, "policy": policy})


def test_a_trial_answers_as_recall_does_and_leaves_nothing(caller, tenant, recalled):
    def held():
        with tenant_scope(tenant.id):
            uses = list(ItemUse.objects.order_by("item_id").values())
            return list(Recall.objects.values_list("id")), list(Recalled.objects.values_list("recall_id")), uses

    asked = caller.post("/api/v1/recall", {"query": "When do we deploy the harbour service?"}).json()
    before = held()
    found = tried(caller)
    block = caller.field(TRY_CONTEXT)
    with tenant_scope(tenant.id):
        retrieval.count_uses()
        counted = held()
        retrieval.count_uses()

    assert [hit["text"] for hit in found["hits"]] == [hit["text"] for hit in asked["hits"]]
    assert (block["included"], "harbour" in block["text"]) == (1, True)
    assert (counted[:2], held()) == (before[:2], counted)
    report = {"output": "We deploy the harbour service on Thursdays."}
    assert caller.post(f"/api/v1/recalls/{found['id']}/output", report).status_code == 404


def test_a_trial_is_answered_with_its_numbers(caller, recalled):
    strict = tried(caller, relevanceFloor=1.0)

    assert (strict["hits"], strict["explanation"]["floor"]) == ([], 1.0)
    assert "harbour" in strict["explanation"]["belowFloor"][0]["text"]
    assert caller.field(TRY_CONTEXT, options={"policy": {"relevanceFloor": 1.0}}) == {"text": "", "included": 0}
    assert tried(caller)["hits"]


def test_a_trial_fades_by_the_numbers_of_its_categories(caller, tenant, recalled):
    with tenant_scope(tenant.id):
        category = Item.objects.values_list("category", flat=True).get(tenant_id=tenant.id)
        Item.objects.update(recorded_at=clock.now() - timedelta(days=30), last_confirmed_at=None)

    (faded,) = tried(caller, categories=[{"slug": category, "decayLambda": 1.0}])["hits"]
    (fresh,) = tried(caller, categories=[{"slug": category, "decayLambda": 0.0}])["hits"]

    assert faded["score"] < fresh["score"]


def test_a_trial_refuses_what_a_simulation_refuses(caller):
    unknown = {"query": "When?", "policy": {"categories": [{"slug": "nosuch", "decay_lambda": 1}]}}
    crossed = {"query": "When?", "policy": {"gate_allow_above": 0.1, "gate_discard_below": 0.2}}

    assert [caller.post("/api/v1/recall/try", body).status_code for body in (unknown, crossed)] == [422, 422]


def test_others_see_none_of_it(stranger, make_caller, recalled):
    assert simulate(stranger, relevanceFloor=1.0)["recalls"]["recalls"] == 0
    assert make_caller("write").code(SIMULATE, input={"policy": {}}) == "FORBIDDEN"
