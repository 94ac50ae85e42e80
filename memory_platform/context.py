"""Context: the block of memories that goes into a prompt, in one of three styles, never over its token budget."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from memory_platform.model import TrustTag, Unit

TokenCounter = Callable[[str], int]

MAXIMUM_MEMORIES: Final = 10


class Style(StrEnum):
    """FACTS: one line a memory. SECTIONS: facts, profiles, timeline, evidence. OPERATIONAL: by service."""

    FACTS = "facts"
    SECTIONS = "sections"
    OPERATIONAL = "operational"


class Section(StrEnum):
    FACTS = "Facts"
    PROFILES = "Profiles"
    TIMELINE = "Timeline"
    EVIDENCE = "Evidence"


SHARES: Final = {Section.FACTS: 0.40, Section.PROFILES: 0.25, Section.TIMELINE: 0.25, Section.EVIDENCE: 0.10}
NO_SERVICE: Final = "general"


@dataclass(frozen=True, slots=True)
class Memory:
    """A hit as context sees it.

    `confidence` None: an episode, which is what was said and not a claim. `event_time` only where the text speaks of a
    time of its own; such memories form the timeline. `said_by` and `said_at`: which agent says so, and when; shown
    where memories contradict each other.
    """

    text: str
    unit: Unit
    age_days: float
    confidence: float | None = None
    category: str = ""
    service: str = ""
    tags: tuple[TrustTag, ...] = ()
    event_time: datetime | None = None
    said_by: str = ""
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The text, its tokens, and which memories (places in the input) are in it, best first."""

    text: str
    tokens: int
    included: tuple[int, ...]


def line(memory: Memory) -> str:
    """Return `~ text (confidence: 0.9; age: 12d; work) [stale]`; what is not known is left out.

    One that is contradicted says who holds it: `(…; work; said by sales on 2026-03-01) [conflict]`. White space becomes
    single blanks, so that a stored text cannot forge a line or a heading of the block.
    """
    notes = [] if memory.confidence is None else [f"confidence: {memory.confidence:.1f}"]
    notes.append(f"age: {math.floor(max(memory.age_days, 0.0))}d")
    notes.append(memory.category or memory.unit.value)
    if TrustTag.CONFLICT in memory.tags and memory.said_by:
        said_at = f" on {memory.said_at:%Y-%m-%d}" if memory.said_at else ""
        notes.append(f"said by {memory.said_by}{said_at}")
    return " ".join([f"~ {' '.join(memory.text.split())} ({'; '.join(notes)})", *(f"[{tag}]" for tag in memory.tags)])


def pack(
    memories: Sequence[Memory],
    *,
    max_tokens: int,
    count_tokens: TokenCounter,
    style: Style = Style.FACTS,
    limit: int = MAXIMUM_MEMORIES,
) -> Block:
    """Pack the best memories (ranked best first) into a block of at most `max_tokens` and `limit` memories.

    One that does not fit is left out and the next is tried. In SECTIONS each section may first use its share of both
    (facts 40 %, profiles 25 %, timeline 25 %, evidence 10 %); what is left over goes to the best of the rest.
    """
    whole = _Room(max_tokens, count_tokens, style, limit)
    included: list[int] = []
    if style is Style.SECTIONS:
        for section, share in SHARES.items():
            room = replace(
                whole, max_tokens=int(max_tokens * share), limit=min(math.ceil(limit * share), limit - len(included))
            )
            own = _fill(
                [], [place for place, memory in enumerate(memories) if section_of(memory) is section], memories, room
            )
            included = _fill(included, own, memories, whole)
    included = _fill(included, range(len(memories)), memories, whole)
    text = _render(memories, included, style)
    return Block(text, count_tokens(text) if text else 0, tuple(included))


def section_of(memory: Memory) -> Section:
    """Return where SECTIONS puts a memory."""
    if memory.unit in {Unit.EPISODE, Unit.CHUNK}:
        return Section.EVIDENCE
    if memory.unit is Unit.SUMMARY:
        return Section.PROFILES
    return Section.FACTS if memory.event_time is None else Section.TIMELINE


@dataclass(frozen=True, slots=True)
class _Room:
    """What bounds a block."""

    max_tokens: int
    count_tokens: TokenCounter
    style: Style
    limit: int


def _fill(included: Sequence[int], candidates: Iterable[int], memories: Sequence[Memory], room: _Room) -> list[int]:
    """Return `included` with every candidate that still fits, in ranked order.

    The whole text is counted each time: the tokens of two lines are not the sum of each line's.
    """
    taken = list(included)
    for place in candidates:
        if len(taken) >= room.limit:
            break
        wider = sorted({*taken, place})
        if len(wider) > len(taken) and room.count_tokens(_render(memories, wider, room.style)) <= room.max_tokens:
            taken = wider
    return taken


def _render(memories: Sequence[Memory], included: Sequence[int], style: Style) -> str:
    chosen = [memories[place] for place in included]
    match style:
        case Style.FACTS:
            return "\n".join(map(line, chosen))
        case Style.SECTIONS:
            return _grouped([(section.value, _of_section(chosen, section)) for section in SHARES])
        case Style.OPERATIONAL:
            services = dict.fromkeys(memory.service or NO_SERVICE for memory in chosen)
            return _grouped([(name, [m for m in chosen if (m.service or NO_SERVICE) == name]) for name in services])


def _of_section(chosen: Sequence[Memory], section: Section) -> list[Memory]:
    mine = [memory for memory in chosen if section_of(memory) is section]
    if section is Section.TIMELINE:
        mine.sort(key=lambda memory: memory.event_time.timestamp() if memory.event_time else 0.0)
    return mine


def _grouped(groups: Iterable[tuple[str, Sequence[Memory]]]) -> str:
    """Return the groups that have lines, each under its heading, parted by an empty line."""
    return "\n\n".join(
        "\n".join([f"## {' '.join(name.split())}", *map(line, group)]) for name, group in groups if group
    )
