"""Commands that send conversations: capture, import."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from apps.cli import transcripts
from apps.cli.connection import connect
from apps.cli.options import SEND, add
from apps.cli.output import NOTHING_STORED, Json, amount, complaints, console, progress_bar, show, working
from apps.cli.server import Answer, Server
from memory_platform.errors import Invalid, Unavailable

# Longer than a worker takes to notice a dead one and do its work again.
STALLED_SECONDS = 120.0
CAPTURE_SECONDS = 60.0
# So that the bar moves while a long transcript is sent.
LINES_AT_ONCE = 500
REFUSED_SHOWN = 5
REASONS_SHOWN = 3
STATES = ("accepted", "duplicate", "forgotten", "invalid", "conflict")


def register(app: typer.Typer) -> None:
    add(
        app,
        "capture",
        capture,
        'memory capture chat-1 --user "I moved to Lisbon." --assistant "Noted!" --wait',
        group=SEND,
    )
    add(
        app,
        "import",
        import_transcript,
        "memory import chat.jsonl",
        "memory import chat.jsonl --session chat-7 --no-wait --json",
        group=SEND,
    )


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
    recall: Annotated[
        str | None, typer.Option(help="`id` of the recall the agent answered with: what it used is learnt.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the turn has become memory.")] = False,
    as_json: Json = False,
) -> None:
    """Send one turn of a conversation."""
    if not (user or assistant):
        raise Invalid("There is nothing to capture.", hint="Give --user, --assistant or both.")
    with connect() as server:
        done = server.post(
            "capture",
            session_id=session,
            user_input=user,
            llm_output=assistant,
            turn_number=turn,
            user_id=user_id,
            occurred_at=at.astimezone().isoformat() if at else None,
            recall_id=recall,
        )
        if wait:
            with working("Remembering"):
                _require_done(server.wait_for(done["job_ids"], seconds=CAPTURE_SECONDS))
    state = "was there already" if done["duplicate"] else "captured"
    show(
        done,
        as_json=as_json,
        people=lambda: console.print(f"Turn {done['turn_number']} of {done['session_id']} {state}.", markup=False),
    )


def _require_done(jobs: Sequence[Answer]) -> None:
    if failed := [job for job in jobs if job["state"] == "failed"]:
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
    wait: Annotated[
        bool, typer.Option(help="Wait until everything has become memory, and say what was learnt.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Send a whole transcript. Importing a file twice stores it once. Exit 3 when a line is refused or none is kept."""
    transcript = transcripts.read(file, session=session)
    with connect() as server:
        before = LearntBefore.of(server) if wait and not as_json else None
        answer = send(server, transcript, quiet=as_json)
        _complain(answer)
        show(answer, as_json=as_json, people=lambda: console.print(counted(answer), soft_wrap=True))
        if wait:
            wait_until_idle(server, quiet=as_json)
        if before is not None:
            console.print(learnt(server, before), soft_wrap=True)
    if _refused(answer) or not (answer["accepted"] or answer["duplicate"]):
        raise typer.Exit(NOTHING_STORED)


def send(server: Server, transcript: transcripts.Transcript, *, quiet: bool = False) -> dict[str, Any]:
    """Send the messages and return the answer of ingest, its lines numbered as in the file; what was no message among
    them as invalid.
    """
    results = [_not_sent(each) for each in transcript.refused]
    with progress_bar(quiet=quiet) as progress:
        task = progress.add_task("Sending", total=len(transcript.lines))
        for lines in _parts(transcript.lines):
            answered = server.ingest([line.as_ingest_line() for line in lines])["results"]
            results += ({**result, "line": lines[result["line"] - 1].number} for result in answered)
            progress.advance(task, len(lines))
    results.sort(key=lambda result: int(result["line"]))
    states = Counter(result["status"] for result in results)
    counts = {state: states[state] for state in (*STATES, "refused")}
    return {**counts, "retry_after": None, "results": results}


def _parts(lines: Sequence[transcripts.TranscriptLine]) -> Iterator[Sequence[transcripts.TranscriptLine]]:
    for start in range(0, len(lines), LINES_AT_ONCE):
        yield lines[start : start + LINES_AT_ONCE]


def _not_sent(refused: transcripts.Refused) -> dict[str, Any]:
    return {"line": refused.number, "status": "invalid", "resource_id": None, "error": refused.error, "field": None}


def _refused(answer: Answer) -> list[Answer]:
    return [result for result in answer["results"] if result["status"] in {"invalid", "conflict"}]


def _complain(answer: Answer) -> None:
    """The first of the lines that were not taken, each with its number."""
    refused = _refused(answer)
    for line in refused[:REFUSED_SHOWN]:
        complaints.print(f"line {line['line']}: {line['status']}: {line['error']}", style="yellow", markup=False)
    if len(refused) > REFUSED_SHOWN:
        complaints.print(f"and {amount(len(refused) - REFUSED_SHOWN, 'more line')}: see --json", style="yellow")


def counted(answer: Answer) -> str:
    """What became of the lines that were sent."""
    words = {
        "accepted": "accepted",
        "duplicate": "known already",
        "forgotten": "forgotten before",
        "invalid": "refused",
        "conflict": "in conflict",
    }
    said = [f"{amount(answer[state], 'message')} {word}" for state, word in words.items() if answer[state]]
    return ", ".join(said) + "."


@dataclass(frozen=True, slots=True)
class LearntBefore:
    """What the agent had learnt before: its last run in the journal, and the rejections of each reason."""

    agent_id: str
    last_run: str | None
    rejections: Mapping[str, int]

    @classmethod
    def of(cls, server: Server) -> "LearntBefore":
        agent_id = server.get("viewer")["agent_id"]
        runs = server.get("journal", operation="memory.observed", agent_id=agent_id, first=1)["items"]
        return cls(agent_id, runs[0]["id"] if runs else None, _rejections(server))


def _rejections(server: Server) -> Counter[str]:
    counts: Counter[str] = Counter()
    for each in server.get("rejections/counts")["items"]:
        counts[each["reason"]] += each["count"]
    return counts


def learnt(server: Server, before: LearntBefore) -> str:
    """What the agent's runs since then made of what was said."""
    runs: Counter[str] = Counter()
    for run in server.each("journal", operation="memory.observed", agent_id=before.agent_id):
        if run["id"] == before.last_run:
            break
        runs.update({name: count for name, count in run["data"].items() if isinstance(count, int)})
    reasons = _rejections(server)
    reasons -= Counter(before.rejections)
    besides = {"held": "held for review", "merged": "merged with what was known", "superseded": "replaced"}
    kept = [f"{amount(runs['allowed'], 'memory', 'memories')} learnt"]
    kept += [f"{runs[name]} {word}" for name, word in besides.items() if runs[name]]
    return f"{', '.join(kept)}, {_turned_down(reasons)}."


def _turned_down(reasons: Counter[str]) -> str:
    commonest = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in reasons.most_common(REASONS_SHOWN))
    total = reasons.total()
    return f"{amount(total, 'statement')} left out (most often: {commonest})" if total else "nothing left out"


def wait_until_idle(server: Server, *, quiet: bool = False) -> None:
    """Watch the tenant's jobs until none waits or runs. Raises TimeoutError when their number stands still."""
    most = 0
    with progress_bar(quiet=quiet) as progress:
        task = progress.add_task("Remembering", total=None)

        def told(waiting: int) -> None:
            nonlocal most
            most = max(most, waiting)
            progress.update(task, total=most, completed=most - waiting)

        server.wait_until_idle(stalled_seconds=STALLED_SECONDS, told=told)
