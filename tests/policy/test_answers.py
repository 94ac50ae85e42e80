"""Every field of every answer, and every part of a path, says what it means: by itself, or by the table of its name."""

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import GraphQLObjectType, build_schema

from apps.api.contract import Answer
from apps.api.descriptions import FIELDS
from apps.api.graphql.schema import schema
from tests.openapi import document, paths
from tests.policy.contracts import below

OPERATIONS = [(path, each) for path, methods in paths().items() for each in methods.values()]


def answers() -> list[type[Answer]]:
    """As they are declared: what is generic without what it is made of."""
    return [kind for kind in below(Answer) if kind.__pydantic_generic_metadata__["origin"] is None]


def named(held: Any) -> Iterator[str]:
    """The shapes that a part of the document refers to."""
    if isinstance(held, dict):
        if "$ref" in held:
            yield held["$ref"].rpartition("/")[2]
        held = list(held.values())
    for each in held if isinstance(held, list) else ():
        yield from named(each)


def answered() -> dict[str, dict[str, Any]]:
    """By name, the shapes of what REST answers, and all that they are made of."""
    shapes, found = document()["components"]["schemas"], dict[str, dict[str, Any]]()
    left = [name for _, operation in OPERATIONS for name in named(operation["responses"])]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = shapes[name]
            left += named(shapes[name])
    return found


def own_descriptions(kind: type[Answer]) -> Iterator[tuple[str, str]]:
    """By field, what its class itself tells."""
    (declared,) = ast.parse(inspect.getsource(kind)).body
    for field in ast.walk(declared):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(field.value, ast.Call)
        ):
            said = {keyword.arg: keyword.value for keyword in field.value.keywords}.get("description")
            if isinstance(said, ast.Constant):
                yield field.target.id, str(said.value)


def test_each_field_of_graphql_has_a_description() -> None:
    built = build_schema(schema.as_str())
    kinds = [kind for name, kind in built.type_map.items() if not name.startswith("__")]
    fields = {
        f"{kind.name}.{name}": field
        for kind in kinds
        if isinstance(kind, GraphQLObjectType)
        for name, field in kind.fields.items()
    }

    assert len(fields) > 900
    assert [name for name, field in fields.items() if not field.description] == []


def test_each_field_that_rest_answers_has_a_description() -> None:
    fields = {
        f"{name}.{field}": told
        for name, shape in answered().items()
        for field, told in shape.get("properties", {}).items()
    }

    assert len(fields) > 700
    assert [name for name, told in fields.items() if not told.get("description")] == []


def test_each_part_of_a_path_has_a_description() -> None:
    parts = {
        f"{path} {each['name']}": each
        for path, operation in OPERATIONS
        for each in operation["parameters"]
        if each["in"] == "path"
    }

    assert len(parts) > 40
    assert [name for name, each in parts.items() if not each.get("description")] == []


@pytest.mark.parametrize("kind", answers(), ids=lambda kind: kind.__qualname__)
def test_no_answer_repeats_what_the_table_tells_of_a_name(kind: type[Answer]) -> None:
    assert [name for name, told in own_descriptions(kind) if told == FIELDS.get(name)] == []


def test_the_table_tells_of_what_stands_in_more_than_one_answer() -> None:
    told = Counter(
        name
        for kind in answers()
        for name, field in kind.model_fields.items()
        if field.description == FIELDS.get(name, "")
    )

    assert [name for name in FIELDS if told[name] < 2] == []
