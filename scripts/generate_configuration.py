"""Writes docs/guides/configuration.md from apps.environment; with --check only says whether it is up to date."""

import argparse
import json
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from apps.environment import PROJECT_ROOT, Environment  # noqa: E402  the checkout must be importable first

FILE = ROOT / "docs" / "guides" / "configuration.md"
STALE = "differs from the code; run: .venv/bin/python scripts/generate_configuration.py"
PREFIX = str(Environment.model_config["env_prefix"])
INTRODUCTION = """# Configuration

What a deployment sets, as environment variables; nothing is required for `memory serve`. How the memory behaves
(limits, floors, lifetimes, budgets) is not here: each tenant has a policy, changed in the admin or with
`manage.py set_policy`.

A value of the wrong type or outside its range stops the start and is named. This page is generated from
`apps/environment.py` by `scripts/generate_configuration.py`.

| variable | type | default | |
|---|---|---|---|
"""
# Read by the command line, which knows no settings of the server.
COMMAND_LINE = """
## For the command line
The commands other than `serve` read these, and `MEMORY_HOME`.

| variable | default | |
|---|---|---|
| `MEMORY_URL` | what `memory serve` left in `MEMORY_HOME`, else `http://127.0.0.1:8000` | The server to speak to. |
| `MEMORY_API_KEY` | what `memory serve` left in `MEMORY_HOME`; never sent to another machine | The key to speak with. |
| `MEMORY_DATABASE_ADMIN_URL` | none | The administrator's, for `memory database prepare` and `memory restore`. |
| `MEMORY_USER` | none | The user to speak for; see [Keys](keys.md#for-one-user). |
"""


def page() -> str:
    """The text of the guide, as the code has it now."""
    rows = [_row(name, field) for name, field in Environment.model_fields.items()]
    return INTRODUCTION + "".join(rows) + COMMAND_LINE


def _row(name: str, field: FieldInfo) -> str:
    variable = f"`{PREFIX}{name.upper()}`"
    return f"| {variable} | {_type(field)} | {_default(field.default)} | {_escaped(field.description or '')} |\n"


def _type(field: FieldInfo) -> str:
    annotation = field.annotation
    if get_origin(annotation) not in {Literal, list}:
        parts = [part for part in get_args(annotation) if part is not type(None)]
        annotation = parts[0] if parts else annotation
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(annotation))
    words = {int: "integer", float: "number", str: "text", bool: "true or false", Path: "folder", SecretStr: "secret"}
    word = words.get(annotation, "JSON list") if isinstance(annotation, type) else "JSON list"
    return " ".join([word, *_bounds(field)])


def _bounds(field: FieldInfo) -> list[str]:
    """What annotated-types says about the range, in words."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    return [
        f"{sign} {getattr(bound, name):g}"
        for bound in field.metadata
        for name, sign in signs.items()
        if getattr(bound, name, None) is not None
    ]


def _default(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, Path):
        inside = value.relative_to(PROJECT_ROOT) if value.is_relative_to(PROJECT_ROOT) else value
        return f"`{inside}/` of the checkout"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page differs")
    only_check = parser.parse_args().check
    text = page()
    differs = not FILE.exists() or FILE.read_text(encoding="utf-8") != text
    if differs and not only_check:
        FILE.write_text(text, encoding="utf-8")
    if differs:
        print(f"{FILE.relative_to(ROOT)} {STALE if only_check else 'written'}")
    return int(only_check and differs)


if __name__ == "__main__":
    sys.exit(main())
