"""What every embedder has: what it says of itself; texts its model can read before it, rows of length 1 behind it."""

from collections.abc import Sequence

import numpy as np
from typing_extensions import override

from memory_platform.model import Thresholds
from memory_platform.ports import Embedder, Vectors

BLANK = "."
"""Stands in for a text without a visible character: models have no vector for nothing, and one empty text must not
fail the batch it came with."""


class NamedEmbedder(Embedder):
    """Under one name, with vectors of one length and one set of thresholds for as long as it lives."""

    def __init__(self, *, model: str, dimension: int, thresholds: Thresholds) -> None:
        self._model = model
        self._dimension = dimension
        self._thresholds = thresholds

    @property
    @override
    def model(self) -> str:
        return self._model

    @property
    @override
    def dimension(self) -> int:
        return self._dimension

    @property
    @override
    def thresholds(self) -> Thresholds:
        return self._thresholds


def readable(texts: Sequence[str]) -> list[str]:
    """The texts with lone surrogates replaced (tokenizers take UTF-8 only) and blank ones as BLANK."""
    return [text.encode("utf-8", "replace").decode() if text.strip() else BLANK for text in texts]


def unit_rows(vectors: Vectors) -> Vectors:
    """Each row divided by its length."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
