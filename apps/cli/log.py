"""`memory log`: read the journal, and write what an agent did into it."""

from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, show, table

app = typer.Typer(help="Read the journal; `add` writes an operations entry of your own.", no_args_is_help=True)


@app.command("list")
def read(
    first: Annotated[int, typer.Option(help="How many entries, newest first.")] = 20,
    after: Annotated[str | None, typer.Option(help="Cursor of the page before.")] = None,
    operation: Annotated[str | None, typer.Option(help="Only entries of this operation.")] = None,
    as_json: Json = False,
) -> None:
    """List the journal."""
    filters = {"operation": operation} if operation else {}
    with connect() as agent:
        page = agent.journal(first=first, after=after, **filters)
    nodes = [edge["node"] for edge in page["edges"]]
    following = [f"memory explain {node['subjectId']}" for node in nodes if node["subject"] == "item"][:3]
    if page["pageInfo"]["hasNextPage"]:
        following.append(f"memory log list --first {first} --after {page['pageInfo']['endCursor']}")
    show(
        page,
        as_json=as_json,
        people=lambda: table(
            ["at", "operation", "actor", "subject", "data"],
            [
                (
                    node["at"][:19],
                    node["operation"],
                    node["actor"],
                    node["subject"],
                    node["detail"] or ", ".join(f"{name}={value}" for name, value in (node["data"] or {}).items()),
                )
                for node in nodes
            ],
        ),
        next_commands=following,
    )


@app.command("add")
def add(
    action: Annotated[str, typer.Argument(help="The verb: deployed, restarted, decided …")],
    tool: Annotated[str, typer.Option(help="The noun: what was used or acted on.")] = "",
    detail: Annotated[str, typer.Option(help="What exactly.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: Json = False,
) -> None:
    """Write an operations entry: action, tool, detail, reason."""
    with connect() as agent:
        entry = agent.log(action, tool=tool, detail=detail, reason=reason)
    show(
        entry,
        as_json=as_json,
        people=lambda: console.print(f"Logged {entry['id']}."),
        next_commands=["memory log list --operation agent.logged"],
    )
