"""`memory budgets`: what may be spent on models, what was, and what it will come to."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

import typer

from apps.cli.connection import connect
from apps.cli.options import add
from apps.cli.output import Json, console, moment, show, table
from apps.cli.server import Answer, Server
from memory_platform.errors import NotFound


class BudgetLength(StrEnum):
    """How long a budget lasts, by the tenant's clock."""

    DAY = "day"
    MONTH = "month"


Period = Annotated[BudgetLength, typer.Option(help="What it limits: each day, or each month.")]
OfAgent = Annotated[str | None, typer.Option("--agent", help="The agent it holds; default: all agents together.")]
Amount = Annotated[float | None, typer.Option(min=0, help="US dollars.")]

_AMOUNTS: Final = ("soft", "hard", "spent", "left", "forecast")
_EVERYONE: Final = "all agents"

app = typer.Typer(help="Budgets for models: list them, set them, lift them.", no_args_is_help=True)


def list_budgets(as_json: Json = False) -> None:
    """Tell what may be spent and what was; needs a key with the scope billing or admin."""
    with connect() as server:
        found = server.get("budgets")
    show(found, as_json=as_json, people=lambda: _show(found["items"]))


def set_budget(
    period: Period,
    soft: Amount = None,
    hard: Amount = None,
    agent_id: OfAgent = None,
    as_json: Json = False,
) -> None:
    """Limit what is spent, in place of what held before; needs a key with the scope admin.

    From the soft amount on answers do with less; from the hard one on no server of models is asked.
    """
    with connect() as server:
        made = server.post("budgets", agent_id=agent_id, period=period.value, soft_usd=soft, hard_usd=hard)
    show(made, as_json=as_json, people=lambda: _show([made]))


def delete(period: Period, agent_id: OfAgent = None, as_json: Json = False) -> None:
    """Lift a limit; needs a key with the scope admin."""
    with connect() as server:
        gone = server.post(f"budgets/{_id(server, period, agent_id)}/delete")
    show(gone, as_json=as_json, people=lambda: console.print("The budget is lifted."))


def _id(server: Server, period: BudgetLength, agent_id: str | None) -> str:
    """Raises NotFound."""
    for held in server.get("budgets")["items"]:
        if (held["period"], held["agent_id"]) == (period, agent_id):
            return str(held["id"])
    raise NotFound(
        f"There is no budget of {agent_id or _EVERYONE} for a {period}.", hint="`memory budgets list` lists them."
    )


def _show(budgets: Sequence[Answer]) -> None:
    if not budgets:
        console.print("There are no budgets.")
        return
    table(["agent", "each", "state", *_AMOUNTS, "until"], [_row(each) for each in budgets], numbers=_AMOUNTS)


def _row(held: Answer) -> tuple[str, ...]:
    amounts = (held[f"{name}_usd"] for name in ("soft", "hard", "spent", "remaining", "forecast"))
    shown = ("–" if each is None else f"{each:,.2f}" for each in amounts)
    return (held["agent_id"] or _EVERYONE, held["period"], held["state"], *shown, moment(held["until"]))


add(app, "list", list_budgets, "memory budgets list")
add(app, "set", set_budget, "memory budgets set --period month --soft 40 --hard 50")
add(app, "delete", delete, "memory budgets delete --period month")
