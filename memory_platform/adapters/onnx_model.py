"""A transformer of ours on ONNX Runtime: loaded once a process, fed one token list after the other. No network."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from memory_platform.adapters.allocator import return_freed_memory
from memory_platform.errors import ProviderRefused
from memory_platform.loading import loaded_once

HEADS: Final = Path(__file__).resolve().parent.parent / "heads"
SAME_ON_EVERY_CPU: Final = "session.x64quantprecision"
"""Without it, processors that lack VNNI add int8 products with saturation, and vectors differ from those of other hosts
with the same database (`qemu-x86_64 -cpu Haswell` shows it)."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Encoding:
    """Token ids of one text or of a pair of texts; `types` is 1 for the second."""

    ids: tuple[int, ...]
    types: tuple[int, ...]


class Tokens:
    """Texts as the models read them."""

    def __init__(self) -> None:
        self._tokenizer = _tokenizer()
        self._start, self._end = _mark(self._tokenizer, "[CLS]"), _mark(self._tokenizer, "[SEP]")

    def single(self, text: str, *, limit: int) -> Encoding:
        """The first `limit` tokens of a text, its two marks included."""
        ids = (self._start, *self._ids(text)[: limit - 2], self._end)
        return Encoding(ids, (0,) * len(ids))

    def pair(self, first: str, second: str, *, limits: tuple[int, int], from_end: bool = False) -> Encoding:
        """Both texts, each cut to its limit; the first keeps its end instead with `from_end`."""
        head, tail = self._ids(first), self._ids(second)[: limits[1]]
        head = head[-limits[0] :] if from_end else head[: limits[0]]
        ids = (self._start, *head, self._end, *tail, self._end)
        return Encoding(ids, (0,) * (len(head) + 2) + (1,) * (len(tail) + 1))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


class OnnxModel:
    """One graph. `threads` is how many cores one call may use."""

    def __init__(self, path: Path, *, threads: int) -> None:
        self._session = _session(path, threads)
        self._outputs = [output.name for output in self._session.get_outputs()]

    def run(self, encodings: Iterable[Encoding]) -> Iterator[Mapping[str, Floats]]:
        """The graph's outputs for each encoding, in order: one row each, by name.

        Each runs alone: int8 scales its numbers over all that is in a run, so that company would move vectors and
        judgements (heads/MODELS.md, "How they run").
        """
        for encoding in encodings:
            values = self._session.run(self._outputs, _inputs(encoding))
            yield {name: value[0] for name, value in zip(self._outputs, values, strict=True)}


def _mark(tokenizer: Tokenizer, token: str) -> int:
    found: int | None = tokenizer.token_to_id(token)
    if found is None:
        raise ProviderRefused(f"The tokenizer has no {token}.", hint="Install the package again.")
    return found


def _inputs(encoding: Encoding) -> dict[str, NDArray[np.int64]]:
    ids = np.array([encoding.ids], dtype=np.int64)
    types = np.array([encoding.types], dtype=np.int64)
    return {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)}


@loaded_once
def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    if not path.exists():
        raise ProviderRefused(f"The model {path.name} is missing.", hint="Install the package again.")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry(SAME_ON_EVERY_CPU, "1")
    # The arena never gives back what the longest batch took.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return_freed_memory()
    return session


@cache
def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(HEADS / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
