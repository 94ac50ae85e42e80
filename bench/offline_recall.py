"""Recall of gold turns through the core, without a server: by form of fusion, arm and question category.

Every turn of a conversation is a candidate, so this is what the index may reach, not what it does; there are no items.
Then the two errors of a relevance floor, from questions asked of their own and of other conversations. Embeddings are
cached in the temporary folder: the first run takes about five minutes, the next one seconds.
"""

import hashlib
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench import development_data
from bench.development_data import Conversation, Question
from bench.figures import figure
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.model import Role
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import contextual, fusion, query
from memory_platform.retrieval.contextual import Floats, Integers, Postings, QueryTerms, Units
from memory_platform.retrieval.cues import cues
from memory_platform.retrieval.fusion import Formula, FusionForm, Scores
from memory_platform.text import terms

CACHE = Path(tempfile.gettempdir()) / "memory-platform-bench"
CUTS = (5, 10)
FLOORS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
OTHERS_ASKED = 4

Inverted = Mapping[int, tuple[Integers, Integers]]


@dataclass(frozen=True, slots=True)
class Store:
    """One searched scope: its units as arrays, its postings (unit, tf) by lexeme hash, its vectors, its names."""

    units: Units
    postings: Inverted
    vectors: Vectors
    places: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, its vector, where its gold turns stand, and every unit's scores."""

    question: Question
    gold: frozenset[int]
    scores: Scores


def run() -> None:
    if not development_data.available_for("offline"):
        return
    measure(EncoderEmbedder(intra_op_threads=2))


def measure(embedder: Embedder) -> None:
    """Print every figure for one embedding model."""
    for name, conversations in (("locomo", development_data.locomo()), ("beam", development_data.beam())):
        stores = [build([conversation], embedder) for conversation in conversations]
        pairs = list(zip(stores, conversations, strict=True))
        _report_forms(name, pairs, embedder)
        pooled = build(conversations, embedder)
        _report(f"{name} pooled in one scope", [asked for _, c in pairs for asked in ask(pooled, c, embedder)])
        _report_floor(name, pairs, embedder)


def build(conversations: Sequence[Conversation], embedder: Embedder) -> Store:
    """Index conversations into one scope."""
    lines = [(conversation.name, line) for conversation in conversations for line in conversation.lines]
    texts = [
        terms.indexed_text(line["content"], speaker=line["speaker"], said_at=datetime.fromisoformat(line["content_at"]))
        for _, line in lines
    ]
    dense = {
        session: at for at, session in enumerate(dict.fromkeys((name, line["session_id"]) for name, line in lines))
    }
    session = np.array([dense[name, line["session_id"]] for name, line in lines], dtype=np.int64)
    counts = [terms.terms(text) for text in texts]
    length = np.array([terms.kept_length(count) for count in counts], dtype=np.int64)
    starts = np.searchsorted(session, np.arange(len(dense)))
    center = np.concatenate([contextual.centers(part) for part in np.split(length, starts[1:])])
    unknown = np.full(len(lines), np.nan)
    document = np.arange(len(lines))
    forms = np.array([_cues(line) for _, line in lines], dtype=np.int64)
    units = Units(document, session, document - starts[session], center, length, unknown, unknown, forms)
    places = {(name, line["external_id"]): at for at, (name, line) in enumerate(lines)}
    ends = np.cumsum([len(conversation.lines) for conversation in conversations])[:-1].tolist()
    parts = [texts[start:end] for start, end in zip([0, *ends], [*ends, len(texts)], strict=True)]
    return Store(units, inverted(counts), np.concatenate([embed(embedder, part) for part in parts]), places)


def _cues(line: Mapping[str, Any]) -> int:
    speaker = line["speaker"] if terms.is_name(line["speaker"]) else None
    return cues(line["content"], speaker=speaker, role=Role(line.get("role", "user")))


def inverted(counts: Sequence[Mapping[str, int]]) -> Inverted:
    lists: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, counter in enumerate(counts):
        for term, frequency in counter.items():
            lists[terms.lexeme_hash(term)].append((place, frequency))
    return {key: (np.array([p for p, _ in pairs]), np.array([f for _, f in pairs])) for key, pairs in lists.items()}


def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embed, or read what an earlier run embedded: the texts never change, the fusion does."""
    CACHE.mkdir(exist_ok=True)
    digest = hashlib.sha256("\0".join([embedder.model, *texts]).encode()).hexdigest()
    path = CACHE / f"{digest}.npy"
    if not path.exists():
        np.save(path, embedder.embed(texts)[0])
    vectors: Vectors = np.load(path)
    return vectors


def ask(
    store: Store, conversation: Conversation, embedder: Embedder, *, formula: Formula = fusion.DEFAULT_FORMULA
) -> Iterator[Asked]:
    """Ask a conversation's answerable questions of a store, its own or another's (then no gold is found)."""
    questions = [question for question in conversation.questions if question.gold]
    vectors = embed(embedder, [question.text for question in questions])
    for question, vector in zip(questions, vectors, strict=True):
        places = (store.places.get((conversation.name, name)) for name in question.gold)
        scores = fusion.score(
            *inputs(store, question.text, vector),
            statement=query.is_statement(question.text),
            thresholds=embedder.thresholds,
            formula=formula,
            sought=query.sought(question.text),
        )
        yield Asked(question, frozenset(place for place in places if place is not None), scores)


def inputs(store: Store, text: str, vector: Vectors) -> tuple[QueryTerms, Units, Postings]:
    hashes = [terms.lexeme_hash(term) for term in terms.terms(text)]
    nothing = (np.empty(0, np.int64), np.empty(0, np.int64))
    found = [store.postings.get(key, nothing) for key in hashes] or [nothing]
    frequency = np.array([len(places) for places, _ in found], dtype=np.int64)[: len(hashes)]
    place, tf = np.concatenate([p for p, _ in found]), np.concatenate([f for _, f in found])
    units = store.units
    cosine = (store.vectors @ vector).astype(np.float64)
    following = np.append(np.where(units.session[1:] == units.session[:-1], cosine[1:], np.nan), np.nan)
    return (
        QueryTerms(np.array(hashes, dtype=np.int64), frequency, len(units.document)),
        replace(units, cosine=cosine, next_cosine=following),
        Postings(
            units.document[place],
            np.repeat(np.arange(len(hashes)), frequency),
            tf,
            units.length[place],
            units.session[place],
            units.ordinal[place],
            units.center[place],
        ),
    )


Pairs = Sequence[tuple[Store, Conversation]]


def _report_forms(name: str, pairs: Pairs, embedder: Embedder) -> None:
    for form in FusionForm:
        answers = [asked for store, c in pairs for asked in ask(store, c, embedder, formula=Formula(form))]
        _report(f"{name} {form}", answers)
        if form is not fusion.DEFAULT_FORMULA.form:
            continue
        _report(f"{name} lexical alone", answers, of="lexical")
        for category in sorted({asked.question.category for asked in answers}):
            _report(f"{name} {category}", [asked for asked in answers if asked.question.category == category])


def _report(name: str, answers: Sequence[Asked], *, of: str = "score") -> None:
    recalls = np.mean([_recall(getattr(asked.scores, of), asked.gold) for asked in answers], axis=0) * 100
    for cut, value in zip(CUTS, recalls.tolist(), strict=True):
        figure(f"offline {name} recall@{cut} (n = {len(answers)})", value, "%")


def _recall(values: Floats, gold: frozenset[int]) -> tuple[float, ...]:
    order = np.argsort(-values, kind="stable")[: max(CUTS)].tolist()
    return tuple(len(gold & set(order[:cut])) / len(gold) for cut in CUTS)


def _report_floor(name: str, pairs: Pairs, embedder: Embedder) -> None:
    """How often a floor empties an answer there is, and how often it lets one through where there is none."""
    own, foreign = [], []
    for at, (store, conversation) in enumerate(pairs):
        own += [asked.scores.probability for asked in ask(store, conversation, embedder)]
        for step in range(1, OTHERS_ASKED + 1):
            other = pairs[(at + step) % len(pairs)][0]
            foreign += [asked.scores.probability for asked in ask(other, conversation, embedder)]
    for floor in FLOORS:
        empty = [not fusion.relevant(probability, floor=floor).any() for probability in own]
        answered = [bool(fusion.relevant(probability, floor=floor).any()) for probability in foreign]
        figure(f"offline {name} false-empty at floor {floor} (n = {len(own)})", 100 * float(np.mean(empty)), "%")
        label = f"offline {name} false-answer at floor {floor} (n = {len(foreign)})"
        figure(label, 100 * float(np.mean(answered)), "%")


if __name__ == "__main__":
    run()
