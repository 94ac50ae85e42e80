"""The ports: what the core asks of the outside. Each has an offline adapter that does real work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory_platform.model import CategoryRule, Extracted, Message, ModelUsage, Thresholds, Utterance

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. Two embedders of different `model` never share an index."""

    @property
    def model(self) -> str:
        """A stable name, stored beside each vector."""

    @property
    def dimension(self) -> int: ...

    @property
    def thresholds(self) -> Thresholds: ...

    def embed(self, texts: Sequence[str], *, timeout: float | None = None) -> tuple[Vectors, ModelUsage]:
        """Return an array of shape (len(texts), dimension), rows of length 1.

        Raises ProviderRetryable past `timeout` seconds or when the provider is down, ProviderRefused on bad input.
        """


class Extractor(Protocol):
    """Distils utterances into observations."""

    @property
    def version(self) -> str:
        """Name and version; part of the exactly-once key of an extraction."""

    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
    ) -> Extracted:
        """One observation per utterance, in order. `context` precedes them and yields nothing itself.

        Raises ProviderRetryable or ProviderRefused; never returns a partial answer.
        """


class Rewriter(Protocol):
    """Makes a message searchable on its own: pronouns, ellipsis and relative dates resolved from the history."""

    def rewrite(
        self, message: str, *, history: Sequence[Message], now: datetime, timeout: float
    ) -> tuple[str, ModelUsage]:
        """Raises ProviderRetryable past `timeout` seconds."""
