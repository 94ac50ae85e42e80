"""Commands that ask: recall, context, and report-output for what came of it."""

from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.ids import short
from apps.cli.options import ASK, AllUsers, AsOf, Depth, User, add, of_users
from apps.cli.output import (
    FullIds,
    Json,
    ListRow,
    amount,
    complaints,
    console,
    entries,
    leaning,
    marked,
    show,
    speaker,
    table,
)
from apps.cli.server import Answer
from memory_platform.model import ContextStyle, Profile

Session = Annotated[
    str | None,
    typer.Option(help="The conversation this is asked in: what it was given and said last is known to the server."),
]


def register(app: typer.Typer) -> None:
    add(
        app,
        "recall",
        recall,
        'memory recall "Where does Mara live?"',
        'memory recall "What did we decide?" --after last_week --explain',
        'memory recall "Where does Mara live?" --as-of 2026-01-31 --json',
        'memory recall "And where does she work?" --session chat-1',
        group=ASK,
    )
    add(
        app,
        "context",
        context,
        'memory context "Plan a dinner for Mara."',
        "memory context --style sections --max-tokens 500",
        'memory context "Plan a dinner for Mara." --session chat-1',
        group=ASK,
    )
    add(
        app,
        "report-output",
        report_output,
        'memory report-output RECALL "Mara lives in Lisbon."',
        group=ASK,
    )


def recall(
    query: Annotated[str, typer.Argument(help="The question.")],
    *,
    profile: Depth = Profile.AUTO,
    limit: Annotated[int | None, typer.Option(min=1, max=100, help="Most hits to return.")] = None,
    session: Session = None,
    only_session: Annotated[str | None, typer.Option(help="Only what this conversation said.")] = None,
    user_id: User = None,
    all_users: AllUsers = False,
    shared: Annotated[bool, typer.Option("--shared", help="Only what agents share.")] = False,
    domain: Annotated[str | None, typer.Option(help="Only this domain, which is a category.")] = None,
    after: Annotated[str | None, typer.Option(help="Only what happened from then on: a date, or last_week.")] = None,
    before: Annotated[str | None, typer.Option(help="Only what happened before then.")] = None,
    as_of: AsOf = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show scores, stages and what just missed.")] = False,
    ids: FullIds = False,
    as_json: Json = False,
) -> None:
    """Ask for the few memories that matter to a question."""
    wanted = {"session_id": only_session, "domain": domain, "after": after, "before": before}
    with connect() as server:
        answer = server.post(
            "shared-memory/query" if shared else "recall",
            query=query,
            profile=profile.value,
            limit=limit,
            filter={**wanted, **of_users(user_id, all_users=all_users)},
            as_of=as_of.astimezone().isoformat() if as_of else None,
            explain=explain,
            session_id=session,
        )
    show(answer, as_json=as_json, people=lambda: print_recall(answer, ids=ids))


def print_recall(answer: Answer, *, ids: bool = False) -> None:
    """Draw an answer, or say that nothing is relevant."""
    if not answer["hits"]:
        console.print("Nothing relevant is remembered.")
    explained = answer["explanation"] is not None
    entries(_hit(hit, ids=ids, explained=explained) for hit in answer["hits"])
    degraded = f", without {', '.join(answer['degraded'])}" if answer["degraded"] else ""
    console.print(f"[dim]{answer['took_ms']:.0f} ms, {answer['profile']}{degraded}[/]")
    if explained:
        _print_explanation(answer["explanation"])


def _hit(hit: Answer, *, ids: bool, explained: bool) -> ListRow:
    is_memory = hit["unit"] == "item"
    return ListRow(
        f"{hit['rank']}.",
        leaning(hit["text"], hit["lead_in"]),
        (
            f"memory {short(hit['id'])}" if is_memory else "said in a conversation",
            None if hit["confidence"] is None else f"confidence {hit['confidence']:.2f}",
            "LOW relevance" if hit["relevance"] == "low" else None,
            "given before" if hit["already_given"] else None,
            *(tag.replace("_", " ") for tag in hit["tags"]),
            _age(hit["age_days"]),
            _said_by(hit),
            f"score {hit['score']:.2f}, probability {hit['probability']:.2f}" if explained else None,
            marked(hit["id"], ids=ids),
        ),
    )


def _age(days: float) -> str:
    return "today" if days < 1 else f"{amount(round(days), 'day')} old"


def _said_by(hit: Answer) -> str | None:
    """Who spoke; where memories disagree, which agent holds this one and since when."""
    speakers = " and ".join(filter(None, map(speaker, hit["sources"][:2])))
    if "conflict" in hit["tags"] and hit["agent_id"] and hit["said_at"]:
        holder = f"held by {hit['agent_id']} since {hit['said_at'][:10]}"
        return f"said by {speakers}, {holder}" if speakers else holder
    if speakers:
        return f"said by {speakers}"
    return f"agent {hit['agent_id']}" if hit["agent_id"] else None


def _print_explanation(why: Answer) -> None:
    form = "a statement" if why["statement"] else "a question"
    console.print(
        f"read as {form}, {why['complexity']}; keyword gate {why['gate']:.2f}, floor {why['floor']:.3f}, "
        f"{amount(why['candidates'], 'candidate')}"
    )
    if span := why["time_range"]:
        console.print(f"time: “{span['phrase']}” → {span['start'][:10]} … {span['end'][:10]}", markup=False)
    console.print("found by " + ", ".join(f"{arm['name']} {arm['candidates']}" for arm in why["arms"]))
    table(["stage", "ms"], [(stage["name"], stage["milliseconds"]) for stage in why["stages"]])
    if why["below_floor"]:
        console.print("below the floor, left out:")
        entries(
            ListRow(f"{hit['probability']:.3f}", leaning(hit["text"], hit["lead_in"])) for hit in why["below_floor"][:5]
        )


def context(
    query: Annotated[str | None, typer.Argument(help="The question; without one: what to know at the start.")] = None,
    *,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Budget of the block; default: 2,000, ten memories.")
    ] = None,
    style: Annotated[
        ContextStyle, typer.Option(help="Line by line, grouped by kind, or by service.")
    ] = ContextStyle.FACTS,
    profile: Depth = Profile.AUTO,
    session: Session = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="Also what the session was already given.")] = False,
    user_id: User = None,
    all_users: AllUsers = False,
    as_json: Json = False,
) -> None:
    """Print the block to put in front of the model."""
    with connect() as server:
        block = server.post(
            "context",
            query=query,
            max_tokens=max_tokens,
            style=style.value,
            profile=profile.value,
            filter=of_users(user_id, all_users=all_users),
            session_id=session,
            repeat=repeat,
        )
    show(block, as_json=as_json, people=lambda: _print_block(block, session=session))


def _print_block(block: Answer, *, session: str | None) -> None:
    known = f"Nothing new for {session}: nothing relevant, or all of it was given."
    nothing = known if session else "Nothing relevant is remembered."
    console.print(block["text"] or nothing, markup=False, soft_wrap=True)
    for each in block["changed"]:
        # Not to be piped into the prompt with the block.
        complaints.print(_changed(each), markup=False)


def _changed(change: Answer) -> str:
    what = change["text"] or f"memory {change['id']}"
    if change["tag"] is None:
        return f"{change['became']}: {what}"
    return f"{change['tag'].replace('_', ' ')}: {what} → {change['replacement']}"


def report_output(
    recall_id: Annotated[str, typer.Argument(metavar="RECALL", help="`id` of an answer of `recall --json`.")],
    output: Annotated[str, typer.Argument(help="What the model made of it.")],
    as_json: Json = False,
) -> None:
    """Say what the model answered: memories it used rise, others sink."""
    with connect() as server:
        feedback = server.post(f"recalls/{recall_id}/output", output=output)
    show(
        feedback,
        as_json=as_json,
        people=lambda: console.print(f"{amount(feedback['used'], 'hit')} used, {feedback['ignored']} ignored."),
    )
