"""The default embedder: MiniLM-L6 fine-tuned on our own stories (heads/MODELS.md), int8. No network."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.local_embedder import LocalEmbedder
from memory_platform.adapters.onnx_model import HEADS, OnnxModel, Tokens
from memory_platform.model import Thresholds
from memory_platform.ports import Vectors

MODEL: Final = "memory-encoder-1"
DIMENSION: Final = 384
BATCH_SIZE: Final = 16
"""Texts between two looks at the deadline."""
MAX_TOKENS: Final = 256
"""max_seq_length of sentence-transformers/all-MiniLM-L6-v2, which it grew from."""
THRESHOLDS: Final = Thresholds(duplicate=0.78, related=0.2, centre=0.15, spread=0.1)
"""`python -m bench calibrate` prints them. Changes of a fact are often told in words that lie far from the old ones:
`related` is low, and the relator says what is not (heads/MODELS.md, "How they run")."""


class EncoderEmbedder(LocalEmbedder):
    """One thread a call by default, so that concurrent requests share the cores instead of fighting for them."""

    def __init__(self, *, intra_op_threads: int = 1, path: Path = HEADS / "encoder.onnx") -> None:
        super().__init__(model=MODEL, dimension=DIMENSION, thresholds=THRESHOLDS, batch_size=BATCH_SIZE)
        self._threads = intra_op_threads
        self._path = path

    @override
    def _vectors(self, texts: Sequence[str], *, as_questions: bool) -> tuple[Vectors, int]:
        model, words = OnnxModel(self._path, threads=self._threads), Tokens()
        encodings = [words.single(text, limit=MAX_TOKENS) for text in texts]
        vectors = np.stack([outputs["embedding"] for outputs in model.run(encodings)])
        return vectors, sum(len(encoding.ids) for encoding in encodings)
