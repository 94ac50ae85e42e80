"""Commands about conversations: `memory session …`, and what was reported in them: checkpoint, replay."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.options import LOOK, SEND, After, AllUsers, First, Since, Until, add, again, of_users, span
from apps.cli.output import Json, ListRow, amount, console, entries, fields, moment, page, show, working
from apps.cli.server import Answer, Server, in_path
from memory_platform.errors import NotFound

Session = Annotated[str, typer.Argument(help="Your own id of the conversation.")]
User = Annotated[str | None, typer.Option("--user-id", help="Whose conversation it is.")]


app = typer.Typer(help="Conversations: begin, keep alive, end, look.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    add(app, "observe", observe, 'memory observe chat-1 "User: I moved to Lisbon in May."', group=SEND)
    add(app, "checkpoint", checkpoint, "memory checkpoint chat-1 --turn 1", group=LOOK)
    add(app, "replay", replay, "memory replay chat-1", "memory replay chat-1 --turn 1 --json", group=LOOK)


def start(
    name: Session,
    user_id: User = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens at most of what it begins with.")] = None,
    as_json: Json = False,
) -> None:
    """Begin a conversation: print what to know, and end the one the user was in before."""
    with connect() as server:
        begun = server.post("sessions", session_id=name, user_id=user_id, max_tokens=max_tokens)

    def people() -> None:
        console.print(begun["text"] or "Nothing is known yet.", markup=False)
        if begun["previous"]:
            _print_end(begun["previous"])

    show(begun, as_json=as_json, people=people)


def heartbeat(name: Session, user_id: User = None, as_json: Json = False) -> None:
    """Say that a conversation is alive; tell how many of its messages are not learnt from yet."""
    with connect() as server:
        found = server.post(f"sessions/{in_path(name)}/heartbeat", user_id=user_id)
    show(found, as_json=as_json, people=lambda: fields(found))


def end(
    name: Session,
    user_id: User = None,
    wait: Annotated[float, typer.Option(min=0, max=10, help="Seconds to wait until all of it is learnt from.")] = 2.0,
    as_json: Json = False,
) -> None:
    """End a conversation: what was said in it is learnt from at once. A late turn opens it again."""
    with connect() as server, working("Closing the session"):
        ended = server.post(f"sessions/{in_path(name)}/end", user_id=user_id, wait_seconds=wait)
    show(ended, as_json=as_json, people=lambda: _print_end(ended))


def branch(
    name: Session,
    new_name: Annotated[str, typer.Argument(help="Your own id of the conversation that begins.")],
    turn: Annotated[int | None, typer.Option(min=1, help="The last turn they share; default: the latest.")] = None,
    user_id: User = None,
    as_json: Json = False,
) -> None:
    """Begin a conversation as another was after a turn."""
    with connect() as server:
        made = server.post(f"sessions/{in_path(name)}/branch", new_session_id=new_name, turn=turn, user_id=user_id)
    show(made, as_json=as_json, people=lambda: fields(made))


def recover(name: Session, user_id: User = None, as_json: Json = False) -> None:
    """Show the state that was saved last, and the turns since."""
    with connect() as server:
        found = _find(server, name, "/recover", user_id=user_id)

    def people() -> None:
        saved = "No state was saved." if found["state_turn"] is None else f"State of turn {found['state_turn']}"
        console.print(saved, style="bold")
        if found["state_turn"] is not None:
            console.print_json(data=found["state"])
        for each in found["turns"]:
            _print_turn(each)

    show(found, as_json=as_json, people=people)


def observe(
    name: Session,
    text: Annotated[str, typer.Argument(help="The text; lines may begin with `User:` or `Assistant:`.")],
    user_id: User = None,
    wait: Annotated[float, typer.Option(min=0, max=10, help="Seconds to wait until all of it is learnt from.")] = 2.0,
    as_json: Json = False,
) -> None:
    """Keep a text in a conversation and learn from it now."""
    with connect() as server, working("Remembering"):
        seen = server.post("observe", session_id=name, text=text, user_id=user_id, wait_seconds=wait)
    show(seen, as_json=as_json, people=lambda: entries(map(_segment, seen["segments"])))


def _segment(segment: Answer) -> ListRow:
    said = "not learnt from yet" if segment["pending"] else segment["narrative"] or "nothing that lasts"
    return ListRow(segment["role"], said, tuple(f"{fact['priority']}: {fact['text']}" for fact in segment["facts"]))


def _print_end(ended: Answer) -> None:
    waiting = amount(ended["pending"], "message") if ended["pending"] else "nothing"
    console.print(f"{ended['session']['session_id']} ended; {waiting} still to learn from.", style="dim", markup=False)


def session(name: Session, user_id: User = None, as_json: Json = False) -> None:
    """Show a conversation: whose it is, how many turns, when it began and ended."""
    with connect() as server:
        found = _find(server, name, user_id=user_id)
    show(found, as_json=as_json, people=lambda: fields(found))


def sessions(
    agent: Annotated[str | None, typer.Option(help="Only of this agent, by its own name.")] = None,
    since: Since = None,
    until: Until = None,
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    as_json: Json = False,
) -> None:
    """List conversations, those that began last first."""
    with connect() as server:
        found = server.get(
            "sessions",
            agent_id=agent,
            first=first,
            after=after,
            **span(since, until),
            **of_users(user_id, all_users=all_users),
        )
    command = again(
        "memory session list",
        agent=agent,
        since=since,
        until=until,
        user_id=user_id,
        all_users=all_users,
        first=first,
    )

    def rows(items: Sequence[Answer]) -> None:
        entries(ListRow(each["session_id"], amount(each["turns"], "turn"), (_whose(each),)) for each in items)

    show(found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="No conversations yet."))


def _whose(session: Answer) -> str:
    user = f", user {session['user_id']}" if session["user_id"] else ""
    state = f"ended {moment(session['ended_at'])}" if session["ended_at"] else "open"
    return f"agent {session['agent_id']}{user}, began {moment(session['started_at'])}, {state}"


def checkpoint(
    name: Session,
    turn: Annotated[int | None, typer.Option(min=0, help="Which turn; default: the latest.")] = None,
    user_id: User = None,
    as_json: Json = False,
) -> None:
    """Show one turn as it was reported, with tool calls and the agent's state."""
    with connect() as server:
        found = _find(server, name, "/checkpoint", turn=turn, user_id=user_id)
    show(found, as_json=as_json, people=lambda: _print_turn(found))


def replay(
    name: Session,
    turn: Annotated[int | None, typer.Option(min=0, help="Up to this turn; default: all.")] = None,
    user_id: User = None,
    as_json: Json = False,
) -> None:
    """Show the turns of a conversation in order."""
    with connect() as server:
        found = _find(server, name, "/replay", turn=turn, user_id=user_id)

    def people() -> None:
        if not found["items"]:
            console.print("No turn was captured; what was imported has none.")
        for each in found["items"]:
            _print_turn(each)

    show(found, as_json=as_json, people=people)


def _find(server: Server, name: str, part: str = "", **params: Any) -> Any:
    """Raises NotFound."""
    try:
        return server.get(f"sessions/{in_path(name)}{part}", **params)
    except NotFound as error:
        hint = "Give the id it was captured under, and --user-id when it is a user's."
        raise NotFound(error.message, hint=hint) from error


def _print_turn(turn: Answer) -> None:
    console.print(f"Turn {turn['turn_number']}, {moment(turn['occurred_at'])}", style="bold")
    said = {"user": turn["user_input"], "agent": turn["llm_output"]}
    held = {name: json.dumps(turn[name]) for name in ("tool_calls", "internal_state") if turn[name] is not None}
    entries(ListRow(who.replace("_", " "), text) for who, text in (said | held).items() if text)


add(app, "start", start, "memory session start chat-2 --user-id mara --max-tokens 500")
add(app, "heartbeat", heartbeat, "memory session heartbeat chat-1")
add(app, "end", end, "memory session end chat-1 --wait 0")
add(app, "branch", branch, "memory session branch chat-1 chat-1b --turn 2")
add(app, "recover", recover, "memory session recover chat-1")
add(app, "list", sessions, "memory session list --all-users", "memory session list --since 2026-11-01")
add(app, "show", session, "memory session show chat-1")
