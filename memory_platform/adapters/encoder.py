"""The default embedder: MiniLM-L6 fine-tuned on our own stories (heads/MODELS.md), int8. No network."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.onnx_model import HEADS, OnnxModel, Tokens
from memory_platform.adapters.vectors import readable, unit_rows
from memory_platform.errors import ProviderRetryable
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Embedder, Vectors

MODEL: Final = "memory-encoder-1"
DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""max_seq_length of sentence-transformers/all-MiniLM-L6-v2, which it grew from."""
THRESHOLDS: Final = Thresholds(duplicate=0.78, related=0.2, centre=0.15, spread=0.1)
"""`python -m bench calibrate` prints them. Half of all changes of a fact are told in words whose cosine to the old ones
is below .43, a tenth below .24: `related` is low, and the relator says what is not."""


class EncoderEmbedder(Embedder):
    """Cheap to construct: the model is loaded at the first text. One thread a call by default, so that concurrent
    requests share the cores instead of fighting for them.
    """

    def __init__(self, *, intra_op_threads: int = 1, path: Path = HEADS / "encoder.onnx") -> None:
        self._threads = intra_op_threads
        self._path = path

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
        """See the port. `timeout` is looked at between batches, so it is overrun by one batch at most."""
        started = time.perf_counter()
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        tokens = 0
        if texts:
            model = OnnxModel(self._path, threads=self._threads)
            words = Tokens()
            encodings = [words.single(text, limit=MAX_TOKENS) for text in readable(texts)]
            tokens = sum(len(encoding.ids) for encoding in encodings)
            for places, outputs in model.run(encodings):
                vectors[places] = unit_rows(outputs["embedding"])
                if timeout is not None and time.perf_counter() - started > timeout:
                    raise ProviderRetryable(f"Embedding {len(texts)} texts took longer than {timeout} s.")
        elapsed = (time.perf_counter() - started) * 1000
        return vectors, ModelUsage(MODEL, tokens_in=tokens, embedding_calls=1 if texts else 0, milliseconds=elapsed)
