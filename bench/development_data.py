"""The development halves of LoCoMo and BEAM, read where they lie; licences forbid shipping them."""

import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("MEMORY_BENCH_DATA", Path(__file__).resolve().parents[2] / "shared" / "bench-data"))
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
BEAM_CORE = frozenset(
    {
        "contradiction_resolution",
        "information_extraction",
        "knowledge_update",
        "multi_session_reasoning",
        "temporal_reasoning",
    }
)
_DATE = "%I:%M %p on %d %B, %Y"


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` are external ids of the messages that answer; none for a question that cannot be answered."""

    text: str
    category: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    lines: tuple[dict[str, Any], ...]
    questions: tuple[Question, ...]


def available_for(benchmark: str) -> bool:
    """Whether the data lies there; what needs it says on a line that it is skipped."""
    is_there = (FOLDER / "locomo_dev.json.gz").exists()
    if not is_there:
        print(json.dumps({"name": benchmark, "skipped": "no development data; set MEMORY_BENCH_DATA"}))
    return is_there


def locomo() -> list[Conversation]:
    """Five conversations, 2,760 turns, 997 questions with evidence (malformed evidence ids repaired)."""
    return [_locomo(sample) for sample in _load("locomo_dev.json.gz")]


def beam() -> list[Conversation]:
    """Twenty chats; questions of the five core abilities, and those of abstention, whose gold is empty."""
    return [_beam(chat) for chat in _load("beam_100k_dev.json.gz")]


def long_replies() -> Iterator[dict[str, Any]]:
    """What the assistants of BEAM answered, chat by chat: 4,000 characters each on average."""
    return (line for chat in beam() for line in chat.lines if line["role"] == "assistant")


def _load(name: str) -> list[dict[str, Any]]:
    with gzip.open(FOLDER / name) as file:
        return list(json.load(file))


def _locomo(sample: dict[str, Any]) -> Conversation:
    lines = tuple(_locomo_lines(sample["conversation"]))
    known = {line["external_id"] for line in lines}
    questions = []
    for asked in sample["qa"]:
        gold = frozenset(_evidence(asked.get("evidence") or [])) & known
        if gold:
            questions.append(Question(str(asked["question"]), LOCOMO_CATEGORIES[asked["category"]], gold))
    return Conversation(str(sample["sample_id"]), lines, tuple(questions))


def _evidence(ids: list[str]) -> Iterator[str]:
    for raw in ids:
        for part in re.split(r"[;,\s]+", raw.replace("D:", "D")):
            if re.fullmatch(r"D\d+:\d+", part):
                session, turn = part[1:].split(":")
                yield f"D{int(session)}:{int(turn)}"


def _locomo_lines(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for number in sorted(int(name.split("_")[1]) for name in conversation if re.fullmatch(r"session_\d+", name)):
        said = conversation[f"session_{number}_date_time"]
        started = datetime.strptime(said.upper().replace(" ON ", " on "), _DATE).replace(tzinfo=UTC)
        for position, turn in enumerate(conversation[f"session_{number}"]):
            caption = turn.get("blip_caption")
            yield {
                "external_id": turn["dia_id"],
                "session_id": f"session-{number}",
                "speaker": turn["speaker"],
                "content": turn["text"] + (f" [shares {caption}]" if caption else ""),
                "content_at": (started + timedelta(seconds=30 * position)).isoformat(),
            }


def _beam(chat: dict[str, Any]) -> Conversation:
    lines = []
    at = datetime(2024, 1, 1, tzinfo=UTC)
    for message in chat["messages"]:
        if message["time_anchor"]:
            anchored = datetime.strptime(message["time_anchor"], "%B-%d-%Y").replace(tzinfo=UTC)
            at = anchored
        at += timedelta(seconds=30)
        lines.append(
            {
                "external_id": str(message["id"]),
                "session_id": f"session-{message['session']}",
                "speaker": message["role"].capitalize(),
                "role": message["role"],
                "content": message["content"],
                "content_at": at.isoformat(),
            }
        )
    questions = tuple(
        Question(asked["question"], asked["ability"], frozenset(map(str, asked["gold_message_ids"])))
        for asked in chat["questions"]
        if asked["ability"] in BEAM_CORE or asked["ability"] == "abstention"
    )
    return Conversation(f"beam-{chat['chat_id']}", tuple(lines), questions)
