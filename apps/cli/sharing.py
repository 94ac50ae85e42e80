"""Commands about what agents share: share, domains."""

from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.ids import memory_id, short
from apps.cli.options import CHANGE, LOOK, MemoryId, User, add
from apps.cli.output import Json, console, moment, show, table


def register(app: typer.Typer) -> None:
    add(app, "share", share, "memory share MEMORY --domain operations", group=CHANGE)
    add(app, "domains", domains, "memory domains", group=LOOK)


def share(
    memory: MemoryId,
    domain: Annotated[str | None, typer.Option(help="Category to file it in; default: the agent's own.")] = None,
    as_json: Json = False,
) -> None:
    """Make a private memory known to all agents of the tenant; the private one stays."""
    with connect() as server:
        shared = server.post(f"memories/{memory_id(server, memory)}/share", domain=domain)
    show(
        shared,
        as_json=as_json,
        people=lambda: console.print(f"Shared in {shared['category']} as memory {short(shared['id'])}.", markup=False),
    )


def domains(user_id: User = None, as_json: Json = False) -> None:
    """List what agents share, by domain."""
    with connect() as server:
        found = server.get("shared-memory/domains", user_id=user_id)
    show(
        found,
        as_json=as_json,
        people=lambda: table(
            ["domain", "memories", "agents", "last write"],
            [
                (each["domain"], each["memories"], each["agents"], moment(each["last_write_at"]))
                for each in found["items"]
            ],
        ),
    )
