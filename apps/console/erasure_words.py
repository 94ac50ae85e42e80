"""What people call what an erasure is about, does and takes: codes of kinds, steps, stores and tables in words."""

from collections.abc import Mapping
from typing import Final

from apps.api.erasure.contract import Erasure
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject

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
TABLES: Final[Mapping[str, str]] = {
    "curation_entry": "Lines of MEMORY.md",
    "curation_proposal": "Proposals for MEMORY.md",
    "graph_alias": "Names of entities",
    "graph_asked_episode": "Questions of cause and effect",
    "graph_entity": "Entities",
    "graph_mention": "Mentions of entities",
    "graph_relation": "Statements in the graph",
    "index_document": "Texts of the search index",
    "index_embedding256": "Vectors (256 numbers)",
    "index_embedding384": "Vectors (384 numbers)",
    "journal_event": "Events for those who listen",
    "journal_log_text": "Words that agents logged",
    "lessons_lesson": "Lessons",
    "lessons_version": "Changes of lessons",
    "memory_audience_clock": "Counters of changes",
    "memory_cold_item": "Words packed away",
    "memory_extraction": "Readings of messages",
    "memory_forget_batch": "Acts of forgetting",
    "memory_forgotten_unit": "What was forgotten in them",
    "memory_item": "Memories",
    "memory_item_feedback": "What was said of memories",
    "memory_item_link": "Links between memories",
    "memory_item_source": "Sources of memories",
    "memory_item_use": "Uses of memories",
    "memory_item_version": "Changes of memories",
    "memory_rejection": "What was turned down",
    "memory_suppression": "What may not be learnt again",
    "resources_checkpoint": "Turns as agents reported them",
    "resources_resource": "Messages",
    "resources_session": "Sessions",
    "retrieval_recall": "Questions that were asked",
    "retrieval_recalled": "Answers to questions",
    "summaries_category_summary": "Summaries",
    "summaries_version": "Versions of summaries",
    "tenants_api_key": "Keys bound to the user",
    "triggers_future_trigger": "Triggers",
    "valkey": "Keys of Valkey",
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


def place(code: str) -> str:
    """Where something was found again: a column of a table, or a store."""
    table, _, column = code.partition(".")
    told = TABLES.get(table) or STORES.get(table, table)
    return f"{told} ({column})" if column else told
