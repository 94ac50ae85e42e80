"""How many of the dates in labelled claims `times.resolve` finds in what was said, and how often it states a wrong one.

`python -m bench times` reads the label files below the folders of MEMORY_STORIES (several are parted as in PATH),
`python -m bench.times FOLDER …` those below the ones given. Counted are the dates of claims that the text does not hold
itself. Tenses are those of the grammar where a reader is installed that knows it, else told by a few words of the
language; a sentence without any has the tense of the question it answers. The first figure says which.
"""

import argparse
import importlib.util
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from dateparser.languages.loader import default_loader

from bench.figures import at_most, figure
from memory_platform.model import Tense
from memory_platform.text import times
from memory_platform.text.sentences import sentences

BAR_WRONG = at_most(0.05)
BEFORE = {"looked_at": (0.2486, 0.1297), "held_out": (0.2821, 0.0769), "other_languages": (0.0, 0.0)}
"""Right and wrong shares of the code that put dates in the place of words (commit 2c12336), by the same script on the
eleven label files of November 2026.
"""
KNOWN = frozenset({"en", "de", "fr", "es"})
LANGUAGES = ("en", "fr", "es", "de", "it", "pt", "nl", "da")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july",
    "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = timedelta(days=1)

TOLD_TODAY = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|month)|heute|aujourd['’]hui|ce matin|hoy)\b",
    re.IGNORECASE,
)
NUMERIC = re.compile(
    r"\b(?P<year>20\d\d)-?(?P<month>[01]\d)-?(?P<day>[0-3]\d)|\b(?:(?P<d>\d\d)[./])?(?P<m>\d\d)[./](?P<y>20\d\d)"
)
WEEK = re.compile(r"\b(?:week of|Woche vom|semaine du|semana del)\s\Z")
WEEKEND = re.compile(r"\bweekend of\s\Z")
TENSES: Mapping[str, Sequence[tuple[Tense, re.Pattern[str]]]] = {
    language: [(tense, re.compile(words, re.IGNORECASE)) for tense, words in told]
    for language, told in {
        "en": (
            (Tense.FUTURE, r"\b(?:will|won['’]t|shall|gonna|going to)\b|['’]ll\b"),
            (Tense.PAST, r"\b(?:was|were|had|did|has|have|went|got|took|came|left|\w{2,}(?<!e)ed|died)\b|['’]ve\b"),
            (Tense.PRESENT, r"\b(?:is|are|am|do|does|can|could|would|\w{2,}[^s'’]s)\b|['’](?:s|re|m|d)\b|\bI \w+"),
        ),
        "de": (
            (Tense.FUTURE, r"\b(?:werden|werde|wirst|werdet)\b"),
            (
                Tense.PAST,
                r"\b(?:war|waren|hatte|hatten|wurde|wurden)\b|\b(?:hab|ha|is|sin)\w*\b.*\b(?:ge\w+t|\w+en)\W*\Z",
            ),
            (Tense.PRESENT, r"\b(?:ist|sind|bin|habe|hat|wird|kommt|kann|will|\w{3,}(?:e|t|en))\b"),
        ),
        "fr": (
            (Tense.FUTURE, r"\b\w+r(?:ai|as|ons|ez|ont)\b"),
            (
                Tense.PAST,
                r"\b(?:a|ai|est|sont|ont|était|avait)\s\w+(?:é|ée|és|ées|is|it|u|us|ue)\b|\b\w+(?:ait|aient)\b",
            ),
            (Tense.PRESENT, r"\b(?:est|sont|suis|ai|a|\w+(?:e|es|ons|ez|ent))\b"),
        ),
        "es": (
            (Tense.FUTURE, r"\b(?:voy|va|vas|van|vamos) a\b|\b\w+r(?:é|ás|á|emos|án)\b"),
            (Tense.PAST, r"\b(?:ha|he|han|hemos)\s\w+(?:ado|ido)\b|\b\w+(?:é|ó|aron|ieron|aba|ía)\b"),
            (Tense.PRESENT, r"\b(?:es|está|son|estoy|soy|tengo|\w+(?:a|e|o|an|en))\b"),
        ),
    }.items()
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A labelled message and the dates its claims hold and it does not, each a stretch of days."""

    is_held_out: bool
    text: str
    before: str
    said: date
    language: str
    claimed: Sequence[tuple[date, date]]


def run() -> None:
    folders = [Path(one) for one in os.environ.get("MEMORY_STORIES", "").split(os.pathsep) if one]
    report([turn for folder in folders for turn in turns(folder)])


def report(read: Sequence[Turn]) -> None:
    if not read:
        return
    figure("times_tense_by_grammar", float(reader() is not None), "yes")
    _report("looked_at", [turn for turn in read if turn.language in KNOWN and not turn.is_held_out])
    _report("held_out", [turn for turn in read if turn.language in KNOWN and turn.is_held_out])
    _report("other_languages", [turn for turn in read if turn.language not in KNOWN])


def _report(part: str, read: Sequence[Turn]) -> None:
    counts = score(read, resolved)
    total = max(1, counts.total())
    right, wrong = BEFORE[part]
    figure(f"times_{part}_dates", total, "dates")
    figure(f"times_{part}_right", counts["right"] / total, "share")
    figure(f"times_{part}_right_before", right, "share")
    figure(f"times_{part}_wrong", counts["wrong"] / total, "share", bar=BAR_WRONG)
    figure(f"times_{part}_wrong_before", wrong, "share")


def score(read: Iterable[Turn], resolve: Callable[[Turn], str]) -> Counter[str]:
    """Claimed dates by what became of them. Wrong is one not found where a date was stated that no claim holds."""
    counts: Counter[str] = Counter()
    for turn in read:
        stated = [one for one in dates(resolve(turn)) if one not in dates(turn.text)]
        is_astray = any(not any(fits(one, claim) for claim in turn.claimed) for one in stated)
        for claim in turn.claimed:
            is_right = any(fits(one, claim) for one in stated)
            counts["right" if is_right else "wrong" if is_astray else "missed"] += 1
    return counts


def fits(stated: tuple[date, date], claim: tuple[date, date]) -> bool:
    """A day by that day or its week, a month by any day of it."""
    if claim[1] - claim[0] <= 7 * DAY:
        return stated[0] < claim[1] and claim[0] < stated[1] and stated[1] - stated[0] <= 7 * DAY
    return claim[0] <= stated[0] < claim[1]


def resolved(turn: Turn) -> str:
    said_at = datetime(turn.said.year, turn.said.month, turn.said.day, 12, tzinfo=UTC)
    asked = _tense_of(turn.before.rsplit(". ", 1)[-1], turn.language) if turn.before.endswith("?") else Tense.NONE
    return "\n".join(
        times.resolve(text, said_at, tense=_or(tense, asked), language=turn.language).text
        for text, tense in _clauses(turn)
    )


def _clauses(turn: Turn) -> list[tuple[str, Tense]]:
    if reader() is None:
        return [(one.text, _tense_of(one.text, turn.language)) for one in sentences(turn.text)]
    (parse,) = reader().read([turn.text], language=turn.language)
    found = importlib.import_module("memory_platform.extraction.clauses").clauses(parse)
    return [(one.text, _or(one.tense, _tense_of(one.text, turn.language))) for one in found]


def _or(tense: Tense, otherwise: Tense) -> Tense:
    return otherwise if tense is Tense.NONE else tense


@cache
def reader() -> Any:
    """The reader of grammar, None where there is none."""
    name = "memory_platform.adapters.spacy_reader"
    return importlib.import_module(name).SpacyReader() if importlib.util.find_spec(name) else None


def _tense_of(text: str, language: str) -> Tense:
    """By the first word found that tells one."""
    found = [(match.start(), tense) for tense, words in TENSES.get(language, ()) if (match := words.search(text))]
    return min(found, key=lambda one: one[0])[1] if found else Tense.NONE


def turns(folder: Path) -> Iterator[Turn]:
    for path in sorted(folder.rglob("*_turns.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if turn := _turn(json.loads(line)):
                yield turn


def _turn(row: Mapping[str, Any]) -> Turn | None:
    said, text = date.fromisoformat(row["said"]), row["text"]
    claims = " / ".join(kept["claim"] for kept in row["keep"])
    held = dates(text)
    claimed = [one for one in dict.fromkeys(dates(claims)) if one not in held and not _is_only_now(one, said, text)]
    if not claimed or not names_a_time(text):
        return None
    is_held_out = int(sha256(row["id"].encode()).hexdigest(), 16) % 5 == 0
    language = row.get("language") or language_of(claims)
    return Turn(is_held_out, text, row.get("prev", ""), said, language, claimed)


def names_a_time(text: str) -> bool:
    """Whether a text has a number or a word for a stretch of time; else its claims are dated by their context."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return re.search(r"\d", text) is not None or not _words_for_times().isdisjoint(words)


@cache
def _words_for_times() -> frozenset[str]:
    found = {"weekend", "tonight", "easter", "christmas", "halloween", "year", "new"}
    for language in LANGUAGES:
        info = default_loader.get_locale(language).info
        phrases = [word for key in (*MONTHS, *WEEKDAYS, "day", "week", "month", "year") for word in info[key]]
        phrases += [word for words in info["relative-type"].values() for word in words]
        found.update(word for phrase in phrases for word in phrase.casefold().split() if len(word) > 3)
    return frozenset(found)


def _is_only_now(claim: tuple[date, date], said: date, text: str) -> bool:
    """Whether a claim is dated by when it was made, not by anything in the text."""
    return claim[0] <= said < claim[1] and not TOLD_TODAY.search(text) and str(said.day) not in text


def dates(text: str) -> list[tuple[date, date]]:
    """The stretches of days that stand complete in a text: days, weeks and months."""
    found: list[tuple[date, date]] = []
    for match in NUMERIC.finditer(text):
        year, month, of = match["year"] or match["y"], match["month"] or match["m"], match["day"] or match["d"]
        found += _stretch(int(year), int(month), int(of or 1), 1 if of else 0)
    for match in _worded().finditer(text):
        number = _months()[match["month"].casefold()]
        if match["day"] is None:
            found += _stretch(int(match["year"]), number, 1, 0)
        else:
            ahead = text[: match.start()]
            length = 7 if WEEK.search(ahead) else 2 if WEEKEND.search(ahead) else 1
            for of in filter(None, (match["first"], match["day"])):
                found += _stretch(int(match["year"]), number, int(of), length)
    return found


def _stretch(year: int, month: int, day: int, length: int) -> list[tuple[date, date]]:
    """`length` days from a day on, a month if 0; nothing for what is in no calendar."""
    try:
        start = date(year, month, day)
    except ValueError:
        return []
    return [(start, start + length * DAY if length else (start + 31 * DAY).replace(day=1))]


def language_of(text: str) -> str:
    """The first language that has the name of the month in a text."""
    match = _worded().search(text)
    name = match["month"].casefold() if match else ""
    return next((one for one in LANGUAGES if name in _names(one)), "en")


@cache
def _names(language: str) -> Mapping[str, int]:
    info = default_loader.get_locale(language).info
    return {name.casefold(): number for number, month in enumerate(MONTHS, 1) for name in info[month] if len(name) > 2}


@cache
def _months() -> Mapping[str, int]:
    return {name: number for language in reversed(LANGUAGES) for name, number in _names(language).items()}


@cache
def _worded() -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(_months(), key=len, reverse=True)))
    return re.compile(
        rf"(?:\b(?:(?P<first>\d{{1,2}})\.?\s?(?:to|and|till|bis|[-–])\s?(?:\w+day\s)?)?(?P<day>\d{{1,2}})(?:er|\.)?\s(?:de\s)?)?\b(?P<month>{names})\s(?:de\s)?(?P<year>20\d\d)\b",
        re.IGNORECASE,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.times")
    parser.add_argument("folders", nargs="+", type=Path)
    report([turn for folder in parser.parse_args().folders for turn in turns(folder)])


if __name__ == "__main__":
    main()
