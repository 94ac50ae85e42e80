"""`memory graph`: filling the knowledge graph, and its copy on Neo4j. Needs a key with the scope admin."""

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.options import add
from apps.cli.output import Json, amount, console, fields, show, show_begun, table, working
from apps.cli.server import Answer, Server
from memory_platform.errors import Unavailable

POLL_SECONDS = 0.5
Wait = Annotated[float, typer.Option(min=0, help="Seconds to wait for it at most; 0: do not wait.")]

app = typer.Typer(
    help="The graph: backfill; its copy on Neo4j: state, drift, repair. Needs the scope admin.", no_args_is_help=True
)


def status(as_json: Json = False) -> None:
    """Show which server has a copy of the graph, whether it is asked, and how far behind it is."""
    with connect() as server:
        found = server.get("graph")
    show(found, as_json=as_json, people=lambda: _show_status(found))


def backfill(as_json: Json = False) -> None:
    """Read everything into the graph that is not in it: what was captured before there was one."""
    with connect() as server:
        begun = server.post("graph/backfill")
    jobs = amount(begun["jobs"], "job")
    show(begun, as_json=as_json, people=lambda: console.print(f"{jobs} to read what is remembered into the graph."))


def check(wait: Wait = 600.0, as_json: Json = False) -> None:
    """Compare the copy with the truth by counts and checksums; exit 1 when they differ."""
    counts = _run("check", wait, as_json=as_json)
    if counts.get("drift"):
        raise typer.Exit(1)


def repair(wait: Wait = 600.0, as_json: Json = False) -> None:
    """Copy again what differs."""
    _run("repair", wait, as_json=as_json)


def rebuild(wait: Wait = 3600.0, as_json: Json = False) -> None:
    """Throw the copy away and make a new one; SQL answers meanwhile."""
    with connect() as server, working("Copying the graph"):
        server.post("graph/rebuild")
        found = server.get("graph")
        deadline = time.monotonic() + wait
        while found["state"] != "complete" and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            found = server.get("graph")
    show(found, as_json=as_json, people=lambda: _show_status(found))
    if wait and found["state"] != "complete":
        raise TimeoutError(f"The copy is not complete after {wait:.0f} s; it goes on.")


def _run(what: str, wait: float, *, as_json: bool) -> Mapping[str, int]:
    """Have it done, show how it ended and return its counts; none when it was not to be waited for."""
    with connect() as server:
        started = server.post(f"graph/{what}")
        if not wait:
            show_begun(started, as_json=as_json)
            return {}
        job = _done(server, started["job_id"], what, wait)
    counts = {each["name"]: each["count"] for each in job["outcome"]}
    show(job, as_json=as_json, people=lambda: _show_drift(counts))
    return counts


def _done(server: Server, job_id: str, what: str, wait: float) -> Answer:
    """Raises Unavailable when it failed."""
    with working(f"Waiting for the {what}"):
        (job,) = server.wait_for([job_id], seconds=wait)
    if job["state"] != "done":
        raise Unavailable(f"The {what} failed: {job['error']}.", hint="`memory doctor` tells what is down.")
    return job


def _show_status(found: Answer) -> None:
    if found["server"] is None:
        console.print("No Neo4j is configured: SQL answers everything. docs/guides/graph.md shows how to add one.")
    else:
        fields(found)


def _show_drift(counts: Mapping[str, Any]) -> None:
    names = sorted({name.partition(".")[2] for name in counts if name.startswith(("truth.", "copy."))})
    table(
        ["kind", "truth", "copy"], [(name, counts.get(f"truth.{name}"), counts.get(f"copy.{name}")) for name in names]
    )
    if "jobs" in counts:
        console.print(f"{amount(counts['jobs'], 'job')} to copy again what differs.")
    elif drift := counts.get("drift"):
        console.print(f"{amount(drift, 'kind')} of rows differ: `memory graph repair`.")
    else:
        console.print("They say the same.")


add(app, "status", status, "memory graph status")
add(app, "backfill", backfill, "memory graph backfill")
add(app, "check", check, "memory graph check")
add(app, "repair", repair, "memory graph repair")
add(app, "rebuild", rebuild, "memory graph rebuild")
