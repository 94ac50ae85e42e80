"""One word, one meaning: a class has its name for itself, so that a reader's grep finds one thing."""

import ast
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROOTS = ("apps", "memory_platform", "config")
OF_FRAMEWORKS = {
    "Command": "Django finds a management command by this name",
    "Edge": "Relay names what a connection holds so; the core's is an edge of a graph",
    "Migration": "Django finds a migration by this name",
    "Mutation": "Strawberry merges the topics' root types, which have one name in the schema",
    "Query": "the same",
}


def test_no_two_classes_have_one_name() -> None:
    """But for an answer of a contract, which is named as the record it is read from."""
    places = defaultdict(list)
    for root in ROOTS:
        for path in (PROJECT / root).rglob("*.py"):
            if not path.match("apps/api/*/contract.py"):
                for node in ast.parse(path.read_text()).body:
                    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                        places[node.name].append(str(path.relative_to(PROJECT)))

    shared = {name: found for name, found in places.items() if len(found) > 1}

    assert {name: found for name, found in shared.items() if name not in OF_FRAMEWORKS} == {}
    assert sorted(shared) == sorted(OF_FRAMEWORKS)
