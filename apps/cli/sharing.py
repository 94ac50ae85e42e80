"""Commands about what agents share: share, domains."""

from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, moment, show, table


def register(app: typer.Typer) -> None:
    app.command("share")(share)
    app.command("domains")(domains)


def share(
    memory_id: Annotated[str, typer.Argument(help="Id of a private memory of yours.")],
    domain: Annotated[str | None, typer.Option(help="Category to file it in; default: the agent's own.")] = None,
    as_json: Json = False,
) -> None:
    """Make a memory known to all agents of the tenant; the private one stays."""
    with connect() as agent:
        shared = agent.share(memory_id, domain=domain)
    show(
        shared,
        as_json=as_json,
        people=lambda: console.print(f"Shared in {shared['category']}: {shared['id']}", markup=False, soft_wrap=True),
        next_commands=[f"memory explain {shared['id']}", f"memory recall '…' --shared --domain {shared['category']}"],
    )


def domains(as_json: Json = False) -> None:
    """List what agents share, by domain."""
    with connect() as agent:
        found = agent.shared_domains()
    show(
        found,
        as_json=as_json,
        people=lambda: table(
            ["domain", "memories", "agents", "last write"],
            [(each["domain"], each["memories"], each["agents"], moment(each["lastWriteAt"])) for each in found],
        ),
        next_commands=[f"memory recall '…' --shared --domain {each['domain']}" for each in found[:3]],
    )
