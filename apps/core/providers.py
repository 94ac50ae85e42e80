"""Which adapter stands behind each port: chosen by the environment, made once a process, loaded on first use."""

from functools import cache

from config.environment import Environment, environment
from memory_platform.adapters.minilm_onnx import MiniLmEmbedder
from memory_platform.adapters.openai_compatible import OpenAiEmbedder, OpenAiExtractor, OpenAiRewriter
from memory_platform.adapters.rules import RulesExtractor
from memory_platform.adapters.wordllama import WordLlamaEmbedder
from memory_platform.ports import Embedder, Extractor, Rewriter


@cache
def embedder() -> Embedder:
    """The model that documents are indexed with and queries are embedded with."""
    chosen = environment()
    if chosen.embedder == "openai":
        return OpenAiEmbedder(
            base_url=_required(chosen.embedding_base_url, "MEMORY_EMBEDDING_BASE_URL"),
            api_key=chosen.embedding_api_key.get_secret_value() if chosen.embedding_api_key else "",
            model=chosen.embedding_model,
            dimension=chosen.embedding_dimension,
        )
    if chosen.embedder == "wordllama":
        return WordLlamaEmbedder()
    return MiniLmEmbedder(intra_op_threads=chosen.embedder_threads)


@cache
def extractor() -> Extractor:
    """The configured LLM, or rules."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return fallback_extractor()
    return OpenAiExtractor(
        base_url=chosen.llm_base_url,
        api_key=_llm_key(chosen),
        model=_required(chosen.llm_model, "MEMORY_LLM_MODEL"),
        timeout=chosen.llm_timeout_seconds,
    )


@cache
def fallback_extractor() -> Extractor:
    """What extracts when the LLM does not: always at hand, no network."""
    return RulesExtractor()


@cache
def rewriter() -> Rewriter | None:
    """The LLM that rewrites queries; None: the deterministic rewrite is all there is."""
    chosen = environment()
    if chosen.llm_base_url is None:
        return None
    return OpenAiRewriter(
        base_url=chosen.llm_base_url, api_key=_llm_key(chosen), model=_required(chosen.llm_model, "MEMORY_LLM_MODEL")
    )


def _llm_key(chosen: Environment) -> str:
    return chosen.llm_api_key.get_secret_value() if chosen.llm_api_key else ""


def _required(value: str | None, name: str) -> str:
    if not value:
        raise ValueError(f"{name} is not set; see docs/guides/configuration.md.")
    return value
