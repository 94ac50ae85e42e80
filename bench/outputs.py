"""Which recalled memories an output used: the judge of echo and fizzle against labelled outputs and plain rivals.

`python -m bench outputs` reads bench/data/outputs.jsonl, written by hand: a question, the hits given for it, an
output, and which hits it used. Half of the rows, by their ids, are held out: nobody looked at what is judged wrongly
of them. Rivals: any word or number of a hit that is no stop word stands in the output, and the cosine of the two is
at least what suits the looked-at half best. `python -m bench.outputs` fits the judge's weights to the looked-at half.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench.figures import at_least, figure
from memory_platform.adapters.wordllama import WordLlamaEmbedder
from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import RecalledText, Use
from memory_platform.text.terms import terms

SHEET: Final = Path(__file__).resolve().parent / "data" / "outputs.jsonl"
BAR: Final = at_least(0.85)

Row = Mapping[str, Any]
Find = Callable[[Row], set[str]]


def run() -> None:
    every = rows()
    looked_at = [row for row in every if not is_held_out(row)]
    threshold = max(np.arange(0.1, 0.9, 0.02), key=lambda least: _f1(*score(looked_at, partial(alike, least=least))))
    finders: dict[str, Find] = {
        "judge": judged,
        "any_shared_word": sharing,
        "cosine": partial(alike, least=float(threshold)),
    }
    for part, chosen in (("looked_at", looked_at), ("held_out", [row for row in every if is_held_out(row)])):
        figure(f"outputs_{part}", len(chosen), "outputs")
        for name, find in finders.items():
            precision, recall = score(chosen, find)
            bar = BAR if name == "judge" else None
            figure(f"outputs_{part}_{name}_precision", precision, "share", bar=bar)
            figure(f"outputs_{part}_{name}_recall", recall, "share", bar=bar)


def rows() -> list[Row]:
    return [json.loads(line) for line in SHEET.read_text(encoding="utf-8").splitlines()]


def is_held_out(row: Row) -> bool:
    return int(sha256(row["id"].encode()).hexdigest(), 16) % 2 == 0


def score(chosen: Sequence[Row], find: Find) -> tuple[float, float]:
    """Precision and recall over all hits."""
    right = found = used = 0
    for row in chosen:
        said = find(row)
        right += len(said.intersection(row["used"]))
        found += len(said)
        used += len(row["used"])
    return right / max(1, found), right / max(1, used)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(1e-9, precision + recall)


def judged(row: Row) -> set[str]:
    hits = row["hits"]
    given = [RecalledText(UUID(int=place), hit["text"]) for place, hit in enumerate(hits)]
    verdicts = feedback.judge(row["output"], given, query=row["query"])
    return {hit["id"] for hit, verdict in zip(hits, verdicts, strict=True) if verdict.use is Use.USED}


def sharing(row: Row) -> set[str]:
    said = terms(row["output"]).keys()
    return {hit["id"] for hit in row["hits"] if said & terms(hit["text"]).keys()}


def alike(row: Row, *, least: float) -> set[str]:
    texts = [row["output"], *(hit["text"] for hit in row["hits"])]
    vectors, _ = _embedder().embed(texts)
    cosines = vectors[1:] @ vectors[0]
    return {hit["id"] for hit, cosine in zip(row["hits"], cosines, strict=True) if cosine >= least}


@cache
def _embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def fit(*, penalty: float = 0.01, steps: int = 20_000, rate: float = 0.5) -> NDArray[np.float64]:
    """The weights of bias, share, amount and density by gradient descent on the looked-at half."""
    seen = list(_pairs())
    features = np.array([[1.0, one.share, one.amount, one.density] for one, _ in seen])
    used = np.array([was_used for _, was_used in seen], dtype=float)
    weights = np.zeros(features.shape[1])
    for _ in range(steps):
        guess = 1 / (1 + np.exp(-features @ weights))
        weights -= rate * (features.T @ (guess - used) / len(used) + penalty * weights * [0, 1, 1, 1])
    return weights


def _pairs() -> Iterator[tuple[feedback.UseEvidence, bool]]:
    for row in rows():
        if not is_held_out(row):
            texts = [hit["text"] for hit in row["hits"]]
            for hit, seen in zip(row["hits"], feedback.evidence(row["output"], texts, query=row["query"]), strict=True):
                yield seen, hit["id"] in row["used"]


if __name__ == "__main__":
    print(fit().round(2))
