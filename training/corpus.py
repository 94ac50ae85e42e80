"""The labelled data, read by the product's own reader: what a model is trained on is what it will be asked.

`data/` holds stories, pairs, turns and drills by several hands (data/README.md). A row is held out by the hash of its
id, a story of bench/data/stories is never trained on.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction import observing
from memory_platform.extraction.observing import Reading, Talk
from memory_platform.model import Appraisal, Fact, Role, Utterance

DATA = Path(__file__).resolve().parent / "data"
STORIES = DATA.parent.parent / "bench" / "data" / "stories"
SECONDS_A_TURN = 40
UNREAD = frozenset({"br", "bs", "bt", "bu", "bv", "bw"})
"""Hands whose stories the embedder does not read: what is learnt on top of its vectors is learnt from these."""
OTHER_LANGUAGES = frozenset(
    {"d", "q", "r", "y", "d6", "d11", "af", "ag", "ah", "ai", "ap", "ax", "ay", "bg", "bh", "bo", "bp"}
)
"""Hands that did not write English."""
_UNSEEN_PAIRS = ("plain", "bare", "contrast")
"""Pairs of bench/data by hands that nobody trains on: short, ordinary sentences; changes that no word betrays, beside
what looks like such; groups around one older statement, whose newer ones differ in as little as they can.
"""
_NAMES = UUID(int=0)

Row = Mapping[str, Any]


def rows(kind: str) -> list[Row]:
    """Every row of a kind (stories, pairs, turns, drills), each with the hand that wrote it as `hand`."""
    found: list[Row] = []
    for path in sorted(DATA.glob(f"*_{kind}.jsonl")):
        found += [{**row, "hand": path.stem.split("_")[0]} for row in _lines(path)]
    return found


def unseen(name: str) -> list[Row]:
    """Pairs or turns of bench/data, by hands that nobody trains on (the first letters of their ids): to test on."""
    return [{**row, "hand": row["id"].split("-")[0]} for row in _lines(STORIES.parent / f"{name}.jsonl")]


def unseen_pairs() -> dict[str, list[Row]]:
    """All pairs of bench/data by hands that nobody trains on, by what they are: plain, bare, contrast."""
    return {name: unseen(f"{name}_pairs") for name in _UNSEEN_PAIRS}


def development(name: str) -> list[Row]:
    """The stories of one file of bench/data/stories: to test on."""
    return _lines(STORIES / f"{name}.jsonl")


def _lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def is_held_out(row_id: str) -> bool:
    """A fifth of all rows, by their ids; those of a group, whose ids differ behind a dot alone, stay together."""
    group = row_id.partition(".")[0]
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % 5 == 0


def by_language(held: Sequence[Any], row_of: Callable[[Any], Row]) -> list[tuple[str, list[Any]]]:
    """What was made of the rows of turns or pairs, in English and in other languages."""
    parts: dict[str, list[Any]] = {"english": [], "other_languages": []}
    for one in held:
        parts["other_languages" if row_of(one)["hand"] in OTHER_LANGUAGES else "english"].append(one)
    return list(parts.items())


def says(text: str, strings: Sequence[str]) -> bool:
    """Whether one of the strings stands in the text as words of its own, whatever their case."""
    return any(re.search(rf"(?<!\w){re.escape(one.lower())}(?!\w)", text.lower()) for one in strings if one)


@dataclass(frozen=True)
class Turn:
    """A message with what our reader makes of it: every clause that could become an item, as the item it would be."""

    utterance: Utterance
    name: str
    session: str
    reading: Reading
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Story:
    row: Row
    turns: tuple[Turn, ...]
    values: Mapping[str, list[list[str]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.row["id"])

    @cached_property
    def by_name(self) -> dict[str, Turn]:
        return {turn.name: turn for turn in self.turns}

    @cached_property
    def junk(self) -> frozenset[str]:
        return frozenset(self.row["junk_turns"])

    def states(self, turn: Turn) -> list[list[str]]:
        """The strings, one of which says it, for each fact the turn states."""
        return self.values.get(turn.name, [])


_reader: list[SpacyReader] = []


def reader() -> SpacyReader:
    if not _reader:
        _reader.append(SpacyReader())
    return _reader[0]


def stories(given: Sequence[Row]) -> list[Story]:
    return [_story(row) for row in given]


def _story(row: Row) -> Story:
    said: list[tuple[str, Utterance]] = [(session["id"], one) for session in row["sessions"] for one in _said(session)]
    values: dict[str, list[list[str]]] = {}
    for fact in row["facts"]:
        for value in fact["history"]:
            values.setdefault(value["turn"], []).append([value["value"], *value.get("aliases", [])])
    names = [turn["id"] for session in row["sessions"] for turn in session["turns"]]
    turns = read([one for _, one in said], sessions=[session for session, _ in said])
    return Story(
        row,
        tuple(
            Turn(one.passage.utterance, name, session, one, facts)
            for name, (session, _), (one, facts) in zip(names, said, turns, strict=True)
        ),
        values,
    )


def _said(session: Row) -> Iterator[Utterance]:
    started = datetime.fromisoformat(session["started_at"])
    for place, turn in enumerate(session["turns"]):
        yield Utterance(
            uuid5(_NAMES, turn["id"]),
            Role(turn["role"]),
            turn["speaker"],
            turn["content"],
            started + timedelta(seconds=SECONDS_A_TURN * place),
        )


def read(said: Sequence[Utterance], *, sessions: Sequence[str]) -> list[tuple[Reading, tuple[Fact, ...]]]:
    """Each utterance read after the one before it in its session, with every clause as the fact it would be."""
    passages = [
        observing.passage(one, said[place - 1 : place] if place and sessions[place - 1] == sessions[place] else ())
        for place, one in enumerate(said)
    ]
    parses = reader().read([one.prose for one in passages])
    readings = [observing.read(one, parse) for one, parse in zip(passages, parses, strict=True)]
    talk = Talk(speakers=tuple(sorted({name for one in said if (name := observing.speaker_of(one))})))
    return [(one, observing.observation(one, _all(one), talk=talk).facts) for one in readings]


def _all(reading: Reading) -> list[Appraisal]:
    return [Appraisal(worth=1.0)] * len(reading.clauses)


def message(
    text: str,
    *,
    before: str = "",
    before_role: str | None = None,
    role: str = "user",
    speaker: str | None = None,
    said: str,
) -> Turn:
    """A single message behind the one before it, as `turns` and `pairs` have them; that one is by default an
    assistant's where the message is a user's, else a user's.
    """
    at = datetime.fromisoformat(said).replace(tzinfo=UTC)
    own = Utterance(uuid5(_NAMES, text), Role(role), speaker, text, at)
    if not before:
        ((reading, facts),) = read([own], sessions=["s"])
        return Turn(own, "", "s", reading, facts)
    other = Role(before_role or ("assistant" if own.role is Role.USER else "user"))
    _, (reading, facts) = read([Utterance(uuid5(_NAMES, before), other, None, before, at), own], sessions=["s", "s"])
    return Turn(own, "", "s", reading, facts)


def in_context(turn: Turn) -> str:
    """The whole message behind the question it answers: what a memory of it would hold if it were one clause."""
    lead_in = turn.reading.passage.lead_in
    return f"{lead_in} / {turn.utterance.text}" if lead_in else turn.utterance.text
