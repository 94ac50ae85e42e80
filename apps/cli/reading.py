"""Commands that read: recall, context, show, explain."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, more, show, table
from memory_platform.client import Hit, Recall
from memory_platform.errors import NotFound
from memory_platform.model import Profile, Status
from memory_platform.retrieval.context import Style

Depth = Annotated[Profile, typer.Option("--profile", help="How many hits: 3, 7, 15, or by the question.")]


def register(app: typer.Typer) -> None:
    app.command("recall")(recall)
    app.command("context")(context)
    app.command("show")(show_memories)
    app.command("explain")(explain)


def recall(
    query: Annotated[str, typer.Argument(help="The question.")],
    *,
    profile: Depth = Profile.AUTO,
    limit: Annotated[int | None, typer.Option(min=1, max=100, help="Most hits to return.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    user_id: Annotated[str | None, typer.Option(help="For this user: theirs and what is no user's.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="Only what agents share.")] = False,
    domain: Annotated[str | None, typer.Option(help="Only this domain, which is a category.")] = None,
    after: Annotated[str | None, typer.Option(help="Only what happened from then on: a date, or last_week.")] = None,
    before: Annotated[str | None, typer.Option(help="Only what happened before then.")] = None,
    as_of: Annotated[datetime | None, typer.Option(help="What was believed and true then.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show scores, stages and what just missed.")] = False,
    as_json: Json = False,
) -> None:
    """Ask for the few memories that matter to a question."""
    rows = {
        "sessionId": session,
        "userId": user_id,
        "visibility": "SHARED" if shared else None,
        "domain": domain,
        "after": after,
        "before": before,
    }
    options = _options(profile, limit=limit, as_of=as_of, rows=rows)
    with connect() as agent:
        answer = agent.recall(query, explain=explain, **options)
    show(
        answer,
        as_json=as_json,
        people=lambda: print_recall(answer),
        next_commands=[f"memory explain {hit.id}" for hit in answer.hits if hit.unit == "ITEM"],
    )


def _options(
    profile: Profile, *, limit: int | None, as_of: datetime | None, rows: Mapping[str, str | None]
) -> dict[str, Any]:
    options: dict[str, Any] = {"profile": profile.name}
    if wanted := {name: value for name, value in rows.items() if value is not None}:
        options["filter"] = wanted
    if limit is not None:
        options["limit"] = limit
    if as_of is not None:
        options["asOf"] = as_of.astimezone().isoformat()
    return options


def print_recall(answer: Recall) -> None:
    """Draw an answer, or say that nothing is relevant."""
    if not answer.hits:
        console.print("Nothing relevant is remembered.")
    else:
        table(
            ["#", "memory", "score", "confidence", "age", "tags", "from"],
            [
                (
                    hit.rank,
                    hit.text,
                    hit.score,
                    hit.confidence,
                    f"{hit.age_days:.0f} d",
                    ", ".join(tag.lower() for tag in hit.tags) or None,
                    _said_by(hit),
                )
                for hit in answer.hits
            ],
        )
    degraded = f", without {', '.join(answer.degraded)}" if answer.degraded else ""
    console.print(f"[dim]{answer.took_ms:.0f} ms, {answer.profile.lower()}{degraded}[/]")
    if answer.explanation:
        _print_explanation(answer.explanation)


def _said_by(hit: Hit) -> str | None:
    """Who spoke; where memories disagree, which agent holds this one and since when."""
    speakers = ", ".join(source.speaker for source in hit.sources[:2] if source.speaker)
    if "CONFLICT" in hit.tags and hit.agent_id and hit.said_at:
        holder = f"{hit.agent_id}, {hit.said_at:%Y-%m-%d}"
        return f"{speakers} ({holder})" if speakers else holder
    return speakers or hit.agent_id


def _print_explanation(why: Mapping[str, Any]) -> None:
    form = "a statement" if why["statement"] else "a question"
    console.print(
        f"read as {form}, {why['complexity'].lower()}; keyword gate {why['gate']:.2f}, floor {why['floor']:.3f}, "
        f"{why['candidates']} candidates"
    )
    if span := why["timeRange"]:
        console.print(f"time: “{span['phrase']}” → {span['start'][:10]} … {span['end'][:10]}", markup=False)
    console.print("found by " + ", ".join(f"{arm['name']} {arm['candidates']}" for arm in why["arms"]))
    table(["stage", "ms"], [(stage["name"], stage["milliseconds"]) for stage in why["stages"]])
    if why["belowFloor"]:
        console.print("below the floor, left out:")
        for hit in why["belowFloor"][:5]:
            console.print(f"  {hit['score']:.2f}  {hit['text']}", markup=False)


def context(
    query: Annotated[str | None, typer.Argument(help="The question; without one: what to know at the start.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="Budget of the block; default: 2,000, ten memories.")
    ] = None,
    style: Annotated[Style, typer.Option(help="Line by line, grouped by kind, or by service.")] = Style.FACTS,
    profile: Depth = Profile.AUTO,
    as_json: Json = False,
) -> None:
    """Print the block to put in front of the model."""
    with connect() as agent:
        block = agent.context(query, maxTokens=max_tokens, style=style.name, profile=profile.name)
    show(
        block,
        as_json=as_json,
        people=lambda: console.print(block.text or "Nothing relevant is remembered.", markup=False, soft_wrap=True),
    )


def show_memories(
    memory_id: Annotated[str | None, typer.Argument(help="One memory; without an id: a page of them.")] = None,
    status: Annotated[Status | None, typer.Option(help="Only these; default: active and stale.")] = None,
    held: Annotated[bool, typer.Option("--held", help="Those that wait for review.")] = False,
    first: Annotated[int, typer.Option(min=1, max=100, help="How many, newest first.")] = 20,
    after: Annotated[str | None, typer.Option(help="Cursor of the page before.")] = None,
    as_json: Json = False,
) -> None:
    """Show one memory, or list them."""
    with connect() as agent:
        if memory_id is not None:
            memory = agent.memory(memory_id)
            if memory is None:
                raise NotFound(f"There is no memory {memory_id}.", hint="List them with `memory show`.")
            show(
                memory,
                as_json=as_json,
                people=lambda: table(["field", "value"], memory.items()),
                next_commands=[f"memory explain {memory_id}"],
            )
            return
        chosen = {"statuses": [status.name] if status else None, "verdicts": ["HOLD"] if held else None}
        page = agent.memories(filter={name: value for name, value in chosen.items() if value}, first=first, after=after)
    nodes = [edge["node"] for edge in page["edges"]]
    chosen_words = (f" --status {status.value}" if status else "") + (" --held" if held else "")
    following = more(f"memory show --first {first}{chosen_words}", page)

    def people() -> None:
        if not nodes:
            console.print("There are none.")
            return
        table(
            ["id", "memory", "category", "confidence", "status"],
            [
                (node["id"], node["text"], node["category"], node["confidence"], node["status"].lower())
                for node in nodes
            ],
        )
        if following:
            console.print(f"More: {following}", style="dim", soft_wrap=True)

    show(
        page,
        as_json=as_json,
        people=people,
        next_commands=[
            *(f"memory explain {node['id']}" for node in nodes[:3]),
            *([following] if following else []),
        ],
    )


def explain(memory_id: Annotated[str, typer.Argument(help="Id of a memory.")], as_json: Json = False) -> None:
    """Say where a memory comes from, what was merged into it and what it replaced."""
    with connect() as agent:
        why = agent.explain(memory_id)
    if why is None:
        raise NotFound(f"There is no memory {memory_id}.", hint="List them with `memory show`.")
    show(
        why,
        as_json=as_json,
        people=lambda: print_explanation(why),
        next_commands=[f"memory show {memory_id}", f"memory forget {memory_id} --dry-run"],
    )


def print_explanation(why: Mapping[str, Any]) -> None:
    memory = why["memory"]
    console.print(memory["text"], style="bold", markup=False)
    console.print(
        f"{memory['kind'].lower()}, {memory['category']}, {memory['strength'].lower()}, confidence "
        f"{memory['confidence']:.2f}, {memory['status'].lower()}",
        style="dim",
    )
    for source in why["sources"]:
        speaker = f" by {source['speaker']}" if source["speaker"] else ""
        console.print(f"  said{speaker} on {source['saidAt'][:10]}: “{source['quote']}”", markup=False)
    for name in ("merged", "supersedes", "supersededBy", "contradicts"):
        words = {"supersededBy": "superseded by"}.get(name, name)
        for other in why[name]:
            holder = f", said by {other['agentId']} on {other['saidAt'][:10]}" if name == "contradicts" else ""
            console.print(f"  {words}: {other['text']} ({other['reason']}{holder})", markup=False)
    if why["sharedFrom"]:
        console.print(f"  shared from: {why['sharedFrom']['id']}", markup=False)
    for other in why["sharedAs"]:
        console.print(f"  shared as: {other['id']}", markup=False)
    for version in why["versions"]:
        console.print(f"  {version['at'][:19]}  {version['operation']}  {version['reason']}", style="dim", markup=False)
