"""How surely a memory tells an agent how to act: a linear head on our own encoder (heads/MODELS.md). No network."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.heads import logistic
from memory_platform.ports import Adviser

HEAD: Final = "lessons"


class GuidanceHead(Adviser):
    """Reads with the encoder whichever embedder the index has: its weights are weights of that one's vectors."""

    def __init__(self, *, intra_op_threads: int = 1) -> None:
        self._encoder = EncoderEmbedder(intra_op_threads=intra_op_threads)

    @override
    def guidance(self, texts: Sequence[str]) -> tuple[float, ...]:
        if not texts:
            return ()
        vectors, _ = self._encoder.embed(list(texts))
        odds = logistic(HEAD).odds(np.asarray(vectors, dtype=np.float64))
        return tuple((1 / (1 + np.exp(-odds))).tolist())
