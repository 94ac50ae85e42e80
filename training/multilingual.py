"""Fits the multilingual model to its work, on the stories that are not English.

Writes what all questions, and all texts, have in common (heads/multilingual.npz), which the adapter takes from them,
and the weights that say how likely what it read answers a question (heads/relevance_multilingual.npz). Prints what its
cosines are and how well those weights order the stories they were not fitted on, beside the English ones and the
cosine alone.
"""

from collections.abc import Sequence

import numpy as np

from memory_platform.adapters import multilingual
from memory_platform.adapters.multilingual import THRESHOLDS, MultilingualEmbedder
from memory_platform.heads import LogisticHead
from memory_platform.ports import Vectors
from memory_platform.retrieval import fusion
from memory_platform.retrieval import relevance as product
from memory_platform.retrieval.contextual import Floats
from memory_platform.text.languages import ENGLISH
from training import corpus, relevance
from training.corpus import Row
from training.relevance import COSINE, OTHER_STORIES, Found

FOLDS = 8
HITS = 7
FLOOR = 0.001
"""Policy's."""


def fit() -> None:
    rows = [row for row in corpus.rows("stories") if row["language"] != ENGLISH]
    centre(rows)
    found = list(relevance.asked(rows, MultilingualEmbedder(), lacking=False))
    cosines(found)
    compare(found)
    relevance.save(product.FOREIGN, relevance.fit(found))


def centre(rows: Sequence[Row]) -> None:
    """Write heads/multilingual.npz."""
    questions = [question["ask"] for row in rows for question in row["questions"]]
    texts = [turn["content"] for row in rows for session in row["sessions"] for turn in session["turns"]]
    np.savez(multilingual.MEANS, questions=_mean(questions, as_questions=True), texts=_mean(texts, as_questions=False))


def _mean(texts: Sequence[str], *, as_questions: bool) -> Vectors:
    return np.asarray(multilingual.raw(texts, as_questions=as_questions).mean(axis=0), dtype=np.float32)


def cosines(found: Sequence[Found]) -> None:
    """Print mean and standard deviation of the cosine of a question and what does not answer it in its story."""
    own = [one.features[~one.answers, COSINE] for one in found if not one.others]
    wrong = np.concatenate(own) * THRESHOLDS.spread + THRESHOLDS.centre
    print(f"centre {wrong.mean():.3f}, spread {wrong.std():.3f}")


def compare(found: Sequence[Found]) -> None:
    """Print how each way of ordering does; our own weights on each eighth of the stories are fitted on the others."""
    stories = list(dict.fromkeys(one.story for one in found))
    fold = {story: place % FOLDS for place, story in enumerate(stories)}
    own = [relevance.fit([one for one in found if fold[one.story] != left]) for left in range(FOLDS)]
    english = product.head()
    for others in OTHER_STORIES:
        asked = [one for one in found if one.others == others]
        _report(f"cosine alone, {others} others", [_rank(one, one.features[:, COSINE]) for one in asked])
        _report(f"English weights, {others} others", [_rank(one, _answered(one, english)) for one in asked])
        _report(f"own weights, {others} others", [_rank(one, _answered(one, own[fold[one.story]])) for one in asked])


def _report(name: str, ranks: Sequence[float]) -> None:
    held = np.array(ranks)
    print(
        f"{name}: first {(held == 1).mean():.3f}, in {HITS} {(held <= HITS).mean():.3f}, "
        f"reciprocal {(1 / held).mean():.3f} of {len(held)}"
    )


def _answered(found: Found, head: LogisticHead) -> Floats:
    """Each candidate's probability, minus infinity for what would not be answered with."""
    probability = product.probability(head.odds(found.features))
    return np.where(fusion.relevant(probability, floor=FLOOR), probability, -np.inf)


def _rank(found: Found, scores: Floats) -> float:
    """The place of the best answer, infinity where it is not answered with."""
    order = np.argsort(-scores, kind="stable")
    places = np.flatnonzero((found.answers & np.isfinite(scores))[order])
    return float(places[0]) + 1 if len(places) else np.inf
