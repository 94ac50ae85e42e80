"""Which adapter stands behind each port: chosen by the environment, imported and made on first use, once a process.

Adapters are named by dotted path, because a process pays memory for each client library it imports.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import structlog
from django.utils.module_loading import import_string

from config.environment import Environment, environment
from memory_platform import tokens
from memory_platform.ports import Embedder, Extractor, GraphServer, Rewriter

log = structlog.get_logger(__name__)

_EMBEDDERS: Mapping[str, str] = {
    "minilm": "memory_platform.adapters.minilm_onnx.MiniLmEmbedder",
    "wordllama": "memory_platform.adapters.wordllama.WordLlamaEmbedder",
    "openai": "memory_platform.adapters.openai_compatible.OpenAiEmbedder",
}
_RULES_EXTRACTOR = "memory_platform.adapters.rules.RulesExtractor"
_LLM_EXTRACTOR = "memory_platform.adapters.openai_compatible.OpenAiExtractor"
_GRAPH_SERVER = "memory_platform.adapters.neo4j.Neo4jGraph"
_LLM_REWRITER = "memory_platform.adapters.openai_compatible.OpenAiRewriter"


@cache
def embedder() -> Embedder:
    """The model that documents are indexed with and queries are embedded with."""
    chosen = environment()
    return cast("Embedder", import_string(_EMBEDDERS[chosen.embedder])(**_embedder_settings(chosen)))


@cache
def extractor() -> Extractor:
    """The configured LLM, or rules."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return fallback_extractor()
    settings = {**_llm_settings(chosen), "timeout": chosen.llm_timeout_seconds}
    return cast("Extractor", import_string(_LLM_EXTRACTOR)(**settings))


@cache
def fallback_extractor() -> Extractor:
    """What extracts when the LLM does not: always at hand, no network."""
    return cast("Extractor", import_string(_RULES_EXTRACTOR)())


@cache
def rewriter() -> Rewriter | None:
    """The LLM that rewrites queries; None: the deterministic rewrite is all there is."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return None
    return cast("Rewriter", import_string(_LLM_REWRITER)(**_llm_settings(chosen)))


@cache
def graph_server() -> GraphServer | None:
    """The server that keeps a copy of the graph; None: there is only SQL."""
    chosen = environment()
    if chosen.neo4j_url is None:
        return None
    password = chosen.neo4j_password.get_secret_value() if chosen.neo4j_password else ""
    settings = {
        "url": chosen.neo4j_url,
        "user": chosen.neo4j_user,
        "password": _required(password, "MEMORY_NEO4J_PASSWORD"),
        "database": chosen.neo4j_database,
    }
    return cast("GraphServer", import_string(_GRAPH_SERVER)(**settings))


def warm() -> None:
    """Load what the first request would otherwise wait for: the local embedder and the tokenizer. Never raises."""
    try:
        if environment().embedder != "openai":
            embedder().embed(["warm"])
        tokens.count("warm")
    except Exception:
        log.exception("warming up failed")


def _embedder_settings(chosen: Environment) -> dict[str, Any]:
    if chosen.embedder == "openai":
        return {
            "base_url": _required(chosen.embedding_base_url, "MEMORY_EMBEDDING_BASE_URL"),
            "api_key": chosen.embedding_api_key.get_secret_value() if chosen.embedding_api_key else "",
            "model": chosen.embedding_model,
            "dimension": chosen.embedding_dimension,
        }
    return {"intra_op_threads": chosen.embedder_threads} if chosen.embedder == "minilm" else {}


def _llm_settings(chosen: Environment) -> dict[str, Any]:
    return {
        "base_url": chosen.llm_base_url,
        "api_key": chosen.llm_api_key.get_secret_value() if chosen.llm_api_key else "",
        "model": _required(chosen.llm_model, "MEMORY_LLM_MODEL"),
    }


def _required(value: str | None, name: str) -> str:
    if not value:
        raise ValueError(f"{name} is not set; see docs/guides/configuration.md.")
    return value
