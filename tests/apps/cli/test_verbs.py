"""Every verb of the platform has a command, or a reason to have none."""

from collections.abc import Iterator

import pytest
import typer.main
from typer.core import TyperGroup

from apps.api.verbs import VERBS
from apps.cli.main import app

COMMANDS = {
    "recall": "recall",
    "context": "context",
    "reportOutput": "report-output",
    "memory": "show",
    "memories": "show",
    "explainMemory": "explain",
    "weakMemories": "weak",
    "rejections": "rejections",
    "rejectionCounts": "rejections",
    "remember": "remember",
    "correct": "correct",
    "confirm": "confirm",
    "forget": "forget",
    "restore": "restore",
    "share": "share",
    "recallShared": "recall",
    "rememberShared": "remember",
    "sharedDomains": "domains",
    "captureTurn": "capture",
    "ingest": "import",
    "session": "session",
    "checkpoint": "checkpoint",
    "replay": "replay",
    "entity": "entity",
    "entities": "entities",
    "path": "path",
    "mergeEntities": "merge-entities",
    "splitEntity": "split-entity",
    "graphStatus": "graph status",
    "backfillGraph": "graph backfill",
    "checkGraph": "graph check",
    "repairGraph": "graph repair",
    "rebuildGraph": "graph rebuild",
    "viewer": "whoami",
    "stats": "stats",
    "jobs": "jobs",
    "journal": "journal",
    "logAction": "log",
    "keys": "keys list",
    "createApiKey": "keys create",
    "rotateApiKey": "keys rotate",
    "revokeApiKey": "keys revoke",
}
EXEMPT = {
    "memoryLinks": "a step of GraphQL from a memory to others; `explain` shows them",
    "memoryVersions": "a step of GraphQL from a memory to its changes; `explain` shows them",
    "sources": "a step of GraphQL from a row to its message; `show` and `explain` name it",
    "entitiesNamed": "a step of GraphQL from a memory's names to entities; `entity` takes a name",
    "agents": "a step of GraphQL from ids to names; the REST answers hold the names",
}


def commands(group: TyperGroup, above: str = "") -> Iterator[tuple[str, str]]:
    """Each command's words, and the examples that close its help."""
    for name, command in group.commands.items():
        words = f"{above} {name}".strip()
        if isinstance(command, TyperGroup):
            yield from commands(command, words)
        else:
            yield words, command.epilog or ""


def root() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_verb_has_a_command_or_a_reason_to_have_none(verb: str):
    assert (verb in COMMANDS) != (verb in EXEMPT), f"{verb}: give it a command, or say in EXEMPT why it has none"


def test_no_verb_is_named_that_is_gone():
    assert {*COMMANDS, *EXEMPT} == set(VERBS)
    assert set(COMMANDS.values()) <= {words for words, _ in commands(root())}


@pytest.mark.parametrize(("words", "epilog"), list(commands(root())))
def test_the_help_of_a_command_ends_with_examples_of_it(words: str, epilog: str):
    _, *examples = epilog.split("\n\n")

    assert examples
    assert all(example.startswith(f"memory {words}") for example in examples)
