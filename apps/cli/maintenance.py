"""`memory schedules`, `memory maintain` and `memory health`: what the memory does for itself, and having it do so."""

import time
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from apps.cli.connection import connect
from apps.cli.options import RUN, add
from apps.cli.output import Json, console, progress_bar, show, table
from apps.cli.server import Answer, Server
from memory_platform.errors import Unavailable

POLL_SECONDS: Final = 0.5
_UNFINISHED: Final = frozenset({"queued", "running"})


def register(whole: typer.Typer) -> None:
    add(whole, "schedules", schedules, "memory schedules", group=RUN)
    add(whole, "health", health, "memory health", group=RUN)
    add(whole, "maintain", maintain, "memory maintain nightly --dry-run", group=RUN)


def schedules(as_json: Json = False) -> None:
    """Show what runs by itself, when it does next, and how the last run ended."""
    with connect() as server:
        found = server.get("schedules")
    show(found, as_json=as_json, people=lambda: _show_schedules(found))


def health(as_json: Json = False) -> None:
    """Tell how the memory is, in Markdown: what it holds, how it grew, answered and cost. Needs the scope admin."""
    with connect() as server:
        found = server.get("health-report")
    show(found, as_json=as_json, people=lambda: console.print(found["markdown"], markup=False))


def maintain(
    job: Annotated[str, typer.Argument(help="nightly, weekly or monthly.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would change.")] = False,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for it at most; 0: do not wait.")] = 3600.0,
    as_json: Json = False,
) -> None:
    """Run maintenance now and show what each step did. Needs a key with the scope admin."""
    with connect() as server:
        started = server.post("maintenance", job=job, dry_run=dry_run)
        if not wait:
            show(started, as_json=as_json, people=lambda: console.print(f"Job {started['job_id']} does it."))
            return
        ended = _followed(server, started, wait)
    show(ended, as_json=as_json, people=lambda: _show_counts(ended, dry_run=dry_run))


def _followed(server: Server, started: Answer, wait: float) -> Answer:
    """Wait for the job, with a bar over its steps on the terminal. Raises Unavailable when it failed."""
    job_id, deadline = started["job_id"], time.monotonic() + wait
    # The step that is being taken, how far that is, and for how long it has run.
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with progress_bar(*columns) as bar:
        steps = bar.add_task("Starting", total=len(started["steps"]))
        job = _job(server, job_id)
        while job["state"] in _UNFINISHED:
            if time.monotonic() > deadline:
                raise TimeoutError(f"It is not done after {wait:.0f} s and goes on: memory jobs {job_id}")
            left = _left(started["steps"], job)
            bar.update(steps, completed=len(started["steps"]) - len(left), description=left[0] if left else "finishing")
            time.sleep(POLL_SECONDS)
            job = _job(server, job_id)
    if job["state"] != "done":
        raise Unavailable(f"It failed: {job['error']}.", hint="What it had done stays; start it again to go on.")
    return job


def _left(steps: Sequence[str], job: Answer) -> list[str]:
    """The steps that are not through, the one that is being taken first."""
    return [step for step in steps if step not in _counts(job)]


def _job(server: Server, job_id: str) -> Answer:
    found: Answer = server.get("jobs", ids=[job_id])["items"][0]
    return found


def _counts(job: Answer) -> dict[str, int]:
    """By step; what it counted besides has a dot in its name."""
    return {each["name"]: each["count"] for each in job["outcome"] if "." not in each["name"]}


def _show_counts(job: Answer, *, dry_run: bool) -> None:
    table(["step", "would change" if dry_run else "changed"], list(_counts(job).items()))


def _show_schedules(found: Answer) -> None:
    table(
        ["name", "cron", "time zone", "next run", "last run", "error"],
        [
            (
                each["name"],
                each["cron"],
                each["time_zone"],
                each["next_run_at"] if each["enabled"] else "not enabled",
                each["last_run_at"],
                each["error"],
            )
            for each in found["items"]
        ],
    )
