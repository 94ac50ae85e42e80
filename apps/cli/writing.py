"""Commands that write: capture, import, remember, forget."""

import shlex
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from apps.cli import transcripts
from apps.cli.connection import connect
from apps.cli.output import Json, complaints, console, show
from memory_platform.client import MemoryAgent, WriteResult
from memory_platform.errors import Invalid, Unavailable
from memory_platform.model import Kind

# Longer than a worker takes to notice a dead one and do its work again.
STALLED_SECONDS = 120.0


def register(app: typer.Typer) -> None:
    app.command("capture")(capture)
    app.command("import")(import_transcript)
    app.command("remember")(remember)
    app.command("correct")(correct)
    app.command("forget")(forget)
    app.command("restore")(restore)


def capture(
    session: Annotated[str, typer.Argument(help="Your own id of the conversation.")],
    *,
    user: Annotated[str | None, typer.Option("--user", help="What the user said.")] = None,
    assistant: Annotated[str | None, typer.Option("--assistant", help="What the agent answered.")] = None,
    turn: Annotated[
        int | None, typer.Option(min=0, help="Turn number; repeating one is safe. Default: the next.")
    ] = None,
    user_id: Annotated[str | None, typer.Option(help="Whose conversation it is.")] = None,
    at: Annotated[datetime | None, typer.Option(help="When it was said; default now.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the turn has become memory.")] = False,
    as_json: Json = False,
) -> None:
    """Send one turn of a conversation."""
    if not (user or assistant):
        raise Invalid("There is nothing to capture.", hint="Give --user, --assistant or both.")
    with connect() as agent:
        done = agent.capture_turn(
            session,
            user_input=user,
            llm_output=assistant,
            turn_number=turn,
            user_id=user_id,
            occurred_at=at.astimezone() if at else None,
        )
        if wait:
            _require_done(agent.wait_for(done.job_ids))
    state = "was there already" if done.duplicate else "captured"
    show(
        done,
        as_json=as_json,
        people=lambda: console.print(f"Turn {done.turn_number} of {done.session_id} {state}.", markup=False),
        next_commands=[f"memory recall '…' --session {shlex.quote(session)}", "memory log list"],
    )


def _require_done(jobs: Sequence[Mapping[str, Any]]) -> None:
    if failed := [job for job in jobs if job["state"] == "FAILED"]:
        reasons = ", ".join(sorted({str(job["error"]) for job in failed}))
        raise Unavailable(
            f"The turn is stored and searchable; distilling it failed: {reasons}.",
            hint="See `memory doctor` and the worker's log; the turn is kept.",
        )


def import_transcript(
    file: Annotated[Path, typer.Argument(help="JSONL, OpenAI export, 'Name: text' lines or LoCoMo JSON.")],
    session: Annotated[
        str | None, typer.Option(help="Session id for files that name none; default the file's name.")
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until everything has become memory.")] = True,
    as_json: Json = False,
) -> None:
    """Send a whole transcript. Importing a file twice stores it once. Exit 1 when a line was not taken."""
    lines = transcripts.read(file, session=session)
    with connect() as agent:
        counts = send(agent, lines)
        if wait:
            wait_until_idle(agent, quiet=as_json)
    show(
        counts,
        as_json=as_json,
        people=lambda: console.print(", ".join(f"{count} {state}" for state, count in counts.items() if count)),
        next_commands=["memory recall '…'", "memory log list"],
    )
    if counts["invalid"] or counts["conflict"]:
        raise typer.Exit(1)


def send(agent: MemoryAgent, lines: list[transcripts.Line]) -> dict[str, int]:
    """Ingest lines and count them by status. Raises Invalid with the first refused line's reason when all were."""
    answer = agent.ingest(line.as_ingest_line() for line in lines)
    counts = {state: int(answer[state]) for state in ("accepted", "duplicate", "invalid", "conflict")}
    refused = [line for line in answer["results"] if line["status"] in {"invalid", "conflict"}]
    for line in refused[:5]:
        complaints.print(f"message {line['line']}: {line['status']}: {line['error']}", style="yellow", markup=False)
    if refused and not counts["accepted"] and not counts["duplicate"]:
        raise Invalid(f"None of the {len(lines)} lines was accepted.", hint=str(refused[0]["error"]))
    return counts


def wait_until_idle(agent: MemoryAgent, *, quiet: bool = False) -> None:
    """Watch the tenant's jobs until none waits or runs. Raises TimeoutError when their number stands still."""
    with Progress(console=complaints, disable=quiet, transient=False) as progress:
        task = progress.add_task("Remembering", total=None)
        most = before = 0
        moved_at = time.monotonic()
        while waiting := int(agent.stats()["jobsQueued"]):
            most = max(most, waiting)
            if waiting != before:
                before, moved_at = waiting, time.monotonic()
            elif time.monotonic() - moved_at > STALLED_SECONDS:
                raise TimeoutError(f"Everything is stored; {waiting} jobs made no progress in {STALLED_SECONDS:.0f} s.")
            progress.update(task, total=most, completed=most - waiting)
            time.sleep(0.15)
        progress.update(task, total=most or 1, completed=most or 1)


def remember(
    text: Annotated[str, typer.Argument(help="The fact, in one sentence.")],
    *,
    kind: Annotated[Kind | None, typer.Option(help="What sort of knowledge; default: read off the text.")] = None,
    category: Annotated[str | None, typer.Option(help="Category slug; default: found by keywords.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Whom it is about.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Share it with the tenant's other agents.")] = False,
    as_json: Json = False,
) -> None:
    """Store an explicit fact: still gated, deduplicated and checked for contradictions."""
    fields: dict[str, Any] = {
        "kind": kind.name if kind else None,
        "category": category,
        "userId": user_id,
        "visibility": "SHARED" if shared else None,
    }
    with connect() as agent:
        result = agent.remember(text, **{name: value for name, value in fields.items() if value is not None})
    _show_written(result, as_json=as_json)


def correct(
    memory_id: Annotated[str, typer.Argument(help="Id of the memory that is wrong.")],
    text: Annotated[str, typer.Argument(help="What is right.")],
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    as_json: Json = False,
) -> None:
    """Replace a memory; the old wording stays in its history."""
    with connect() as agent:
        result = agent.correct(memory_id, text, reason=reason)
    _show_written(result, as_json=as_json)


def _show_written(result: WriteResult, *, as_json: bool) -> None:
    show(
        result,
        as_json=as_json,
        people=lambda: console.print(f"{result.reason} {result.memory_id or ''}", markup=False, soft_wrap=True),
        next_commands=[f"memory explain {result.memory_id}"] if result.memory_id else [],
    )


def forget(
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories.")] = None,
    *,
    query: Annotated[str | None, typer.Option(help="Forget what a recall of this would find.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Forget everything about a user.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Forget by id, by query or by user; `memory restore` undoes it. With --json it does not ask."""
    what = {"ids": ids, "query": query, "userId": user_id}
    what = {name: value for name, value in what.items() if value}
    if len(what) != 1:
        raise Invalid("Say what to forget in one way.", hint="Give ids, --query or --user-id.")
    with connect() as agent:
        if not (dry_run or yes or as_json):
            _ask(agent, what)
        gone = agent.forget(**what, dryRun=dry_run)
    show(
        gone,
        as_json=as_json,
        people=lambda: _show_forgotten(gone),
        next_commands=[f"memory restore {gone['batchId']}"] if gone["batchId"] else [],
    )


def _ask(agent: MemoryAgent, what: dict[str, Any]) -> None:
    found = agent.forget(**what, dryRun=True)
    _list(found)
    typer.confirm(f"Forget {_amount(found)}?", abort=True)


def _show_forgotten(gone: Mapping[str, Any]) -> None:
    if gone["dryRun"]:
        _list(gone)
        console.print(f"{_amount(gone)} would be forgotten.")
        return
    undo = f" Undo with: memory restore {gone['batchId']}" if gone["batchId"] else ""
    console.print(f"{_amount(gone)} forgotten.{undo}", soft_wrap=True)


def _list(gone: Mapping[str, Any]) -> None:
    for item in gone["items"]:
        console.print(f"  {item['id']}  {item['text']}", markup=False, soft_wrap=True)


def _amount(gone: Mapping[str, Any]) -> str:
    return f"{len(gone['items'])} memories and {gone['episodes']} episodes"


def restore(
    batch_id: Annotated[str, typer.Argument(help="The batch that `memory forget` printed.")], as_json: Json = False
) -> None:
    """Bring back what a forget took away."""
    with connect() as agent:
        back = agent.restore(batch_id)
    show(
        back,
        as_json=as_json,
        people=lambda: console.print(f"{_amount(back)} restored."),
    )
