"""Whether the tone of a question that is asked again tells that the last answer was wrong.

`python -m bench tones` reads bench/data/tones.tsv, written by hand: 1 or 0, whether who asks is angry with the answer
before, and the question. Half of the rows, by their hashes, are held out. What is measured is the offline sentiment;
nothing is learnt from it as long as it is this often wrong (docs/guides/learning.md).
"""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final

from bench.figures import figure
from memory_platform.extraction.sentiment import sentiment_of
from memory_platform.model import Sentiment

SHEET: Final = Path(__file__).resolve().parent / "data" / "tones.tsv"

Row = tuple[bool, str]


def run() -> None:
    every = [_row(line) for line in SHEET.read_text(encoding="utf-8").splitlines()]
    for part, held_out in (("looked_at", False), ("held_out", True)):
        chosen = [row for row in every if _is_held_out(row[1]) is held_out]
        precision, recall = score(chosen)
        figure(f"tones_{part}", len(chosen), "questions")
        figure(f"tones_{part}_precision", precision, "share")
        figure(f"tones_{part}_recall", recall, "share")


def score(chosen: Iterable[Row]) -> tuple[float, float]:
    """Precision and recall of anger."""
    heard = [(is_angry, sentiment_of(text) is Sentiment.FRUSTRATED) for is_angry, text in chosen]
    right = sum(is_angry and found for is_angry, found in heard)
    return right / max(1, sum(found for _, found in heard)), right / max(1, sum(is_angry for is_angry, _ in heard))


def _row(line: str) -> Row:
    label, text = line.split("\t")
    return label == "1", text


def _is_held_out(text: str) -> bool:
    return int(sha256(text.encode()).hexdigest(), 16) % 2 == 0
