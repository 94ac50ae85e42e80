"""The `memory` command: every subcommand, and the one place where errors become messages and exit codes."""

import sys

import typer

from apps.cli import demo, entities, graph, keys, log, mcp, operations, reading, serving, sharing, writing
from apps.cli.output import fail
from memory_platform.errors import MemoryPlatformError, Unavailable

app = typer.Typer(
    name="memory",
    help="Memory for AI agents: send what happened, get back the few facts worth knowing.\n\n"
    "Commands talk to the server at MEMORY_URL (http://127.0.0.1:8000) with MEMORY_API_KEY; on the machine of "
    "`memory serve` both are found by themselves.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
serving.register(app)
demo.register(app)
writing.register(app)
reading.register(app)
sharing.register(app)
entities.register(app)
operations.register(app)
mcp.register(app)
app.add_typer(log.app, name="log")
app.add_typer(keys.app, name="keys")
app.add_typer(graph.app, name="graph")


def main() -> None:
    """Run the command line; 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted."""
    try:
        app()
    except MemoryPlatformError as error:
        fail(error)
    except TimeoutError as error:
        fail(Unavailable(str(error), hint="Is the worker running? `memory doctor` tells."))
    except OSError as error:
        fail(Unavailable(f"{error.filename or 'The system'}: {error.strerror or error}."))
    sys.exit(1)
