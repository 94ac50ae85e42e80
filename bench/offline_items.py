"""The whole answer through the core, without a server: episodes and the rules' items, fused, folded, measured as ever.

Then what each part of the formula is worth: recall without it, and the paired difference of the same questions with its
95 % bootstrap interval. Items are what the rules extract and the gate allows, each wording once; what the server merges
or supersedes by meaning stays apart here, which is worth less than half a point. Vectors are cached in the temporary
folder: the first run takes about ten minutes, the next ones one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from bench import development_data, offline_recall
from bench.development_data import BEAM_CORE, Conversation, Question
from bench.extraction import CATEGORIES
from bench.figures import figure
from bench.offline_recall import CUTS, Store, embed
from memory_platform.adapters.minilm_onnx import MiniLmEmbedder
from memory_platform.adapters.rules import RulesExtractor
from memory_platform.consolidation import gating
from memory_platform.model import Role, Unit, Utterance, Verdict
from memory_platform.ports import Embedder, Vectors
from memory_platform.retrieval import cues, fusion, query
from memory_platform.retrieval.fusion import Integers, Scored
from memory_platform.text import temporal, terms

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LOOKED_UP = 160
BOOTSTRAPS = 4_000
# parts of the formula by the constant that switches each off
PARTS = {
    "what answers a question": {"ANSWER_SHARE": 0.0},
    "what is taken up": {"ECHO_SHARE": 0.0},
    "names where one is asked for": {"NAME_WEIGHT": 0.0},
    "times": {"TIMES_WEIGHT": 0.0},
    "the user's own words": {"OWN_WEIGHT": 0.0},
    "the one speaker named, for several answers": {"SPEAKER_WEIGHT": 0.0},
    "items": {"LIFT_SHARE": 0.0},
}

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class World:
    """A conversation's episodes, then its items, as one store; `sources` are each item's episodes by place."""

    store: Store
    lines: Sequence[Mapping[str, Any]]
    cues: Integers
    sources: Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    vector: Vectors
    gold: frozenset[int]


def run() -> None:
    if not development_data.available():
        print(json.dumps({"name": "offline-items", "skipped": "no development data; set MEMORY_BENCH_DATA"}))
        return
    embedder = MiniLmEmbedder(intra_op_threads=2)
    for name, conversations in (("locomo", development_data.locomo()), ("beam", development_data.beam())):
        asked = [
            (world, list(_questions(world, each, name, embedder))) for world, each in _worlds(conversations, embedder)
        ]
        _report(name, asked)


def _worlds(conversations: Sequence[Conversation], embedder: Embedder) -> Iterator[tuple[World, Conversation]]:
    for conversation in conversations:
        yield build(conversation, embedder), conversation


def build(conversation: Conversation, embedder: Embedder) -> World:
    """Index a conversation's turns and what the rules make of them into one scope."""
    episodes = offline_recall.build([conversation], embedder)
    items = _items(conversation)
    counts = [terms.terms(text) for text in items]
    first = len(conversation.lines)
    places = np.arange(first, first + len(items))
    nowhere = np.full(len(items), fusion.NO_SESSION)
    unknown = np.full(len(items), np.nan)
    length = np.array([terms.kept_length(count) for count in counts], dtype=np.int64)
    unit = fusion.Units(places, nowhere, 0 * places, 0.0 * unknown.astype(np.float64), length, unknown, unknown)
    store = Store(
        _joined(episodes.units, replace(unit, center=np.zeros(len(items)))),
        offline_recall.merged(episodes.postings, offline_recall.inverted(counts, start=first)),
        np.concatenate([episodes.vectors, embed(embedder, list(items))]),
        episodes.places,
    )
    said = [(line["content"], line["speaker"], Role(line.get("role", "user"))) for line in conversation.lines]
    own = [cues.cues(text, speaker=_name(speaker), role=role) for text, speaker, role in said]
    return World(
        store,
        conversation.lines,
        np.array([*own, *([0] * len(items))], dtype=np.int64),
        {first + place: sources for place, sources in enumerate(items.values())},
    )


def _name(speaker: str) -> str | None:
    return None if speaker.lower() in terms.ROLE_NAMES else speaker


def _joined(one: fusion.Units, other: fusion.Units) -> fusion.Units:
    names = ("document", "session", "ordinal", "center", "length", "cosine", "next_cosine")
    return fusion.Units(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in names))


def _items(conversation: Conversation) -> dict[str, list[int]]:
    """Each allowed fact's text with the turns it was drawn from."""
    utterances = [_utterance(line) for line in conversation.lines]
    extracted = RulesExtractor().extract(utterances, categories=CATEGORIES, now=NOW)
    found: dict[str, list[int]] = {}
    for place, observation in enumerate(extracted.observations):
        for fact in observation.facts:
            if gating.decide(fact).verdict is Verdict.ALLOW and place not in found.setdefault(fact.text, []):
                found[fact.text].append(place)
    return found


def _utterance(line: Mapping[str, Any]) -> Utterance:
    role = Role(line.get("role", "user"))
    return Utterance(uuid4(), role, _name(line["speaker"]), line["content"], datetime.fromisoformat(line["content_at"]))


def _questions(world: World, conversation: Conversation, name: str, embedder: Embedder) -> Iterator[Asked]:
    asked = [q for q in conversation.questions if q.gold and (name != "beam" or q.category in BEAM_CORE)]
    windows_asked = [temporal.time_range(each.text, NOW) for each in asked]
    texts = [
        query.rewrite_by_rules(each.text, history=(), now=NOW, time_range=window).query
        for each, window in zip(asked, windows_asked, strict=True)
    ]
    for each, vector in zip(asked, embed(embedder, texts), strict=True):
        gold = frozenset(world.store.places[conversation.name, known] for known in each.gold)
        yield Asked(each, vector, gold)


def turns(world: World, asked: Asked) -> list[int]:
    """The places of the turns that the hits name as sources, best first, each once."""
    terms_asked, units, postings = offline_recall.inputs(world.store, asked.question.text, asked.vector)
    scores = fusion.score(
        terms_asked,
        replace(units, cues=world.cues),
        postings,
        statement=query.is_statement(asked.question.text),
        sought=query.sought(asked.question.text),
    )
    rows = np.argsort(-scores.score, kind="stable")[:LOOKED_UP]
    own = {place for row in rows.tolist() for place in world.sources.get(row, ())}
    rows = np.array(sorted({*rows.tolist(), *own}))
    scored = [_scored(world, scores, row) for row in rows.tolist()]
    named = {UUID(int=item): [UUID(int=place) for place in places] for item, places in world.sources.items()}
    hits = fusion.fold(scored, sources=named)
    found = [
        place.int
        for hit in hits
        for place in (*(each.id for each in hit.episodes), *(named.get(hit.item.id, ()) if hit.item else ()))
    ]
    return list(dict.fromkeys(found))


def _scored(world: World, scores: fusion.Scores, row: int) -> Scored:
    return Scored(
        Unit.ITEM if row in world.sources else Unit.EPISODE,
        UUID(int=row),
        float(scores.score[row]),
        row,
        length=int(world.store.units.length[row]),
        form=float(scores.form[row]),
    )


def _report(name: str, asked: Sequence[tuple[World, Sequence[Asked]]]) -> None:
    whole = _recalls(asked)
    categories = np.array([each.question.category for _, questions in asked for each in questions])
    for place, cut in enumerate(CUTS):
        figure(f"offline answer {name} recall@{cut} (n = {len(whole)})", float(whole[:, place].mean()), "%")
        for category in sorted(set(categories.tolist())):
            value = float(whole[categories == category, place].mean())
            figure(f"offline answer {name} {category} recall@{cut}", value, "%")
    for part, constants in PARTS.items():
        with _without(constants):
            _report_difference(f"offline answer {name} without {part}", whole, _recalls(asked))


def _recalls(asked: Sequence[tuple[World, Sequence[Asked]]]) -> Floats:
    return 100 * np.array([_recall(world, each) for world, questions in asked for each in questions])


def _recall(world: World, asked: Asked) -> list[float]:
    found = turns(world, asked)
    return [len(asked.gold & set(found[:cut])) / len(asked.gold) for cut in CUTS]


@contextmanager
def _without(constants: Mapping[str, float]) -> Iterator[None]:
    before = {name: getattr(fusion, name) for name in constants}
    for name, value in constants.items():
        setattr(fusion, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(fusion, name, value)


def _report_difference(label: str, whole: Floats, without: Floats) -> None:
    chance = np.random.default_rng(7)
    for place, cut in enumerate(CUTS):
        lost = whole[:, place] - without[:, place]
        means = lost[chance.integers(0, len(lost), (BOOTSTRAPS, len(lost)))].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5]).tolist()
        figure(f"{label} recall@{cut}", float(without[:, place].mean()), "%")
        figure(f"{label} recall@{cut}, loss", float(lost.mean()), "%")
        figure(f"{label} recall@{cut}, loss, 95 % interval low", low, "%")
        figure(f"{label} recall@{cut}, loss, 95 % interval high", high, "%")


if __name__ == "__main__":
    run()
