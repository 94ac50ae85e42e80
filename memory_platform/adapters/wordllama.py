"""WordLlama: static word vectors, 256 dimensions, tens of microseconds a text; for tests and small machines."""

import importlib.util
import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.vectors import readable, unit_rows
from memory_platform.errors import ProviderRefused, ProviderRetryable
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Embedder, Vectors

MODEL: Final = "wordllama-l2-supercat-256"
DIMENSION: Final = 256
THRESHOLDS: Final = Thresholds(duplicate=0.67, related=0.48, spread=0.107, centre=0.16)
"""bench/calibrate.py prints them."""
_CHUNK: Final = 1024

_loaded: list[Any] = []
_loading = threading.Lock()


class WordLlamaEmbedder(Embedder):
    """Mean of static token vectors. Cheap to construct: the weights are read at the first text, once a process."""

    @property
    @override
    def model(self) -> str:
        return MODEL

    @property
    @override
    def dimension(self) -> int:
        return DIMENSION

    @property
    @override
    def thresholds(self) -> Thresholds:
        return THRESHOLDS

    @override
    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        """See the port. `timeout` is looked at every 1,024 texts (about 40 ms)."""
        started = time.perf_counter()
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        if texts:
            model, cleaned = _model(), readable(texts)
            for start in range(0, len(cleaned), _CHUNK):
                if timeout is not None and time.perf_counter() - started > timeout:
                    raise ProviderRetryable(f"Embedding {len(texts)} texts took longer than {timeout} s.")
                vectors[start : start + _CHUNK] = unit_rows(model.embed(cleaned[start : start + _CHUNK]))
        elapsed = (time.perf_counter() - started) * 1000
        return vectors, ModelUsage(MODEL, embedding_calls=1 if texts else 0, milliseconds=elapsed)


def _model() -> Any:
    with _loading:
        if not _loaded:
            _loaded.append(_load())
        return _loaded[0]


def _load() -> Any:
    """Read the weights from the package folder: the default load looks elsewhere and would download."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ProviderRefused("The package wordllama is not installed.", hint="Run `uv sync`.")
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    from wordllama import WordLlama  # noqa: PLC0415 - its import configures the root logger, undone below

    root.handlers[:] = handlers
    root.setLevel(level)
    return WordLlama.load(dim=DIMENSION, cache_dir=Path(spec.origin).parent, disable_download=True)
