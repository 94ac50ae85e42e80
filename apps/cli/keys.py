"""`memory keys`: create, list, rotate and revoke API keys. Needs a key with the scope admin."""

from datetime import datetime
from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, show, table

app = typer.Typer(help="API keys: create, list, rotate, revoke. Needs the scope admin.", no_args_is_help=True)


@app.command("list")
def list_keys(as_json: Json = False) -> None:
    """List the tenant's keys; secrets are never shown again."""
    with connect() as agent:
        found = agent.rest("GET", "keys")
    show(
        found,
        as_json=as_json,
        people=lambda: table(
            ["id", "prefix", "agent", "name", "scopes", "expires", "revoked", "last used"],
            [
                (
                    key["id"],
                    key["prefix"],
                    key["agent_id"],
                    key["name"],
                    key["scopes"],
                    key["expires_at"],
                    key["revoked_at"],
                    key["last_used_at"],
                )
                for key in found["items"]
            ],
        ),
        next_commands=[f"memory keys revoke {key['id']}" for key in found["items"][:3]],
    )


@app.command("create")
def create(
    scope: Annotated[
        list[str] | None, typer.Option(help="read, write, share, review, admin, billing; repeatable.")
    ] = None,
    agent_id: Annotated[
        str | None, typer.Option("--agent", help="Agent it is for, created when new; default: yours.")
    ] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    expires: Annotated[datetime | None, typer.Option(help="When it stops working.")] = None,
    as_json: Json = False,
) -> None:
    """Create a key and show it this once."""
    fields = {
        "scopes": [each.upper() for each in scope or ["read", "write"]],
        "agentId": agent_id,
        "name": name or None,
        "expiresAt": expires.astimezone().isoformat() if expires else None,
    }
    with connect() as agent:
        made = agent.create_key(**{field: value for field, value in fields.items() if value is not None})
    show(
        made,
        as_json=as_json,
        people=lambda: console.print(f"{made['token']}\nKeep it now: it is not shown again.", soft_wrap=True),
        next_commands=[f"memory keys revoke {made['key']['id']}"],
    )


@app.command("rotate")
def rotate(key_id: Annotated[str, typer.Argument(help="Id of the key.")], as_json: Json = False) -> None:
    """Replace a key's secret; the old one stops working at once."""
    with connect() as agent:
        made = agent.rest("POST", f"keys/{key_id}/rotate")
    show(made, as_json=as_json, people=lambda: console.print(made["token"], soft_wrap=True))


@app.command("revoke")
def revoke(key_id: Annotated[str, typer.Argument(help="Id of the key.")], as_json: Json = False) -> None:
    """Make a key stop working, for good."""
    with connect() as agent:
        gone = agent.revoke_key(key_id)
    show(gone, as_json=as_json, people=lambda: console.print(f"Key {gone['prefix']}… is revoked."))
