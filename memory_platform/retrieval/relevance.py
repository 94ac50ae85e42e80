"""How likely a candidate answers the question: a learned head over what the arms found (heads/MODELS.md).

One model for all stores: length and sort of unit are features, a cosine counts in the embedder's standard deviations.
What the multilingual embedder read has weights of its own, learnt on its cosines and on words that are not English.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform import heads
from memory_platform.model import Thresholds
from memory_platform.retrieval.contextual import NO_SESSION, Floats, Integers, Units
from memory_platform.retrieval.cues import Cue

FEATURES: Final = (
    "cosine",
    "has_no_vector",
    "contextual",
    "lexical_without_vector",
    "form",
    "is_item",
    "is_mere_question",
    "of_user",
    "of_assistant",
    "of_machine",
)
ENGLISH: Final = "relevance"
FOREIGN: Final = "relevance_multilingual"
"""The weights for what the encoder read, and what no model has read yet; and for what the multilingual model read."""
FIRST: Final = "relevance_first"
"""The weights that say which of the best is the very best, where the encoder read them."""
VECTOR: Final = slice(0, 2)
WORDS: Final = slice(2, 5)
"""Which features are the vector arm's and which the keyword arm's; the others say what sort of unit it is."""
MERE_QUESTION: Final = 15
"""Kept terms up to which a message that ends with a question is one; a longer one says more than it asks."""


def features(units: Units, *, contextual: Floats, lexical: Floats, form: Floats, thresholds: Thresholds) -> Floats:
    """The features of every candidate, of shape (units, len(FEATURES)). `lexical` is L over the sum of idf."""
    known = ~np.isnan(units.cosine)
    cues: Integers = units.cues if units.cues is not None else np.zeros(len(known), dtype=np.int64)
    is_item = units.session == NO_SESSION
    columns: tuple[NDArray[np.generic], ...] = (
        np.where(known, (units.cosine - thresholds.centre) / thresholds.spread, 0.0),
        ~known,
        contextual,
        np.where(known, 0.0, lexical),
        form,
        is_item,
        is_mere_question(units),
        (cues & Cue.OWN) > 0,
        (cues & Cue.ASSISTANT) > 0,
        (cues & Cue.MACHINE) > 0,
    )
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


def is_mere_question(units: Units) -> NDArray[np.bool_]:
    """Which units only ask."""
    if units.cues is None:
        return np.zeros(len(units.document), dtype=np.bool_)
    return np.asarray(((units.cues & Cue.ASKS) > 0) & (units.length <= MERE_QUESTION))


def probability(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def odds(features: Floats, units: Units) -> tuple[Floats, Floats]:
    """What each feature adds to the log odds, of the shape of `features`, and the log odds, of shape (units,)."""
    own = head()
    parts, total = own.parts(features), own.odds(features)
    if units.foreign is None or not units.foreign.any():
        return parts, total
    other = head(FOREIGN)
    return (
        np.where(units.foreign[:, None], other.parts(features), parts),
        np.where(units.foreign, other.odds(features), total),
    )


def first_odds(features: Floats, units: Units) -> Floats:
    """How surely each is the best answer, in log odds of shape (units,), by weights learnt question by question on the
    encoder's cosines; NaN for what another model read.
    """
    odds = head(FIRST).odds(features)
    return odds if units.foreign is None else np.where(units.foreign, np.nan, odds)


def head(name: str = ENGLISH) -> heads.LogisticHead:
    """Raises ValueError when the weights at hand belong to other features."""
    found = heads.logistic(name)
    if found.names != FEATURES:
        raise ValueError(f"heads/{name}.npz was made for other features: run `make train`.")
    return found
