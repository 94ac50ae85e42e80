"""`memory keys`: create, list, rotate and revoke API keys. Needs a key with the scope admin."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, moment, show, table


class KeyScope(StrEnum):
    """What a key may do: docs/guides/keys.md."""

    READ = "read"
    WRITE = "write"
    SHARE = "share"
    REVIEW = "review"
    ADMIN = "admin"
    BILLING = "billing"


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
            ["id", "prefix", "agent", "user", "name", "scopes", "valid until", "last used"],
            [
                (
                    key["id"],
                    key["prefix"],
                    key["agent_id"],
                    key["user_id"],
                    key["name"],
                    key["scopes"],
                    "revoked" if key["revoked_at"] else moment(key["expires_at"]),
                    moment(key["last_used_at"]),
                )
                for key in found["items"]
            ],
        ),
        next_commands=[f"memory keys revoke {key['id']}" for key in found["items"][:3] if not key["revoked_at"]],
    )


@app.command("create")
def create(
    scope: Annotated[
        list[KeyScope] | None, typer.Option(help="What it may do; repeatable. Default: read and write.")
    ] = None,
    agent_id: Annotated[
        str | None, typer.Option("--agent", help="Agent it is for, created when new; default: yours.")
    ] = None,
    user_id: Annotated[
        str | None, typer.Option("--user", help="Bind it to one user: it reaches no other's memories.")
    ] = None,
    domain: Annotated[str | None, typer.Option(help="The agent's home category from now on.")] = None,
    name: Annotated[str, typer.Option(help="What it is for.")] = "",
    expires: Annotated[datetime | None, typer.Option(help="When it stops working.")] = None,
    as_json: Json = False,
) -> None:
    """Create a key and show it this once."""
    fields = {
        "scopes": [each.name for each in scope or (KeyScope.READ, KeyScope.WRITE)],
        "agentId": agent_id,
        "userId": user_id,
        "domain": domain,
        "name": name or None,
        "expiresAt": expires.astimezone().isoformat() if expires else None,
    }
    with connect() as agent:
        made = agent.create_key(**{field: value for field, value in fields.items() if value is not None})
    show(
        made,
        as_json=as_json,
        people=lambda: _show_token(made),
        next_commands=[f"memory keys revoke {made['key']['id']}"],
    )


def _show_token(made: Mapping[str, Any]) -> None:
    console.print(made["token"], markup=False, soft_wrap=True)
    console.print(f"Keep it now: it is not shown again. Key {made['key']['id']} of {made['key']['agentId']}.")


@app.command("rotate")
def rotate(key_id: Annotated[str, typer.Argument(help="Id of the key.")], as_json: Json = False) -> None:
    """Replace a key's secret; the old one stops working at once."""
    with connect() as agent:
        made = agent.rotate_key(key_id)
    show(
        made,
        as_json=as_json,
        people=lambda: _show_token(made),
        next_commands=[f"memory keys revoke {made['key']['id']}"],
    )


@app.command("revoke")
def revoke(key_id: Annotated[str, typer.Argument(help="Id of the key.")], as_json: Json = False) -> None:
    """Make a key stop working, for good."""
    with connect() as agent:
        gone = agent.revoke_key(key_id)
    show(gone, as_json=as_json, people=lambda: console.print(f"Key {gone['prefix']}… is revoked."))
