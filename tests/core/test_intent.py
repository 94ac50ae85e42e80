"""What a question is after, by its nearest example: the rule, and how often it is right on labelled questions."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from memory_platform.adapters.wordllama import WordLlamaEmbedder
from memory_platform.model import Intent
from memory_platform.retrieval import intent, query

TELLING = {Intent.WHY, Intent.WHEN, Intent.WHO}
LABELLED = Path(__file__).resolve().parents[1] / "data" / "intent_questions.tsv"


def known(*intents: Intent) -> intent.IntentExamples:
    return intent.IntentExamples(intents, np.eye(len(intents), dtype=np.float32))


def test_the_nearest_example_decides():
    vector = np.array([0.6, 0.8], dtype=np.float32)

    assert intent.nearest(vector, known(Intent.WHY, Intent.WHEN)) is Intent.WHEN


def test_a_vector_near_no_example_says_nothing():
    vector = np.array([0.44, 0.3], dtype=np.float32)

    assert intent.nearest(vector, known(Intent.WHY, Intent.WHEN)) is None
    assert intent.nearest(vector, known(Intent.WHY, Intent.WHEN), threshold=0.4) is Intent.WHY


def test_every_intent_has_examples_and_no_example_two_intents():
    assert set(intent.EXEMPLARS) == set(Intent)
    assert len(set(intent.texts())) == len(intent.texts())


def labelled() -> list[tuple[Intent, str]]:
    rows = [line.split("\t") for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    return [(Intent(label), text) for label, text in rows]


@pytest.fixture(scope="module")
def by_vector() -> list[Intent | None]:
    embedder = WordLlamaEmbedder()
    examples = intent.examples(embedder.embed(intent.texts())[0])
    vectors, _ = embedder.embed([text for _, text in labelled()])
    return [intent.nearest(vector, examples) for vector in vectors]


def is_held_out(text: str) -> bool:
    return int(sha256(text.encode()).hexdigest(), 16) % 2 == 1


def test_telling_words_then_the_vector_then_other_words_are_right_more_often_than_words_alone(by_vector):
    """Who changes examples or words looks at the other half; the one held out has to be right as often.

    When they were chosen nobody had parted the questions, so it guards against getting worse and does not measure how
    often a question is read right that nobody has seen.
    """
    right = {half: {"together": [], "by words": []} for half in ("looked at", "held out")}
    for vector, (label, text) in zip(by_vector, labelled(), strict=True):
        words = query.intent_of(text)
        half = right["held out" if is_held_out(text) else "looked at"]
        half["together"].append((words if words in TELLING else vector or words) is label)
        half["by words"].append(words is label)

    assert min(len(half["together"]) for half in right.values()) >= 60
    shares = {name: {way: sum(own) / len(own) for way, own in half.items()} for name, half in right.items()}
    assert shares["held out"]["together"] >= 0.87, shares
    assert shares["held out"]["together"] >= shares["held out"]["by words"] + 0.1, shares
