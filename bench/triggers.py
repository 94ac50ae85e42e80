"""How many of the times ahead that messages hold become triggers on the right day, and how many are false.

`python -m bench triggers` reads the messages of training/data by the hands whose dates were read (`triggers.jsonl` says
what they hold) and those of bench/data/times_ahead.jsonl, written for this by two hands and trained on by nobody. All
were labelled by reading, before and without any program: `ahead` are the days (or weeks, months: first day and the one
after the last) that must be found, `also` those that may be: the end of a range, a proposal, what lasts longer than a
month; `recurs` the next day of what comes back, on which a trigger that comes once is false. Those of training/data
were read by two people each: what only one of them holds for ahead is in `also`. A fifth of them, by the hash of their
ids, and all of the second hand's, are held out: nobody looked at what becomes of them. Both parts must reach the bars.
Beside them the simplest rival: every date that lies after the message's time is a trigger.

What comes back is asked of 160 messages of its own, by two hands (bench/data/recurrences.jsonl): half of them name
something to come back to on such days, half, in nearly the same words, only how things are then. The second hand's are
held out. The rival: every phrase that names such days.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from bench.figures import at_least, at_most, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction import observing
from memory_platform.extraction.observing import Reading
from memory_platform.lifecycle import recurrence, triggers
from memory_platform.lifecycle.triggers import Detected
from memory_platform.model import Role, Tense, Utterance
from memory_platform.text import times

TURNS = Path(__file__).resolve().parents[1] / "training" / "data"
SHEET = Path(__file__).resolve().parent / "data" / "triggers.jsonl"
WRITTEN = SHEET.with_name("times_ahead.jsonl")
RECURRENCES = SHEET.with_name("recurrences.jsonl")
HELD_OUT_HAND: Final = "by"
HANDS_OF_RECURRENCES: Final = {"looked_at": "ca", "held_out": "cb"}
DAY_OF_RECURRENCES: Final = "2026-11-20"
BAR_FOUND, BAR_FALSE = at_least(90.0), at_most(5.0)
SAID = time(23, 30, tzinfo=UTC)
"""Labels say on which day, not when: what was at some hour of that day is behind."""

Row = Mapping[str, Any]
Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class Expected:
    ahead: Sequence[Days] = ()
    also: Sequence[Days] = ()


def run() -> None:
    expected = sheet()
    rows = list(messages())
    for part, held_out in (("looked_at", False), ("held_out", True)):
        chosen = [row for row in rows if is_held_out(row) is held_out]
        _report(part, score(chosen, expected, detected), bars=True)
        english = [row for row in chosen if row.get("language", "en") == "en"]
        _report(f"{part}_english", score(english, expected, detected), bars=False)
        _report(f"{part}_every_date", score(chosen, expected, every_date), bars=False)
    recurring = [{"role": Role.USER, "said": DAY_OF_RECURRENCES, **row} for row in _rows(RECURRENCES)]
    for part, hand in HANDS_OF_RECURRENCES.items():
        of_hand = [row for row in recurring if _hand(row) == hand]
        _report_recurring(part, of_hand, comes_back)
        _report_recurring(f"{part}_rival", of_hand, names_days)


def _report(part: str, counts: Counter[str], *, bars: bool) -> None:
    found = 100.0 * counts["found"] / max(1, counts["ahead"])
    wrong = 100.0 * counts["false"] / max(1, counts["triggers"])
    figure(f"triggers_{part}_times_ahead", counts["ahead"], "times")
    figure(f"triggers_{part}_found", found, "%", bar=BAR_FOUND if bars else None)
    figure(f"triggers_{part}_false", wrong, "%", bar=BAR_FALSE if bars else None)


def _report_recurring(part: str, rows: Sequence[Row], find: Callable[[Row], bool]) -> None:
    found = [row for row in rows if find(row)]
    right = sum(row["recurs"] for row in found)
    wanted = sum(row["recurs"] for row in rows)
    figure(f"triggers_recurring_{part}_found", 100.0 * right / wanted, "%")
    figure(f"triggers_recurring_{part}_false", 100.0 * (len(found) - right) / max(1, len(found)), "%")


def score(rows: Sequence[Row], expected: Mapping[str, Expected], find: Callable[[Row], set[date]]) -> Counter[str]:
    """`found` of `ahead`, and `false` of `triggers`: those on a day that no label holds."""
    counts: Counter[str] = Counter()
    for row in rows:
        wanted, found = expected.get(row["id"], Expected()), find(row)
        counts["ahead"] += len(wanted.ahead)
        counts["found"] += sum(any(_holds(days, one) for one in found) for days in wanted.ahead)
        counts["triggers"] += len(found)
        counts["false"] += sum(not any(_holds(days, one) for days in (*wanted.ahead, *wanted.also)) for one in found)
    return counts


def _holds(days: Days, one: date) -> bool:
    return days[0] <= one < days[1]


def messages() -> Iterator[Row]:
    for hand in sorted({_hand(row) for row in _rows(SHEET)}):
        yield from _rows(TURNS / f"{hand}_turns.jsonl")
    yield from _rows(WRITTEN)


def is_held_out(row: Row) -> bool:
    return _hand(row) == HELD_OUT_HAND or int(sha256(row["id"].encode()).hexdigest(), 16) % 5 == 0


def _hand(row: Row) -> str:
    return str(row["id"]).split("-")[0]


def sheet() -> dict[str, Expected]:
    return {row["id"]: Expected(_days(row["ahead"]), _days(row["also"])) for row in (*_rows(SHEET), *_rows(WRITTEN))}


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _days(pairs: Sequence[Sequence[str]]) -> list[Days]:
    return [(date.fromisoformat(first), date.fromisoformat(after)) for first, after in pairs]


# What finds.


def detected(row: Row) -> set[date]:
    """The days of what comes once; how often something comes back these labels do not say."""
    return {one.at.date() for one in _triggers(row) if not (one.recurrence or one.is_cancelled)}


def comes_back(row: Row) -> bool:
    return any(one.recurrence for one in _triggers(row))


def names_days(row: Row) -> bool:
    return any(any(recurrence.recurring(clause.text)) for clause in reading(row).clauses)


def _triggers(row: Row) -> Sequence[Detected]:
    found = reading(row)
    if not triggers.detect(found):
        return ()
    observation = observing.observation(found, _judge().appraise(found.in_context))
    return triggers.detect(found, judged=triggers.judged_by(observation))


def every_date(row: Row) -> set[date]:
    said = _said(row)
    return {
        one.first
        for clause in reading(row).clauses
        for one in times.told(clause.text, said, tense=Tense.FUTURE, language=clause.language)
        if one.first > said.date()
    }


def reading(row: Row) -> Reading:
    said = _said(row)
    utterance = Utterance(UUID(int=0), Role(row["role"]), row.get("speaker"), row["text"], said)
    before = Utterance(UUID(int=1), Role.ASSISTANT, None, row.get("prev", ""), said)
    passage = observing.passage(utterance, [before] if before.text else [])
    (parse,) = _reader().read([passage.prose], language=observing.language_of_talk([before, utterance]))
    return observing.read(passage, parse)


def _said(row: Row) -> datetime:
    return datetime.combine(date.fromisoformat(row["said"]), SAID)


@cache
def _reader() -> SpacyReader:
    return SpacyReader()


@cache
def _judge() -> ClaimJudge:
    return ClaimJudge()
