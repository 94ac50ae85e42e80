"""Commands about the knowledge graph: entity, entities, path, merge-entities, split-entity."""

import shlex
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.ids import is_id
from apps.cli.options import ASK, CHANGE, LOOK, After, AllUsers, AsOf, First, User, add, again, of_users
from apps.cli.output import (
    FullIds,
    Json,
    ListRow,
    amount,
    console,
    entries,
    leaning,
    marked,
    page,
    show,
    speaker,
    table,
)
from apps.cli.server import Answer, Server
from memory_platform.errors import NotFound
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType

Name = Annotated[str, typer.Argument(help="A name, or an id.")]


def register(app: typer.Typer) -> None:
    add(app, "entity", entity, "memory entity Mara", "memory entity Mara --all-users --json", group=ASK)
    add(app, "path", path, "memory path Mara Lisbon", group=ASK)
    add(app, "entities", list_entities, "memory entities", "memory entities mar --type person", group=LOOK)
    add(app, "merge-entities", merge, "memory merge-entities Elvekraft Vestkraft", group=CHANGE)
    add(app, "split-entity", split, "memory split-entity Elvekraft Vestkraft", group=CHANGE)


def entity(
    name: Name, as_of: AsOf = None, user_id: User = None, all_users: AllUsers = False, as_json: Json = False
) -> None:
    """Show what is known about somebody or something: facts, timeline, relations, who said so."""
    with connect() as server:
        found = profile(server, name, **_seen(as_of, user_id, all_users=all_users))
    show(found, as_json=as_json, people=lambda: print_profile(found))


def _seen(as_of: datetime | None, user_id: str | None, *, all_users: bool) -> dict[str, Any]:
    return {"as_of": as_of.astimezone().isoformat() if as_of else None, **of_users(user_id, all_users=all_users)}


def profile(server: Server, name: str, **seen: Any) -> Any:
    """The profile of an entity by its id or its name. Raises NotFound."""
    try:
        if is_id(name):
            return server.get(f"entities/{name}", **seen)
        return server.get("entities/named", name=name, **seen)
    except NotFound as error:
        raise NotFound(
            f"Nothing is known about {name}.", hint="List what is spoken of with `memory entities`."
        ) from error


def list_entities(
    search: Annotated[str | None, typer.Argument(help="Part of a name.")] = None,
    kind: Annotated[EntityType | None, typer.Option("--type", help="Only these.")] = None,
    user_id: User = None,
    all_users: AllUsers = False,
    first: First = 20,
    after: After = None,
    ids: FullIds = False,
    as_json: Json = False,
) -> None:
    """List who and what is spoken of, the most mentioned first."""
    with connect() as server:
        found = server.get(
            "entities",
            search=search,
            type=kind.value if kind else None,
            first=first,
            after=after,
            **of_users(user_id, all_users=all_users),
        )
    words = f" {shlex.quote(search)}" if search else ""
    command = again(f"memory entities{words}", type=kind, user_id=user_id, all_users=all_users, first=first)

    def rows(items: Sequence[Answer]) -> None:
        entries(
            ListRow(
                each["type"],
                each["name"],
                (
                    amount(each["mention_count"], "mention"),
                    f"also {', '.join(each['aliases'])}" if each["aliases"] else None,
                    marked(each["id"], ids=ids),
                ),
            )
            for each in items
        )

    show(
        found, as_json=as_json, people=lambda: page(found, command=command, rows=rows, none="Nobody and nothing, yet.")
    )


def path(
    start: Name,
    end: Name,
    *,
    max_depth: Annotated[int, typer.Option(min=1, max=MAXIMUM_DEPTH, help="Hops at most.")] = MAXIMUM_DEPTH,
    as_of: AsOf = None,
    user_id: User = None,
    all_users: AllUsers = False,
    as_json: Json = False,
) -> None:
    """Show how two entities are connected, with what says so."""
    with connect() as server:
        found = find_path(server, start, end, max_depth=max_depth, **_seen(as_of, user_id, all_users=all_users))
    show(found, as_json=as_json, people=lambda: print_path(found))


def find_path(server: Server, start: str, end: str, *, max_depth: int = MAXIMUM_DEPTH, **seen: Any) -> Any:
    """The path between two entities by their names or ids. Raises NotFound when one of them is unknown."""
    first, last = (profile(server, name, **seen)["id"] for name in (start, end))
    return server.get("path", **{"from": first, "to": last}, max_depth=max_depth, **seen)


def merge(
    into: Name,
    others: Annotated[list[str], typer.Argument(help="Names or ids of those that are the same.")],
    as_json: Json = False,
) -> None:
    """Make one entity of several that are the same."""
    with connect() as server:
        target, *same = (profile(server, name)["id"] for name in (into, *others))
        merged = server.post(f"entities/{target}/merge", **{"from": same})
    show(merged, as_json=as_json, people=lambda: print_profile(merged))


def split(
    name: Name,
    aliases: Annotated[list[str], typer.Argument(help="Names of it that are somebody else's.")],
    as_json: Json = False,
) -> None:
    """Give some names of an entity one of their own."""
    with connect() as server:
        found = server.post(f"entities/{profile(server, name)['id']}/split", aliases=aliases)
    show(found, as_json=as_json, people=lambda: print_profile(found))


def print_profile(found: Answer) -> None:
    console.print(found["name"], style="bold", markup=False)
    also = f", also {', '.join(found['aliases'])}" if found["aliases"] else ""
    console.print(
        f"{found['type']}{also}, {amount(found['mention_count'], 'mention')}, {found['first_seen_at'][:10]} to "
        f"{found['last_seen_at'][:10]}",
        style="dim",
        markup=False,
    )
    if found["summary"]:
        console.print(found["summary"], markup=False)
    entries(
        ListRow(f"{fact['confidence']:.2f}", leaning(fact["text"], fact["lead_in"]), (fact["category"],))
        for fact in found["facts"]
    )
    if found["timeline"]:
        table(["from", "until", "relation"], [_dated(each) for each in found["timeline"]])
    if found["related"]:
        table(
            ["related", "type", "how", "weight"],
            [(each["name"], each["type"], _how(each), each["weight"]) for each in found["related"]],
        )
    if found["said_by"]:
        said = ", ".join(f"{each['name'] or 'somebody'} ({each['count']})" for each in found["said_by"])
        console.print(f"said by {said}", style="dim", markup=False)


def _dated(said: Answer) -> tuple[str, str | None, str]:
    until = said["valid_until"][:10] if said["valid_until"] else None
    denied = "not " if said["negated"] else ""
    return said["valid_from"][:10], until, f"{said['subject']} {denied}{_words(said['predicate'])} {said['object']}"


def _how(related: Answer) -> str:
    if not related["predicate"]:
        return "mentioned together"
    return f"{_words(related['predicate'])} it" if not related["outgoing"] else _words(related["predicate"])


def _words(predicate: str) -> str:
    return predicate.replace("_", " ")


def print_path(found: Answer) -> None:
    """One line a hop, with the fact it rests on and where that was said."""
    if not found["connected"]:
        console.print("They are not connected, as far as is known.")
        return
    for number, step in enumerate(found["steps"], start=1):
        how = _words(step["predicate"] or step["kind"].lower())
        arrow = f"—{how}→" if step["forward"] else f"←{how}—"
        console.print(f"{number}. {step['start']['text']} {arrow} {step['end']['text']}", markup=False)
        if step["fact"]:
            console.print(f"   “{step['fact']}”", style="dim", markup=False)
        for source in step["sources"]:
            named = source["external_id"] or source["resource_id"]
            console.print(
                f"   said by {speaker(source) or 'somebody'} on {source['said_at'][:10]} ({named})",
                style="dim",
                markup=False,
            )
