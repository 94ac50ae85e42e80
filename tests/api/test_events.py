"""Events as both APIs answer them at once: what a write tells, who hears of budgets, page by page."""

from uuid import uuid4

import pytest

from apps.core.scope import tenant_scope
from apps.journal.services import NewEvent, tell
from apps.tenants import services
from memory_platform.model import EventKind
from tests.api.conftest import Caller
from tests.cast import MARA

EVENTS = """query($after: String, $first: Int! = 100) { memoryEvents(after: $after, first: $first) {
  items { id kind subject subjectId relatedId agentId userId code } next } }"""


@pytest.fixture
def happen(tenant):
    def happened(kind, *, agent_id=None, **fields):
        subject_id = uuid4()
        with tenant_scope(tenant.id):
            tell([NewEvent(kind, fields.pop("subject", "memory"), subject_id, agent_id, None, **fields)])
        return str(subject_id)

    return happened


def heard(caller, **variables):
    return [each["subjectId"] for each in caller.field(EVENTS, **{"after": "0", **variables})["items"]]


def test_a_write_tells_what_it_stored(caller, agent):
    before = caller.field(EVENTS)
    said = {"text": "We deploy on Thursdays.", "user_id": MARA.user_id}
    memory = caller.post("/api/v1/memories", said).json()["memory"]

    told = caller.field(EVENTS, after=before["next"])

    assert before["items"] == []
    assert told == {
        "items": [
            {
                "id": told["next"],
                "kind": "STORED",
                "subject": "memory",
                "subjectId": memory["id"],
                "relatedId": None,
                "agentId": agent.slug,
                "userId": MARA.user_id,
                "code": None,
            }
        ],
        "next": told["next"],
    }
    assert caller.get("/api/v1/events", after=before["next"]).json()["items"][0]["subject_id"] == memory["id"]


def test_of_budgets_hears_who_may_read_them_in_their_place(happen, make_caller, agent):
    first = happen(EventKind.STORED, agent_id=agent.id)
    of_all = happen(EventKind.BUDGET, subject="budget", code="soft")
    of_one = happen(EventKind.BUDGET, agent_id=agent.id, subject="budget", code="hard")
    last = happen(EventKind.HELD, agent_id=agent.id)

    assert heard(make_caller("read")) == [first, last]
    for scope in ("billing", "admin"):
        assert heard(make_caller("read", scope)) == [first, of_all, of_one, last]
    assert make_caller("billing").code(EVENTS) == "FORBIDDEN"


def test_of_proposals_hears_who_may_decide_them_whichever_agent_it_is(happen, make_caller, tenant, agent, stranger):
    proposed = happen(EventKind.PROPOSAL, subject="proposal")
    stored = happen(EventKind.STORED, agent_id=agent.id)
    with tenant_scope(tenant.id):
        other = services.create_agent(slug="other")
        key = services.create_key(agent_id=other.id, scopes=("read", "review"))

    for scope in ("review", "admin"):
        assert heard(make_caller("read", scope)) == [proposed, stored]
    assert heard(Caller(key.token)) == [proposed]
    assert heard(make_caller("read", "billing")) == heard(make_caller("read", "share")) == [stored]
    assert heard(stranger) == []
    assert make_caller("review").code(EVENTS) == "FORBIDDEN"


def test_pages_follow_each_other_without_a_gap(happen, caller, agent):
    ids = [happen(EventKind.STORED, agent_id=agent.id) for _ in range(5)]

    found, after = [], "0"
    for _ in range(3):
        page = caller.field(EVENTS, after=after, first=2)
        found += [each["subjectId"] for each in page["items"]]
        after = page["next"]

    assert found == ids
    assert caller.field(EVENTS, after=after) == {"items": [], "next": after}


@pytest.mark.parametrize("wrong", [{"after": "-1"}, {"after": "x"}, {"after": "1" * 20}, {"first": 0}, {"first": 101}])
def test_what_is_no_position_or_page_is_refused(caller, wrong):
    assert caller.code(EVENTS, **wrong) == "INVALID"
    assert caller.get("/api/v1/events", **wrong).status_code == 422
