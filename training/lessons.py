"""Fits the head that says how surely a clause tells an agent how to act (heads/lessons.npz), and says what it is worth.

A logistic regression on the encoder's vectors of what users said. The judge of claims, which it has to agree with, was
trained on the same rows; the precision of both together is therefore taken by cross-validation of the head, and on the
held-out fifth.
"""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.guidance import HEAD
from memory_platform.heads import FOLDER
from training import corpus
from training.corpus import Row

GUIDING = frozenset({"rule", "preference", "procedure"})
"""Kinds of the labels' claims that say how something is to be done."""
FOLDS = 5
STRENGTH = 10.0
"""Of the ridge, on vectors SCALE as long."""
SCALE = 4.0
STEPS = 25

Floats = NDArray[np.float64]


def train() -> None:
    rows = [row for row in corpus.rows("turns") if row["role"] == "user" and not corpus.is_held_out(row["id"])]
    owners, texts = _clauses(rows)
    vectors = np.asarray(EncoderEmbedder().embed(texts)[0], dtype=np.float64) * SCALE
    guides = np.array([_guides(row) for row in owners], dtype=np.float64)
    _validate(owners, vectors, guides)
    weights = fit(vectors, guides)
    names = np.array([str(place) for place in range(vectors.shape[1])])
    np.savez(FOLDER / f"{HEAD}.npz", names=names, weights=weights[:-1] * SCALE, bias=weights[-1])


def _clauses(rows: list[Row]) -> tuple[list[Row], list[str]]:
    owners: list[Row] = []
    texts: list[str] = []
    for row in rows:
        turn = corpus.message(row["text"], before=row["prev"], speaker=row["speaker"], said=row["said"])
        owners += [row] * len(turn.facts)
        texts += [fact.in_context for fact in turn.facts]
    return owners, texts


def _guides(row: Row) -> bool:
    return any(kept["kind"] in GUIDING for kept in row["keep"])


def fit(vectors: Floats, guides: Floats) -> Floats:
    """Weights of shape (dimension + 1,), the last of them the bias, by Newton's method."""
    features = np.c_[vectors, np.ones(len(vectors))]
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        shares = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (shares - guides) + STRENGTH * weights
        curve = (features * (shares * (1 - shares) + 1e-6)[:, None]).T @ features
        weights -= np.linalg.solve(curve + STRENGTH * np.eye(len(weights)), slope)
    return weights


def _validate(owners: list[Row], vectors: Floats, guides: Floats) -> None:
    """Print precision and recall of the head alone, by messages, each fifth judged by a fit on the others."""
    fold = np.array([int(sha256(f"x{row['id']}".encode()).hexdigest(), 16) % FOLDS for row in owners])
    shares = np.zeros(len(owners))
    for left in range(FOLDS):
        weights = fit(vectors[fold != left], guides[fold != left])
        shares[fold == left] = 1 / (1 + np.exp(-(vectors[fold == left] @ weights[:-1] + weights[-1])))
    wanted = {row["id"] for row in owners if _guides(row)}
    for least in (0.3, 0.35, 0.4, 0.5, 0.7):
        found = {row["id"] for row, share in zip(owners, shares, strict=True) if share >= least}
        right = len(found & wanted)
        print(f"from {least}: precision {right / max(1, len(found)):.3f}, recall {right / max(1, len(wanted)):.3f}")
