"""Which adapter stands behind each port: chosen by the environment, imported and made on first use, once a process.

Adapters are named by dotted path, because a process pays memory for each client library it imports.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import structlog
from django.utils.module_loading import import_string
from pydantic import SecretStr

from apps.core.spending import permit
from apps.environment import Environment, environment
from memory_platform.circuit import MODELS, PROMPT, Pacing
from memory_platform.ports import (
    Adviser,
    Appraiser,
    Arbiter,
    CauseInferrer,
    Curator,
    Embedder,
    Extractor,
    GraphServer,
    Reader,
    Relator,
    Rewriter,
    Summariser,
)
from memory_platform.text import tokens
from memory_platform.text.languages import ENGLISH

log = structlog.get_logger(__name__)

_EMBEDDERS: Mapping[str, str] = {
    "minilm": "memory_platform.adapters.encoder.EncoderEmbedder",
    "wordllama": "memory_platform.adapters.wordllama.WordLlamaEmbedder",
    "openai": "memory_platform.adapters.openai_embedder.OpenAiEmbedder",
}
_MULTILINGUAL = "memory_platform.adapters.multilingual"
_CLAUSE_EXTRACTOR = "memory_platform.adapters.clause_extractor.ClauseExtractor"
_READER = "memory_platform.adapters.spacy_reader.SpacyReader"
_REMEMBERING_READER = "memory_platform.adapters.remembering_reader.RememberingReader"
_JUDGE = "memory_platform.adapters.claim_judge.ClaimJudge"
_ADVISER = "memory_platform.adapters.guidance.GuidanceHead"
_LLM_EXTRACTOR = "memory_platform.adapters.openai_extractor.OpenAiExtractor"
_LLM_ARBITER = "memory_platform.adapters.openai_arbiter.OpenAiArbiter"
_GRAPH_SERVER = "memory_platform.adapters.neo4j.Neo4jGraph"
_LLM_REWRITER = "memory_platform.adapters.openai_rewriter.OpenAiRewriter"
_LLM_INFERRER = "memory_platform.adapters.openai_causes.OpenAiCauseInferrer"
_LLM_SUMMARISER = "memory_platform.adapters.openai_summaries.OpenAiSummariser"
_LLM_CURATOR = "memory_platform.adapters.openai_curation.OpenAiCurator"
_BREAKER = "apps.core.breakers.SharedBreaker"
_ENDPOINT = "memory_platform.adapters.openai_endpoint.Endpoint"
REWRITE_SECONDS = 2.0
"""What recall waits for a rewrite."""
EMBEDDING_SECONDS = 30.0
"""What a job waits for vectors from another server."""
PROMPT_SECONDS = 2.0
"""What an attempt may take, after a pause, for which somebody waits."""
# Servers without authentication take any key; the client library wants one.
_ANY_KEY = "none"


@cache
def embedder() -> Embedder:
    """The model that documents are indexed with and queries are embedded with."""
    chosen = environment()
    return _embedder(chosen, chosen.embedder)


@cache
def former_embedder() -> Embedder | None:
    """What read documents before `embedder` was chosen; None: nothing else did."""
    chosen = environment()
    if chosen.embedder_before in {"none", chosen.embedder}:
        return None
    return _embedder(chosen, chosen.embedder_before)


@cache
def multilingual_embedder() -> Embedder | None:
    """What reads texts that are not English, beside `embedder`; None: that one reads everything."""
    chosen = environment()
    if chosen.embedder == "openai" or chosen.multilingual_embedder == "none":
        return None
    if obstacle := import_string(f"{_MULTILINGUAL}.obstacle")():
        log.warning("texts that are not English are read by the English model", reason=obstacle)
        return None
    return cast("Embedder", import_string(f"{_MULTILINGUAL}.MultilingualEmbedder")())


def embedder_of(language: str) -> Embedder:
    """What reads texts in a language."""
    return (None if language == ENGLISH else multilingual_embedder()) or embedder()


@cache
def extractor() -> Extractor:
    """The configured LLM, or our own reading."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return fallback_extractor()
    extractor = import_string(_LLM_EXTRACTOR)(
        _llm(chosen, chosen.llm_timeout_seconds),
        printed=fallback_extractor(),
        timeout_seconds=chosen.llm_timeout_seconds,
    )
    return cast("Extractor", extractor)


@cache
def fallback_extractor() -> Extractor:
    """What extracts when the LLM does not: always at hand, no network."""
    return cast("Extractor", import_string(_CLAUSE_EXTRACTOR)(reader(), appraiser()))


@cache
def reader() -> Reader:
    """What parses texts, and remembers what it read last."""
    return cast("Reader", import_string(_REMEMBERING_READER)(import_string(_READER)()))


@cache
def appraiser() -> Appraiser:
    """What says how much a clause is worth."""
    return cast("Appraiser", import_string(_JUDGE)(intra_op_threads=environment().embedder_threads))


@cache
def relator() -> Relator:
    """What says how two claims relate."""
    return cast("Relator", import_string(_JUDGE)(intra_op_threads=environment().embedder_threads))


@cache
def adviser() -> Adviser:
    """What says how surely a memory tells an agent how to act."""
    return cast("Adviser", import_string(_ADVISER)(intra_op_threads=environment().embedder_threads))


@cache
def rewriter() -> Rewriter | None:
    """The LLM that rewrites queries; None: the deterministic rewrite is all there is."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return None
    return cast("Rewriter", import_string(_LLM_REWRITER)(_llm(chosen, REWRITE_SECONDS, use="rewrite")))


@cache
def arbiter() -> Arbiter | None:
    """The LLM that gives a second opinion on how two claims relate; None: the first one stands."""
    return cast("Arbiter | None", _of_llm(_LLM_ARBITER))


@cache
def cause_inferrer() -> CauseInferrer | None:
    """The LLM that says which message caused the next; None: rules are all there is."""
    return cast("CauseInferrer | None", _of_llm(_LLM_INFERRER))


@cache
def summariser() -> Summariser | None:
    """The LLM that writes summaries; None: they are arranged by rules."""
    return cast("Summariser | None", _of_llm(_LLM_SUMMARISER))


@cache
def curator() -> Curator | None:
    """The LLM that proposes changes of the curated memory and reviews them; None: rules, heads and people do."""
    return cast("Curator | None", _of_llm(_LLM_CURATOR))


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


def _embedder(chosen: Environment, name: str) -> Embedder:
    return cast("Embedder", import_string(_EMBEDDERS[name])(**_embedder_settings(chosen, name)))


def _embedder_settings(chosen: Environment, name: str) -> dict[str, Any]:
    if name == "openai":
        return {
            "endpoint": _remote_embeddings(chosen, "embed", EMBEDDING_SECONDS),
            "prompt": _remote_embeddings(chosen, "prompt", PROMPT_SECONDS, PROMPT),
            "dimensions": chosen.embedding_dimension,
        }
    return {"intra_op_threads": chosen.embedder_threads} if name == "minilm" else {}


def _remote_embeddings(chosen: Environment, use: str, probe_seconds: float, pacing: Pacing = MODELS) -> object:
    base_url = _required(chosen.embedding_base_url, "MEMORY_EMBEDDING_BASE_URL")
    model = chosen.embedding_model
    breaker = _breaker(base_url, model, use, probe_seconds=probe_seconds, pacing=pacing)
    return _endpoint(base_url, chosen.embedding_api_key, model, breaker=breaker)


def _of_llm(adapter: str) -> object | None:
    """An adapter of the configured LLM, by its dotted path; None where none is configured."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return None
    seconds = chosen.llm_timeout_seconds
    made: object = import_string(adapter)(_llm(chosen, seconds), timeout_seconds=seconds)
    return made


def _llm(chosen: Environment, deadline_seconds: float, *, use: str = "work") -> object:
    base_url = _required(chosen.llm_base_url, "MEMORY_LLM_BASE_URL")
    model = _required(chosen.llm_model, "MEMORY_LLM_MODEL")
    breaker = _breaker(base_url, model, use, probe_seconds=deadline_seconds)
    return _endpoint(base_url, chosen.llm_api_key, model, breaker=breaker)


def _breaker(base_url: str, model: str, use: str, **settings: object) -> object:
    """One for each `use` of a model: what is late for a recall may be in time for a job."""
    server = hashlib.blake2b(base_url.encode(), digest_size=4).hexdigest()
    return import_string(_BREAKER)(f"{model}:{server}:{use}", **settings)


def _endpoint(base_url: str, api_key: SecretStr | None, model: str, **options: object) -> object:
    key = api_key.get_secret_value() if api_key else ""
    made: object = import_string(_ENDPOINT)(
        base_url=base_url, api_key=key or _ANY_KEY, model=model, permit=permit, **options
    )
    return made


def _required(value: str | None, name: str) -> str:
    if not value:
        raise ValueError(f"{name} is not set; see docs/guides/configuration.md.")
    return value
