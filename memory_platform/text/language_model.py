"""py3langid's model in a quarter of its memory: the same scores, from arrays without what they repeat.

The package keeps a row of 256 successors a state of its automaton (39 MB), most of which are those of other states, and
a weight for each feature and language (28 MB), of which four in five are the language's least one. Here rows share
their blocks of sixteen successors, and only what is above the least weight is kept.
"""

import unicodedata
from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.loading import loaded_once

NO_LANGUAGE: Final = "zxx"
"""The label of what is in no language: code, numbers."""
_CODE_LENGTH: Final = 2
"""Of ISO 639-1."""
_LETTERS: Final = 256
_BLOCK: Final = 16
_FEATURELESS: Final = -1


def scores(text: str) -> Mapping[str, float]:
    """Nats by which each language that has a code of two letters, or none, is likely, up to what all have in common;
    0 for each where nothing tells.

    Of a language's small neighbours one is what lies between two languages, which is what a talk in both looks like.
    """
    return _model().scores(text)


@dataclass(frozen=True, slots=True)
class _Automaton:
    """From bytes to the features that occur in them (Lui & Baldwin, 2012, langid.py: an Aho-Corasick automaton).

    `rows` (states) says where a state's sixteen blocks are named in `blocks`, which says where each starts in
    `successors`; `features` (states) names what ends in a state.
    """

    rows: "array[int]"
    blocks: "array[int]"
    successors: "array[int]"
    features: "array[int]"

    def occurring(self, data: bytes) -> Counter[int]:
        rows, blocks, successors, features = self.rows, self.blocks, self.successors, self.features
        state, found = 0, []
        for letter in data:
            state = successors[blocks[rows[state] + (letter >> 4)] + (letter & 15)]
            found.append(features[state])
        occurring = Counter(found)
        del occurring[_FEATURELESS]
        return occurring


@dataclass(frozen=True, slots=True)
class _Weights:
    """Of each feature in each language: `least` (languages), and what is above it, feature by feature: `languages` and
    `weights`, those of feature i from `starts[i]` to `starts[i + 1]`.
    """

    least: NDArray[np.float32]
    starts: NDArray[np.int64]
    languages: NDArray[np.uint8]
    weights: NDArray[np.float16]

    def total(self, occurring: Mapping[int, int]) -> NDArray[np.float64]:
        """Over the features that occur, each by the logarithm of one more than its count; shape (languages)."""
        features = np.fromiter(occurring.keys(), np.int64, len(occurring))
        damped = np.log1p(np.fromiter(occurring.values(), np.float64, len(occurring)))
        firsts = self.starts[features]
        sizes = self.starts[features + 1] - firsts
        places = np.arange(sizes.sum()) + np.repeat(firsts - (np.cumsum(sizes) - sizes), sizes)
        languages = self.languages[places]
        above = self.weights[places].astype(np.float64) - self.least[languages]
        total: NDArray[np.float64] = damped.sum() * self.least.astype(np.float64)
        np.add.at(total, languages, above * np.repeat(damped, sizes))
        return total


@dataclass(frozen=True, slots=True)
class _Model:
    languages: tuple[str, ...]
    prior: NDArray[np.float32]
    automaton: _Automaton
    weights: _Weights

    def scores(self, text: str) -> dict[str, float]:
        occurring = self.automaton.occurring(_as_trained(text))
        if not occurring:
            return dict.fromkeys(self.languages, 0.0)
        told: dict[str, float] = {}
        # Some languages have a column a script; the likelier one speaks for them.
        for language, score in zip(self.languages, self.prior + self.weights.total(occurring), strict=True):
            told[language] = max(float(score), told.get(language, float(score)))
        return told


def _as_trained(text: str) -> bytes:
    lowered = text.lower() if text.isupper() else text
    return unicodedata.normalize("NFC", lowered).encode(errors="surrogatepass")


@loaded_once
def _model() -> _Model:
    from py3langid import langid, modelio  # noqa: PLC0415  half a second, for those who ask

    weights, prior, labels, successors, rows, features = modelio.load_model(
        Path(langid.__file__).parent / langid.MODEL_FILE
    )
    wanted = [place for place, label in enumerate(labels) if len(label) == _CODE_LENGTH or label == NO_LANGUAGE]
    return _Model(
        tuple(labels[place] for place in wanted),
        prior[wanted],
        _packed_automaton(successors, rows, features),
        _packed_weights(weights[:, wanted]),
    )


def _packed_automaton(successors: "array[int]", rows: "array[int]", features: Collection[int]) -> _Automaton:
    raw, size = successors.tobytes(), _BLOCK * successors.itemsize
    known: dict[bytes, int] = {}
    blocks = array("I", (known.setdefault(raw[at : at + size], len(known) * _BLOCK) for at in range(0, len(raw), size)))
    of_a_row = _LETTERS // _BLOCK
    return _Automaton(
        array("I", (row * of_a_row for row in rows)),
        blocks,
        array(successors.typecode, b"".join(known)),
        array("i", features),
    )


def _packed_weights(table: NDArray[Any]) -> _Weights:
    least = table.min(axis=0)
    above = table > least
    starts = np.concatenate([[0], np.cumsum(above.sum(axis=1))])
    return _Weights(least.astype(np.float32), starts, above.nonzero()[1].astype(np.uint8), table[above])
