"""Commands that read the knowledge graph: entity, entities, path."""

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import typer

from apps.cli.connection import connect
from apps.cli.output import Json, console, more, show, table
from memory_platform.client import MemoryAgent
from memory_platform.errors import NotFound
from memory_platform.knowledge.graph import MAXIMUM_DEPTH, EntityType

Name = Annotated[str, typer.Argument(help="A name, or an id.")]
AsOf = Annotated[datetime | None, typer.Option(help="What was believed and true then.")]


def register(app: typer.Typer) -> None:
    app.command("entity")(entity)
    app.command("entities")(entities)
    app.command("path")(path)


def entity(name: Name, as_of: AsOf = None, as_json: Json = False) -> None:
    """Show what is known about somebody or something: facts, timeline, relations, who said so."""
    with connect() as agent:
        found = _profile(agent, name, as_of)
    others = [each["name"] for each in found["related"][:3]]
    show(
        found,
        as_json=as_json,
        people=lambda: print_profile(found),
        next_commands=[f"memory path {shlex.quote(found['name'])} {shlex.quote(other)}" for other in others],
    )


def entities(
    search: Annotated[str | None, typer.Argument(help="Part of a name.")] = None,
    kind: Annotated[EntityType | None, typer.Option("--type", help="Only these.")] = None,
    first: Annotated[int, typer.Option(min=1, max=100, help="How many, the most mentioned first.")] = 20,
    after: Annotated[str | None, typer.Option(help="Cursor of the page before.")] = None,
    as_json: Json = False,
) -> None:
    """List who and what is spoken of."""
    with connect() as agent:
        page = agent.entities(search=search, type=kind.name if kind else None, first=first, after=after)
    nodes = [edge["node"] for edge in page["edges"]]
    words = (f" {shlex.quote(search)}" if search else "") + (f" --type {kind.value}" if kind else "")
    following = more(f"memory entities{words} --first {first}", page)

    def people() -> None:
        rows = [(node["id"], node["name"], node["type"].lower(), node["mentionCount"]) for node in nodes]
        table(["id", "name", "type", "mentions"], rows)
        if following:
            console.print(f"More: {following}", style="dim", soft_wrap=True)

    show(
        page,
        as_json=as_json,
        people=people,
        next_commands=[
            *(f"memory entity {shlex.quote(node['name'])}" for node in nodes[:3]),
            *([following] if following else []),
        ],
    )


def path(
    start: Name,
    end: Name,
    *,
    max_depth: Annotated[int, typer.Option(min=1, max=MAXIMUM_DEPTH, help="Hops at most.")] = MAXIMUM_DEPTH,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Show how two entities are connected, with what says so."""
    with connect() as agent:
        first, last = _profile(agent, start, as_of), _profile(agent, end, as_of)
        moment = as_of.astimezone() if as_of else None
        steps = agent.path(first["id"], last["id"], max_depth=max_depth, as_of=moment)
    show(
        {"connected": steps is not None, "steps": steps or []},
        as_json=as_json,
        people=lambda: print_path(steps),
        next_commands=[f"memory entity {shlex.quote(each['name'])}" for each in (first, last)],
    )


def _profile(agent: MemoryAgent, name: str, as_of: datetime | None) -> Mapping[str, Any]:
    """Raises NotFound."""
    moment = as_of.astimezone() if as_of else None
    found = agent.entity(id=name, as_of=moment) if _is_id(name) else agent.entity(name=name, as_of=moment)
    if found is None:
        raise NotFound(f"Nothing is known about {name}.", hint="List what is spoken of with `memory entities`.")
    return found


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def print_profile(found: Mapping[str, Any]) -> None:
    console.print(found["name"], style="bold", markup=False)
    also = f", also {', '.join(found['aliases'])}" if found["aliases"] else ""
    console.print(
        f"{found['type'].lower()}{also}, {found['mentionCount']} mentions, {found['firstSeenAt'][:10]} to "
        f"{found['lastSeenAt'][:10]}",
        style="dim",
        markup=False,
    )
    if found["summary"]:
        console.print(found["summary"], markup=False)
    table(["fact", "confidence"], [(fact["text"], fact["confidence"]) for fact in found["facts"]])
    if found["timeline"]:
        table(["from", "until", "relation"], [_dated(each) for each in found["timeline"]])
    if found["related"]:
        table(
            ["related", "type", "how", "weight"],
            [(each["name"], each["type"].lower(), _how(each), each["weight"]) for each in found["related"]],
        )
    if found["saidBy"]:
        said = ", ".join(f"{each['name'] or 'somebody'} ({each['count']})" for each in found["saidBy"])
        console.print(f"said by {said}", style="dim", markup=False)


def _dated(said: Mapping[str, Any]) -> tuple[str, str | None, str]:
    until = said["validUntil"][:10] if said["validUntil"] else None
    denied = "not " if said["negated"] else ""
    return said["validFrom"][:10], until, f"{said['subject']} {denied}{_words(said['predicate'])} {said['object']}"


def _how(related: Mapping[str, Any]) -> str:
    if not related["predicate"]:
        return "mentioned together"
    return f"{_words(related['predicate'])} it" if not related["outgoing"] else _words(related["predicate"])


def _words(predicate: str) -> str:
    return predicate.replace("_", " ")


def print_path(steps: Sequence[Mapping[str, Any]] | None) -> None:
    """One line a hop, with the fact it rests on and where that was said."""
    if steps is None:
        console.print("They are not connected, as far as is known.")
        return
    for number, step in enumerate(steps, start=1):
        how = _words(step["predicate"] or step["kind"].lower())
        arrow = f"—{how}→" if step["forward"] else f"←{how}—"
        console.print(f"{number}. {step['start']['text']} {arrow} {step['end']['text']}", markup=False)
        if step["fact"]:
            console.print(f"   “{step['fact']}”", style="dim", markup=False)
        for source in step["sources"]:
            named = source["externalId"] or source["resourceId"]
            console.print(
                f"   said by {source['speaker'] or 'somebody'} on {source['saidAt'][:10]} ({named})",
                style="dim",
                markup=False,
            )
