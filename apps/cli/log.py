"""`memory log`: read the journal, and write what an agent did into it."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, moment, more, show, table

app = typer.Typer(help="Read the journal; `add` writes an operations entry of your own.", no_args_is_help=True)


@app.command("list")
def read(
    first: Annotated[int, typer.Option(min=1, max=100, help="How many entries, newest first.")] = 20,
    after: Annotated[str | None, typer.Option(help="Cursor of the page before.")] = None,
    operation: Annotated[str | None, typer.Option(help="Only entries of this operation.")] = None,
    as_json: Json = False,
) -> None:
    """List the journal."""
    filters = {"operation": operation} if operation else {}
    with connect() as agent:
        page = agent.journal(first=first, after=after, **filters)
    nodes = [edge["node"] for edge in page["edges"]]
    explained = [f"memory explain {node['subjectId']}" for node in nodes if node["subject"] == "memory"][:3]
    only = f" --operation {operation}" if operation else ""
    following = more(f"memory log list --first {first}{only}", page)

    def people() -> None:
        table(
            ["at", "operation", "actor", "subject", "what"],
            [
                (moment(node["at"]), node["operation"], node["actor"], node["subject"] or None, _what(node))
                for node in nodes
            ],
        )
        if following:
            console.print(f"More: {following}", style="dim", soft_wrap=True)

    show(page, as_json=as_json, people=people, next_commands=[*explained, *([following] if following else [])])


def _what(entry: Mapping[str, Any]) -> str:
    if entry["action"]:
        reason = f" ({entry['reason']})" if entry["reason"] else ""
        return " ".join(word for word in (entry["action"], entry["tool"], entry["detail"]) if word) + reason
    return ", ".join(f"{name}={value}" for name, value in (entry["data"] or {}).items() if value not in ("", [], None))


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
