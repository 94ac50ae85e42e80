"""How many of the times ahead that labelled messages hold become triggers on the right day, and how many are false.

`python -m bench triggers` reads the messages of training/data and what bench/data/triggers.jsonl says of each that
holds a time ahead: `ahead` are the days (or weeks, months: first day and the one after the last) that must be found,
`also` those that may be: the end of a range, a date only the message before it tells, one that a move leaves. It was
derived from the labels' claims (`--derive`), whose dates are complete; rows with `checked` were read by a person
against the message, and corrected with a `note`. The rest is held out: nobody looked at it. Both parts must reach the
bars. Beside them the simplest rival: every date that lies after the message's time is a trigger.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

from bench import times as labelled
from bench.figures import at_least, at_most, figure
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.extraction import observing
from memory_platform.extraction.observing import Reading
from memory_platform.lifecycle import triggers
from memory_platform.model import Role, Tense, Utterance
from memory_platform.text import times
from memory_platform.text.dates.directions import moves
from memory_platform.text.languages import language_of

TURNS = Path(__file__).resolve().parents[1] / "training" / "data"
SHEET = Path(__file__).resolve().parent / "data" / "triggers.jsonl"
BAR_FOUND, BAR_FALSE = at_least(90.0), at_most(5.0)
SAID = time(23, 30, tzinfo=UTC)
"""Labels say on which day, not when: what was at some hour of that day is behind."""

YEAR = re.compile(r"\b20\d\d\b")

Row = Mapping[str, Any]
Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class Expected:
    ahead: Sequence[Days] = ()
    also: Sequence[Days] = ()


def run() -> None:
    expected = sheet()
    rows = list(turns())
    for part, held_out in (("looked_at", False), ("held_out", True)):
        chosen = [row for row in rows if is_held_out(row) is held_out]
        _report(part, score(chosen, expected, detected), bars=True)
        english = [row for row in chosen if row.get("language", "en") == "en"]
        _report(f"{part}_english", score(english, expected, detected), bars=False)
        _report(f"{part}_every_date", score(chosen, expected, every_date), bars=False)


def _report(part: str, counts: Counter[str], *, bars: bool) -> None:
    found = 100.0 * counts["found"] / max(1, counts["ahead"])
    wrong = 100.0 * counts["false"] / max(1, counts["triggers"])
    figure(f"triggers_{part}_times_ahead", counts["ahead"], "times")
    figure(f"triggers_{part}_found", found, "%", bar=BAR_FOUND if bars else None)
    figure(f"triggers_{part}_false", wrong, "%", bar=BAR_FALSE if bars else None)


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


def turns() -> Iterator[Row]:
    for path in sorted(TURNS.glob("*_turns.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def is_held_out(row: Row) -> bool:
    return int(sha256(row["id"].encode()).hexdigest(), 16) % 5 == 0


def sheet() -> dict[str, Expected]:
    rows = map(json.loads, SHEET.read_text(encoding="utf-8").splitlines())
    return {row["id"]: Expected(_days(row["ahead"]), _days(row["also"])) for row in rows}


def _days(pairs: Sequence[Sequence[str]]) -> list[Days]:
    return [(date.fromisoformat(first), date.fromisoformat(after)) for first, after in pairs]


# What finds.


def detected(row: Row) -> set[date]:
    """The days of what comes once; how often something comes back no label says."""
    found = reading(row)
    if not triggers.detect(found):
        return set()
    observation = observing.observation(found, _judge().appraise(found.in_context))
    judged = triggers.judged_by(observation)
    return {one.at.date() for one in triggers.detect(found, judged=judged) if not (one.recurrence or one.is_cancelled)}


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
    (parse,) = _reader().read([passage.prose], language=language_of(before.text))
    return observing.read(passage, parse)


def _said(row: Row) -> datetime:
    return datetime.combine(date.fromisoformat(row["said"]), SAID)


@cache
def _reader() -> SpacyReader:
    return SpacyReader()


@cache
def _judge() -> ClaimJudge:
    return ClaimJudge()


# What is expected.


def derive() -> Iterator[Row]:
    """The rows of the sheet as they follow from the labels."""
    for row in turns():
        ahead, also = _claimed(row)
        if ahead or also:
            yield {"id": row["id"], "ahead": _told(ahead), "also": _told(also), "checked": False, "note": ""}


def _claimed(row: Row) -> tuple[list[Days], list[Days]]:
    """Dates of claims that lie ahead, and those that need not be found: ends of ranges, what a move leaves, what the
    message does not tell, forms of dates only our reader knows.
    """
    said = date.fromisoformat(row["said"])
    claims = [kept["claim"] for kept in row["keep"] if kept["certainty"] != "hypothetical"]
    read = dict.fromkeys(days for claim in claims for days in labelled.dates(claim) if days[0] > said)
    forms = dict.fromkeys(days for claim in claims for days in _complete(claim, row) if days[0] > said)
    beside = {days for claim in claims for days in _beside(claim, row)}
    if not labelled.names_a_time(row["text"]):
        beside |= read.keys()
    ahead = [days for days in read if days not in beside]
    return ahead, [days for days in {**read, **forms} if days not in ahead]


def _complete(claim: str, row: Row) -> Iterator[Days]:
    """Days and months of a claim that names a year, in any form ("Easter 2026")."""
    for one in _of_claim(claim, row) if YEAR.search(claim) else ():
        if one.until - one.first == timedelta(1) or one.first.day == one.until.day == 1:
            yield one.first, one.until


def _beside(claim: str, row: Row) -> Iterator[Days]:
    """The end of a range, and the day a move leaves."""
    found = _of_claim(claim, row)
    for one, following in pairwise(found):
        if one.is_joined_to_next:
            kept = one if moves(claim, one.start) else following
            yield kept.first, kept.until
    for one in found:
        if timedelta(1) < one.until - one.first < timedelta(28):
            yield one.until - timedelta(1), one.until


def _of_claim(claim: str, row: Row) -> Sequence[times.DateMention]:
    language = row.get("language") or language_of(claim)
    return times.told(claim, _said(row), tense=Tense.FUTURE, language=language)


def _told(days: Sequence[Days]) -> list[list[str]]:
    return [[first.isoformat(), after.isoformat()] for first, after in days]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.triggers", description=__doc__)
    parser.add_argument("--derive", action="store_true", help="print the sheet as it follows from the labels")
    if parser.parse_args().derive:
        print("\n".join(json.dumps(row) for row in derive()))
    else:
        run()


if __name__ == "__main__":
    main()
