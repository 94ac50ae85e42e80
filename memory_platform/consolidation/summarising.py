"""Summaries: what is held of a category by subject, dated, the current value first; and whether a model's may stand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from memory_platform.extraction.verifying import SpokenEvidence
from memory_platform.model import SummaryFact, SummaryLine, SummarySection
from memory_platform.text.cleaning import inline

WRITER: Final = "rules:1"
"""Who arranged a summary without a model."""
DOUBTED: Final = "(probably replaced)"
OTHER: Final = "Other"
"""The heading of what is about no subject, where there are subjects."""
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")

_Key = tuple[str, ...]


def arranged(facts: Sequence[SummaryFact]) -> tuple[SummarySection, ...]:
    """A section per subject, by name, then what is about none.

    The facts of one state stand together, the one said last first; the states of a subject come in that order, too.
    """
    places = sorted(range(len(facts)), key=lambda place: (_subject(facts[place]) == "", _subject(facts[place])))
    grouped = [list(own) for _, own in groupby(places, key=lambda place: _subject(facts[place]))]
    return tuple(_section(facts, own, has_others=len(grouped) > 1) for own in grouped)


def current(facts: Sequence[SummaryFact]) -> tuple[int, ...]:
    """The places of the facts without those that speak of a state of which a later one is among them."""
    kept = {state[0] for state in _states(facts, range(len(facts)))}
    return tuple(place for place in range(len(facts)) if place in kept)


def rendered(label: str, sections: Sequence[SummarySection]) -> str:
    """The summary as Markdown; empty without a line. No text can pose as a heading or another line."""
    written = [section for section in sections if section.lines]
    if not written:
        return ""
    return "\n\n".join([f"# {inline(label)}", *map(_rendered, written)]) + "\n"


def unsupported(label: str, sections: Sequence[SummarySection], facts: Sequence[SummaryFact]) -> str:
    """The first name, number or date of a summary that the facts its line rests on do not say; empty: none.

    A heading rests on the facts of its lines. A line that rests on nothing is unsupported as it stands.
    """
    return next(filter(None, _unsupported(label, sections, facts)), "")


def sources(sections: Sequence[SummarySection]) -> frozenset[int]:
    """The places of the facts a summary rests on."""
    return frozenset(place for section in sections for line in section.lines for place in line.facts)


def _subject(fact: SummaryFact) -> str:
    return fact.slot.subject.casefold()


def _section(facts: Sequence[SummaryFact], places: Sequence[int], *, has_others: bool) -> SummarySection:
    subject = facts[places[0]].slot.subject
    ordered = [place for state in _states(facts, places) for place in state]
    lines = tuple(SummaryLine(_told(facts[place]), (place,)) for place in ordered)
    return SummarySection(subject or (OTHER if has_others else ""), lines)


def _states(facts: Sequence[SummaryFact], places: Sequence[int]) -> list[list[int]]:
    """The facts of each state, the last said first and doubted ones behind; the state last spoken of first."""
    states: dict[_Key, list[int]] = {}
    for place in sorted(places, key=lambda place: (facts[place].said_on, place), reverse=True):
        states.setdefault(_state(facts[place], place), []).append(place)
    return [sorted(state, key=lambda place: facts[place].is_doubted) for state in states.values()]


def _state(fact: SummaryFact, place: int) -> _Key:
    """What a fact without an attribute says stands alone."""
    slot = fact.slot
    if not slot.attribute:
        return (str(place),)
    return _subject(fact), slot.attribute.casefold(), slot.qualifier.casefold()


def _told(fact: SummaryFact) -> str:
    told = f"{fact.said_on.isoformat()}: {inline(fact.text)}"
    return f"{told} {DOUBTED}" if fact.is_doubted else told


def _rendered(section: SummarySection) -> str:
    lines = "\n".join(f"- {inline(line.text)}" for line in section.lines)
    return f"## {inline(section.heading)}\n{lines}" if section.heading else lines


def _unsupported(label: str, sections: Sequence[SummarySection], facts: Sequence[SummaryFact]) -> Iterator[str]:
    for section in sections:
        for line in section.lines:
            yield _missing(line.text, label, [facts[place] for place in line.facts])
        if section.heading not in {"", OTHER}:
            yield _missing(section.heading, label, [facts[place] for place in sources([section])])


def _missing(text: str, label: str, rests_on: Sequence[SummaryFact]) -> str:
    if not rests_on:
        return text
    language = rests_on[0].language
    days = {day for fact in rests_on for day in _days(fact)}
    strange = next((day for day in _DAY.findall(text) if day not in days), "")
    return strange or SpokenEvidence.of_texts([label, *_said(rests_on)], language=language).missing(
        text, language=language
    )


def _days(fact: SummaryFact) -> Iterable[str]:
    return (fact.said_on.isoformat(), *_DAY.findall(fact.text))


def _said(facts: Sequence[SummaryFact]) -> Iterator[str]:
    for fact in facts:
        yield from (fact.text, fact.slot.subject, fact.said_on.isoformat(), f"{fact.said_on:%d %B %Y}", DOUBTED)
