"""How many SQL statements each read takes, pinned in one file: one more is a decision, not an accident.

`UPDATE_STATEMENTS=1 pytest tests/policy/test_statements.py` writes the file anew.
"""

import json
import os
from pathlib import Path

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.policy.conftest import ask
from tests.policy.test_entries import QUERIES

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


def test_a_read_takes_the_statements_it_took(victim):
    # The fewer of two: what is cached for seconds may be read anew in one of them.
    counted = {name: min(statements(name, victim, victim.token) for _ in range(2)) for name in QUERIES}

    if "UPDATE_STATEMENTS" in os.environ:
        FILE.write_text(json.dumps(counted, indent=2, sort_keys=True) + "\n")
    assert counted == json.loads(FILE.read_text())
