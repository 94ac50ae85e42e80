"""Commands about times ahead: triggers, remind, snooze, done, dismiss."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.options import CHANGE, LOOK, SEND, After, AllUsers, First, User, add, again, of_users
from apps.cli.output import Json, ListRow, console, entries, page, show
from apps.cli.server import Answer

TriggerId = Annotated[str, typer.Argument(metavar="TRIGGER", help="Id of a trigger, as `memory triggers` lists it.")]


def register(app: typer.Typer) -> None:
    add(app, "triggers", list_triggers, "memory triggers", "memory triggers --status done", group=LOOK)
    add(
        app,
        "remind",
        remind,
        'memory remind "Call the bank." --at 2030-06-12T09:30',
        'memory remind "Water the plants." --day 2030-06-12 --every FREQ=WEEKLY --time-zone Europe/Berlin',
        group=SEND,
    )
    add(app, "snooze", snooze, "memory snooze TRIGGER 2030-06-13T09:00", group=CHANGE)
    add(app, "done", done, "memory done TRIGGER", group=CHANGE)
    add(app, "dismiss", dismiss, "memory dismiss TRIGGER", group=CHANGE)


def list_triggers(
    *,
    status: Annotated[
        list[str] | None, typer.Option(help="waiting, due, snoozed, done, dismissed or ended; default: what is open.")
    ] = None,
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """List times ahead that messages named or somebody set, the soonest first."""
    with connect() as server:
        found = server.get(
            "triggers", status=status, first=first, after=after, **of_users(user_id, all_users=all_users)
        )
    named = " ".join(f"--status {each}" for each in status or ())
    command = again(f"memory triggers {named}".strip(), user_id=user_id, all_users=all_users, first=first)

    def rows(items: Sequence[Answer]) -> None:
        entries(
            ListRow(_when(each), each["text"], (_state(each), each["recurrence"] or None, each["id"])) for each in items
        )

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="Nothing lies ahead."))


def remind(
    text: Annotated[str, typer.Argument(help="What to be reminded of.")],
    *,
    at: Annotated[datetime | None, typer.Option(help="The moment, in this computer's time zone.")] = None,
    day: Annotated[datetime | None, typer.Option(help="A whole day instead.", formats=["%Y-%m-%d"])] = None,
    every: Annotated[str | None, typer.Option(help="A rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.")] = None,
    time_zone: Annotated[str | None, typer.Option(help="Such as Europe/Berlin; default: the tenant's.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Whom it belongs to.")] = None,
    as_json: Json = False,
) -> None:
    """Set a time to come back to something."""
    with connect() as server:
        made = server.post(
            "triggers",
            text=text,
            at=at.astimezone().isoformat() if at else None,
            day=date.isoformat(day.date()) if day else None,
            recurrence=every,
            time_zone=time_zone,
            user_id=user_id,
        )
    _show(made, as_json=as_json)


def snooze(
    trigger: TriggerId,
    until: Annotated[datetime, typer.Argument(help="When it is to fall due instead.")],
    as_json: Json = False,
) -> None:
    """Have a trigger fall due later."""
    _change(trigger, "snooze", as_json=as_json, until=until.astimezone().isoformat())


def done(trigger: TriggerId, as_json: Json = False) -> None:
    """Say that what a trigger was for is done; one that comes back waits for its next time."""
    _change(trigger, "complete", as_json=as_json)


def dismiss(trigger: TriggerId, as_json: Json = False) -> None:
    """Drop a trigger, with all its times if it comes back."""
    _change(trigger, "dismiss", as_json=as_json)


def _change(trigger: str, verb: str, *, as_json: bool, **given: Any) -> None:
    with connect() as server:
        changed = server.post(f"triggers/{trigger}/{verb}", **given)
    _show(changed, as_json=as_json)


def _show(trigger: Answer, *, as_json: bool) -> None:
    show(
        trigger,
        as_json=as_json,
        people=lambda: console.print(
            f"{_when(trigger)} {_state(trigger)}: {trigger['text']} ({trigger['id']})", markup=False, soft_wrap=True
        ),
    )


def _when(trigger: Answer) -> str:
    """The day alone where no time was named."""
    if trigger["precision"] == "day":
        return str(trigger["day"])
    return datetime.fromisoformat(trigger["at"]).astimezone().strftime("%Y-%m-%d %H:%M")


def _state(trigger: Answer) -> str:
    return "due" if trigger["is_due"] else trigger["ending"] or trigger["status"]
