"""`memory erase`: see what erasing for good would take away, ask for it, approve it, and verify receipts."""

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from apps.cli.connection import connect
from apps.cli.options import After, First, add, again
from apps.cli.output import (
    NOTHING_STORED,
    Json,
    ListRow,
    amount,
    complaints,
    console,
    entries,
    fields,
    moment,
    page,
    progress_bar,
    show,
    working,
)
from apps.cli.server import LARGEST_PAGE, Answer, Server
from memory_platform.errors import Invalid

STATUSES: Final = ("accepted", "duplicate", "forgotten", "skipped", "invalid", "conflict")
NOT_TAKEN: Final = frozenset({"invalid", "conflict"})
STORES: Final = frozenset({"git", "neo4j", "valkey"})
"""What is removed there is no row."""
MISSING_SHOWN: Final = 5
LINES_AT_ONCE: Final = 500
CHARACTERS_AT_ONCE: Final = 2_000_000

app = typer.Typer(
    help="Erase for good: preview, request, approve, verify, export. Needs a key with the scope erase.",
    no_args_is_help=True,
)
UserId = Annotated[str | None, typer.Option("--user", help="Everything of this user; with --session whose session.")]
SessionId = Annotated[str | None, typer.Option("--session", help="A session, by your own id.")]
EntityName = Annotated[str | None, typer.Option("--entity", help="Everybody and everything of this name.")]
EntityId = Annotated[str | None, typer.Option("--entity-id", help="One of them.")]
MemoryIds = Annotated[list[str] | None, typer.Option("--memory", help="A memory, by its id; repeatable.")]
MessageIds = Annotated[list[str] | None, typer.Option("--message", help="A message, by its id; repeatable.")]
ErasureId = Annotated[str, typer.Argument(metavar="ERASURE", help="Id of an erasure, as `memory erase list` says.")]


def _subject(
    user_id: str | None,
    session_id: str | None,
    entity: str | None,
    entity_id: str | None,
    memories: Sequence[str] | None,
    messages: Sequence[str] | None,
) -> dict[str, Any]:
    return {
        "user_id": user_id,
        "session_id": session_id,
        "entity": entity,
        "entity_id": entity_id,
        "memory_ids": list(memories) if memories else None,
        "message_ids": list(messages) if messages else None,
    }


def preview(
    user_id: UserId = None,
    session_id: SessionId = None,
    entity: EntityName = None,
    entity_id: EntityId = None,
    memory: MemoryIds = None,
    message: MessageIds = None,
    topic: Annotated[str | None, typer.Option(help="What surely is about this; with --user that user's.")] = None,
    as_json: Json = False,
) -> None:
    """Tell what would go; changes nothing."""
    subject = _subject(user_id, session_id, entity, entity_id, memory, message)
    with connect() as server, working("Counting what would go"):
        found = server.post("erasures/preview", **subject, topic=topic)
    show(found, as_json=as_json, people=lambda: _show_preview(found))


def request(
    fingerprint: Annotated[str, typer.Argument(help="What the preview printed.")],
    *,
    user_id: UserId = None,
    session_id: SessionId = None,
    entity: EntityName = None,
    entity_id: EntityId = None,
    memory: MemoryIds = None,
    message: MessageIds = None,
    reason: Annotated[str | None, typer.Option(help="Why; it is erased with the rest.")] = None,
    as_json: Json = False,
) -> None:
    """Erase for good what was previewed, at once or when somebody else approves."""
    subject = _subject(user_id, session_id, entity, entity_id, memory, message)
    with connect() as server:
        asked = server.post("erasures", **subject, fingerprint=fingerprint, reason=reason)
    show(asked, as_json=as_json, people=lambda: entries([_entry(asked)]))


def approve(erasure: ErasureId, as_json: Json = False) -> None:
    """Let an erasure run that somebody else asked for; needs the scope admin."""
    with connect() as server:
        done = server.post(f"erasures/{erasure}/approve")
    show(done, as_json=as_json, people=lambda: entries([_entry(done)]))


def reject(erasure: ErasureId, as_json: Json = False) -> None:
    """Let nothing of an erasure happen; needs the scope admin."""
    with connect() as server:
        done = server.post(f"erasures/{erasure}/reject")
    show(done, as_json=as_json, people=lambda: entries([_entry(done)]))


def list_erasures(first: First = 20, after: After = None, as_json: Json = False) -> None:
    """List erasures, the newest first."""
    with connect() as server:
        found = server.get("erasures", first=first, after=after)
    command = again("memory erase list", first=first)

    def rows(items: Sequence[Answer]) -> None:
        entries(map(_entry, items))

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="No erasures yet."))


def receipt(erasure: ErasureId) -> None:
    """Print the receipt of an erasure, to be kept."""
    with connect() as server:
        found = server.get(f"erasures/{erasure}")
    if found["receipt"] is None:
        raise Invalid(f"There is no receipt: this erasure is {found['state']}.", field="erasure")
    typer.echo(json.dumps(found["receipt"], indent=2, ensure_ascii=False))


def verify(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A receipt, as `receipt` printed it.")],
    as_json: Json = False,
) -> None:
    """Say whether a receipt is ours and unchanged."""
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise Invalid(f"{file} holds no JSON.", field="file") from None
    with connect() as server:
        told = server.post("erasures/verify", receipt=held)
    show(told, as_json=as_json, people=lambda: console.print(_verdict(told), markup=False))
    if not told["valid"]:
        raise typer.Exit(1)


def export(
    user_id: UserId = None,
    session_id: SessionId = None,
    entity: EntityName = None,
    entity_id: EntityId = None,
    memory: MemoryIds = None,
    message: MessageIds = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="For people, instead of JSON Lines.")] = False,
) -> None:
    """Print all that erasing would take away, line by line; `memory erase import` takes it in again."""
    subject = _subject(user_id, session_id, entity, entity_id, memory, message)
    # Lines that scroll by on the terminal are progress enough.
    with connect() as server, progress_bar(quiet=sys.stdout.isatty()) as progress:
        task = progress.add_task("Exporting", total=None)
        for number, line in enumerate(_exported(server, subject), 1):
            progress.update(task, description=f"Exporting: {amount(number, 'line')}")
            typer.echo(line["markdown"] if markdown else json.dumps(line["content"], ensure_ascii=False))


def _exported(server: Server, subject: dict[str, Any]) -> Iterator[Answer]:
    after = None
    while True:
        found = server.post("exports", **subject, first=LARGEST_PAGE, after=after)
        yield from found["items"]
        after = found["next"]
        if after is None:
            return


def import_(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `memory erase export` printed.")],
    as_json: Json = False,
) -> None:
    """Take an export in; twice is as once. Needs the scope write. Exit 3 when a line was not taken."""
    results = _imported(file)
    counts = Counter(each["status"] for each in results)
    skipped = _skipped(file, {each["line"] for each in results if each["status"] == "skipped"})
    told = {"results": results, **{status: counts[status] for status in STATUSES}, "skipped_by_kind": skipped}
    by_kind = {f"skipped {kind}": count for kind, count in skipped.items()}
    people = {name: counts[name] for name in STATUSES if counts[name]} | by_kind
    show(told, as_json=as_json, people=lambda: fields(people))
    missing = [each for each in results if each["status"] in NOT_TAKEN]
    for each in missing[:MISSING_SHOWN]:
        complaints.print(f"line {each['line']}: {each['status']}: {each['error']}", style="yellow", markup=False)
    if missing:
        raise typer.Exit(NOTHING_STORED)


def _imported(file: Path) -> list[dict[str, Any]]:
    """What became of every line, by its number in the file."""
    results: list[dict[str, Any]] = []
    with connect() as server, file.open(encoding="utf-8") as lines, progress_bar() as progress:
        task = progress.add_task("Importing", total=_count_lines(file))
        for first, part in _parts(lines):
            became = server.take_in(part, told=lambda count: progress.advance(task, count))
            results += [{**each, "line": first + each["line"] - 1} for each in became]
    return results


def _skipped(file: Path, numbers: Collection[int]) -> dict[str, int]:
    """How many lines of each kind, a record's being its table, were there to be read only."""
    with file.open(encoding="utf-8") as lines:
        held = (_json(line) for number, line in enumerate(lines, 1) if number in numbers)
        return dict(sorted(Counter(str(each.get("table") or each["line"]) for each in held).items()))


def _count_lines(file: Path) -> int:
    with file.open("rb") as lines:
        return sum(1 for _ in lines)


def _parts(lines: Iterable[str]) -> Iterator[tuple[int, list[Any]]]:
    """Lines as JSON, as many as go together, with the number of the first; what is no JSON goes as a text."""
    part, size, first = list[Any](), 0, 1
    for number, line in enumerate(lines, 1):
        if part and (len(part) == LINES_AT_ONCE or size + len(line) > CHARACTERS_AT_ONCE):
            yield first, part
            part, size, first = [], 0, number
        part.append(_json(line))
        size += len(line)
    if part:
        yield first, part


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return ""


def _verdict(told: Answer) -> str:
    return (
        f"It is genuine: erasure {told['erasure_id']}." if told["valid"] else f"It is not genuine: {told['problem']}."
    )


def _show_preview(found: Answer) -> None:
    told = (
        amount(found["memories"], "memory", "memories"),
        amount(found["messages"], "message"),
        amount(found["sessions"], "session"),
    )
    console.print(f"Would go: {', '.join(told)}.", markup=False)
    if not found["rows"]:
        console.print("Nothing is held of it: look whether it is spelled as it was captured.", style="yellow")
    if found["truncated"]:
        console.print("There may be more about it: preview the topic again once this is erased.", style="yellow")
    entries(ListRow(each["kind"], each["text"], (each["id"],)) for each in found["samples"])
    entries(ListRow("named", one) for one in _named(found))
    entries(ListRow("entity", each["name"], (each["user_id"], each["id"])) for each in found["entities"])
    fields({each["name"]: each["count"] for each in found["rows"]})
    console.print(f"Fingerprint, until {moment(found['expires_at'])}:", markup=False)
    console.print(found["fingerprint"], markup=False, soft_wrap=True)


def _named(found: Answer) -> Iterator[str]:
    """What a request names: the ids that were given, or that a topic found."""
    yield from (f"--memory {one}" for one in found["memory_ids"])
    yield from (f"--message {one}" for one in found["message_ids"])


def _entry(each: Answer) -> ListRow:
    rows = sum(count["count"] for count in each["removed"] if count["name"] not in STORES)
    about = ", ".join(f"{name} {value}" for name, value in each["about"].items()) or each["digest"][:12]
    done = f"done {moment(each['finished_at'])}" if each["finished_at"] else f"{len(each['steps'])} steps done"
    return ListRow(each["state"], f"{each['kind']}: {about}", (amount(rows, "row"), done, each["id"]))


add(
    app,
    "preview",
    preview,
    "memory erase preview --user mara",
    'memory erase preview --entity "Anna Berg"',
    'memory erase preview --topic "the illness of my dog"',
)
add(app, "request", request, "memory erase request FINGERPRINT --user mara")
add(app, "approve", approve, "memory erase approve ERASURE")
add(app, "reject", reject, "memory erase reject ERASURE")
add(app, "list", list_erasures, "memory erase list")
add(app, "receipt", receipt, "memory erase receipt ERASURE > receipt.json")
add(app, "verify", verify, "memory erase verify receipt.json")
add(app, "export", export, "memory erase export --user mara > mara.jsonl", "memory erase export --user mara --markdown")
add(app, "import", import_, "memory erase import mara.jsonl")
