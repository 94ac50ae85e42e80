"""Trains the embedder: MiniLM-L6, so that a question lies near the turn that answers it, a claim near its paraphrase.

Each step sees one story: some of its questions against its turns, as they are indexed and as the items that they would
become; or a handful of paraphrases, each against the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from memory_platform.adapters.onnx_model import Tokens
from memory_platform.text.terms import indexed_text, is_name
from training import corpus, minilm
from training.corpus import Story, Turn

EPOCHS = 4
RATE = 2e-5
TEMPERATURE = 0.05
QUESTIONS, TURNS, PARAPHRASES = 16, 48, 24
QUESTION_TOKENS, TURN_TOKENS = 48, 80
INDEXED_SHARE = 0.5
"""How often a turn is shown as its episode is indexed rather than as an item in its context."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A story's questions, and which of its turns answer each: `answers` of shape (questions, turns)."""

    questions: tuple[str, ...]
    turns: tuple[Turn, ...]
    answers: np.ndarray


def train(stories: Sequence[Story], paraphrases: Sequence[tuple[str, str]], *, seed: int = 0) -> minilm.Parameters:
    random = np.random.default_rng(seed)
    asked = [_asked(story) for story in stories]
    groups = [list(group) for group in _groups(paraphrases)]
    weights, key = minilm.pretrained(), jax.random.PRNGKey(seed)
    optimise = minilm.optimiser(RATE, EPOCHS * (len(asked) + len(groups)))
    state, step = optimise.init(weights), minilm.stepper(_loss, optimise)
    for epoch in range(EPOCHS):
        losses = []
        for kind, place in _shuffled(len(asked), len(groups), random):
            key, own = jax.random.split(key)
            inputs = _of_story(asked[place], random) if kind == "story" else _of_paraphrases(groups[place])
            weights, state, loss = step(weights, state, *inputs, own)
            losses.append(float(loss))
        random.shuffle(groups)
        print(f"encoder: epoch {epoch + 1} of {EPOCHS}, loss {np.mean(losses):.3f}", flush=True)
    return weights


def paraphrases() -> list[tuple[str, str]]:
    """What says the same: a claim and the message it was drawn from, and pairs labelled so; nothing held out."""
    found = []
    for row in corpus.rows("turns"):
        if row["keep"] and not corpus.is_held_out(row["id"]):
            turn = corpus.message(row["text"], before=row["prev"], role=row["role"], said=row["said"])
            found += [(kept["claim"], corpus.in_context(turn)) for kept in row["keep"]]
    pairs = [row for row in corpus.rows("pairs") if row["label"] in {"same", "refines"}]
    found += [(row["old"], row["new"]) for row in pairs if not corpus.is_held_out(row["id"])]
    return found


def _asked(story: Story) -> Asked:
    questions = [question for question in story.row["questions"] if question["kind"] != "absent"]
    answers = np.zeros((len(questions), len(story.turns)), np.float32)
    for row, question in enumerate(questions):
        gold = [place for place, turn in enumerate(story.turns) if turn.name in question["gold_turns"]]
        saying = [place for place in gold if corpus.says(story.turns[place].utterance.text, question["right"])]
        answers[row, saying or gold] = 1
    return Asked(tuple(question["ask"] for question in questions), story.turns, answers)


def _groups(pairs: Sequence[tuple[str, str]]) -> list[Sequence[tuple[str, str]]]:
    """Neighbours in the data are of one hand and one field: the hardest to tell apart."""
    return [
        pairs[start : start + PARAPHRASES] for start in range(0, len(pairs) // PARAPHRASES * PARAPHRASES, PARAPHRASES)
    ]


def _shuffled(stories: int, groups: int, random: np.random.Generator) -> list[tuple[str, int]]:
    todo = [*(("story", place) for place in range(stories)), *(("paraphrases", place) for place in range(groups))]
    random.shuffle(todo)
    return [(str(kind), int(place)) for kind, place in todo]


def _of_story(asked: Asked, random: np.random.Generator) -> tuple[Any, ...]:
    chosen = random.permutation(len(asked.questions))[:QUESTIONS]
    answers = asked.answers[chosen]
    gold = np.flatnonzero(answers.any(axis=0))
    others = random.permutation(np.flatnonzero(~answers.any(axis=0)))[: max(0, TURNS - len(gold))]
    shown = np.concatenate([gold, others])[:TURNS]
    texts = [_shown(asked.turns[place], random) for place in shown]
    wanted = np.zeros((QUESTIONS, TURNS), np.float32)
    wanted[: len(chosen), : len(shown)] = answers[:, shown]
    is_question = ((np.arange(QUESTIONS) < len(chosen)) & (wanted.sum(axis=1) > 0)).astype(np.float32)
    is_turn = (np.arange(TURNS) < len(shown)).astype(np.float32)
    questions = _batch([asked.questions[place] for place in chosen], QUESTIONS, QUESTION_TOKENS)
    return questions, _batch(texts, TURNS, TURN_TOKENS), wanted, is_question, is_turn


def _shown(turn: Turn, random: np.random.Generator) -> str:
    said = turn.utterance
    if random.random() < INDEXED_SHARE:
        speaker = said.speaker if is_name(said.speaker) else None
        return indexed_text(said.text, speaker=speaker, said_at=said.said_at)
    return corpus.in_context(turn)


def _of_paraphrases(group: Sequence[tuple[str, str]]) -> tuple[Any, ...]:
    first = _batch([one for one, _ in group], PARAPHRASES, TURN_TOKENS)
    second = _batch([other for _, other in group], PARAPHRASES, TURN_TOKENS)
    every = np.ones(PARAPHRASES, np.float32)
    return first, second, np.eye(PARAPHRASES, dtype=np.float32), every, every


def _batch(texts: Sequence[str], rows: int, limit: int) -> minilm.Batch:
    words = Tokens()
    return minilm.batch_of([words.single(text, limit=limit) for text in texts], rows=rows)


def _loss(
    weights: minilm.Parameters,
    questions: minilm.Batch,
    turns: minilm.Batch,
    wanted: Any,
    is_question: Any,
    is_turn: Any,
    key: Any,
) -> Any:
    """Cross-entropy of each question over all turns shown, spread evenly over those that answer it."""
    one, other = jax.random.split(key)
    cosines = minilm.embedding(weights, questions, one) @ minilm.embedding(weights, turns, other).T
    shares = jax.nn.log_softmax(jnp.where(is_turn[None] > 0, cosines / TEMPERATURE, -1e9), 1)
    target = wanted / jnp.maximum(wanted.sum(1, keepdims=True), 1)
    lost = -(target * jnp.where(wanted > 0, shares, 0)).sum(1)
    return (lost * is_question).sum() / jnp.maximum(is_question.sum(), 1)
