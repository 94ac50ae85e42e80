"""How many SQL statements each read takes, and each write that agents make all day, pinned in one file: one more is a
decision, not an accident.

`UPDATE_STATEMENTS=1 pytest tests/policy/test_statements.py` writes the file anew.
"""

import json
import os
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.policy.conftest import ask
from tests.policy.test_entries import MUTATIONS, QUERIES

pytestmark = pytest.mark.usefixtures("unhurried")

FILE = Path(__file__).with_name("statements.json")


def statements(name, victim, token):
    entry = QUERIES[name]
    kind = "String!" if entry.takes == "session" else "ID!"
    head, variables = ("query", {}) if entry.takes is None else (f"query($id: {kind})", {"id": victim.ids[entry.takes]})
    # The first call fills what is cached for all that follow.
    ask(f"{head} {{ {entry.call} }}", variables, token)
    with CaptureQueriesContext(connection) as captured:
        answer = ask(f"{head} {{ {entry.call} }}", variables, token).json()
    assert "errors" not in answer, answer
    return len(captured)


WRITES = {
    "captureTurn": """mutation($new: String!) { captureTurn(input: {sessionId: $new, userInput: "Hello there."}) {
        turnNumber } }""",
    "remember": """mutation($new: String!) { remember(input: {text: "The locker of the harbour office is green.",
        externalId: $new}) { outcome } }""",
    "startSession": "mutation($new: String!) { startSession(input: {sessionId: $new}) { text } }",
    "forget": "mutation($new: ID!) { forget(input: {ids: [$new]}) { items { text } } }",
}
"""Each with something that is new whenever it is called: its second time is another's first."""


def new_for(name, token):
    """A memory for what forgets one, else the caller's own id of something."""
    fresh = f"new-{uuid4().hex}"
    if name != "forget":
        return fresh
    remember = "mutation($text: String!) { remember(input: {text: $text}) { memory { id } } }"
    told = ask(remember, {"text": f"Locker {fresh} holds the spare bicycle."}, token).json()
    return told["data"]["remember"]["memory"]["id"]


def statements_of_write(name, token):
    new = new_for(name, token)
    with CaptureQueriesContext(connection) as captured:
        answer = ask(WRITES[name], {"new": new}, token).json()
    assert "errors" not in answer, answer
    return len(captured)


def test_a_read_takes_the_statements_it_took(victim):
    # The fewest of three: a policy, or the name of an agent, is cached for seconds and may be read anew in one of them.
    counted = {name: min(statements(name, victim, victim.token) for _ in range(3)) for name in QUERIES}

    require_pinned(counted)


def test_a_write_takes_the_statements_it_took(make_victim):
    # Of a tenant that nobody else writes to meanwhile.
    token = make_victim().token
    counted = {name: min(statements_of_write(name, token) for _ in range(3)) for name in WRITES}

    assert counted.keys() <= MUTATIONS.keys()
    require_pinned(counted)


def require_pinned(counted):
    """What is counted is what the file holds of it."""
    pinned = json.loads(FILE.read_text())
    if "UPDATE_STATEMENTS" in os.environ:
        FILE.write_text(json.dumps(pinned | counted, indent=2, sort_keys=True) + "\n")
        return
    assert counted == {name: pinned.get(name) for name in counted}


def test_nothing_else_is_pinned():
    assert json.loads(FILE.read_text()).keys() == {*QUERIES, *WRITES}
