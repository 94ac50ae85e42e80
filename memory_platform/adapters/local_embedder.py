"""What embedders that run in this process have in common: batches under one deadline, and what they spent."""

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from typing_extensions import override

from memory_platform.adapters.vectors import NamedEmbedder, readable, unit_rows
from memory_platform.errors import ProviderRetryable
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Vectors


class LocalEmbedder(NamedEmbedder):
    """Cheap to construct: an adapter loads its model at the first text, and gives the `_vectors` of a batch."""

    def __init__(self, *, model: str, dimension: int, thresholds: Thresholds, batch_size: int) -> None:
        super().__init__(model=model, dimension=dimension, thresholds=thresholds)
        self._batch_size = batch_size

    @override
    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        """See the port. `timeout` is looked at between batches, so it is overrun by one batch at most."""
        started = time.perf_counter()
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        tokens = 0
        for places in self._batches(texts):
            found, read = self._vectors(readable([texts[place] for place in places]), as_questions=as_questions)
            vectors[places] = unit_rows(found)
            tokens += read
            if timeout is not None and time.perf_counter() - started > timeout:
                raise ProviderRetryable(f"Embedding {len(texts)} texts took longer than {timeout} s.")
        elapsed = (time.perf_counter() - started) * 1000
        return vectors, ModelUsage(
            self._model, tokens_in=tokens, embedding_calls=1 if texts else 0, milliseconds=elapsed
        )

    def _batches(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Places of texts of like length: a batch takes as long as its longest."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        return (order[start : start + self._batch_size] for start in range(0, len(order), self._batch_size))

    @abstractmethod
    def _vectors(self, texts: Sequence[str], *, as_questions: bool) -> tuple[Vectors, int]:
        """Rows of any length, of shape (len(texts), dimension), and the tokens read, 0 where the model does not say."""
