"""Commands about lessons: the file, the list of them, and taking one out."""

from collections.abc import Sequence
from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.options import CHANGE, LOOK, After, First, User, add, again, of_users
from apps.cli.output import Json, ListRow, console, entries, page, show
from apps.cli.server import Answer


def register(app: typer.Typer) -> None:
    add(app, "lessons", lessons, "memory lessons --user-id mara", "memory lessons --list", group=LOOK)
    add(app, "unlearn", unlearn, "memory unlearn LESSON", group=CHANGE)


def lessons(
    *,
    as_list: Annotated[bool, typer.Option("--list", help="List them with their ids instead.")] = False,
    status: Annotated[
        list[str] | None, typer.Option(help="With --list: active, superseded, dismissed or ended.")
    ] = None,
    user_id: User = None,
    first: First = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """Print the lessons file: what users want done otherwise, and ask for again and again."""
    with connect() as server:
        if not (as_list or as_json):
            typer.echo(server.text("lessons.md", accepts="text/markdown", user_id=user_id))
            return
        found = server.get("lessons", status=status, first=first, after=after, **of_users(user_id, all_users=False))
    named = " ".join(f"--status {each}" for each in status or ())
    command = again(f"memory lessons --list {named}".strip(), user_id=user_id, first=first)

    def rows(items: Sequence[Answer]) -> None:
        entries(ListRow(each["pattern"], each["text"], (each["status"], each["scope"], each["id"])) for each in items)

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="No lessons yet."))


def unlearn(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="Id of a lesson, as `memory lessons --list` says.")],
    as_json: Json = False,
) -> None:
    """Take a lesson out of the file; the memory it stands on stays."""
    with connect() as server:
        gone = server.post(f"lessons/{lesson}/dismiss")
    show(
        gone,
        as_json=as_json,
        people=lambda: console.print(f"{gone['status']}: {gone['text']} ({gone['id']})", markup=False, soft_wrap=True),
    )
