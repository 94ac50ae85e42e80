"""The `memory` command: every subcommand, and the one place where errors become messages and exit codes."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from apps.cli import (
    activity,
    billing,
    budgets,
    categories,
    curation,
    demo,
    entities,
    erase,
    explicit,
    graph,
    keys,
    lessons,
    maintenance,
    mcp,
    memories,
    operations,
    reading,
    serving,
    sessions,
    sharing,
    summaries,
    triggers,
    writing,
)
from apps.cli.options import LOOK, RUN
from apps.cli.output import fail
from memory_platform.errors import MemoryPlatformError, Unavailable

app = typer.Typer(
    name="memory",
    epilog="Exit codes: 0 done; 1 refused, failed or not well; 2 wrong usage; 3 answered, but not all was stored; "
    "130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(*, wanted: bool) -> None:
    if wanted:
        typer.echo(f"memory {version('memory-platform')}")
        raise typer.Exit


@app.callback()
def _memory(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version.",
            callback=lambda wanted: _show_version(wanted=wanted),
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Memory for AI agents: send what happened, get back the few facts worth knowing.

    Commands talk to the server at MEMORY_URL (http://127.0.0.1:8000) with MEMORY_API_KEY, for MEMORY_USER if that is
    set; on the machine of `memory serve` address and key are found by themselves.
    """


for module in (
    serving,
    demo,
    writing,
    explicit,
    reading,
    memories,
    sessions,
    sharing,
    entities,
    summaries,
    triggers,
    lessons,
    curation,
    activity,
    categories,
    billing,
    operations,
    maintenance,
    mcp,
):
    module.register(app)
app.add_typer(sessions.app, name="session", rich_help_panel=LOOK)
app.add_typer(curation.app, name="curated", rich_help_panel=LOOK)
app.add_typer(keys.app, name="keys", rich_help_panel=RUN)
app.add_typer(budgets.app, name="budgets", rich_help_panel=RUN)
app.add_typer(graph.app, name="graph", rich_help_panel=RUN)
app.add_typer(erase.app, name="erase", rich_help_panel=RUN)


def main() -> None:
    """Run the command line; 0 done, 1 refused or failed, 2 wrong usage, 3 not all was stored, 130 interrupted."""
    try:
        app()
    except MemoryPlatformError as error:
        fail(error)
    except TimeoutError as error:
        fail(Unavailable(str(error), hint="Is the worker running? `memory doctor` tells."))
    except OSError as error:
        fail(Unavailable(f"{error.filename or 'The system'}: {error.strerror or error}."))
    sys.exit(1)
