"""Commands about what goes on: stats, whoami, jobs, journal, watch, log."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.ids import short
from apps.cli.options import LOOK, RUN, SEND, After, First, Since, Until, add, again, span
from apps.cli.output import (
    FullIds,
    Json,
    ListRow,
    cell,
    console,
    entries,
    fields,
    marked,
    moment,
    page,
    show,
    table,
)
from apps.cli.server import Answer, in_path


def register(app: typer.Typer) -> None:
    add(app, "log", log, 'memory log deployed --tool harbor --detail 2.4 --reason "weekly release"', group=SEND)
    add(app, "stats", stats, "memory stats", group=LOOK)
    add(app, "whoami", whoami, "memory whoami", group=LOOK)
    add(app, "jobs", jobs, "memory jobs JOB", group=LOOK)
    add(app, "retry", retry, "memory retry JOB", group=RUN)
    add(
        app,
        "journal",
        journal,
        "memory journal",
        "memory journal --operation agent.logged --first 5",
        "memory journal --since 2026-11-01 --until 2026-12-01",
        group=LOOK,
    )
    add(app, "watch", watch, "memory watch --seconds 5", "memory watch --after 0 --seconds 1", group=LOOK)


def stats(
    user_id: Annotated[str | None, typer.Option("--user-id", help="Only this user's, and what is no user's.")] = None,
    as_json: Json = False,
) -> None:
    """Count what is held, turned down and waiting."""
    with connect() as server:
        found = server.get("stats", user_id=user_id)
    show(found, as_json=as_json, people=lambda: table(["what", "count"], _counts(found)))


def _counts(found: Answer) -> list[tuple[str, int]]:
    """By what it is counted stands below its total."""
    grouped = [
        (f"  {group.removeprefix('by_')} {each['name']}", each["count"])
        for group in ("by_status", "by_verdict", "by_category")
        for each in found[group]
    ]
    rest = ("episodes", "rejections", "open_contradictions", "jobs_queued")
    return [("memories", found["items"]), *grouped, *((name.replace("_", " "), found[name]) for name in rest)]


def whoami(as_json: Json = False) -> None:
    """Show whom the key speaks for, what it may do and how often."""
    with connect() as server:
        found = server.get("viewer")
    limits = [f"{each['name'].replace('_', ' ')} {each['per_minute']:,} a minute" for each in found["limits"]]
    show(found, as_json=as_json, people=lambda: fields({**found, "limits": "\n".join(limits)}))


def jobs(
    job_ids: Annotated[list[str], typer.Argument(metavar="JOB...", help="Ids: what `capture --json` answers.")],
    as_json: Json = False,
) -> None:
    """Tell whether turns have become memory: state, attempts, error, outcome, and which model read them."""
    with connect() as server:
        found = server.get("jobs", ids=job_ids)
    show(found, as_json=as_json, people=lambda: entries(map(_job, found["items"])))


def retry(
    job_id: Annotated[str, typer.Argument(metavar="JOB", help="Id of a job that failed or waits to be tried again.")],
    as_json: Json = False,
) -> None:
    """Have a job that failed tried again at once. Needs the scope review or admin."""
    with connect() as server:
        job = server.post(f"jobs/{in_path(job_id)}/retry")
    show(job, as_json=as_json, people=lambda: entries([_job(job)]))


def _job(job: Answer) -> ListRow:
    outcome = ", ".join(f"{each['name']} {each['count']}" for each in job["outcome"] if each["count"])
    codes = ", ".join(f"{each['name']} {each['code']}" for each in job["codes"])
    return ListRow(
        job["state"],
        job["name"],
        (
            job["error"],
            outcome,
            codes,
            f"attempt {job['attempts']}" if job["attempts"] > 1 else None,
            moment(job["finished_at"] or job["created_at"]),
            f"job {job['id']}",
        ),
    )


def journal(
    *,
    operation: Annotated[str | None, typer.Option(help="Only entries of this operation.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only what this actor did: agent, worker, member:ID.")] = None,
    agent_id: Annotated[str | None, typer.Option("--agent", help="Only of this agent.")] = None,
    since: Since = None,
    until: Until = None,
    first: First = 20,
    after: After = None,
    ids: FullIds = False,
    as_json: Json = False,
) -> None:
    """List what was done, newest first."""
    chosen = {"operation": operation, "actor": actor, "agent_id": agent_id}
    with connect() as server:
        found = server.get("journal", first=first, after=after, **chosen, **span(since, until))
    command = again(
        "memory journal", operation=operation, actor=actor, agent=agent_id, since=since, until=until, first=first
    )

    def rows(items: Sequence[Answer]) -> None:
        entries(_entry(each, ids=ids) for each in items)

    show(
        found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="Nothing was done, so far.")
    )


def _entry(each: Answer, *, ids: bool) -> ListRow:
    subject = each["subject_id"]
    return ListRow(
        moment(each["at"]) or "",
        " ".join(filter(None, (each["operation"], _own_words(each)))),
        (
            f"by {each['actor']}",
            f"{each['subject']} {short(subject)}" if subject else each["subject"],
            cell({name: value for name, value in (each["data"] or {}).items() if value}),
            marked(subject or each["id"], ids=ids),
        ),
    )


def _own_words(entry: Answer) -> str:
    """What an agent logged itself."""
    reason = f"({entry['reason']})" if entry["reason"] else ""
    return " ".join(filter(None, (entry["action"], entry["tool"], entry["detail"], reason)))


def log(
    action: Annotated[str, typer.Argument(help="The verb: deployed, restarted, decided …")],
    tool: Annotated[str | None, typer.Option(help="The noun: what was used or acted on.")] = None,
    detail: Annotated[str | None, typer.Option(help="What exactly.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    session: Annotated[str | None, typer.Option(help="In which session: the words go when that is erased.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Whose session it is.")] = None,
    as_json: Json = False,
) -> None:
    """Write an entry of your own into the journal: action, tool, detail, reason."""
    given: dict[str, Any] = {"tool": tool, "detail": detail, "reason": reason}
    given |= {"session_id": session, "user_id": user_id}
    with connect() as server:
        entry = server.post("journal", action=action, **given)
    show(entry, as_json=as_json, people=lambda: console.print(f"Logged {_own_words(entry)}.", markup=False))


def watch(
    after: Annotated[
        str | None, typer.Option(help="The id behind which to begin, 0 for the oldest that is kept; else from now on.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0.0, help="How long; else until Ctrl-C.")] = None,
    as_json: Json = False,
) -> None:
    """Show what happens to memories as it happens: an event a line, with the id to go on behind."""
    with connect() as server:
        for event in server.watch(after=after, seconds=seconds):
            typer.echo(json.dumps(event) if as_json else _happened(event))


def _happened(event: Answer) -> str:
    of = f"{event['subject']} {short(event['subject_id'])}"
    by = f" by {short(event['related_id'])}" if event["related_id"] else ""
    whose = f" of {event['user_id']}" if event["user_id"] else ""
    code = f" {event['code']}" if event["code"] else ""
    return f"{event['id']}  {moment(event['at'])}  {event['kind']}{code}: {of}{by}{whose}"
