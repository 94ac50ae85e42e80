"""Lists narrowed by time: from `since` up to but without `until`, in GraphQL and REST alike."""

import pytest

REMEMBER = "mutation($i: RememberInput!) { remember(input: $i) { outcome } }"
LOG = "mutation($i: LogInput!) { logAction(input: $i) { at } }"
QUESTIONS = ("Where does Mara live?", "Who owns the ferry?", "When does the ferry leave?")
"""None of them becomes a memory."""


def by_graphql(caller, verb, **span):
    """The times of the rows, newest first."""
    names = {"journal": "JournalFilter", "rejections": "RejectionFilter"}
    query = f"query($f: {names[verb]}) {{ {verb}(filter: $f) {{ edges {{ node {{ at }} }} }} }}"
    return [edge["node"]["at"] for edge in caller.field(query, f=span)["edges"]]


def by_rest(caller, verb, **span):
    answer = caller.get(f"/api/v1/{verb}", **span)
    assert answer.status_code == 200, answer.content
    return [row["at"] for row in answer.json()["items"]]


def happen(caller, verb):
    for step in range(3):
        if verb == "journal":
            caller.field(LOG, i={"action": f"step {step}"})
        else:
            caller.field(REMEMBER, i={"text": QUESTIONS[step]})


@pytest.mark.parametrize("ask", [by_graphql, by_rest])
@pytest.mark.parametrize("verb", ["journal", "rejections"])
def test_a_list_is_narrowed_by_time(caller, verb, ask):
    happen(caller, verb)

    newest, middle, oldest = ask(caller, verb)[:3]

    assert newest > middle > oldest
    assert ask(caller, verb, since=middle, until=newest) == [middle]
    assert ask(caller, verb, since=middle)[:2] == [newest, middle]
    assert newest not in ask(caller, verb, until=newest)
    assert ask(caller, verb, since=newest, until=oldest) == []


@pytest.mark.parametrize("verb", ["journal", "rejections"])
def test_a_time_without_a_zone_or_beyond_the_calendar_is_refused(caller, verb):
    for moment in ("2026-03-01T09:00:00", "9999-12-31T23:59:59-23:59", "yesterday"):
        assert caller.get(f"/api/v1/{verb}", since=moment).json()["error"]["code"] == "INVALID"


def test_memories_are_listed_by_the_time_they_speak_of(caller):
    for text, at in (("Mara lives in Oslo.", "2026-03-01T00:00:00Z"), ("Eve lives in Rome.", "2026-05-01T00:00:00Z")):
        caller.field(REMEMBER, i={"text": text, "occurredAt": at})

    def listed(**span):
        return [row["text"] for row in caller.get("/api/v1/memories", **span).json()["items"]]

    assert listed(since="2026-04-01") == ["Eve lives in Rome."]
    assert listed(until="2026-04-01") == ["Mara lives in Oslo."]
    assert listed(since="2026-04-01", until="2026-04-02") == []
    assert caller.get("/api/v1/memories", since="the third moon").json()["error"]["code"] == "INVALID"
