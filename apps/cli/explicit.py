"""Commands about single facts: remember, correct, confirm, unmerge, feedback, forget, unforget."""

from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.ids import memory_id, short
from apps.cli.options import CHANGE, SEND, MemoryId, add
from apps.cli.output import NOTHING_STORED, Json, ListRow, amount, console, entries, show, working
from apps.cli.server import Answer
from memory_platform.errors import Invalid
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import Kind


def register(app: typer.Typer) -> None:
    add(
        app,
        "remember",
        remember,
        'memory remember "Mara is allergic to penicillin." --category health',
        'memory remember "Harbor is deployed on Thursdays." --shared',
        group=SEND,
    )
    add(
        app,
        "correct",
        correct,
        'memory correct MEMORY "Mara is allergic to penicillin and to latex." --reason "her doctor says so"',
        group=CHANGE,
    )
    add(app, "confirm", confirm, "memory confirm MEMORY", "memory confirm MEMORY --withdraw", group=CHANGE)
    add(app, "unmerge", unmerge, "memory unmerge WORDING", group=CHANGE)
    add(
        app,
        "feedback",
        feedback,
        "memory feedback MEMORY helpful",
        'memory feedback MEMORY outdated --note "she moved in May"',
        "memory feedback MEMORY --withdraw",
        group=CHANGE,
    )
    add(
        app,
        "forget",
        forget,
        "memory forget MEMORY --dry-run",
        'memory forget --query "the old office" --yes',
        "memory forget --user-id mara --dry-run",
        group=CHANGE,
    )
    add(app, "unforget", unforget, "memory unforget BATCH", group=CHANGE)


def remember(
    text: Annotated[str, typer.Argument(help="The fact, in one sentence.")],
    *,
    kind: Annotated[Kind | None, typer.Option(help="What sort of knowledge; default: read off the text.")] = None,
    category: Annotated[str | None, typer.Option(help="Category; default: what the text is about.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Whom it belongs to.")] = None,
    shared: Annotated[bool, typer.Option("--shared", help="For the tenant's other agents, too.")] = False,
    as_json: Json = False,
) -> None:
    """Store a fact: still gated, deduplicated and checked for contradictions. Exit 3 when it is rejected."""
    fact: dict[str, Any] = {"text": text, "kind": kind.value if kind else None, "user_id": user_id}
    with connect() as server, working("Remembering"):
        result = (
            server.post("shared-memory", domain=category, **fact)
            if shared
            else server.post("memories", category=category, **fact)
        )
    _show_written(result, as_json=as_json)


def correct(
    memory: MemoryId,
    text: Annotated[str, typer.Argument(help="What is right.")],
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    as_json: Json = False,
) -> None:
    """Replace a memory; the old wording stays in its history. Exit 3 when the new one is rejected."""
    with connect() as server, working("Correcting"):
        result = server.post(f"memories/{memory_id(server, memory)}/correct", text=text, reason=reason)
    _show_written(result, as_json=as_json)


def _show_written(result: Answer, *, as_json: bool) -> None:
    show(result, as_json=as_json, people=lambda: console.print(written(result), markup=False, soft_wrap=True))
    if result["outcome"] == "rejected":
        raise typer.Exit(NOTHING_STORED)


def written(result: Answer) -> str:
    """What became of a fact and why, and how to name it."""
    named = f" Memory {short(result['memory']['id'])}." if result["memory"] else ""
    later = f" Still to come: {', '.join(result['pending'])}." if result["pending"] else ""
    return f"{result['reason']}{named}{later}"


def confirm(
    memory: MemoryId,
    *,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take back that it was confirmed.")] = False,
    as_json: Json = False,
) -> None:
    """Vouch for a memory: it no longer decays, and what was open about it is settled."""
    with connect() as server:
        there = f"memories/{memory_id(server, memory)}/confirm"
        held = server.post(f"{there}/withdraw" if withdraw else there)
    done = "No longer confirmed" if withdraw else "Confirmed"
    show(
        held,
        as_json=as_json,
        people=lambda: console.print(
            f"{done}: {held['text']} (confidence {held['confidence']:.2f})", markup=False, soft_wrap=True
        ),
    )


def unmerge(
    wording: Annotated[str, typer.Argument(help="Id of the merged wording, which `memory explain` names.")],
    as_json: Json = False,
) -> None:
    """Undo that a wording was merged into another memory: both stand, and are not merged with each other again."""
    with connect() as server:
        held = server.post(f"memories/{memory_id(server, wording)}/unmerge")
    show(
        held,
        as_json=as_json,
        people=lambda: console.print(f"On its own again: {held['text']}", markup=False, soft_wrap=True),
    )


def feedback(
    memory: MemoryId,
    kind: Annotated[Opinion | None, typer.Argument(help="What it is.", show_default=False)] = None,
    *,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take back what you said of it.")] = False,
    as_json: Json = False,
) -> None:
    """Say that a memory is helpful, wrong (it waits for review) or outdated (it is put in doubt)."""
    if withdraw == bool(kind):
        raise Invalid("Say what the memory is, or --withdraw.", hint="helpful, wrong or outdated")
    with connect() as server:
        there = f"memories/{memory_id(server, memory)}/feedback"
        given = {"kind": kind.value, "note": note} if kind else {}
        answer = server.post(there if kind else f"{there}/withdraw", **given)
    said = f"Called {kind.value}: {answer['memory']['text']}" if kind else f"Taken back: {answer['text']}"
    show(answer, as_json=as_json, people=lambda: console.print(said, markup=False, soft_wrap=True))


def forget(
    given: Annotated[list[str] | None, typer.Argument(metavar="[MEMORY]...", help="Ids, or short ids.")] = None,
    *,
    query: Annotated[str | None, typer.Option(help="Forget what surely answers this.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Forget everything about a user.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
) -> None:
    """Forget by id, by query or by user; `memory unforget` undoes it. With --json it does not ask."""
    if sum(map(bool, (given, query, user_id))) != 1:
        raise Invalid("Say what to forget in one way.", hint="Give ids, --query or --user-id.")
    with connect() as server:
        ids = [memory_id(server, each) for each in given or ()]
        what = {"ids": ids or None, "query": query, "user_id": user_id}
        must_ask = not (dry_run or yes or as_json)
        with working("Looking for what is to go"):
            gone = server.post("forget", **what, dry_run=dry_run or must_ask)
        if must_ask and _is_any(gone):
            _ask(gone)
            gone = server.post("forget", **what, dry_run=False)
    show(gone, as_json=as_json, people=lambda: print_forgotten(gone))


def _is_any(gone: Answer) -> bool:
    return bool(gone["items"] or gone["episodes"])


def _ask(found: Answer) -> None:
    _list(found)
    typer.confirm(f"Forget {_amount(found)}?", abort=True)


def print_forgotten(gone: Answer) -> None:
    if not _is_any(gone):
        console.print("Nothing matches: there is nothing to forget.")
        return
    if gone["dry_run"]:
        _list(gone)
        console.print(f"{_amount(gone)} would be forgotten.{_more(gone)}", soft_wrap=True)
        return
    undo = f" Undo with: memory unforget {gone['batch_id']}" if gone["batch_id"] else ""
    console.print(f"{_amount(gone)} forgotten.{_more(gone)}{undo}", soft_wrap=True)


def _more(gone: Answer) -> str:
    return " More may answer the query: forget by it again." if gone["truncated"] else ""


def _list(gone: Answer) -> None:
    entries(ListRow(short(item["id"]), item["text"]) for item in gone["items"])


def _amount(gone: Answer) -> str:
    return f"{amount(len(gone['items']), 'memory', 'memories')} and {amount(gone['episodes'], 'episode')}"


def unforget(
    batch: Annotated[str, typer.Argument(help="The batch that `memory forget` printed.")], as_json: Json = False
) -> None:
    """Bring back what a forget took away."""
    with connect() as server:
        back = server.post("restore", batch_id=batch)
    show(back, as_json=as_json, people=lambda: console.print(f"{_amount(back)} restored."))
