"""One word, one meaning: a class has its name for itself, so that a reader's grep finds one thing."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
ROOTS = ("apps", "memory_platform", "config")
CONTRACT = "apps/api/*/contract.py"
RECORDS = ("apps", "memory_platform/model.py")
KEPT = {
    "AgentKey": "OpenAPI publishes the class that reads the header as the name of the scheme",
    "Command": "Django finds a management command by this name",
    "Edge": "Relay names what a connection holds so; the core's is an edge of a graph",
    "Migration": "Django finds a migration by this name",
    "Mutation": "Strawberry merges the topics' root types, which have one name in the schema",
    "Query": "the same",
    "Scores": "the contract's are of one hit, those of the core of all candidates at once",
}


def test_no_two_classes_have_one_name() -> None:
    """Private ones neither: a leading underscore is not part of the word."""
    shared = {name: places for name, places in _places().items() if len(places) > 1 and not _is_answer_of(places)}

    assert {name: places for name, places in shared.items() if name not in KEPT} == {}
    assert sorted(shared) == sorted(KEPT)


def _places() -> dict[str, list[tuple[Path, bool]]]:
    """Where the classes of a name are, and whether each is private."""
    places = defaultdict(list)
    for path, node in _classes():
        places[node.name.lstrip("_")].append((path, node.name.startswith("_")))
    return places


def _classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for root in ROOTS:
        for path in sorted((PROJECT / root).rglob("*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    yield path.relative_to(PROJECT), node


def _is_answer_of(places: list[tuple[Path, bool]]) -> bool:
    """Whether one is a shape of a contract, and the other the one record it is read from or made into."""
    records = [place for place in places if not place[0].match(CONTRACT)]
    return len(places) == 2 and len(records) == 1 and _is_record(*records[0])


def _is_record(path: Path, is_private: bool) -> bool:  # noqa: FBT001 - a place, taken apart
    return not is_private and any(path.is_relative_to(root) for root in RECORDS)
