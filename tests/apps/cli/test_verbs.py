"""Every verb of the platform has a command, or a reason to have none."""

from pathlib import Path

import pytest

from apps.api.verbs import VERBS
from tests.apps.cli import commands

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "command-line.md"
EXAMPLES = commands.examples()

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
    "withdrawConfirmation": "confirm",
    "unmerge": "unmerge",
    "giveFeedback": "feedback",
    "withdrawFeedback": "feedback",
    "forget": "forget",
    "restore": "unforget",
    "share": "share",
    "recallShared": "recall",
    "rememberShared": "remember",
    "sharedDomains": "domains",
    "captureTurn": "capture",
    "ingest": "import",
    "startSession": "session start",
    "heartbeat": "session heartbeat",
    "endSession": "session end",
    "branchSession": "session branch",
    "recover": "session recover",
    "observe": "observe",
    "sessions": "session list",
    "session": "session show",
    "checkpoint": "checkpoint",
    "replay": "replay",
    "entity": "entity",
    "entities": "entities",
    "path": "path",
    "mergeEntities": "merge-entities",
    "summaries": "summary",
    "summary": "summary",
    "summaryVersions": "summary",
    "triggers": "triggers",
    "createTrigger": "remind",
    "snoozeTrigger": "snooze",
    "completeTrigger": "done",
    "dismissTrigger": "dismiss",
    "lessons": "lessons",
    "lessonsFile": "lessons",
    "dismissLesson": "unlearn",
    "curatedMemory": "curated show",
    "proposals": "proposals",
    "reviewQueue": "queue",
    "retryJob": "retry",
    "decideProposal": "decide",
    "reflect": "reflect",
    "checkCuratedMemory": "curated check",
    "rebuildCuratedMemory": "curated rebuild",
    "restoreCuratedMemory": "curated restore",
    "splitEntity": "split-entity",
    "graphStatus": "graph status",
    "backfillGraph": "graph backfill",
    "checkGraph": "graph check",
    "repairGraph": "graph repair",
    "rebuildGraph": "graph rebuild",
    "runMaintenance": "maintain",
    "schedules": "schedules",
    "healthReport": "health",
    "viewer": "whoami",
    "stats": "stats",
    "categories": "categories",
    "previewCategory": "category",
    "createCategory": "category",
    "updateCategory": "category",
    "jobs": "jobs",
    "journal": "journal",
    "logAction": "log",
    "memoryEvents": "watch",
    "usage": "usage",
    "keys": "keys list",
    "budgets": "budgets list",
    "setBudget": "budgets set",
    "deleteBudget": "budgets delete",
    "createApiKey": "keys create",
    "rotateApiKey": "keys rotate",
    "revokeApiKey": "keys revoke",
    "previewErasure": "erase preview",
    "requestErasure": "erase request",
    "approveErasure": "erase approve",
    "rejectErasure": "erase reject",
    "erasures": "erase list",
    "erasure": "erase receipt",
    "verifyReceipt": "erase verify",
    "exportAbout": "erase export",
    "importLines": "erase import",
}
EXEMPT = {
    "tryRecall": "weighs numbers against each other; the console asks it",
    "tryContext": "weighs numbers against each other; the console asks it",
    "neighbourhood": "what the console draws; `entity` lists who is related",
    "sessionTrace": "a page of the console: each turn with all that came of it; `replay` prints the turns",
    "curatedHistory": "`git log -p` in a clone shows it",
    "runSchedule": "`maintain` runs what people run by hand; the console has a button beside each of the others",
    "changeSchedule": "changed in the console and the admin, where the next run is shown",
    "simulatePolicy": "weighs numbers against each other; the admin or a script asks it",
    "memoryLinks": "a step of GraphQL from a memory to others; `explain` shows them",
    "memoryVersions": "a step of GraphQL from a memory to its changes; `explain` shows them",
    "sources": "a step of GraphQL from a row to its message; `show` and `explain` name it",
    "entitiesNamed": "a step of GraphQL from a memory's names to entities; `entity` takes a name",
}


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_a_verb_has_a_command_or_a_reason_to_have_none(verb: str):
    assert (verb in COMMANDS) != (verb in EXEMPT), f"{verb}: give it a command, or say in EXEMPT why it has none"


def test_no_verb_is_named_that_is_gone():
    assert {*COMMANDS, *EXEMPT} == set(VERBS)
    assert set(COMMANDS.values()) <= set(EXAMPLES)


@pytest.mark.parametrize("words", EXAMPLES)
def test_the_help_of_a_command_ends_with_examples_of_it(words: str):
    assert EXAMPLES[words]
    assert all(f"{example} ".startswith(f"memory {words} ") for example in EXAMPLES[words])


def test_the_guide_shows_every_command_by_examples_that_are_run():
    lines = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("memory ")]

    assert set(lines) <= {example for shown in EXAMPLES.values() for example in shown}
    of_other_guides = {"graph check", "graph repair", "graph rebuild", "backup", "restore", "database prepare"}
    of_other_guides |= {words for words in EXAMPLES if words.startswith("erase ")}
    of_other_guides |= {"curated check", "curated rebuild", "curated restore", "curated verify", "decide", "retry"}
    unshown = {words for words in EXAMPLES if not any(f"{line} ".startswith(f"memory {words} ") for line in lines)}
    assert unshown == of_other_guides
