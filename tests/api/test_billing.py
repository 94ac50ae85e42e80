"""Usage over both APIs: who may ask, which span and groups, and as CSV."""

import csv
import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client

from apps.api.billing.handlers import MOST_LINES
from apps.budgets.models import Usage
from apps.core.clock import now
from apps.core.scope import tenant_scope
from apps.resources import selectors as resource_selectors
from apps.resources import services as resources
from apps.tenants import services as tenants

FIRST = datetime(2026, 3, 1, 9, tzinfo=UTC)
MARCH = {"since": "2026-03-01T00:00:00Z", "until": "2026-04-01T00:00:00Z"}
USAGE = """query($input: UsageInput, $first: Int, $after: String) {
  usage(input: $input, first: $first, after: $after) {
    edges { node { day agentId operation model sessionId calls failedCalls embeddingCalls llmCalls tokensIn tokensOut
      milliseconds recalls turns memories rows unpricedRows costUsd knownCostUsd costPerRecall costPerTurn
      costPerMemory } }
    pageInfo { hasNextPage endCursor } } }"""


@pytest.fixture
def spent(tenant, agent):
    """In March: a priced recall of the test's agent, a turn of another one in its session, at an unknown price."""
    with tenant_scope(tenant.id):
        other = tenants.create_agent(slug="other")
    with tenant_scope(tenant.id, agent_id=other.id):
        resources.capture(resources.NewTurn(session_id="=chat", user_input="Hello there."))
    with tenant_scope(tenant.id):
        session = resource_selectors.session("=chat").id
        common = {"tenant_id": tenant.id, "llm_calls": 1, "milliseconds": 4.0}
        Usage.objects.create(
            **common, at=FIRST, agent_id=agent.id, operation="recall", model="gpt-x", queries=1, cost_usd=Decimal("0.5")
        )
        Usage.objects.create(
            **common,
            at=FIRST + timedelta(days=1),
            agent_id=other.id,
            session_id=session,
            operation="observe",
            model="house",
            turns=1,
            tokens_in=3_000_000_000 // 2,
        )
        Usage.objects.create(
            **common, at=FIRST, agent_id=other.id, operation="observe", model="house", tokens_in=3_000_000_000 // 2
        )
    return tenant


def as_csv(caller, **given):
    headers = {"Authorization": f"Bearer {caller.token}", "Accept": "text/csv"}
    return Client().get("/api/v1/usage", data={**MARCH, **given}, headers=headers)


def nodes(caller, **given):
    return [edge["node"] for edge in caller.field(USAGE, input={**MARCH, **given})["edges"]]


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize("scope", ["billing", "admin"])
def test_billing_and_admin_see_every_agents_usage(make_caller, scope):
    by_agent = nodes(make_caller(scope), groupBy=["AGENT"])

    assert {each["agentId"]: (each["calls"], each["costUsd"], each["unpricedRows"]) for each in by_agent} == {
        "assistant": (1, 0.5, 0),
        "other": (2, None, 2),
    }


@pytest.mark.parametrize("scope", ["read", "write", "share", "review"])
def test_no_other_scope_opens_usage(make_caller, scope):
    refused = make_caller(scope)

    assert refused.code(USAGE) == "FORBIDDEN"
    assert refused.get("/api/v1/usage").status_code == 403


@pytest.mark.parametrize("query", ["{ stats { items } }", "{ memories { edges { node { id } } } }", "{ keys { id } }"])
def test_billing_opens_nothing_else(make_caller, query):
    assert make_caller("billing").code(query) == "FORBIDDEN"


@pytest.mark.usefixtures("spent")
def test_sums_beyond_32_bits_are_told(caller):
    (total,) = nodes(caller)

    assert total == {
        **dict.fromkeys(
            ("day", "agentId", "operation", "model", "sessionId", "costUsd", "costPerTurn", "costPerMemory")
        ),
        "calls": 3,
        "failedCalls": 0,
        "embeddingCalls": 0,
        "llmCalls": 3,
        "tokensIn": 3_000_000_000,
        "tokensOut": 0,
        "milliseconds": 12,
        "recalls": 1,
        "turns": 1,
        "memories": 0,
        "rows": 3,
        "unpricedRows": 2,
        "knownCostUsd": 0.5,
        "costPerRecall": 0.5,
    }


@pytest.mark.usefixtures("spent")
def test_both_apis_answer_the_same_page_by_page(caller):
    page = caller.field(USAGE, input={**MARCH, "groupBy": ["DAY", "AGENT"]}, first=2)
    shown = caller.get("/api/v1/usage", **MARCH, group_by=["day", "agent"], first=2).json()
    rest = caller.get("/api/v1/usage", **MARCH, group_by=["day", "agent"], first=2, after=shown["next"]).json()

    told = [(each["day"], each["agent_id"]) for each in (*shown["items"], *rest["items"])]
    assert [(edge["node"]["day"], edge["node"]["agentId"]) for edge in page["edges"]] == told[:2]
    assert page["pageInfo"]["endCursor"] == shown["next"]
    assert (sorted(told), rest["next"]) == (
        [("2026-03-01", "assistant"), ("2026-03-01", "other"), ("2026-03-02", "other")],
        None,
    )


@pytest.mark.usefixtures("spent")
def test_all_groups_come_as_csv_in_which_no_name_is_a_formula(caller):
    answered = as_csv(caller, group_by="session")
    lines = list(csv.DictReader(io.StringIO(answered.content.decode())))

    assert answered["Content-Type"] == "text/csv; charset=utf-8"
    assert [(line["session_id"], line["rows"], line["cost_usd"]) for line in lines] == [
        ("", "2", ""),
        ("'=chat", "1", ""),
    ]


def test_the_default_is_the_month_so_far(make_caller, tenant):
    start = now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    with tenant_scope(tenant.id):
        for at in (start - timedelta(seconds=1), start, now()):
            Usage.objects.create(tenant_id=tenant.id, at=at, operation="recall", queries=1, cost_usd=0)

    (total,) = make_caller("billing").get("/api/v1/usage").json()["items"]

    assert (total["rows"], total["cost_usd"], total["cost_per_recall"]) == (2, 0.0, 0.0)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"since": "2026-03-01T00:00:00"}, "since"),
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-02T00:00:00Z"}, "since"),
        ({"since": "2025-01-01T00:00:00Z", "until": "2026-03-02T00:00:00Z"}, "since"),
        ({"until": "0001-01-01T00:00:00Z"}, "until"),
        ({"until": "9999-12-31T23:59:59-14:00"}, "until"),
        ({"until": "9999-12-31T23:59:59Z", "since": "9999-12-31T00:00:01Z"}, "until"),
        ({"group_by": "planet"}, "group_by.0"),
    ],
)
def test_a_span_has_two_ends_with_a_zone_and_a_year_between_them(caller, given, field):
    answered = caller.get("/api/v1/usage", **given)

    assert (answered.status_code, answered.json()["error"].get("field")) == (422, field)


def test_a_file_that_would_be_cut_off_is_refused(caller, tenant):
    with tenant_scope(tenant.id):
        Usage.objects.bulk_create(
            Usage(tenant_id=tenant.id, at=FIRST, operation="recall", model=f"m{number}", cost_usd=0)
            for number in range(MOST_LINES + 1)
        )

    answered = as_csv(caller, group_by="model")

    assert (answered.status_code, answered.json()["error"]["field"]) == (422, "group_by")


def test_a_memory_counts_when_it_is_stored_and_not_again_when_it_is_repeated(caller):
    said = "mutation($input: RememberInput!) { remember(input: $input) { outcome } }"
    for text in ("The ferry leaves at seven.", "The ferry leaves at seven.", "Mira keeps two dogs."):
        caller.field(said, input={"text": text})

    (told,) = caller.get("/api/v1/usage", group_by=["operation"]).json()["items"]

    assert (told["operation"], told["memories"], told["cost_per_memory"]) == ("remember", 2, 0)


def test_recalls_and_turns_are_counted_as_they_happen(caller, run_jobs):
    turn = "mutation($input: TurnInput!) { captureTurn(input: $input) { turnNumber } }"
    for said in ("The harbour ferry leaves at seven.", "Hm."):
        caller.field(turn, input={"sessionId": "chat", "userInput": said, "llmOutput": "Noted."})
        run_jobs()
    caller.field('{ recall(query: "When does the ferry leave?") { id } }')

    told = caller.get("/api/v1/usage", group_by=["operation"]).json()["items"]

    counts = {each["operation"]: (each["recalls"], each["turns"], each["memories"]) for each in told}
    assert (counts["recall"], counts["observe"]) == ((1, 0, 0), (0, 2, 2))
    (total,) = caller.get("/api/v1/usage").json()["items"]
    assert (total["cost_usd"], total["cost_per_recall"], total["cost_per_turn"]) == (0, 0, 0)


SET = "mutation($input: BudgetInput!) { setBudget(input: $input) { id agentId softUsd hardUsd state } }"


def test_who_pays_reads_budgets_and_who_administers_sets_them(make_caller, caller):
    made = caller.field(SET, input={"agentId": "assistant", "period": "DAY", "softUsd": 0.1, "hardUsd": 0.2})
    payer = make_caller("billing")

    (told,) = payer.get("/api/v1/budgets").json()["items"]
    assert (told["id"], told["agent_id"], told["remaining_usd"], told["state"]) == (made["id"], "assistant", 0.2, "ok")
    assert payer.code(SET, input={"period": "DAY", "hardUsd": 1}) == "FORBIDDEN"
    assert payer.post(f"/api/v1/budgets/{made['id']}/delete", {}).status_code == 403
    assert caller.post(f"/api/v1/budgets/{made['id']}/delete", {}).json() == {"id": made["id"]}
    assert payer.get("/api/v1/budgets").json()["items"] == []
    assert caller.post(f"/api/v1/budgets/{made['id']}/delete", {}).status_code == 404


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"period": "day"}, 422),
        ({"period": "day", "soft_usd": 2, "hard_usd": 1}, 422),
        ({"period": "day", "hard_usd": -1}, 422),
        ({"period": "day", "hard_usd": 1e9}, 422),
        ({"period": "week", "hard_usd": 1}, 422),
        ({"period": "day", "hard_usd": 1, "agent_id": "nobody"}, 404),
    ],
)
def test_what_is_no_budget_is_refused_and_changes_nothing(caller, given, status):
    assert caller.post("/api/v1/budgets", given).status_code == status
    assert caller.get("/api/v1/budgets").json()["items"] == []


def test_what_is_asked_in_a_session_is_told_with_it(caller):
    caller.post("/api/v1/capture", {"session_id": "chat", "user_input": "We deploy on Thursdays."})
    for body in ({"session_id": "chat"}, {"session_id": "nobody spoke in it"}, {}):
        assert caller.post("/api/v1/recall", {"query": "When do we deploy?", **body}).status_code == 200

    found = caller.get("/api/v1/usage", group_by=["operation", "session"]).json()["items"]

    recalls = {each["session_id"]: each["recalls"] for each in found if each["operation"] == "recall"}
    assert recalls == {"chat": 1, None: 2}
