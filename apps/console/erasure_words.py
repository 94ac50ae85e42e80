"""What people call what an erasure is about, does and takes: codes of kinds, steps, stores and tables in words."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from django.apps import apps

from apps.api.erasure.contract import Erasure
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.residue import COPY, FILE, VALKEY

OVER: Final[Mapping[ErasureKind, str]] = {
    ErasureKind.USER: "A user",
    ErasureKind.SESSION: "A session",
    ErasureKind.ENTITY: "Somebody or something by name",
    ErasureKind.MEMORIES: "Memories and messages, named one by one",
    ErasureKind.RETENTION: "What a category keeps no longer",
}
"""What an erasure was about once it names nobody any more."""
STEPS: Final[Mapping[str, str]] = {
    "closed": "Closed to every read",
    "derived": "Lessons, triggers, summaries and curated lines",
    "file": "The history of MEMORY.md",
    "index": "Search index and vectors",
    "graph": "Names and what is stated of them",
    "copy": "The copy of the graph in Neo4j",
    "traces": "Traces of recalls",
    "memory": "Memories",
    "resources": "Messages and sessions",
    "journal": "What agents logged in their own words",
    "keys": "Keys bound to the user",
    "cache": "What Valkey remembers",
    "renewed": "What was said since, read anew",
}
LAST_STEP: Final = "Searched everywhere, and signed"
_MODELS: Final[Mapping[str, str]] = {
    "curation.CuratedEntry": "Lines of MEMORY.md",
    "curation.Proposal": "Proposals for MEMORY.md",
    "graph.Alias": "Names of entities",
    "graph.AskedEpisode": "Questions of cause and effect",
    "graph.Entity": "Entities",
    "graph.Mention": "Mentions of entities",
    "graph.Relation": "Statements in the graph",
    "index.Document": "Texts of the search index",
    "index.Embedding256": "Vectors (256 numbers)",
    "index.Embedding384": "Vectors (384 numbers)",
    "journal.Event": "Events for those who listen",
    "journal.LogText": "Words that agents logged",
    "lessons.Lesson": "Lessons",
    "lessons.LessonVersion": "Changes of lessons",
    "memory.AudienceClock": "Counters of changes",
    "memory.ColdItem": "Words packed away",
    "memory.Extraction": "Readings of messages",
    "memory.ForgetBatch": "Acts of forgetting",
    "memory.ForgottenUnit": "What was forgotten in them",
    "memory.Item": "Memories",
    "memory.ItemFeedback": "What was said of memories",
    "memory.ItemLink": "Links between memories",
    "memory.ItemSource": "Sources of memories",
    "memory.ItemUse": "Uses of memories",
    "memory.ItemVersion": "Changes of memories",
    "memory.Rejection": "What was turned down",
    "memory.Suppression": "What may not be learnt again",
    "resources.Checkpoint": "Turns as agents reported them",
    "resources.Resource": "Messages",
    "resources.Session": "Sessions",
    "retrieval.Recall": "Questions that were asked",
    "retrieval.Recalled": "Answers to questions",
    "summaries.CategorySummary": "Summaries",
    "summaries.SummaryVersion": "Versions of summaries",
    "tenants.ApiKey": "Keys bound to the user",
    "triggers.FutureTrigger": "Triggers",
}
"""Rows by the models that hold them."""
_ELSEWHERE: Final[Mapping[str, str]] = {
    VALKEY: "Keys of Valkey",
    COPY: "Nodes of the copy in Neo4j",
    FILE: "Commits of MEMORY.md, made anew",
}
TARGETS: Final[Mapping[str, str]] = {
    "item": "Memories",
    "resource": "Messages",
    "session": "Sessions",
    "entity": "Names",
}
STORES: Final[Mapping[str, str]] = {
    "postgresql": "the database",
    "valkey": "Valkey",
    "neo4j": "the copy in Neo4j",
    "git": "the repository of MEMORY.md",
}


def about(erasure: Erasure) -> str:
    """Whom or what it is about, as long as it says so; then only what kind of thing that was."""
    if not isinstance(erasure.about, dict) or not erasure.about:
        return OVER[erasure.kind]
    return Subject.of_json(erasure.kind, erasure.about).told


def rows(name: str) -> str | None:
    """What a preview or a receipt counts under this name; None for what has no words of its own."""
    return _by_table().get(name)


@cache
def _by_table() -> Mapping[str, str]:
    named = {apps.get_model(label)._meta.db_table: told for label, told in _MODELS.items()}  # noqa: SLF001
    return {**named, **_ELSEWHERE}


def place(code: str) -> str:
    """Where something was found again: a column of a table, or a store."""
    table, _, column = code.partition(".")
    told = STORES.get(table) or rows(table) or table
    return f"{told} ({column})" if column else told
