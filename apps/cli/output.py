"""How answers look: lists and tables for people, the contract's JSON for programs."""

import json
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.status import Status
from rich.table import Table
from rich.text import Text

from apps.cli.ids import short
from apps.cli.server import Answer
from memory_platform.errors import MemoryPlatformError

NOTHING_STORED = 3
"""The exit code of a command that was answered, and all or part of what it sent was not stored."""

_KEY_HINT = "Set MEMORY_API_KEY to a valid key, or run `memory serve` here once to get a first one."
_ID_HINT = "`memory show`, `memory keys list` and `memory journal` show ids."
_ID_FIELDS = frozenset({"id", "ids", "batch_id", "batchId", "memory_id", "key_id"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")

# A field's name as APIs spell it; what callers wrote stands in quotes.
_API_NAME = re.compile(r"(?<![\w'\"`/.])[a-z]{2,}(?:[A-Z][a-z]+)+(?![\w'\"`/])")

Json = Annotated[bool, typer.Option("--json", help="Print the answer of the REST API as it is.")]
FullIds = Annotated[bool, typer.Option("--ids", help="Print ids in full.")]

console = Console(highlight=False)
complaints = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class ListRow:
    """One row of a list: a short mark, a text that may wrap, and what is said of it in a line below."""

    mark: str
    text: str | Text
    details: Iterable[str | None] = ()


def show(answer: Any, *, as_json: bool, people: Callable[[], None]) -> None:
    """Print `answer` as JSON, or let `people` print it."""
    if as_json:
        typer.echo(json.dumps(answer, indent=2))
    else:
        people()


def show_begun(answer: Answer, *, as_json: bool) -> None:
    """Print what was begun, or which job does it; its id stays in one piece, to be copied."""
    job = answer["job_id"]
    show(answer, as_json=as_json, people=lambda: console.print(f"Job {job} does it: memory jobs {job}", soft_wrap=True))


def speaker(source: Answer) -> str | None:
    """Who said it: a user by name, anybody else as what they are, and by name if they have one."""
    role, name = source["role"], source["speaker"]
    if role in {None, "user"}:
        return str(name) if name else None
    return str(role) if not name or name.casefold() == role else f"{role} {name}"


def entries(rows: Iterable[ListRow]) -> None:
    """Texts get all the width but the marks', so that they stay readable at any."""
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(no_wrap=True)
    drawn.add_column(overflow="fold")
    for row in rows:
        # Text, because a memory may hold what looks like markup, such as [redacted:card].
        drawn.add_row(Text(row.mark, style="cyan"), row.text if isinstance(row.text, Text) else Text(row.text))
        if details := ", ".join(filter(None, row.details)):
            drawn.add_row("", Text(details, style="dim"))
    console.print(drawn)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str | None = None,
    numbers: Collection[str] = (),
) -> None:
    """For short cells; what is a sentence belongs into `entries`. The columns of `numbers` end in line, unbroken."""
    drawn = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        if column in numbers:
            drawn.add_column(column, justify="right", no_wrap=True)
        else:
            drawn.add_column(column, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell(value)) for value in row))
    console.print(drawn)


def fields(found: Answer) -> None:
    """One thing: a line for each field that says something."""
    said = ((name.replace("_", " "), cell(value)) for name, value in found.items() if value not in (None, "", [], {}))
    entries(ListRow(name, value) for name, value in said)


def cell(value: Any) -> str:
    """A value in words; nothing is a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {cell(each)}" for name, each in value.items() if each)
    if isinstance(value, (list, tuple)):
        return ("\n" if any(isinstance(each, Mapping) for each in value) else ", ").join(map(cell, value))
    text = str(value)
    return moment(text) or text if _MOMENT.match(text) else text


def moment(value: str | None) -> str | None:
    """An ISO 8601 time as the reader's clock shows it, to the minute."""
    return datetime.fromisoformat(value).astimezone().strftime("%Y-%m-%d %H:%M") if value else None


def amount(count: int, one: str, several: str | None = None) -> str:
    """1 memory, 2 memories."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def leaning(text: str, lead_in: str) -> Text:
    """A text with what it leans on, which is not its own, before it."""
    return Text.assemble((f"({lead_in}) ", "dim"), text) if lead_in else Text(text)


def marked(full: str, *, ids: bool) -> str | None:
    """What the details of an entry add when ids are wanted in full."""
    return full if ids else None


def memories(found: Iterable[Answer], *, ids: bool = False) -> None:
    """A list of memories by their short ids."""
    entries(
        ListRow(
            short(each["id"]),
            leaning(each["text"], each["lead_in"]),
            (
                each["kind"],
                each["category"],
                f"confidence {each['confidence']:.2f}",
                None if each["status"] == "active" else each["status"],
                "held for review" if each["verdict"] == "hold" else None,
                f"of {each['user_id']}" if each["user_id"] else None,
                "shared" if each["visibility"] == "shared" else None,
                marked(each["id"], ids=ids),
            ),
        )
        for each in found
    )


def page(answer: Answer, *, command: str, rows: Callable[[Sequence[Answer]], None], none: str) -> None:
    """One page of a list, and the command that shows the next."""
    if not answer["items"]:
        console.print(none)
        return
    rows(answer["items"])
    if answer["next"]:
        console.print(f"More: {command} --after {answer['next']}", style="dim", soft_wrap=True, markup=False)


def working(what: str) -> Status:
    """A sign of life on a terminal while something takes its time."""
    return complaints.status(what)


def progress_bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """A bar on a terminal's standard error, gone when it is done: what is printed stays as it is."""
    return Progress(*columns, console=complaints, disable=quiet or not complaints.is_terminal, transient=True)


def _spelled(text: str) -> str:
    """The API's names of fields as words: people type options, which are called otherwise."""
    return _API_NAME.sub(lambda name: re.sub("([A-Z])", lambda letter: f" {letter[0].lower()}", name[0]), text)


def fail(error: MemoryPlatformError) -> None:
    """Print what went wrong and what to do: one line, or the REST API's problem."""
    hint = _hint(error)
    if "--json" in sys.argv:
        problem = {"code": error.code, "message": error.message, "hint": hint, "field": error.field}
        typer.echo(json.dumps({"error": problem}, indent=2), err=True)
        return
    complaints.print("[bold red]error:[/]", end=" ")
    complaints.print(_spelled(" ".join(filter(None, (error.message, hint)))), markup=False, soft_wrap=True)


def _hint(error: MemoryPlatformError) -> str | None:
    """What to do at a prompt, where the server's own hint speaks to programs."""
    if error.code == "UNAUTHENTICATED":
        return _KEY_HINT
    if error.code == "NOT_FOUND" or error.field in _ID_FIELDS:
        return error.hint or _ID_HINT
    if error.hint and error.retry_after:
        return error.hint.replace("retryAfter seconds", amount(math.ceil(error.retry_after), "second"))
    return error.hint
