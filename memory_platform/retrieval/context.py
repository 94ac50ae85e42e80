"""Context: the block of memories that goes into a prompt, in one of three styles, never over its token budget."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from memory_platform.consolidation.authority import CALLER, Voice
from memory_platform.model import ContextStyle, Role, TrustTag, Unit
from memory_platform.text.cleaning import inline
from memory_platform.text.sentences import sentences
from memory_platform.text.terms import terms

TokenCounter = Callable[[str], int]

MAXIMUM_MEMORIES: Final = 10


class Section(StrEnum):
    FACTS = "Facts"
    PROFILES = "Profiles"
    TIMELINE = "Timeline"
    EVIDENCE = "Evidence"


class Omission(StrEnum):
    """Why a memory that was considered is not handed out."""

    BUDGET = "budget"
    """It did not fit into the tokens."""
    LIMIT = "limit"
    """There were enough before it."""
    ALREADY_GIVEN = "already_given"
    """The session has it already."""


SHARES: Final = {Section.FACTS: 0.40, Section.PROFILES: 0.25, Section.TIMELINE: 0.25, Section.EVIDENCE: 0.10}
NO_SERVICE: Final = "general"
ELLIPSIS: Final = "…"
_NOT_IN_NAMES: Final = str.maketrans(dict.fromkeys("():;[]（）：；［］", " "))
"""What ends a name in a line, or begins a note or a tag."""
_ROLE: Final = re.compile(rf"\b(?:{'|'.join(Role)})\b", re.IGNORECASE)
SUM_IS_OFF_BY: Final = 8
"""Tokens by which two texts may cost less together than the sum of each."""


@dataclass(frozen=True, slots=True)
class ContextMemory:
    """A hit as context sees it.

    `confidence` None: an episode, which is what was said and not a claim. `event_time` only where the text speaks of a
    time of its own; such memories form the timeline, unless `section` says where they belong. `said_by` and `said_at`:
    which agent says so, and when; shown where memories contradict each other. `voice`: on whose word it stands. Of
    memories with the same `says` a block holds one: the same words, once as a hit and once as another's quote.
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
    section: Section | None = None
    says: Hashable = None
    voice: Voice = CALLER


@dataclass(frozen=True, slots=True)
class Block:
    """The text, its tokens, and which memories (places in the input) are in it, best first."""

    text: str
    tokens: int
    included: tuple[int, ...]


EMPTY: Final = Block("", 0, ())


def line(memory: ContextMemory) -> str:
    """Return `~ text (confidence: 0.9; age: 12d; work) [stale]`; what is not known is left out.

    What was said begins with who said it: `~ assistant: text (age: 3d; episode)`; a fact that no user stated says so:
    `(…; work; by tool crm)`. One that is contradicted says who holds it: `(…; work; said by sales on 2026-03-01)
    [conflict]`. Whatever the text and the names hold, the line stays one line, and its beginning, notes and tags are
    the memory's own (`speaker`, `cleaning.inline`).
    """
    return _line(inline(_told(memory)), _notes(memory), memory.tags)


def filed(memory: ContextMemory) -> str:
    """Return the line behind its category: `~ [timing] text (confidence: 0.9; age: 12d) [stale]`.

    No text names another category: a bracket it begins with becomes a parenthesis.
    """
    text = inline(_told(memory))
    named = f"({text[1:].replace(']', ')', 1)}" if text.startswith("[") else text
    notes = [*_worth(memory), *_claimed_by(memory), *_holder(memory)]
    return _line(f"[{_filed_under(memory)}] {named}", notes, memory.tags)


def dated(memory: ContextMemory) -> str:
    """Return the line of a timeline: `~ 2026-05-07: text (…)`."""
    if memory.event_time is None:
        return line(memory)
    return _line(inline(f"{memory.event_time:%Y-%m-%d}: {_told(memory)}"), _notes(memory), memory.tags)


def speaker(voice: Voice) -> str:
    """Return who speaks as a line names them: `user`, `Anna`, `assistant`, `tool crm`.

    A user's name stands alone unless it names a role; then its own goes before it, and before everybody else's name.
    """
    role, name = voice.role.value, " ".join(inline(voice.name).translate(_NOT_IN_NAMES).split())
    if not name or name.casefold() == role:
        return role
    if voice.role is Role.USER and not _ROLE.search(unicodedata.normalize("NFKC", name)):
        return name
    return f"{role} {name}"


def _told(memory: ContextMemory) -> str:
    """What was said behind who said it; an item's text names its own people."""
    return f"{speaker(memory.voice)}: {memory.text}" if memory.unit is Unit.EPISODE else memory.text


def _line(told: str, notes: Iterable[str], tags: Iterable[TrustTag]) -> str:
    return " ".join([f"~ {told} ({'; '.join(notes)})", *(f"[{tag}]" for tag in tags)])


def _notes(memory: ContextMemory) -> list[str]:
    return [*_worth(memory), _filed_under(memory), *_claimed_by(memory), *_holder(memory)]


def _worth(memory: ContextMemory) -> list[str]:
    known = [] if memory.confidence is None else [f"confidence: {memory.confidence:.1f}"]
    return [*known, f"age: {math.floor(max(memory.age_days, 0.0))}d"]


def _filed_under(memory: ContextMemory) -> str:
    return inline(memory.category) or memory.unit.value


def _claimed_by(memory: ContextMemory) -> list[str]:
    """Who states a fact that no user stated; what was said says so itself."""
    is_users = memory.unit is Unit.EPISODE or memory.voice.role is Role.USER
    return [] if is_users else [f"by {speaker(memory.voice)}"]


def _holder(memory: ContextMemory) -> list[str]:
    """Who holds what is contradicted, and since when."""
    if TrustTag.CONFLICT not in memory.tags or not memory.said_by:
        return []
    said_at = f" on {memory.said_at:%Y-%m-%d}" if memory.said_at else ""
    return [f"said by {inline(memory.said_by)}{said_at}"]


def excerpt(text: str, *, asked: Collection[str], max_tokens: int, count_tokens: TokenCounter) -> str:
    """Return `text`, or of a longer one the sentences that hold most of the `asked` terms, in their order.

    Gaps are marked by an ellipsis. Of equals the earlier sentence is kept, where none holds any the first; the best one
    stays even if it is too long by itself, cut at a word.
    """
    if count_tokens(text) <= max_tokens:
        return text
    spans = [span.text for span in sentences(text)] or [text]
    wanted = frozenset(asked)
    held = [len(wanted & terms(span).keys()) for span in spans]
    order = sorted(range(len(spans)), key=lambda place: -held[place])
    if count_tokens(_joined(spans, order[:1])) > max_tokens:
        return _cut(spans[order[0]], max_tokens, count_tokens)
    kept: list[int] = []
    for place in order:
        wider = sorted([*kept, place])
        matters = held[place] > 0 or held[order[0]] == 0
        if matters and count_tokens(_joined(spans, wider)) <= max_tokens:
            kept = wider
    return _joined(spans, kept)


def _joined(spans: Sequence[str], kept: Sequence[int]) -> str:
    parts = []
    following = 0
    for place in kept:
        parts += [ELLIPSIS, spans[place]] if place > following else [spans[place]]
        following = place + 1
    return " ".join([*parts, ELLIPSIS] if following < len(spans) else parts)


def _cut(sentence: str, max_tokens: int, count_tokens: TokenCounter) -> str:
    words = sentence.split()
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count_tokens(" ".join([*words[:middle], ELLIPSIS])) <= max_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return " ".join([*words[:low], ELLIPSIS])


def pack(
    memories: Sequence[ContextMemory],
    *,
    max_tokens: int,
    count_tokens: TokenCounter,
    style: ContextStyle = ContextStyle.FACTS,
    limit: int = MAXIMUM_MEMORIES,
    shares: Mapping[Section, float] = SHARES,
) -> Block:
    """Pack the best memories (ranked best first) into a block of at most `max_tokens` and `limit` memories.

    One that does not fit is left out and the next is tried. In SECTIONS each section may first use its share of both
    (`shares`, in the order in which they are served); what is left over goes to the best of the rest.
    """
    whole = _BlockLimits(max_tokens, count_tokens, style, limit)
    included: list[int] = []
    if style is ContextStyle.SECTIONS:
        for section, share in shares.items():
            limits = replace(
                whole, max_tokens=int(max_tokens * share), limit=min(math.ceil(limit * share), limit - len(included))
            )
            own = _fill(
                [], [place for place, memory in enumerate(memories) if section_of(memory) is section], memories, limits
            )
            included = _fill(included, own, memories, whole)
    included = _fill(included, range(len(memories)), memories, whole)
    text = _render(memories, included, whole)
    return Block(text, count_tokens(text) if text else 0, tuple(included))


def omissions(memories: Sequence[ContextMemory], included: Sequence[int], *, limit: int) -> dict[int, Omission]:
    """Return why `pack` left memories (places in the input) out of a block of at most `limit` that has `included`.

    What the block already says in another line's words is not left out.
    """
    said = {memories[place].says for place in included} - {None}
    last = max(included, default=-1) if len(included) >= limit else len(memories)
    return {
        place: Omission.LIMIT if place > last else Omission.BUDGET
        for place, memory in enumerate(memories)
        if place not in included and memory.says not in said
    }


def section_of(memory: ContextMemory) -> Section:
    """Return where SECTIONS puts a memory."""
    if memory.section is not None:
        return memory.section
    if memory.unit in {Unit.EPISODE, Unit.CHUNK}:
        return Section.EVIDENCE
    if memory.unit is Unit.SUMMARY:
        return Section.PROFILES
    return Section.FACTS if memory.event_time is None else Section.TIMELINE


@dataclass(frozen=True, slots=True)
class _BlockLimits:
    """What bounds a block."""

    max_tokens: int
    count_tokens: TokenCounter
    style: ContextStyle
    limit: int


def _fill(
    included: Sequence[int], candidates: Iterable[int], memories: Sequence[ContextMemory], limits: _BlockLimits
) -> list[int]:
    """Return `included` with every candidate that still fits, in ranked order.

    The whole text is counted each time: the tokens of two lines are not the sum of each line's. What is far too long by
    that sum is not tried.
    """
    taken = list(included)
    said = {memories[place].says for place in taken} - {None}
    used = limits.count_tokens(_render(memories, taken, limits)) if taken else 0
    for place in candidates:
        if len(taken) >= limits.limit:
            break
        memory = memories[place]
        if memory.says in said or used + limits.count_tokens(line(memory)) > limits.max_tokens + SUM_IS_OFF_BY:
            continue
        wider = sorted({*taken, place})
        tokens = limits.count_tokens(_render(memories, wider, limits))
        if len(wider) > len(taken) and tokens <= limits.max_tokens:
            taken, used = wider, tokens
            said |= {memory.says} - {None}
    return taken


def _render(memories: Sequence[ContextMemory], included: Sequence[int], limits: _BlockLimits) -> str:
    chosen = [memories[place] for place in included]
    match limits.style:
        case ContextStyle.FACTS:
            return "\n".join(map(line, chosen))
        case ContextStyle.SECTIONS:
            return _grouped([(section.value, _of_section(chosen, section)) for section in Section])
        case ContextStyle.OPERATIONAL:
            return _operational(chosen, of=len(memories), count_tokens=limits.count_tokens)


def _operational(chosen: Sequence[ContextMemory], *, of: int, count_tokens: TokenCounter) -> str:
    """How many of how many, then what is known of each service, the surest first, and of none in particular."""
    services = dict.fromkeys(memory.service for memory in chosen if memory.service)
    surest = sorted(chosen, key=lambda memory: -(memory.confidence or 0.0))
    text = _grouped(
        (service or NO_SERVICE, [filed(memory) for memory in surest if memory.service == service])
        for service in (*services, "")
    )
    return f"# {len(chosen)} of {of} memories, ~{count_tokens(text)} tokens\n\n{text}" if text else ""


def _of_section(chosen: Sequence[ContextMemory], section: Section) -> list[str]:
    mine = [memory for memory in chosen if section_of(memory) is section]
    if section is not Section.TIMELINE:
        return [line(memory) for memory in mine]
    mine.sort(key=lambda memory: memory.event_time.timestamp() if memory.event_time else 0.0)
    return [dated(memory) for memory in mine]


def _grouped(groups: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the groups that have lines, each under its heading, parted by an empty line."""
    return "\n\n".join("\n".join([f"## {inline(name)}", *lines]) for name, lines in groups if lines)
