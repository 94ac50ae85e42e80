"""What statements are filed under, against 200 that were labelled by reading (bench/data/categories.jsonl).

Each is a clause that the gate let through, of a story of training/data with an odd place in its file; its label was
written before any classifier was asked, with a second one where a reader would accept it. "right" takes either, "first"
only the first. The half with an even SHA-256 of its id was looked at while the classifier was built, the other was not.
A second reader labelled the sheet from a written guide without seeing the first labels: `second`. 1,088 statements
of stories with an even place, labelled by two more (bench/data/categories_more.jsonl), chose the other weights.
The stories are read whole, session by session, as they would be captured: what a talk was filed under before counts.
Beside it the rivals: the commonest label, keywords alone, and the category whose name is nearest.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np

from apps.tenants.taxonomy import starting_categories
from bench.figures import Bar, at_least, at_most, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.clause_extractor import ClauseExtractor
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.adapters.multilingual import MultilingualEmbedder
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation import gating
from memory_platform.extraction import examples
from memory_platform.extraction.classify import OTHER
from memory_platform.model import CategoryRule, Fact, Role, Utterance, Verdict
from memory_platform.ports import Embedder, Vectors
from memory_platform.text.languages import ENGLISH
from training import corpus

SHEET: Final = Path(__file__).resolve().parent / "data" / "categories.jsonl"
MORE: Final = SHEET.with_name("categories_more.jsonl")
SECONDS_A_TURN: Final = 40
HALVES: Final = ("looked at", "held out")
BAR_RIGHT: Final = at_least(0.8)
BAR_OTHER: Final = at_most(0.15)

Row = Mapping[str, Any]
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a story, by story, turn and text, with what its keywords say and the message it stands in."""

    key: Key
    session: str
    fact: Fact
    message: str


def run() -> None:
    rules = tuple(
        CategoryRule(each.slug, tuple(each.keywords), examples=tuple(each.examples)) for each in starting_categories()
    )
    rows, more = _rows(SHEET), _rows(MORE)
    said = list(_said(_stories(rows), rules))
    vectors = _vectors(said, [one.fact.in_context for one in said])
    answers = {
        "examples": _filed(said, vectors, rules),
        "rival, commonest": dict.fromkeys((one.key for one in said), _commonest(rows)),
        "rival, keywords alone": {one.key: one.fact.category for one in said},
        "rival, nearest name": _nearest_names(said, vectors),
    }
    for name, found in answers.items():
        for half, label in enumerate(HALVES):
            _report(f"categories, {label}, {name}", _half(rows, half), found,
                    bar=BAR_RIGHT if name == "examples" else None)  # fmt: skip
        others = Counter(found.values())[OTHER] / len(found)
        figure(f"categories, {name}: in other", others, f"share of {len(found)}",
               bar=BAR_OTHER if name == "examples" else None)  # fmt: skip
    second = {_key(row): row["second"][0] for row in rows}
    for half, label in enumerate(HALVES):
        _report(f"categories, {label}, a second reader", _half(rows, half), second, bar=None)
    others_said = list(_said(_stories(more), rules))
    filed = _filed(others_said, _vectors(others_said, [one.fact.in_context for one in others_said]), rules)
    _report("categories, of other stories, examples", more, filed, bar=None)


def _rows(sheet: Path) -> list[Row]:
    return [json.loads(line) for line in sheet.read_text(encoding="utf-8").splitlines()]


def _stories(rows: Sequence[Row]) -> set[str]:
    return {str(row["id"]).split("/")[0] for row in rows}


def _report(label: str, rows: Sequence[Row], found: Mapping[Key, str], *, bar: Bar | None) -> None:
    told = [(row, found[_key(row)]) for row in rows if _key(row) in found]
    right = sum(slug in row["labels"] for row, slug in told) / len(told)
    figure(f"{label}: right", right, f"share of {len(told)}", bar=bar)
    figure(f"{label}: first", sum(slug == row["labels"][0] for row, slug in told) / len(told), f"share of {len(told)}")


def _half(rows: Sequence[Row], half: int) -> list[Row]:
    return [row for row in rows if int(hashlib.sha256(str(row["id"]).encode()).hexdigest(), 16) % 2 == half]


def _key(row: Row) -> Key:
    story, turn, _ = str(row["id"]).split("/")
    return story, turn, str(row["text"])


def _commonest(rows: Sequence[Row]) -> str:
    return Counter(str(row["labels"][0]) for row in _half(rows, 0)).most_common(1)[0][0]


def _said(stories: set[str], rules: Sequence[CategoryRule]) -> Iterator[Said]:
    extractor = ClauseExtractor(SpacyReader(), ClaimJudge())
    for story in corpus.rows("stories"):
        if story["id"] in stories:
            for session in story["sessions"]:
                yield from _of_session(story["id"], session, extractor, rules)


def _of_session(story: str, session: Row, extractor: ClauseExtractor, rules: Sequence[CategoryRule]) -> Iterator[Said]:
    started = datetime.fromisoformat(session["started_at"])
    turns = [
        Utterance(
            uuid4(), Role(turn["role"]), turn["speaker"], turn["content"],
            started + timedelta(seconds=SECONDS_A_TURN * place),
        )
        for place, turn in enumerate(session["turns"])
    ]  # fmt: skip
    if not turns:
        return
    found = extractor.extract(turns, categories=rules, now=turns[-1].said_at).observations
    for turn, observation in zip(session["turns"], found, strict=True):
        for fact in observation.facts:
            if gating.decide(fact).verdict is Verdict.ALLOW:
                yield Said((story, turn["id"], fact.text), f"{story}/{session['id']}", fact, turn["content"])


def _readers() -> Mapping[bool, Embedder]:
    """By whether a text is English."""
    return {True: EncoderEmbedder(), False: MultilingualEmbedder()}


def _vectors(said: Sequence[Said], texts: Sequence[str]) -> list[tuple[bool, Vectors]]:
    """Whether each statement is English, and the vector of its text in the model that reads it."""
    found: dict[int, tuple[bool, Vectors]] = {}
    for is_english, reader in _readers().items():
        places = [place for place, one in enumerate(said) if (one.fact.language == ENGLISH) is is_english]
        vectors, _ = reader.embed([texts[place] for place in places])
        found |= {place: (is_english, vector) for place, vector in zip(places, vectors, strict=True)}
    return [found[place] for place in range(len(said))]


def _filed(
    said: Sequence[Said], vectors: Sequence[tuple[bool, Vectors]], rules: Sequence[CategoryRule]
) -> dict[Key, str]:
    known = {
        each: examples.taught(rules, reader.embed(examples.texts(rules))[0]) for each, reader in _readers().items()
    }
    messages = _vectors(said, [one.message[: examples.MESSAGE_CHARACTERS] for one in said])
    talks: dict[str, list[str]] = {}
    found: dict[Key, str] = {}
    for one, (is_english, vector), (_, message) in zip(said, vectors, messages, strict=True):
        talk = talks.setdefault(one.session, [])
        taught = known[is_english]
        worded = one.fact.category
        found[one.key] = (
            worded if taught is None else taught.category_of(vector, message=message, worded=worded, before=talk)
        )
        talk.append(found[one.key])
    return found


def _nearest_names(said: Sequence[Said], vectors: Sequence[tuple[bool, Vectors]]) -> dict[Key, str]:
    slugs = [each.slug for each in starting_categories()]
    labels = [each.label for each in starting_categories()]
    named = {each: reader.embed(labels)[0] for each, reader in _readers().items()}
    return {
        one.key: slugs[int(np.argmax(named[is_english] @ vector))]
        for one, (is_english, vector) in zip(said, vectors, strict=True)
    }


if __name__ == "__main__":
    run()
