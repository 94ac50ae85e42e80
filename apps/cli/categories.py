"""`memory categories` and `memory category`: what memories are filed under, and trying a change before it is made."""

from typing import Annotated, Any

import typer

from apps.cli.connection import connect
from apps.cli.ids import short
from apps.cli.options import CHANGE, LOOK, add
from apps.cli.output import Json, ListRow, amount, console, entries, show
from apps.cli.server import Answer
from memory_platform.model import Retention

Days = Annotated[int | None, typer.Option(min=0, help="Days since last confirmed until it expires; 0: never.")]
HalfLife = Annotated[float | None, typer.Option("--half-life", help="Days in which a memory's score halves.")]
Keyword = Annotated[list[str] | None, typer.Option("--keyword", help="Files what says it here; repeatable, in full.")]
Example = Annotated[list[str] | None, typer.Option("--example", help="What is said in it; repeatable, in full.")]


def register(app: typer.Typer) -> None:
    add(app, "categories", categories, "memory categories", group=LOOK)
    add(
        app,
        "category",
        category,
        "memory category hobbies --ttl-days 30",
        "memory category hobbies --half-life 100 --save",
        'memory category pets --label Pets --keyword cat --keyword dog --example "Bruno is a spaniel" --new',
        group=CHANGE,
    )


def categories(as_json: Json = False) -> None:
    """List what memories are filed under, how long each kind lasts, and what the deployment starts with."""
    with connect() as server:
        found = server.get("categories")
    show(found, as_json=as_json, people=lambda: entries(map(_category, found["items"])))


def _category(each: Answer) -> ListRow:
    default = each["default"]
    is_other = default is not None and default["ttl_days"] != each["ttl_days"]
    return ListRow(
        each["slug"],
        each["label"],
        (
            "protected" if each["is_protected"] else _lasting(each["ttl_days"]),
            f"by default {_lasting(default['ttl_days'])}" if is_other else None,
            ", ".join(each["keywords"]),
        ),
    )


def _lasting(days: int | None) -> str:
    return "lasts until it is taken back" if days is None else f"stale after {amount(days, 'day')}"


def category(
    slug: Annotated[str, typer.Argument(help="The category.")],
    *,
    label: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    keyword: Keyword = None,
    example: Example = None,
    ttl_days: Days = None,
    half_life: HalfLife = None,
    curve: Annotated[Retention | None, typer.Option(help="Curve the confidence follows.")] = None,
    operational: Annotated[
        bool | None, typer.Option("--operational/--knowledge", help="What kind of memories it holds.")
    ] = None,
    protected: Annotated[
        bool | None, typer.Option("--protected/--unprotected", help="Whether they neither fade nor expire.")
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Make the change; otherwise tell what it would do.")] = False,
    new: Annotated[bool, typer.Option("--new", help="Add it to the tenant's categories.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what a change of a category would archive, and with --save make it. Needs the scope admin."""
    change: dict[str, Any] = {
        "label": label,
        "keywords": keyword,
        "examples": example,
        "ttl_days": ttl_days,
        "half_life_days": half_life,
        "retention": curve.value if curve else None,
        "purpose": None if operational is None else "operational" if operational else "knowledge",
        "is_protected": protected,
    }
    with connect() as server:
        if new:
            made = server.post("categories", slug=slug, **change)
        elif save:
            made = server.post(f"categories/{slug}", **change)
        else:
            told = server.post(f"categories/{slug}/preview", **change)
            show(told, as_json=as_json, people=lambda: _print_preview(told))
            return
    show(made, as_json=as_json, people=lambda: entries([_category(made)]))


def _print_preview(told: Answer) -> None:
    changed = ", ".join(name.replace("_", " ") for name in told["changed"]) or "nothing"
    memories = amount(told["items"], "memory", "memories")
    console.print(f"{told['category']['slug']} holds {memories}; this changes {changed}.", markup=False)
    for count, ids, what in (
        (told["archived"], told["archived_sample"], "more would be archived"),
        (told["spared"], told["spared_sample"], "would no longer be archived"),
    ):
        named = f": {', '.join(map(short, ids))}" if ids else ""
        console.print(f"  {count} {what}{named}", markup=False, soft_wrap=True)
    console.print("Nothing is changed yet: --save does it.", markup=False)
