"""`memory graph`: filling the knowledge graph, and its copy on Neo4j. Needs a key with the scope admin."""

import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, moment, show, table
from memory_platform.client import MemoryAgent
from memory_platform.errors import Unavailable

POLL_SECONDS = 0.5
Wait = Annotated[float, typer.Option(min=0, help="Seconds to wait for it at most; 0: do not wait.")]

app = typer.Typer(
    help="The graph: backfill; its copy on Neo4j: state, drift, repair. Needs the scope admin.", no_args_is_help=True
)


@app.command("status")
def status(as_json: Json = False) -> None:
    """Show which server has a copy of the graph, whether it is asked, and how far behind it is."""
    with connect() as agent:
        found = agent.rest("GET", "graph")
    show(found, as_json=as_json, people=lambda: _show_status(found), next_commands=_after(found))


@app.command("backfill")
def backfill(as_json: Json = False) -> None:
    """Read everything into the graph that is not in it: what was captured before there was one."""
    with connect() as agent:
        begun = agent.rest("POST", "graph/backfill")
    show(
        begun,
        as_json=as_json,
        people=lambda: console.print(f"{begun['jobs']} jobs read what is remembered into the graph."),
        next_commands=["memory entities"],
    )


@app.command("check")
def check(wait: Wait = 600.0, as_json: Json = False) -> None:
    """Compare the copy with the truth by counts and checksums; exit 1 when they differ."""
    with connect() as agent:
        outcome = _outcome(agent, "check", wait)
    _show_drift(outcome, as_json=as_json)
    if outcome.get("drift"):
        raise typer.Exit(1)


@app.command("repair")
def repair(wait: Wait = 600.0, as_json: Json = False) -> None:
    """Copy again what differs."""
    with connect() as agent:
        outcome = _outcome(agent, "repair", wait)
    _show_drift(outcome, as_json=as_json)


@app.command("rebuild")
def rebuild(wait: Wait = 3600.0, as_json: Json = False) -> None:
    """Throw the copy away and make a new one; SQL answers meanwhile."""
    with connect() as agent:
        agent.rest("POST", "graph/rebuild")
        found = agent.rest("GET", "graph")
        deadline = time.monotonic() + wait
        while found["state"] != "complete" and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
            found = agent.rest("GET", "graph")
    show(found, as_json=as_json, people=lambda: _show_status(found), next_commands=_after(found))
    if wait and found["state"] != "complete":
        raise TimeoutError(f"The copy is not complete after {wait:.0f} s; it goes on.")


def _outcome(agent: MemoryAgent, what: str, wait: float) -> Mapping[str, Any]:
    """Have it done; empty when it was not to be waited for. Raises Unavailable when it failed."""
    job_id = agent.rest("POST", f"graph/{what}")["job_id"]
    if not wait:
        return {"jobId": job_id}
    (job,) = agent.wait_for([job_id], timeout=wait)
    if job["state"] != "DONE":
        raise Unavailable(f"The {what} failed: {job['error']}.", hint="`memory doctor` tells what is down.")
    # GraphQL tells counts only; the kinds that differ are a word.
    return dict(agent.rest("GET", "jobs", ids=job_id)["items"][0]["outcome"])


def _show_status(found: Mapping[str, Any]) -> None:
    if found["server"] is None:
        console.print("No Neo4j is configured: SQL answers everything. docs/guides/graph.md shows how to add one.")
        return
    table(
        ["server", "breaker", "copy", "completed", "waiting jobs", "oldest waits (s)"],
        [
            (
                found["server"],
                found["breaker"],
                found["state"],
                moment(found["completed_at"]),
                found["waiting_jobs"],
                found["oldest_waiting_seconds"],
            )
        ],
    )


def _after(found: Mapping[str, Any]) -> list[str]:
    if found["server"] is None:
        return []
    return ["memory graph rebuild"] if found["state"] == "absent" else ["memory graph check"]


def _show_drift(outcome: Mapping[str, Any], *, as_json: bool) -> None:
    kinds = [each for each in str(outcome.get("kinds", "")).split(",") if each]
    is_repaired = "jobs" in outcome
    following = ["memory graph check"] if is_repaired else ["memory graph repair"] if kinds else []

    def people() -> None:
        names = sorted({name.partition(".")[2] for name in outcome if name.startswith(("truth.", "copy."))})
        rows = [
            (name, outcome.get(f"truth.{name}", 0), outcome.get(f"copy.{name}", 0), "differs" if name in kinds else "")
            for name in names
        ]
        table(["kind", "truth", "copy", ""], rows)
        if is_repaired:
            console.print(f"{outcome['jobs']} jobs copy again what differs.")
        elif "jobId" in outcome:
            console.print(f"Job {outcome['jobId']} does it.")
        else:
            console.print("They differ: `memory graph repair`." if kinds else "They say the same.")

    show(outcome, as_json=as_json, people=people, next_commands=following)
