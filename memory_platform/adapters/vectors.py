"""What every embedder does before and after its model: texts it can read, rows of length 1."""

from collections.abc import Sequence

import numpy as np

from memory_platform.ports import Vectors

BLANK = "."
"""Stands in for a text without a visible character: models have no vector for nothing, and one empty text must not
fail the batch it came with."""


def readable(texts: Sequence[str]) -> list[str]:
    """The texts with lone surrogates replaced (tokenizers take UTF-8 only) and blank ones as BLANK."""
    return [text.encode("utf-8", "replace").decode() if text.strip() else BLANK for text in texts]


def unit_rows(vectors: Vectors) -> Vectors:
    """Each row divided by its length."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
