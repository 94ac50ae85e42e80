"""Fits the multilingual model to its work, on the stories that are not English.

Writes what all questions, and all texts, have in common (heads/multilingual.npz), which the adapter takes from them.
Then says how well the relevance head, which learns on the English encoder's cosines, orders by these, with one spread
and another.
"""

from collections.abc import Sequence

import numpy as np

from memory_platform.adapters import multilingual
from memory_platform.adapters.encoder import THRESHOLDS
from memory_platform.adapters.multilingual import MultilingualEmbedder
from memory_platform.ports import Vectors
from memory_platform.retrieval import relevance
from memory_platform.retrieval.contextual import Floats
from memory_platform.text.languages import ENGLISH
from training import corpus
from training.corpus import Row
from training.relevance import Found, asked

COSINE = relevance.FEATURES.index("cosine")
UNKNOWN = relevance.FEATURES.index("has_no_vector")
SPREADS = (0.03, 0.04, 0.055, 0.07, 0.085, 0.1, 0.13)


def fit() -> None:
    rows = [row for row in corpus.rows("stories") if row["language"] != ENGLISH]
    centre(rows)
    calibrate(rows)


def centre(rows: Sequence[Row]) -> None:
    """Write heads/multilingual.npz."""
    questions = [question["ask"] for row in rows for question in row["questions"]]
    texts = [turn["content"] for row in rows for session in row["sessions"] for turn in session["turns"]]
    np.savez(multilingual.MEANS, questions=_mean(questions, as_questions=True), texts=_mean(texts, as_questions=False))


def _mean(texts: Sequence[str], *, as_questions: bool) -> Vectors:
    return np.asarray(multilingual.raw(texts, as_questions=as_questions).mean(axis=0), dtype=np.float32)


def calibrate(rows: Sequence[Row]) -> None:
    """Print the mean cosine of a question and a text, and how well the head orders under each spread."""
    found = [_known(one) for one in asked(rows, MultilingualEmbedder(), among=(0,))]
    cosines = [one.features[:, COSINE] * THRESHOLDS.spread + THRESHOLDS.centre for one in found]
    wrong = np.concatenate([cosine[~one.answers] for cosine, one in zip(cosines, found, strict=True)])
    centre = float(wrong.mean())
    print(f"centre {centre:.3f} (standard deviation {wrong.std():.3f})")
    for spread in SPREADS:
        ranks = np.array([_rank(one, (mine - centre) / spread) for mine, one in zip(cosines, found, strict=True)])
        print(f"spread {spread}: first {(ranks == 1).mean():.3f}, seven {(ranks <= 7).mean():.3f}, "
              f"reciprocal {(1 / ranks).mean():.3f} of {len(ranks)}")  # fmt: skip


def _known(found: Found) -> Found:
    kept = found.features[:, UNKNOWN] == 0
    return Found(found.places[kept], found.features[kept], found.answers[kept])


def _rank(found: Found, cosines: Floats) -> int:
    """The place of the best answer in the head's order; one beyond the last where there is none."""
    features = found.features.copy()
    features[:, COSINE] = cosines
    order = np.argsort(-relevance.head().odds(features), kind="stable")
    return int(np.flatnonzero(np.append(found.answers[order], True))[0]) + 1
