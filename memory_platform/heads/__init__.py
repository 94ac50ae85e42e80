"""The learned judgements: small models trained on data of our own. `training/` makes them, MODELS.md says how."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parent

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LogisticHead:
    """A logistic regression over named features; `weights` has their shape and works on the features as they are."""

    names: tuple[str, ...]
    weights: Floats
    bias: float

    def parts(self, features: Floats) -> Floats:
        """What each feature adds to the log odds, of the shape of `features`: (rows, len(names))."""
        return np.asarray(features * self.weights)

    def odds(self, features: Floats) -> Floats:
        """Log odds, of shape (rows,)."""
        return np.asarray(features @ self.weights + self.bias)


@cache
def logistic(name: str) -> LogisticHead:
    """The head of that name."""
    with np.load(FOLDER / f"{name}.npz") as held:
        return LogisticHead(tuple(map(str, held["names"])), held["weights"], float(held["bias"]))
