"""Options that several commands have, and how a command is added to its group."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from memory_platform.model import Profile

First = Annotated[int, typer.Option(min=1, max=100, help="How many.")]
After = Annotated[str | None, typer.Option(help="Where the page before ended: what `More:` says.")]
Since = Annotated[datetime | None, typer.Option(help="From then on, in UTC.")]
Until = Annotated[datetime | None, typer.Option(help="Up to but without then, in UTC.")]
User = Annotated[str | None, typer.Option("--user-id", help="This user's, and what is no user's.")]
AllUsers = Annotated[bool, typer.Option("--all-users", help="Every user's.")]
MemoryId = Annotated[str, typer.Argument(help="Id of a memory, or the short one of a list.")]
AsOf = Annotated[datetime | None, typer.Option(help="What was believed and true then.")]
Depth = Annotated[Profile, typer.Option("--profile", help="How many hits: 3, 7, 15, or by the question.")]

SEND, ASK, LOOK, CHANGE, RUN = "Send", "Ask", "Look", "Change", "Run"


def add(app: typer.Typer, name: str, command: Callable[..., None], *examples: str, group: str | None = None) -> None:
    """`examples` close the command's help; each is a line that can be run."""
    epilog = "\n\n".join(["[bold]Examples[/]", *examples])
    app.command(name, epilog=epilog, rich_help_panel=group)(command)


def of_users(user_id: str | None, *, all_users: bool) -> dict[str, Any]:
    """The parameters that say for whom something is read."""
    return {"user_id": user_id, "all_users": True if all_users else None}


def span(since: datetime | None, until: datetime | None) -> dict[str, str | None]:
    """The parameters that say when what is read happened; what was typed is in UTC, as the days of usage are."""
    given = {"since": since, "until": until}
    return {name: moment.replace(tzinfo=UTC).isoformat() if moment else None for name, moment in given.items()}


def again(command: str, **options: Any) -> str:
    """The command line that was given, without its defaults; an option with a list is repeated."""
    words = [command]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [word for each in value for word in (flag, str(each))]
        elif value not in (None, False):
            words += [flag, value.isoformat() if isinstance(value, datetime) else str(value)]
    return " ".join(words)
