"""WordLlama: static word vectors, 256 dimensions, tens of microseconds a text; for tests and small machines."""

import importlib.util
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.local_embedder import LocalEmbedder
from memory_platform.errors import ProviderRefused
from memory_platform.loading import loaded_once
from memory_platform.model import Thresholds
from memory_platform.ports import Vectors

MODEL: Final = "wordllama-l2-supercat-256"
DIMENSION: Final = 256
THRESHOLDS: Final = Thresholds(duplicate=0.67, related=0.48, spread=0.107, centre=0.16)
"""bench/calibrate.py prints them."""
BATCH_SIZE: Final = 1024
"""Texts between two looks at the deadline."""


class WordLlamaEmbedder(LocalEmbedder):
    """Mean of static token vectors. The weights are read once a process."""

    def __init__(self) -> None:
        super().__init__(model=MODEL, dimension=DIMENSION, thresholds=THRESHOLDS, batch_size=BATCH_SIZE)

    @override
    def _vectors(self, texts: Sequence[str], *, as_questions: bool) -> tuple[Vectors, int]:
        return np.asarray(_model().embed(list(texts)), dtype=np.float32), 0


@loaded_once
def _model() -> Any:
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
