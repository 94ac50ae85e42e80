"""`memory keys`: create, list, rotate and revoke API keys. Needs a key with the scope admin."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.ids import key_id, short
from apps.cli.options import add
from apps.cli.output import FullIds, Json, ListRow, console, entries, marked, moment, show
from apps.cli.server import Answer


class KeyScope(StrEnum):
    """What a key may do: docs/guides/keys.md."""

    READ = "read"
    WRITE = "write"
    SHARE = "share"
    REVIEW = "review"
    ADMIN = "admin"
    BILLING = "billing"
    ERASE = "erase"


app = typer.Typer(help="API keys: create, list, rotate, revoke. Needs the scope admin.", no_args_is_help=True)
KeyId = Annotated[str, typer.Argument(metavar="KEY", help="Id of the key, or the short one of `memory keys list`.")]


def list_keys(ids: FullIds = False, as_json: Json = False) -> None:
    """List the tenant's keys; secrets are never shown again."""
    with connect() as server:
        found = server.get("keys")
    show(found, as_json=as_json, people=lambda: entries(_entry(key, ids=ids) for key in found["items"]))


def _entry(key: Answer, *, ids: bool) -> ListRow:
    expires = f"until {moment(key['expires_at'])}" if key["expires_at"] else None
    return ListRow(
        short(key["id"]),
        " ".join(filter(None, (f"{key['prefix']}…", key["agent_id"], key["name"]))),
        (
            " ".join(key["scopes"]),
            f"only for {key['user_id']}" if key["user_id"] else None,
            "revoked" if key["revoked_at"] else expires,
            f"last used {moment(key['last_used_at'])}" if key["last_used_at"] else "never used",
            marked(key["id"], ids=ids),
        ),
    )


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
    name: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    expires: Annotated[datetime | None, typer.Option(help="When it stops working.")] = None,
    as_json: Json = False,
) -> None:
    """Create a key and show it this once."""
    with connect() as server:
        made = server.post(
            "keys",
            scopes=[each.value for each in scope or (KeyScope.READ, KeyScope.WRITE)],
            agent_id=agent_id,
            user_id=user_id,
            domain=domain,
            name=name,
            expires_at=expires.astimezone().isoformat() if expires else None,
        )
    show(made, as_json=as_json, people=lambda: _show_token(made))


def _show_token(made: Answer) -> None:
    key = made["key"]
    console.print(made["token"], markup=False, soft_wrap=True)
    console.print(f"Keep it now: it is not shown again. Key {short(key['id'])} of {key['agent_id']}.", markup=False)


def rotate(
    key: KeyId,
    overlap: Annotated[int | None, typer.Option(min=0, help="Seconds the old secret goes on working.")] = None,
    as_json: Json = False,
) -> None:
    """Replace a key's secret; the old one stops working at once, or after --overlap."""
    with connect() as server:
        made = server.post(f"keys/{key_id(server, key)}/rotate", overlap_seconds=overlap)
    show(made, as_json=as_json, people=lambda: _show_token(made))


def revoke(key: KeyId, as_json: Json = False) -> None:
    """Make a key stop working, for good."""
    with connect() as server:
        gone = server.post(f"keys/{key_id(server, key)}/revoke")
    show(gone, as_json=as_json, people=lambda: console.print(f"Key {gone['prefix']}… is revoked."))


add(app, "list", list_keys, "memory keys list")
add(
    app,
    "create",
    create,
    "memory keys create",
    "memory keys create --scope read --agent support-bot --name reader --expires 2030-01-31",
    'memory keys create --user mara --name "her phone"',
)
add(app, "rotate", rotate, "memory keys rotate KEY --overlap 3600")
add(app, "revoke", revoke, "memory keys revoke KEY")
