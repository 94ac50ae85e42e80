"""Trying other numbers: what they would have made of recalls and captures, over both APIs; nothing is changed by it."""

import pytest

from apps.core.scope import tenant_scope
from apps.jobs import services as jobs
from apps.memory.models import Item
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


def test_others_see_none_of_it(stranger, make_caller, recalled):
    assert simulate(stranger, relevanceFloor=1.0)["recalls"]["recalls"] == 0
    assert make_caller("write").code(SIMULATE, input={"policy": {}}) == "FORBIDDEN"
