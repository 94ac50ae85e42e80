"""What a statement is about: what the tenant's examples of each category are like, what its keywords, its message and
its talk say.

Kernel ridge regression over the examples' vectors, one model's at a time. Every vector is first moved by the mean of
the examples and brought to length 1, so that what all sentences have in common tells nothing. WARMTH and UNSAID were
chosen on the half of bench/data/categories.jsonl that may be looked at (`make bench ARGS=categories`); CONTEXT and
WORDED on 1,100 statements of other stories, labelled by two hands; KERNEL, RIDGE and MESSAGE on both.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.extraction.classify import OTHER
from memory_platform.model import CategoryRule

KERNEL: Final = 2.0
RIDGE: Final = 0.3
WARMTH: Final = 0.5
"""What a deviation of the scores is divided by before it is weighed against the context."""
WORDED: Final = 2.0
"""What a keyword weighs: it is wrong as often as right (docs/benchmarks.md, "Categories")."""
MESSAGE: Final = 0.5
"""What the message a statement stands in weighs beside the statement."""
MESSAGE_CHARACTERS: Final = 1000
"""How much of a message is looked at."""
CONTEXT: Final = 0.5
UNSAID: Final = 0.1
"""The weight of what a talk was filed under before, and what it grants a category that did not occur in it."""
CONTEXT_ITEMS: Final = 20
"""How many statements of the talk before count, the last ones."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Examples:
    """Categories (`slugs`) as their examples taught them: `centre` (d), `vectors` (n, d), `weights` (n, categories)."""

    slugs: tuple[str, ...]
    centre: Vectors
    vectors: Vectors
    weights: Vectors
    spread: float

    def category_of(
        self, vector: Vectors, *, message: Vectors | None = None, worded: str = OTHER, before: Sequence[str] = ()
    ) -> str:
        """The slug for a statement's vector (d).

        `message` is the vector (d) of what it stands in, None where it stands alone; `worded` is what its keywords say,
        and stands where the category has no examples; `before` are the categories of its talk, the last one last.
        """
        if worded not in self.slugs and worded != OTHER:
            return worded
        around = 0.0 if message is None else MESSAGE * self._likeness(message)
        scores = (self._likeness(vector) + around) / (self.spread * WARMTH)
        if worded != OTHER:
            scores[self.slugs.index(worded)] += WORDED
        return self.slugs[int(np.argmax(scores + CONTEXT * np.log(self._shares(before) + UNSAID)))]

    def _likeness(self, vector: Vectors) -> Vectors:
        near = np.exp(KERNEL * (_directions((vector - self.centre)[None]) @ self.vectors.T - 1.0))
        return np.asarray((near @ self.weights)[0], dtype=np.float32)

    def _shares(self, before: Sequence[str]) -> Vectors:
        """How much of the talk is filed under each; nothing is known of a talk that says nothing."""
        last = Counter(slug for slug in before[-CONTEXT_ITEMS:] if slug != OTHER)
        return np.array([last[slug] / max(1, last.total()) for slug in self.slugs], dtype=np.float32)


def texts(categories: Sequence[CategoryRule]) -> list[str]:
    """The examples of all categories, in order; none where fewer than two have some, which teaches nothing."""
    exemplified = [rule for rule in categories if rule.examples]
    return [example for rule in exemplified for example in rule.examples] if len(exemplified) > 1 else []


def taught(categories: Sequence[CategoryRule], vectors: Vectors) -> Examples | None:
    """What the vectors of `texts`, shape (examples, d), teach; None: fewer than two categories have examples."""
    owners = [rule.slug for rule in categories for _ in rule.examples]
    slugs = tuple(dict.fromkeys(owners))
    if len(slugs) < 2:
        return None
    centre = vectors.mean(axis=0)
    placed = _directions(vectors - centre)
    kernel = np.exp(KERNEL * (placed @ placed.T - 1.0))
    wanted = np.array([[owner == slug for slug in slugs] for owner in owners], dtype=np.float32)
    inverse = np.linalg.inv(kernel + RIDGE * np.eye(len(owners), dtype=np.float32))
    weights = inverse @ (wanted - wanted.mean(axis=0))
    # What each example would score had it not been among them: the scale of scores of what is new.
    left_out = wanted - weights / np.diag(inverse)[:, None]
    return Examples(slugs, centre, placed, weights.astype(np.float32), float(left_out.std()) or 1.0)


def _directions(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)
