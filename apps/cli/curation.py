"""Commands of curation: MEMORY.md and its repository, proposals, and the queue of those who review."""

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from apps.cli.connection import connect
from apps.cli.ids import is_id
from apps.cli.options import CHANGE, LOOK, RUN, After, AllUsers, First, add, again, of_users
from apps.cli.output import Json, ListRow, amount, console, entries, page, show, show_begun, working
from apps.cli.server import Answer
from memory_platform.errors import Invalid

app = typer.Typer(help="MEMORY.md: what every agent is told first, and its git repository.", no_args_is_help=True)


def register(root: typer.Typer) -> None:
    add(root, "proposals", proposals, "memory proposals", "memory proposals --state approved", group=LOOK)
    add(root, "queue", queue, "memory queue", group=LOOK)
    add(root, "decide", decide, "memory decide PROPOSAL approve --seen 1", group=CHANGE)
    add(root, "reflect", reflect, "memory reflect", group=RUN)


def text(as_json: Json = False) -> None:
    """Print MEMORY.md."""
    with connect() as server:
        found = server.get("curated-memory")
    show(found, as_json=as_json, people=lambda: typer.echo(found["text"], nl=False))


def check(as_json: Json = False) -> None:
    """Compare the repository with the lines, and its signatures; exit 1 when they differ."""
    with connect() as server, working("Comparing the repository"):
        found = server.get("curated-memory/check")
    show(found, as_json=as_json, people=lambda: _show_repository(found))
    if found["drifted"] or found["signed"] != found["commits"]:
        raise typer.Exit(1)


def rebuild(as_json: Json = False) -> None:
    """Make the repository anew out of the lines, its history too."""
    with connect() as server, working("Making the repository anew"):
        found = server.post("curated-memory/rebuild")
    show(found, as_json=as_json, people=lambda: _show_repository(found))


def restore(
    clone: Annotated[Path, typer.Argument(help="A clone of the repository.", exists=True, file_okay=False)],
    as_json: Json = False,
) -> None:
    """Take lines, decisions and log back from a clone, into a tenant that has none."""
    from memory_platform.adapters.git_markdown import read_clone, read_log

    try:
        told = read_clone(clone)
    except ValueError as error:
        raise Invalid(str(error), field="clone") from None
    with connect() as server, working("Taking it back from the clone"):
        # The log first: where it breaks off, all of it may be sent again.
        for part in read_log(clone):
            server.post("curated-memory/restore", entries=[], log=part)
        numbers = {"changes": told.changes, "decisions": told.decisions}
        found = server.post("curated-memory/restore", entries=list(told.lines), log=[], **numbers)
    show(found, as_json=as_json, people=lambda: _show_repository(found))


def verify(
    clone: Annotated[Path, typer.Argument(help="A clone of the repository.", exists=True, file_okay=False)],
    key: Annotated[str, typer.Option(metavar="PUBLIC_KEY", help="The deployment's, as `memory curated check` says.")],
    as_json: Json = False,
) -> None:
    """Check the signatures of a clone, without a server; exit 1 when a commit is not the deployment's."""
    from memory_platform.adapters.git_markdown import signed_commits

    try:
        signed, commits = signed_commits(clone, _decoded(key))
    except ValueError as error:
        raise Invalid(str(error)) from None
    told = f"{amount(commits, 'commit')}, {signed} signed with this key"
    show({"commits": commits, "signed": signed}, as_json=as_json, people=lambda: console.print(told, markup=False))
    if signed != commits:
        raise typer.Exit(1)


def _decoded(key: str) -> bytes:
    try:
        return base64.b64decode(key, validate=True)
    except ValueError:
        raise Invalid(f"{key!r} is no public key.", field="key", hint="`memory curated check` prints it.") from None


def proposals(
    state: Annotated[
        list[str] | None, typer.Option(help="waiting, queued, approved, rejected or merged; default: the first two.")
    ] = None,
    section: Annotated[str | None, typer.Option(help="Of this category.")] = None,
    first: First = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """List proposed changes of MEMORY.md, the earliest first. Needs the scope review."""
    with connect() as server:
        found = server.get("proposals", state=state, section=section, first=first, after=after)
    command = again("memory proposals", state=state, section=section, first=first)

    def rows(items: Sequence[Answer]) -> None:
        entries(ListRow(each["change"], each["text"] or each["present"], _notes(each)) for each in items)

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="No proposals."))


def queue(all_users: AllUsers = False, first: First = 20, after: After = None, as_json: Json = False) -> None:
    """List all that waits for somebody: proposals, held memories, contradictions, erasures. Needs the scope review."""
    with connect() as server:
        found = server.get("review-queue", first=first, after=after, **of_users(None, all_users=all_users))

    def rows(items: Sequence[Answer]) -> None:
        entries(
            ListRow(each["kind"], " / ".join(each["texts"]), (each["task"], ", ".join(each["verbs"]), each["id"]))
            for each in items
        )

    command = again("memory queue", all_users=all_users, first=first)
    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="Nothing waits."))


def decide(
    proposal: Annotated[str, typer.Argument(metavar="PROPOSAL", help="Id of a proposal, as `memory proposals` says.")],
    decision: Annotated[str, typer.Argument(help="approve, edit, reject or undo.")],
    seen: Annotated[int, typer.Option(help="The version that was looked at.")],
    text: Annotated[str | None, typer.Option(help="Of edit: better words.")] = None,
    section: Annotated[str | None, typer.Option(help="Of edit: another category.")] = None,
    comment: Annotated[str, typer.Option(help="Why.")] = "",
    as_decision: Annotated[bool, typer.Option("--as-decision", help="Give it a number and a record.")] = False,
    as_json: Json = False,
) -> None:
    """Decide on a proposal. Needs the scope review; a conflict says that somebody else was first."""
    if not is_id(proposal):
        raise Invalid(f"{proposal!r} is no whole id.", field="proposal", hint="`memory proposals` lists them whole.")
    given = {"decision": decision, "version": seen, "text": text, "section": section, "comment": comment}
    with connect() as server:
        done = server.post(f"proposals/{proposal}/decide", **given, as_decision=as_decision)
    told = f"{done['state']}: {done['text'] or done['present']} (version {done['version']})"
    show(done, as_json=as_json, people=lambda: console.print(told, markup=False, soft_wrap=True))


def reflect(as_json: Json = False) -> None:
    """Have recent shared memories looked at now, in a job. Needs the scope review."""
    with connect() as server:
        begun = server.post("reflect")
    show_begun(begun, as_json=as_json)


def _notes(proposal: Answer) -> tuple[str, ...]:
    return (proposal["state"], proposal["section"], f"version {proposal['version']}", proposal["id"])


def _show_repository(found: Answer) -> None:
    state = "drifted" if found["drifted"] else f"{found['behind']} behind" if found["behind"] else "up to date"
    told = f"{amount(found['commits'], 'commit')}, {found['signed']} signed, {state}: {found['commit'] or 'empty'}"
    console.print(told, markup=False, soft_wrap=True)
    console.print(f"public key: {found['public_key']}", markup=False, soft_wrap=True)


add(app, "show", text, "memory curated show")
add(app, "check", check, "memory curated check")
add(app, "rebuild", rebuild, "memory curated rebuild")
add(app, "restore", restore, "memory curated restore memory")
add(app, "verify", verify, "memory curated verify memory --key PUBLIC_KEY")
