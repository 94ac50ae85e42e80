"""MEMORY.md and the decision records beside it, as text: the same lines give the same file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Final

from memory_platform.consolidation.claims import normalised
from memory_platform.text.cleaning import inline

TITLE: Final = "# Memory"
SLUG_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line as the file has it; `decision` is the number of its record, where it is one."""

    section: str
    text: str
    said_on: date
    decision: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A decision: what was decided, by whom and when, what it took the place of, and whether it still holds.

    `ended`: "superseded" or "withdrawn"; empty while it holds. `successor` is the decision that superseded it.
    """

    number: int
    text: str
    section: str
    decided_on: date
    decided_by: str
    memories: tuple[str, ...] = ()
    supersedes: int | None = None
    ended: str = ""
    successor: int | None = None


def rendered(lines: Sequence[FileLine]) -> str:
    """The file: a heading for each section, by name, and its lines, the oldest first.

    Whatever a text says, it stays one line and opens no heading.
    """
    ordered = sorted(lines, key=lambda line: (line.section, line.said_on, line.text))
    parts = [TITLE, *(_section(name, own) for name, own in groupby(ordered, key=lambda line: line.section))]
    return "\n\n".join(parts) + "\n"


def heading(section: str) -> str:
    """A section's name for people: `rules-conventions` is "Rules conventions"."""
    return inline(section.replace("-", " ").capitalize())


def record_name(record: Record) -> str:
    """The record's file: `0007-deploy-on-thursdays.md`."""
    slug = "-".join("".join(one for one in word if one.isalnum()) for word in normalised(record.text).split())
    return f"{record.number:04}-{slug[:SLUG_LENGTH].strip('-') or 'decision'}.md"


def record_text(record: Record) -> str:
    """The record with its front matter (YAML); texts are one line each and quoted."""
    return "\n".join(["---", *_front_matter(record), "---", "", f"# {record.number:04} {inline(record.text)}", ""])


def _section(name: str, lines: Iterable[FileLine]) -> str:
    return "\n".join([f"## {heading(name)}", *map(_line, lines)])


def _line(line: FileLine) -> str:
    decision = "" if line.decision is None else f" (decision {line.decision:04})"
    return f"- {line.said_on.isoformat()}: {inline(line.text)}{decision}"


def _front_matter(record: Record) -> Iterable[str]:
    yield f"number: {record.number:04}"
    yield f"title: {_quoted(record.text)}"
    yield f"status: {record.ended or 'accepted'}"
    yield f"date: {record.decided_on.isoformat()}"
    yield f"deciders: [{_quoted(record.decided_by)}]"
    yield f"section: {record.section}"
    if record.supersedes is not None:
        yield f"supersedes: {record.supersedes:04}"
    if record.successor is not None:
        yield f"superseded_by: {record.successor:04}"
    yield f"memories: [{', '.join(record.memories)}]"


def _quoted(text: str) -> str:
    """A YAML scalar in double quotes; JSON's escapes are YAML's."""
    escaped = inline(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
