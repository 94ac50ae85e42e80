"""Embedder over any OpenAI-compatible server."""

import time
from collections.abc import Sequence
from typing import Final

import numpy as np
from openai.types import CreateEmbeddingResponse
from typing_extensions import override

from memory_platform.adapters.openai_endpoint import Endpoint, ModelEndpoint, tallied
from memory_platform.adapters.vectors import NamedEmbedder, readable, unit_rows
from memory_platform.errors import ProviderRefused
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Vectors

THRESHOLDS: Final = Thresholds(duplicate=0.85, related=0.4, spread=0.1, centre=0.2)
"""Not calibrated: the cautious start value of DESIGN's table. Calibrate a model with
`python -m bench.calibrate --base-url … --model …` and pass the result to OpenAiEmbedder."""
_TEXTS_A_REQUEST: Final = 256


class OpenAiEmbedder(NamedEmbedder):
    """Embeddings of a remote model. `dimensions` asks for a shortened (Matryoshka) vector; a server that ignores the
    parameter is cut here, which is the same for models trained that way.

    `prompt` is the same server for who waits, so for calls with a `timeout`: what is late for a recall may be in time
    for a job.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        prompt: Endpoint | None = None,
        dimensions: int = 256,
        thresholds: Thresholds = THRESHOLDS,
        timeout_seconds: float = 30,
        asks_for_dimensions: bool = True,
    ) -> None:
        super().__init__(model=f"{endpoint.model}-{dimensions}", dimension=dimensions, thresholds=thresholds)
        self._server = ModelEndpoint(endpoint)
        self._prompt = self._server if prompt is None else ModelEndpoint(prompt)
        self._timeout_seconds = timeout_seconds
        self._asks_for_dimensions = asks_for_dimensions

    @override
    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        """See the port; without a `timeout` the adapter's own holds. 256 texts a request."""
        server = self._server if timeout is None else self._prompt
        deadline = time.monotonic() + (self._timeout_seconds if timeout is None else timeout)
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        cleaned = readable(texts)
        dimensions = self._dimension if self._asks_for_dimensions else None
        with tallied(server.endpoint, for_embeddings=True) as tally:
            for start in range(0, len(cleaned), _TEXTS_A_REQUEST):
                chunk = cleaned[start : start + _TEXTS_A_REQUEST]
                response = server.embeddings(chunk, deadline=deadline, tally=tally, dimensions=dimensions)
                vectors[start : start + len(chunk)] = self._rows(response, len(chunk))
                tally.used += 1
            return vectors, tally.usage()

    def _rows(self, response: CreateEmbeddingResponse, count: int) -> Vectors:
        rows = sorted(response.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ProviderRefused(f"The embedding server answered {len(rows)} vectors for {count} texts.")
        if any(len(row.embedding) < self._dimension for row in rows):
            raise ProviderRefused(f"The embedding server's vectors have fewer than {self._dimension} dimensions.")
        matrix = np.asarray([row.embedding[: self._dimension] for row in rows], dtype=np.float32)
        if not np.isfinite(matrix).all() or not np.linalg.norm(matrix, axis=1).all():
            raise ProviderRefused("The embedding server answered a vector without direction.")
        return unit_rows(matrix)
