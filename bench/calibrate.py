"""What an embedder's cosines mean (Thresholds): on labelled pairs and on questions asked of other stories' turns.

`python -m bench calibrate` prints the figures of the local models; a remote one is calibrated by
`python -m bench.calibrate --base-url URL --model NAME --api-key KEY --dimensions N`.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.figures import figure
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.multilingual import MultilingualEmbedder
from memory_platform.adapters.openai_embedder import OpenAiEmbedder
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.wordllama import WordLlamaEmbedder
from memory_platform.ports import Embedder
from memory_platform.text.languages import ENGLISH
from training import corpus
from training.corpus import Row

CHANGES = frozenset({"update", "correction", "conflict"})
REACHED = (0.95, 0.9, 0.75, 0.5)
STORIES = 5

Floats = NDArray[np.float32]


def run() -> None:
    stories = corpus.development("dev_en")[::2]
    for embedder in (EncoderEmbedder(intra_op_threads=2), WordLlamaEmbedder()):
        report(embedder, corpus.rows("pairs"), stories)
    foreign = dict(corpus.by_language(corpus.rows("pairs"), lambda row: row))["other_languages"]
    told = [row for row in corpus.rows("stories") if row["language"] != ENGLISH]
    report(MultilingualEmbedder(), foreign, told)


def report(embedder: Embedder, rows: Sequence[Row], stories: Sequence[Row]) -> None:
    """The cosines that so many of the pairs reach which should be compared, and how many reach the present ones."""
    older, newer = (embedder.embed([row[side] for row in rows])[0] for side in ("old", "new"))
    cosines, labels = np.einsum("ij,ij->i", older, newer), [row["label"] for row in rows]
    _reached(f"{embedder.model} same", cosines[[one == "same" for one in labels]], embedder.thresholds.duplicate)
    _reached(f"{embedder.model} changes", cosines[[one in CHANGES for one in labels]], embedder.thresholds.related)
    asked = _questions_and_turns(embedder, stories[:STORIES])
    figure(f"{embedder.model} centre", float(asked.mean()), "cosine", floor=embedder.thresholds.centre)
    figure(f"{embedder.model} spread", float(asked.std()), "cosine", floor=embedder.thresholds.spread)


def _reached(label: str, cosines: Floats, present: float) -> None:
    for share in REACHED:
        figure(f"{label} reached by {100 * share:.0f} %", float(np.quantile(cosines, 1 - share)), "cosine")
    figure(f"{label} that reach {present}", float((cosines >= present).mean()), "share")


def _questions_and_turns(embedder: Embedder, stories: Sequence[Row]) -> Floats:
    questions = [question["ask"] for story in stories for question in story["questions"]]
    asked, _ = embedder.embed(questions, as_questions=True)
    return np.asarray(asked @ embedder.embed(_turns(stories))[0].T)


def _turns(stories: Sequence[Row]) -> list[str]:
    return [turn["content"] for story in stories for session in story["sessions"] for turn in session["turns"]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.calibrate", description=__doc__)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--api-key", default="none")
    parser.add_argument("--dimensions", type=int, default=256)
    asked = parser.parse_args()
    endpoint = Endpoint(asked.base_url, asked.api_key, asked.model)
    embedder = OpenAiEmbedder(endpoint, dimensions=asked.dimensions)
    report(embedder, corpus.rows("pairs"), corpus.development("dev_en")[::2])


if __name__ == "__main__":
    main()
