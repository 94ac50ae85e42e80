"""Commands that look at what is held: show, explain, weak, rejections, export."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.ids import memory_id, short
from apps.cli.options import (
    LOOK,
    After,
    AllUsers,
    AsOf,
    First,
    MemoryId,
    Since,
    Until,
    User,
    add,
    again,
    of_users,
    span,
)
from apps.cli.output import (
    FullIds,
    Json,
    ListRow,
    amount,
    complaints,
    console,
    entries,
    fields,
    leaning,
    memories,
    moment,
    page,
    progress_bar,
    show,
    speaker,
    table,
)
from apps.cli.server import Answer, Server
from memory_platform.model import Status, Verdict

_NONE = "There are none. Those of users are listed with --user-id or --all-users."


def register(app: typer.Typer) -> None:
    add(
        app,
        "show",
        show_memories,
        "memory show",
        "memory show --status superseded --all-users",
        "memory show MEMORY",
        group=LOOK,
    )
    add(app, "explain", explain, "memory explain MEMORY", group=LOOK)
    add(app, "weak", weak, "memory weak", group=LOOK)
    add(
        app,
        "rejections",
        rejections,
        "memory rejections",
        "memory rejections --counts",
        "memory rejections --session chat-1 --reason question",
        "memory rejections --since 2026-11-01",
        group=LOOK,
    )
    add(
        app,
        "export",
        export,
        "memory export memories.jsonl",
        "memory export --everything --user-id mara",
        group=LOOK,
    )


def show_memories(
    given: Annotated[
        str | None, typer.Argument(metavar="[MEMORY]", help="One memory, by its id or short id; else a page of them.")
    ] = None,
    *,
    status: Annotated[Status | None, typer.Option(help="Only these; default: active and stale.")] = None,
    held: Annotated[bool, typer.Option("--held", help="Those that wait for review.")] = False,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    as_of: AsOf = None,
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    ids: FullIds = False,
    as_json: Json = False,
) -> None:
    """Show one memory, or list them, newest first."""
    if given is not None:
        _show_one(given, as_json=as_json)
        return
    with connect() as server:
        found = server.get(
            "memories",
            status=status.value if status else None,
            verdict=_verdicts(status, held=held),
            category=category,
            as_of=as_of.astimezone().isoformat() if as_of else None,
            first=first,
            after=after,
            **of_users(user_id, all_users=all_users),
        )
    command = again(
        "memory show",
        status=status,
        held=held,
        category=category,
        as_of=as_of,
        user_id=user_id,
        all_users=all_users,
        first=first,
    )
    show(
        found,
        as_json=as_json,
        people=lambda: page(found, command=command, rows=lambda rows: memories(rows, ids=ids), none=_NONE),
    )


def _verdicts(status: Status | None, *, held: bool) -> list[str] | None:
    """Of what is over nothing waits for review: what was held is shown beside the rest."""
    if held:
        return [Verdict.HOLD.value]
    return None if status in {None, Status.ACTIVE, Status.STALE} else [Verdict.ALLOW.value, Verdict.HOLD.value]


def _show_one(given: str, *, as_json: bool) -> None:
    with connect() as server:
        found = server.get(f"memories/{memory_id(server, given)}")
    show(found, as_json=as_json, people=lambda: fields(found))


def explain(memory: MemoryId, as_json: Json = False) -> None:
    """Say where a memory comes from, what was merged into it and what it replaced."""
    with connect() as server:
        why = server.get(f"memories/{memory_id(server, memory)}/explain")
    show(why, as_json=as_json, people=lambda: print_explanation(why))


def print_explanation(why: Answer) -> None:
    memory = why["memory"]
    console.print(leaning(memory["text"], memory["lead_in"]), style="bold")
    state = (memory["kind"], memory["category"], memory["strength"], f"confidence {memory['confidence']:.2f}")
    console.print(", ".join((*state, memory["status"])), style="dim")
    entries(_links(why))


def _links(why: Answer) -> list[ListRow]:
    """What a memory rests on and what became of it, each with its kind as the mark."""
    said = [ListRow("said", f"“{each['quote'] or ''}”", (_source(each),)) for each in why["sources"]]
    ends = [
        ListRow(
            name.replace("_", " "),
            other["text"],
            (other["reason"], _held_by(name, other), f"memory {short(other['id'])}"),
        )
        for name in ("merged", "supersedes", "superseded_by", "contradicts", "shared_as")
        for other in why[name]
    ]
    single = [
        ListRow(name.replace("_", " "), why[name]["text"], (why[name]["reason"], f"memory {short(why[name]['id'])}"))
        for name in ("merged_into", "shared_from")
        if why[name]
    ]
    changes = [ListRow("changed", each["operation"], (moment(each["at"]), each["reason"])) for each in why["versions"]]
    return [*said, *ends, *single, *changes]


def _source(source: Answer) -> str:
    named = speaker(source)
    by = f"by {named} " if named else ""
    return f"{by}on {source['said_at'][:10]}"


def _held_by(name: str, other: Answer) -> str | None:
    return f"said by {other['agent_id']} on {other['said_at'][:10]}" if name == "contradicts" else None


def weak(
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    ids: FullIds = False,
    as_json: Json = False,
) -> None:
    """List what is barely believed, or soon will be: confirm, correct or forget it."""
    with connect() as server:
        found = server.get("memories/weak", first=first, after=after, **of_users(user_id, all_users=all_users))
    command = again("memory weak", user_id=user_id, all_users=all_users, first=first)
    show(
        found,
        as_json=as_json,
        people=lambda: page(found, command=command, rows=lambda rows: memories(rows, ids=ids), none=_NONE),
    )


def rejections(
    *,
    counts: Annotated[bool, typer.Option("--counts", help="How many of each reason, week by week.")] = False,
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    stage: Annotated[str | None, typer.Option(help="Only of this stage: extraction, gate or conflict.")] = None,
    reason: Annotated[str | None, typer.Option(help="Only for this reason.")] = None,
    since: Since = None,
    until: Until = None,
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """List what was said and became no memory, with the reason, newest first."""
    with connect() as server:
        if counts:
            _show_counts(server, as_json=as_json)
            return
        chosen: dict[str, Any] = {"session_id": session, "stage": stage, "reason": reason, **span(since, until)}
        found = server.get("rejections", **chosen, first=first, after=after, **of_users(user_id, all_users=all_users))
        none = _no_rejections(server, stage=stage, reason=reason) if not found["items"] else _NONE
    command = again(
        "memory rejections",
        session=session,
        stage=stage,
        reason=reason,
        since=since,
        until=until,
        user_id=user_id,
        all_users=all_users,
        first=first,
    )

    def rows(items: Any) -> None:
        entries(
            ListRow(
                short(each["id"]),
                each["text"],
                (f"{each['stage']}: {each['reason']}", each["detail"], moment(each["at"])),
            )
            for each in items
        )

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none=none))


def _no_rejections(server: Server, *, stage: str | None, reason: str | None) -> str:
    """That there are none, and where a stage or a reason was asked for which there are."""
    counted = server.get("rejections/counts")["items"] if stage or reason else []
    known = sorted({f"{each['stage']}: {each['reason']}" for each in counted})
    return f"{_NONE} There are rejections for {', '.join(known)}." if known else _NONE


def _show_counts(server: Server, *, as_json: bool) -> None:
    counted = server.get("rejections/counts")
    show(
        counted,
        as_json=as_json,
        people=lambda: table(
            ["week of", "stage", "reason", "count"],
            [(each["week"], each["stage"], each["reason"], each["count"]) for each in counted["items"]],
        ),
    )


def export(
    file: Annotated[Path | None, typer.Argument(help="Where to; default: standard output.")] = None,
    *,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also what is held, superseded, archived or deleted.")
    ] = False,
    user_id: Annotated[str | None, typer.Option("--user-id", help="Only this user's, and what is no user's.")] = None,
) -> None:
    """Write every memory as a line of JSON, oldest first: every user's, unless one is named."""
    chosen: dict[str, Any] = {"order_by": "oldest"}
    if everything:
        chosen["status"] = [status.value for status in Status]
        chosen["verdict"] = [Verdict.ALLOW.value, Verdict.HOLD.value]
    written = 0
    with (
        connect() as server,
        file.open("w", encoding="utf-8") if file else nullcontext(sys.stdout) as out,
        progress_bar() as progress,
    ):
        whose = {"user_id": user_id} if user_id else server.every_user()
        task = progress.add_task("Exporting", total=server.get("stats", user_id=user_id)["items"])
        for memory in server.each("memories", **chosen, **whose):
            out.write(json.dumps(memory) + "\n")
            written += 1
            progress.update(task, completed=written)
    complaints.print(f"{amount(written, 'memory', 'memories')} exported.")
