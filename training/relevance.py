"""Trains the weights that say how likely a unit answers a question, and those that say which of the best is the first.

Its features hold cosines, and an embedder knows the stories it was trained on too well: so the features come from
stories that the embedder has not read. Each question is asked of its own story, and of its story among others: in a
large store other things tell an answer than in a small one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from memory_platform import heads
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.heads import FOLDER, LogisticHead
from memory_platform.model import Thresholds, Unit
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import contextual, fusion, query, relevance
from memory_platform.retrieval.contextual import NO_SESSION, Postings, QueryTerms, Units
from memory_platform.retrieval.cues import Cue, cues
from memory_platform.text.languages import ENGLISH
from memory_platform.text.terms import indexed_text, is_name, kept_length, lexeme_hash, terms
from training import corpus, encoder, export
from training.corpus import Row, Story

LATER_HANDS = frozenset("stuvwy")
"""By whose stories a unit's probability is learnt; the embedder of that trial has read only those of earlier hands."""
OTHER_STORIES = (0, 15)
CANDIDATES = 200
WITHOUT_VECTOR = 0.05
"""Share of units shown as if they were too fresh to have a vector."""
KEPT_FROM = 0.3
STRENGTH = 0.3
"""Inverse of the regularisation, where pairs are judged one by one."""
REGULARISATION = 0.1
"""Of standardised weights, where a question's candidates are; chosen by leaving out one hand after the other."""
COSINE, ITEM = relevance.FEATURES.index("cosine"), relevance.FEATURES.index("is_item")
IMPOSSIBLE = -1e9
"""The log odds of a candidate that is not to be drawn."""


@dataclass(frozen=True, slots=True)
class Store:
    """The units of some stories as the index would hold them: episodes, and items without a session."""

    units: list[Unit]
    texts: list[str]
    turns: list[int]
    session: np.ndarray
    ordinal: np.ndarray
    center: np.ndarray
    length: np.ndarray
    cues: np.ndarray
    said_at: np.ndarray
    vectors: Vectors
    counts: list[Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of a question: places in the store, their features, and which of them answer it; and of which
    story it was asked, among how many others.
    """

    story: str
    places: np.ndarray
    features: np.ndarray
    answers: np.ndarray
    others: int = 0


def train() -> None:
    """Write heads/relevance.npz and heads/relevance_first.npz."""
    rows = [row for row in corpus.rows("stories") if row["hand"] not in corpus.UNREAD]
    with TemporaryDirectory() as folder:
        path = Path(folder, "encoder.onnx")
        earlier = [row for row in rows if row["hand"] not in LATER_HANDS]
        export.encoder(encoder.train(corpus.stories(earlier), encoder.paraphrases()), path)
        later = [row for row in rows if row["hand"] in LATER_HANDS]
        save(relevance.ENGLISH, fit(list(asked(later, EncoderEmbedder(intra_op_threads=2, path=path)))))
    save(relevance.FIRST, first(list(asked(_unread(), EncoderEmbedder(intra_op_threads=2)))))


def _unread() -> list[Row]:
    return [row for row in corpus.rows("stories") if row["hand"] in corpus.UNREAD and row["language"] == ENGLISH]


def fit(found: Sequence[Found]) -> LogisticHead:
    """How likely each candidate answers, judged pair by pair of question and unit."""
    features, answers = _pooled(found)
    mean, spread = features.mean(axis=0), np.maximum(features.std(axis=0), 1e-9)
    fitted = LogisticRegression(C=STRENGTH, max_iter=3000).fit((features - mean) / spread, answers)
    weights = np.where(features.std(axis=0) > 0, fitted.coef_[0] / spread, 0.0)
    return LogisticHead(relevance.FEATURES, weights, float(fitted.intercept_[0] - (mean * weights).sum()))


def first(found: Sequence[Found]) -> LogisticHead:
    """Which of a question's candidates answers it best. An item stands before its message as in heads/relevance.npz:
    both say the same, but how the item stands is known.
    """
    weights, before = _ordering(found), heads.logistic(relevance.ENGLISH).weights
    weights[ITEM] = before[ITEM] * weights[COSINE] / before[COSINE]
    # Age and standing are weighed against it in log odds, so it has to be on the scale of probabilities (Platt 1999).
    features, answers = _pooled(found)
    scale = LogisticRegression(C=np.inf).fit((features @ weights)[:, None], answers)
    return LogisticHead(relevance.FEATURES, weights * scale.coef_[0, 0], float(scale.intercept_[0]))


def _pooled(found: Sequence[Found]) -> tuple[np.ndarray, np.ndarray]:
    return np.vstack([one.features for one in found]), np.concatenate([one.answers for one in found])


def _ordering(found: Sequence[Found]) -> np.ndarray:
    """A conditional logit (McFadden 1974): how likely the one that is drawn from a question's candidates answers it.

    Pairs judged one by one would spend the weights on telling an easy question from a hard one.
    """
    features, answers = _pooled(found)
    candidates = np.array([len(one.answers) for one in found])
    spread = np.maximum(features.std(axis=0), 1e-9)
    known = jnp.asarray((features - features.mean(axis=0)) / spread)
    question = np.repeat(np.arange(len(candidates)), candidates)

    def summed(scores: jax.Array) -> jax.Array:
        """The logarithm of each question's sum of powers."""
        highest = jax.ops.segment_max(scores, question, len(candidates))
        return highest + jnp.log(jax.ops.segment_sum(jnp.exp(scores - highest[question]), question, len(candidates)))

    def loss(weights: jax.Array) -> jax.Array:
        scores = known @ weights
        right = summed(jnp.where(answers, scores, IMPOSSIBLE))
        return (summed(scores) - right).mean() + REGULARISATION * (weights @ weights) / 2

    return np.asarray(minimize(loss, jnp.zeros(known.shape[1]), method="BFGS").x) / spread


def save(name: str, head: LogisticHead) -> None:
    np.savez(FOLDER / f"{name}.npz", names=np.array(head.names), weights=head.weights, bias=head.bias)
    heads.logistic.cache_clear()
    print(f"{name}:", ", ".join(f"{one} {weight:.2f}" for one, weight in zip(head.names, head.weights, strict=True)))


def asked(
    rows: Sequence[Row],
    embedder: Embedder,
    *,
    among: Sequence[int] = OTHER_STORIES,
    lacking: bool = True,
) -> Iterator[Found]:
    """The candidates of every question that something answers, asked of its story among so many others.

    With `lacking` some units are shown without their vector.
    """
    random = np.random.default_rng(0)
    stories = corpus.stories(rows)
    stores = [store([story], embedder) for story in stories]
    for place, story in enumerate(stories):
        for others in among:
            chosen = random.permutation([at for at in range(len(stories)) if at != place])[:others]
            whole = joined([stores[place], *(stores[at] for at in chosen)])
            for question in story.row["questions"]:
                if question["kind"] != "absent":
                    found = find(whole, question, story, embedder, random=random if lacking else None)
                    if found is not None and found.answers.any():
                        yield replace(found, others=others)


def store(stories: Sequence[Story], embedder: Embedder) -> Store:
    """The stories' turns and what of them is worth keeping, indexed."""
    judge = ClaimJudge(intra_op_threads=2)
    units, texts, turns, sessions, ordinals, marks, times = [], [], [], [], [], [], []
    for story in stories:
        names = list(dict.fromkeys(turn.session for turn in story.turns))
        seen: dict[str, int] = {}
        for place, turn in enumerate(story.turns):
            said = turn.utterance
            mark = cues(said.text, speaker=said.speaker, role=said.role)
            speaker = said.speaker if is_name(said.speaker) else None
            items = _items(turn, judge)
            units += [Unit.EPISODE, *[Unit.ITEM] * len(items)]
            texts += [indexed_text(said.text, speaker=speaker, said_at=said.said_at), *items]
            turns += [place] * (1 + len(items))
            sessions += [names.index(turn.session), *[NO_SESSION] * len(items)]
            ordinals += [seen.setdefault(turn.session, 0), *[0] * len(items)]
            marks += [mark, *[mark & (Cue.OWN | Cue.ASSISTANT | Cue.MACHINE)] * len(items)]
            times += [said.said_at.replace(tzinfo=None)] * (1 + len(items))
            seen[turn.session] += 1
    counts = [terms(text) for text in texts]
    length, session = np.array([kept_length(count) for count in counts]), np.array(sessions)
    center = np.zeros(len(units))
    for one in set(sessions) - {NO_SESSION}:
        own = np.flatnonzero(session == one)
        center[own] = contextual.centers(length[own])
    return Store(
        units, texts, turns, session, np.array(ordinals), center, length, np.array(marks),
        np.array(times, dtype="datetime64[us]"), embedder.embed(texts)[0], list(counts),
    )  # fmt: skip


def _items(turn: corpus.Turn, judge: ClaimJudge) -> list[str]:
    """What of a turn would be kept, as the item is indexed."""
    by_quote = {fact.quote: fact for fact in turn.facts}
    clauses = [one for one in turn.reading.in_context if one.text in by_quote]
    worth = judge.appraise(clauses)
    return [by_quote[one.text].in_context for one, own in zip(clauses, worth, strict=True) if own.worth > KEPT_FROM]


def joined(stores: Sequence[Store]) -> Store:
    """Several stores as one; the turns of the first keep their places, those of the others get none."""
    sessions, offset = [], 0
    for one in stores:
        sessions.append(np.where(one.session == NO_SESSION, NO_SESSION, one.session + offset))
        offset += int(one.session.max()) + 1
    return Store(
        [unit for one in stores for unit in one.units],
        [text for one in stores for text in one.texts],
        [turn if at == 0 else -1 for at, one in enumerate(stores) for turn in one.turns],
        np.concatenate(sessions),
        *(
            np.concatenate([getattr(one, name) for one in stores])
            for name in ("ordinal", "center", "length", "cues", "said_at", "vectors")
        ),
        [count for one in stores for count in one.counts],
    )


def find(
    held: Store, question: Row, story: Story, embedder: Embedder, *, random: np.random.Generator | None = None
) -> Found | None:
    """The candidates of a question, as the index would choose them; with `random` some lack their vector."""
    asked_at = _moment(question.get("valid_at"))
    allowed = np.ones(len(held.units), bool) if asked_at is None else held.said_at <= asked_at
    if not allowed.any():
        return None
    wanted = list(terms(question["ask"]))
    cosines = (held.vectors @ embedder.embed([question["ask"]], as_questions=True)[0][0]).astype(float)
    holding = np.array([sum(term in count for term in wanted) for count in held.counts])
    order = [np.argsort(-np.where(allowed, values, -np.inf))[:CANDIDATES] for values in (cosines, holding)]
    places = np.array(sorted(place for place in set(np.concatenate(order).tolist()) if allowed[place]))
    features = score(
        held, places, question["ask"], wanted, cosines[places], random=random, thresholds=embedder.thresholds
    )
    return Found(story.name, places, features, _answers(held, places, question, story))


def score(
    held: Store,
    places: np.ndarray,
    text: str,
    wanted: Sequence[str],
    cosines: np.ndarray,
    *,
    thresholds: Thresholds,
    random: np.random.Generator | None = None,
) -> np.ndarray:
    """The head's features of the units at `places`."""
    if random is not None:
        cosines = np.where(random.random(len(cosines)) < WITHOUT_VECTOR, np.nan, cosines)
    unknown = np.full(len(places), np.nan)
    units = Units(
        np.arange(len(places)), held.session[places], held.ordinal[places], held.center[places], held.length[places],
        cosines, unknown, held.cues[places],
    )  # fmt: skip
    found = [
        (row, at, held.counts[place][term])
        for row, place in enumerate(places)
        for at, term in enumerate(wanted)
        if term in held.counts[place]
    ]
    rows, at, tf = np.array(found, dtype=np.int64).reshape(-1, 3).T
    frequency = np.array([sum(term in count for count in held.counts) for term in wanted], dtype=np.int64)
    hashes = np.array([lexeme_hash(term) for term in wanted], dtype=np.int64)
    scores = fusion.score(
        QueryTerms(hashes, frequency, len(held.units)),
        units,
        Postings(rows, at, tf, units.length[rows], units.session[rows], units.ordinal[rows], units.center[rows]),
        statement=query.is_statement(text),
        thresholds=thresholds,
        sought=query.sought(text),
    )
    return scores.features


def _answers(held: Store, places: np.ndarray, question: Row, story: Story) -> np.ndarray:
    def answers(place: int) -> bool:
        turn = held.turns[place]
        if turn < 0 or not corpus.says(held.texts[place], question["right"]):
            return False
        own = story.turns[turn]
        return own.name in question["gold_turns"] or own.utterance.role.value == "user"

    return np.array([answers(place) for place in places])


def _moment(text: str | None) -> np.datetime64 | None:
    return None if text is None else np.datetime64(text.rstrip("Z"), "us")
