"""`memory summary`: what is held, category by category."""

from typing import Annotated, Final
from urllib.parse import quote

import typer

from apps.cli.connection import connect
from apps.cli.options import LOOK, AllUsers, User, add, of_users
from apps.cli.output import Json, ListRow, amount, console, entries, moment, show
from apps.cli.server import Answer

MARKDOWN: Final = "text/markdown"


def register(app: typer.Typer) -> None:
    add(
        app,
        "summary",
        summary,
        "memory summary",
        "memory summary work",
        "memory summary work --versions",
        group=LOOK,
    )


def summary(
    category: Annotated[str | None, typer.Argument(help="A category; without one they are listed.")] = None,
    *,
    versions: Annotated[bool, typer.Option("--versions", help="How it came to be: what each version changed.")] = False,
    shared: Annotated[bool, typer.Option("--shared", help="Of what agents share.")] = False,
    user_id: User = None,
    all_users: AllUsers = False,
    as_json: Json = False,
) -> None:
    """Print what is held of a category, in Markdown, or list the categories something is held in."""
    if category is None:
        _list(user_id, all_users=all_users, as_json=as_json)
        return
    path, asked = (
        f"summaries/{quote(category, safe='')}",
        {"user_id": user_id, "visibility": "shared" if shared else None},
    )
    with connect() as server:
        if versions:
            found = server.get(f"{path}/versions", **asked)
            show(found, as_json=as_json, people=lambda: _print_versions(found["items"]))
        elif as_json:
            show(server.get(path, **asked), as_json=True, people=lambda: None)
        else:
            typer.echo(server.text(f"{path}.md", accepts=MARKDOWN, **asked), nl=False)


def _list(user_id: str | None, *, all_users: bool, as_json: bool) -> None:
    with connect() as server:
        found = server.get("summaries", **of_users(user_id, all_users=all_users))
    show(found, as_json=as_json, people=lambda: _print_list(found["items"]))


def _print_list(rows: list[Answer]) -> None:
    if not rows:
        console.print("Nothing is held yet.")
        return
    entries(ListRow(each["category"], amount(each["items"], "memory", "memories"), _details(each)) for each in rows)


def _details(each: Answer) -> list[str | None]:
    written = f"version {each['version']} of {moment(each['updated_at'])}" if each["version"] else "not written yet"
    shared = "shared" if each["visibility"] == "shared" else None
    return [written, each["user_id"], shared]


def _print_versions(rows: list[Answer]) -> None:
    if not rows:
        console.print("No version is written yet.")
        return
    entries(
        ListRow(str(each["number"]), each["diff"], [moment(each["at"]), each["writer"], each["degraded"]])
        for each in rows
    )
