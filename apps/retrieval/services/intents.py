"""What a question is after: its vector against the examples, embedded once a process and model; else its words."""

import threading
import time
from typing import Final

import structlog

from apps.core import providers
from apps.environment import environment
from memory_platform.errors import ProviderError
from memory_platform.model import Intent, ModelUsage
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import intent, query
from memory_platform.retrieval.intent import IntentExamples

EXAMPLES_SECONDS: Final = 5.0
TRY_AGAIN_SECONDS: Final = 60.0
TELLING: Final = frozenset({Intent.WHY, Intent.WHEN, Intent.WHO})

_examples: dict[str, IntentExamples] = {}
_failed_at: dict[str, float] = {}
_loading = threading.Lock()

log = structlog.get_logger(__name__)


def of(
    message: str, vector: Vectors | None, *, embedder: Embedder, threshold: float, usages: list[ModelUsage]
) -> Intent:
    """Return the intent of `message`, `vector` being its own; a statement asks for nothing in particular.

    Whoever is the first to need the examples pays for them: that is added to `usages`.

    A word that says why, when or who is believed, then the vector where it is near an example, then the other words:
    the best of the orders tried (ADR 8).
    """
    worded = query.intent_of(message)
    if worded in TELLING or vector is None or query.is_statement(message):
        return worded
    known = _examples_of(embedder, usages)
    return (known and intent.nearest(vector, known, threshold=threshold)) or worded


def warm() -> None:
    """Embed the examples where that costs nothing, so that no question waits for it; words do until they are there."""
    if environment().embedder != "openai":
        _examples_of(providers.embedder(), [])


def _examples_of(embedder: Embedder, usages: list[ModelUsage]) -> IntentExamples | None:
    """None while the model cannot be reached, or another thread is at it."""
    held = _examples.get(embedder.model)
    if held is not None or not _loading.acquire(blocking=False):
        return held
    try:
        return _loaded(embedder, usages)
    finally:
        _loading.release()


def _loaded(embedder: Embedder, usages: list[ModelUsage]) -> IntentExamples | None:
    name = embedder.model
    if name not in _examples and time.monotonic() - _failed_at.get(name, -TRY_AGAIN_SECONDS) >= TRY_AGAIN_SECONDS:
        try:
            vectors, usage = embedder.embed(intent.texts(), timeout=EXAMPLES_SECONDS)
        except ProviderError as error:
            usages += [error.usage] if error.usage else []
            _failed_at[name] = time.monotonic()
            log.warning("intent examples not embedded", error=type(error).__name__)
        else:
            usages.append(usage)
            _examples[name] = intent.examples(vectors)
    return _examples.get(name)
