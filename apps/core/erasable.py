"""Every column of a tenant table that can hold what people or agents said, or who they are.

Erasing goes through ERASABLE. Text that is neither (codes, slugs, hashes, counts, labels an administrator chose) is
NOT_CONTENT. A policy test compares both with the catalogue, so that a new column has to take a side.
"""

from collections.abc import Mapping

ERASABLE: Mapping[str, frozenset[str]] = {
    "graph_alias": frozenset({"name", "name_key", "user_id"}),
    "graph_entity": frozenset({"canonical_name", "name_key", "summary", "user_id"}),
    "graph_mention": frozenset({"user_id"}),
    "graph_relation": frozenset({"object_text", "quote", "user_id"}),
    "index_document": frozenset({"entities", "service", "text", "user_id"}),
    "journal_log_text": frozenset({"action", "detail", "reason", "tool", "user_id"}),
    "memory_audience_clock": frozenset({"user_id"}),
    "memory_extraction": frozenset({"observation", "user_id"}),
    "memory_forget_batch": frozenset({"reason", "user_id"}),
    "memory_item": frozenset(
        {
            "lead_in",
            "attribute",
            "entity_names",
            "external_id",
            "qualifier",
            "reported_by",
            "said_by",
            "service",
            "subject",
            "text",
            "user_id",
            "value",
        }
    ),
    "memory_item_link": frozenset({"detail", "undo", "user_id"}),
    "memory_item_source": frozenset({"quote", "user_id"}),
    "memory_item_version": frozenset({"after", "before", "reason", "user_id"}),
    "memory_rejection": frozenset({"detail", "text", "user_id"}),
    "resources_checkpoint": frozenset({"internal_state", "llm_output", "tool_calls", "user_id", "user_input"}),
    "resources_resource": frozenset({"external_id", "raw_content", "speaker", "user_id"}),
    "resources_session": frozenset({"external_id", "user_id"}),
    "retrieval_recall": frozenset({"query", "rewritten", "user_id"}),
    "tenants_api_key": frozenset({"user_id"}),
}

NOT_CONTENT: Mapping[str, frozenset[str]] = {
    "budgets_usage": frozenset({"model", "operation"}),
    "graph_alias": frozenset({"kind", "visibility"}),
    "graph_entity": frozenset({"type", "visibility"}),
    "graph_mention": frozenset({"unit", "visibility"}),
    "graph_relation": frozenset({"from_unit", "kind", "origin", "predicate", "to_unit", "unit", "visibility"}),
    "index_document": frozenset({"category", "kind", "unit", "visibility"}),
    "index_embedding256": frozenset({"model"}),
    "index_embedding384": frozenset({"model"}),
    "jobs_job": frozenset(
        {
            "arguments",
            "dedup_key",
            "error",
            "locked_by",
            "name",
            "outcome",
            "request_id",
            "serial_key",
            "state",
        }
    ),
    "journal_entry": frozenset({"actor", "data", "operation", "request_id", "subject"}),
    "memory_audience_clock": frozenset({"visibility"}),
    "memory_extraction": frozenset({"degraded", "extractor", "visibility"}),
    "memory_forget_batch": frozenset({"by"}),
    "memory_forgotten_unit": frozenset({"status_before", "status_reason_before", "unit"}),
    "memory_item": frozenset(
        {
            "category",
            "claim_hash",
            "kind",
            "language",
            "mood",
            "priority",
            "sentiment",
            "status",
            "status_reason",
            "strength",
            "verdict",
            "verdict_reason",
            "visibility",
        }
    ),
    "memory_item_link": frozenset({"kind", "reason", "visibility"}),
    "memory_item_source": frozenset({"visibility"}),
    "memory_item_version": frozenset({"operation", "visibility"}),
    "memory_rejection": frozenset({"reason", "scores", "stage", "verdict", "visibility"}),
    "memory_suppression": frozenset({"claim_hash"}),
    "resources_checkpoint": frozenset({"visibility"}),
    "resources_resource": frozenset({"content_type", "role", "visibility"}),
    "retrieval_recall": frozenset({"degraded", "intent", "profile", "stage_milliseconds"}),
    "retrieval_recalled": frozenset({"scores", "tags", "unit"}),
    "tenants_agent": frozenset({"domain", "name", "slug"}),
    "tenants_api_key": frozenset({"name", "prefix", "scopes"}),
    "tenants_category": frozenset({"keywords", "label", "purpose", "retention", "slug"}),
    "tenants_membership": frozenset({"invited_as", "role"}),
    "tenants_policy": frozenset({"fusion"}),
}
