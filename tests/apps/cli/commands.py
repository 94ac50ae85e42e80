"""The commands as the program offers them."""

from collections.abc import Iterator

import typer.main
from typer.core import TyperGroup

from apps.cli.main import app


def examples() -> dict[str, list[str]]:
    """By each command's words (`keys list`), the examples that close its help."""
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return dict(_below(root, ""))


def _below(group: TyperGroup, above: str) -> Iterator[tuple[str, list[str]]]:
    for name, command in group.commands.items():
        words = f"{above} {name}".strip()
        if isinstance(command, TyperGroup):
            yield from _below(command, words)
        else:
            yield words, (command.epilog or "").split("\n\n")[1:]
