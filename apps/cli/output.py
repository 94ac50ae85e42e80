"""How answers look: tables for people, JSON with `next` links for programs."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from memory_platform.errors import MemoryPlatformError

_KEY_HINT = "Set MEMORY_API_KEY to a valid key, or run `memory serve` here once to get a first one."
_ID_HINT = "`memory show`, `memory keys list` and `memory log list` show ids."
_ID_FIELDS = frozenset({"id", "ids", "batchId"})

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

ID_WIDTH = 36

console = Console(highlight=False)
complaints = Console(stderr=True, highlight=False)


def show(answer: Any, *, as_json: bool, people: Callable[[], None], next_commands: Sequence[str] = ()) -> None:
    """Print `answer` as JSON with the commands that could follow, or let `people` print it."""
    if as_json:
        typer.echo(json.dumps({"data": _plain(answer), "next": list(next_commands)}, indent=2, default=str))
    else:
        people()


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str | None = None) -> None:
    drawn = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        # An id is there to be copied: it is never cut, whatever the width.
        is_id = column == "id"
        drawn.add_column(column, min_width=ID_WIDTH if is_id else None, no_wrap=is_id, overflow="fold")
    for row in rows:
        # Text, because a memory may hold what looks like markup, such as [redacted:card].
        drawn.add_row(*(Text(cell(value)) for value in row))
    console.print(drawn)


def cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, datetime):
        return value.astimezone().strftime("%Y-%m-%d %H:%M")
    if isinstance(value, (list, tuple)):
        return ", ".join(cell(each) for each in value)
    return str(value)


def moment(value: str | None) -> str | None:
    """An ISO 8601 time as the reader's clock shows it, to the minute."""
    return cell(datetime.fromisoformat(value)) if value else None


def more(command: str, page: Mapping[str, Any]) -> str | None:
    """The command that shows the page after `page`, when there is one."""
    info = page["pageInfo"]
    return f"{command} --after {info['endCursor']}" if info["hasNextPage"] else None


def fail(error: MemoryPlatformError) -> None:
    """Print what went wrong and what to do, in the form the caller asked for."""
    hint = _hint(error)
    if "--json" in sys.argv:
        problem = {"code": error.code, "message": error.message, "hint": hint, "field": error.field}
        typer.echo(json.dumps({"error": problem}, indent=2), err=True)
        return
    complaints.print("[bold red]error:[/]", end=" ")
    complaints.print(error.message, markup=False, soft_wrap=True)
    if hint:
        complaints.print(f"  {hint}", markup=False, soft_wrap=True)


def _hint(error: MemoryPlatformError) -> str | None:
    """What to do at a prompt, where the server's own hint speaks to programs."""
    if error.code == "UNAUTHENTICATED":
        return _KEY_HINT
    if error.code == "NOT_FOUND" or error.field in _ID_FIELDS:
        return error.hint or _ID_HINT
    return error.hint


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
