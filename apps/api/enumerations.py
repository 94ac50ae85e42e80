"""The enumerations that callers meet, and what each of their values means: by the text beneath it in its class."""

import ast
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import get_args

from pydantic import BaseModel


def within(annotation: object) -> Iterator[type[Enum]]:
    """The enumerations that a field's annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield annotation
    for part in get_args(annotation):
        yield from within(part)


def of_shapes(shape: type[BaseModel]) -> Iterator[type[Enum]]:
    """Those of a shape's fields, and of the fields of all shapes that rest on it."""
    for field in shape.model_fields.values():
        yield from within(field.annotation)
    for each in shape.__subclasses__():
        yield from of_shapes(each)


@cache
def meanings(kind: type[Enum]) -> Mapping[str, str]:
    """What the values of an enumeration mean, by the names of its members; those without a text are left out."""
    (declared,) = ast.parse(_declaration(kind)).body
    return {
        target.id: str(below.value.value)
        for above, below in pairwise(getattr(declared, "body", ()))
        if isinstance(above, ast.Assign) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        for target in above.targets
        if isinstance(target, ast.Name)
    }


def _declaration(kind: type[Enum]) -> str:
    """Python keeps no text of a member: it stands in the source alone, which is long to parse as a whole."""
    text = _source(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = re.search(rf"^( *)class {name}\(.*?(?=^\1\S|\Z)", text, re.MULTILINE | re.DOTALL)
        text = found[0] if found else ""
    return dedent(text)


@cache
def _source(module: str) -> str:
    return Path(str(import_module(module).__file__)).read_text(encoding="utf-8")
