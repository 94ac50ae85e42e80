"""Deciding on memories as they were looked at: who comes second is told so, and changes nothing."""

import pytest

REMEMBER = "mutation($text: String!) { remember(input: {text: $text}) { memory { id version } } }"
CONFIRM = "mutation($id: ID!, $seen: [SeenInput!]) { confirm(id: $id, seen: $seen) { version protected } }"
CORRECT = """mutation($id: ID!, $text: String!, $seen: [SeenInput!]) { correct(id: $id, text: $text, seen: $seen) {
  outcome memory { text } } }"""
FORGET = "mutation($input: ForgetInput!) { forget(input: $input) { batchId } }"
STATUS = "query($id: ID!) { memory(id: $id) { status version } }"
LUND, BERGEN = "Mara lives in Lund.", "The harbour of Bergen is deep."


@pytest.fixture
def looked_at(caller):
    return caller.field(REMEMBER, text=LUND)["memory"]


def test_whoever_names_the_version_they_saw_decides_on_that_one_alone(caller, looked_at):
    seen = [looked_at]
    confirmed = caller.field(CONFIRM, id=looked_at["id"], seen=seen)

    assert confirmed["protected"]
    assert confirmed["version"] > looked_at["version"]
    assert caller.code(CONFIRM, id=looked_at["id"], seen=seen) == "CONFLICT"
    assert caller.code(CORRECT, id=looked_at["id"], text="Mara lives in Malmö.", seen=seen) == "CONFLICT"
    assert caller.code(FORGET, input={"ids": [looked_at["id"]], "seen": seen}) == "CONFLICT"
    assert caller.field(STATUS, id=looked_at["id"]) == {"status": "ACTIVE", "version": confirmed["version"]}

    again = [{"id": looked_at["id"], "version": confirmed["version"]}]
    assert caller.field(CORRECT, id=looked_at["id"], text="Mara lives in Malmö.", seen=again)["outcome"] == "SUPERSEDED"


def test_a_decision_holds_for_all_that_was_looked_at(caller, looked_at):
    other = caller.field(REMEMBER, text=BERGEN)["memory"]
    caller.field(FORGET, input={"ids": [other["id"]]})

    assert caller.code(FORGET, input={"ids": [looked_at["id"]], "seen": [looked_at, other]}) == "CONFLICT"
    assert caller.field(STATUS, id=looked_at["id"])["status"] == "ACTIVE"


def test_without_it_nothing_is_compared(caller, looked_at):
    caller.field(CONFIRM, id=looked_at["id"])

    assert caller.field(CONFIRM, id=looked_at["id"])["protected"]
    response = caller.post(f"/api/v1/memories/{looked_at['id']}/confirm", "")
    assert response.status_code == 200
    given = {"seen": [{"id": looked_at["id"], "version": 10**9}]}
    assert caller.post(f"/api/v1/memories/{looked_at['id']}/confirm", given).status_code == 409
    assert caller.post(f"/api/v1/memories/{looked_at['id']}/confirm", {"seen": "x" * 900}).status_code == 422
    assert caller.post(f"/api/v1/memories/{looked_at['id']}/confirm", {"seen": [looked_at] * 101}).status_code == 422
