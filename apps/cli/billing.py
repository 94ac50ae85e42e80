"""`memory usage`: what was spent in a span of time."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

import typer

from apps.cli.connection import connect
from apps.cli.options import LOOK, After, First, add, again, span
from apps.cli.output import Json, console, page, show, table
from apps.cli.server import Answer


class Key(StrEnum):
    """What usage is grouped by, in the order in which groups come."""

    DAY = "day"
    AGENT = "agent"
    OPERATION = "operation"
    MODEL = "model"
    SESSION = "session"


_NAMES: Final = {Key.AGENT: "agent_id", Key.SESSION: "session_id"}
"""The fields that name a group and are not called like their key."""
_COUNTED: Final = ("calls", "failed", "tokens in", "tokens out", "recalls", "turns", "US$")
_MILLION: Final = 1_000_000
_MONEY_HELP: Final = "≥: some rows have no known price; set it in the admin under Prices."


def register(app: typer.Typer) -> None:
    add(
        app,
        "usage",
        usage,
        "memory usage",
        "memory usage --by agent --by day --since 2026-11-01",
        "memory usage --by session --csv",
        group=LOOK,
    )


def usage(
    *,
    by: Annotated[list[Key] | None, typer.Option("--by", help="Group by it; give it again for more than one.")] = None,
    since: Annotated[
        datetime | None, typer.Option(help="From then on, in UTC; default: the first of the month.")
    ] = None,
    until: Annotated[datetime | None, typer.Option(help="Up to but without then, in UTC; default: now.")] = None,
    first: First = 20,
    after: After = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print every group as a line of CSV.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what models were called for and what it cost; needs a key with the scope billing or admin."""
    if as_csv and as_json:
        raise typer.BadParameter("Give --csv or --json.")
    with connect() as server:
        if as_csv:
            typer.echo(server.text("usage", accepts="text/csv", group_by=_words(by), **span(since, until)), nl=False)
            return
        found = server.get("usage", group_by=_words(by), first=first, after=after, **span(since, until))
    command = again("memory usage", by=_words(by), since=since, until=until, first=first)
    show(
        found,
        as_json=as_json,
        people=lambda: page(
            found, command=command, rows=lambda groups: print_usage(groups, by or ()), none="Nothing was spent."
        ),
    )


def _words(by: Sequence[Key] | None) -> list[str]:
    return [key.value for key in by or ()]


def print_usage(groups: Sequence[Answer], by: Sequence[Key]) -> None:
    """Draw a line a group; one column names it, so that any keys fit beside the numbers."""
    keys = [key for key in Key if key in by]
    table(
        [", ".join(keys) or "all", *_COUNTED],
        [(_name(group, keys), *_numbers(group)) for group in groups],
        numbers=_COUNTED,
    )
    if any(group["unpriced_rows"] for group in groups):
        console.print(_MONEY_HELP, style="dim")


def _name(group: Answer, keys: Sequence[Key]) -> str:
    return ", ".join(group[_NAMES.get(key, key)] or "–" for key in keys) or "all"


def _numbers(group: Answer) -> tuple[str, ...]:
    counts = ("calls", "failed_calls", "tokens_in", "tokens_out", "recalls", "turns")
    return (*(_short(group[name]) for name in counts), _money(group))


def _short(count: float) -> str:
    return f"{count:,.0f}" if count < _MILLION else f"{count / _MILLION:,.1f}M"


def _money(group: Answer) -> str:
    known = f"{group['known_cost_usd']:.4f}"
    return known if group["cost_usd"] is not None else f"≥{known}"
