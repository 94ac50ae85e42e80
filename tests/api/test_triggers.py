"""Triggers over the APIs: made, listed page by page, put off, done, dropped, forgotten with their user."""

from datetime import timedelta

from apps.core.clock import now
from tests.cast import MARA

CREATE = "mutation($input: TriggerInput!) { createTrigger(input: $input) { id text day at precision status userId } }"
LIST = """query($filter: TriggerFilter, $first: Int, $after: String) {
  triggers(filter: $filter, first: $first, after: $after) {
    edges { node { id text isDue } } pageInfo { hasNextPage endCursor } } }"""


def listed(caller, **variables):
    return [edge["node"]["text"] for edge in caller.field(LIST, **variables)["edges"]]


def test_a_day_and_a_moment_are_set(caller):
    of_day = caller.field(CREATE, input={"text": "The audit.", "day": "2040-06-12", "timeZone": "Europe/Berlin"})
    assert of_day.pop("id")
    assert of_day == {
        "text": "The audit.",
        "day": "2040-06-12",
        "at": "2040-06-12T00:00:00+02:00",
        "precision": "DAY",
        "status": "WAITING",
        "userId": None,
    }
    of_minute = caller.field(CREATE, input={"text": "Call.", "at": "2040-06-12T09:30:00+02:00"})
    assert (of_minute["at"], of_minute["precision"]) == ("2040-06-12T07:30:00+00:00", "MINUTE")


def test_what_says_no_time_or_two_or_is_past_or_has_no_zone_is_refused(caller):
    for wrong in (
        {},
        {"day": "2040-06-12", "at": "2040-06-12T09:30:00Z"},
        {"day": "2020-06-12"},
        {"at": "2040-06-12T09:30:00"},
        {"day": "2040-06-12", "recurrence": "FREQ=MINUTELY"},
        {"day": "2040-06-12", "timeZone": "Mars/Olympus"},
    ):
        assert caller.code(CREATE, input={"text": "The audit.", **wrong}) == "INVALID"
    assert listed(caller) == []


def test_triggers_are_listed_the_soonest_first_page_by_page(caller):
    for day in ("2040-06-14", "2040-06-12", "2040-06-13"):
        caller.field(CREATE, input={"text": f"On {day}.", "day": day})

    page = caller.field(LIST, first=2)
    assert [edge["node"]["text"] for edge in page["edges"]] == ["On 2040-06-12.", "On 2040-06-13."]
    assert listed(caller, first=2, after=page["pageInfo"]["endCursor"]) == ["On 2040-06-14."]
    assert listed(caller, filter={"dueUntil": "2040-06-13T00:00:00Z"}) == ["On 2040-06-12."]
    assert listed(caller, filter={"dueFrom": "2040-06-14T00:00:00Z"}) == ["On 2040-06-14."]
    assert listed(caller, filter={"statuses": ["DONE"]}) == []
    rest = caller.get("/api/v1/triggers", status="waiting", first=1).json()
    assert [each["text"] for each in rest["items"]] == ["On 2040-06-12."]


def test_a_time_is_told_in_one_way_when_it_is_set_done_and_listed(caller):
    at = {"text": "Stand-up", "at": "2040-01-02T09:00:00+01:00", "recurrence": "FREQ=DAILY", "time_zone": "Europe/Oslo"}
    made = caller.post("/api/v1/triggers", at).json()
    done = caller.post(f"/api/v1/triggers/{made['id']}/complete", {}).json()
    (listed,) = caller.get("/api/v1/triggers").json()["items"]

    following = "2040-01-03T09:00:00+01:00"
    assert (made["at"], done["at"], listed["at"]) == (at["at"], following, following)


def test_it_is_put_off_done_and_dropped(caller):
    made = caller.field(CREATE, input={"text": "Water the plants.", "day": "2040-06-12", "recurrence": "FREQ=DAILY"})
    until = (now() + timedelta(days=2)).isoformat()
    snooze = "mutation($id: ID!, $until: DateTime!) { snoozeTrigger(id: $id, until: $until) { status } }"
    assert caller.field(snooze, id=made["id"], until=until) == {"status": "SNOOZED"}
    assert caller.code(snooze, id=made["id"], until="2020-01-01T00:00:00Z") == "INVALID"

    done = caller.post(f"/api/v1/triggers/{made['id']}/complete", {}).json()
    assert (done["status"], done["day"]) == ("waiting", "2040-06-13")
    dismiss = "mutation($id: ID!) { dismissTrigger(id: $id) { status } }"
    assert caller.field(dismiss, id=made["id"]) == {"status": "DISMISSED"}
    assert caller.field(dismiss, id=made["id"]) == {"status": "DISMISSED"}
    assert caller.code(snooze, id=made["id"], until=until) == "CONFLICT"


def test_secrets_stay_outside(caller):
    made = caller.field(CREATE, input={"text": "Rotate AKIAIOSFODNN7EXAMPLE.", "day": "2040-06-12"})
    assert "AKIA" not in made["text"]


def test_what_a_user_set_is_forgotten_and_restored_with_the_rest_of_the_user(caller):
    caller.field(CREATE, input={"text": "Call Mara's bank.", "day": "2040-06-12", "userId": MARA.user_id})
    remember = 'mutation { remember(input: {text: "Mara keeps three bees.", userId: "mara"}) { outcome } }'
    caller.field(remember)
    of_mara = {"filter": {"userId": MARA.user_id}}
    assert listed(caller, **of_mara) == ["Call Mara's bank."]

    batch = caller.field('mutation { forget(input: {userId: "mara"}) { batchId } }')["batchId"]
    assert listed(caller, **of_mara) == []
    caller.field("mutation($id: ID!) { restore(batchId: $id) { batchId } }", id=batch)
    assert listed(caller, **of_mara) == ["Call Mara's bank."]


def test_one_user_may_not_change_what_is_no_users(make_caller):
    made = make_caller().field(CREATE, input={"text": "The audit.", "day": "2040-06-12"})
    bound = make_caller("read", "write", user_id=MARA.user_id)
    assert bound.code("mutation($id: ID!) { dismissTrigger(id: $id) { id } }", id=made["id"]) == "FORBIDDEN"
    assert listed(bound) == ["The audit."]
