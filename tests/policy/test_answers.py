"""Every field of every answer, value and parameter says what it means: by itself, or by its name's table."""

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLObjectType, build_schema

from apps.api.contract import Answer
from apps.api.descriptions import FIELDS
from apps.api.graphql.schema import schema
from apps.api.rest.api import api
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


def enumerations(held: Any) -> Iterator[dict[str, Any]]:
    """Every part of the document that lists the values of one."""
    if isinstance(held, dict):
        if "enum" in held:
            yield held
        held = list(held.values())
    for each in held if isinstance(held, list) else ():
        yield from enumerations(each)


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


def test_each_parameter_of_a_path_or_query_has_a_description() -> None:
    parameters = {
        f"{operation['operationId']} {each['name']}": each
        for _, operation in OPERATIONS
        for each in operation["parameters"]
    }

    assert len(parameters) > 150
    assert [name for name, each in parameters.items() if not each.get("description")] == []


def test_each_value_of_an_enumeration_of_graphql_has_a_description() -> None:
    kinds = build_schema(schema.as_str()).type_map.items()
    values = {
        f"{name}.{value}": held
        for name, kind in kinds
        if isinstance(kind, GraphQLEnumType) and not name.startswith("__")
        for value, held in kind.values.items()
    }

    assert len(values) > 200
    assert [name for name, value in values.items() if not value.description] == []


def test_each_value_of_an_enumeration_of_rest_is_told_of_where_it_is_listed() -> None:
    listed = list(enumerations(document()))

    assert len(listed) > 50
    assert [
        f"{each['title']}.{value}"
        for each in listed
        for value in each["enum"]
        if each.get("description", "").count(f"- `{value}`: ") != 1
    ] == []


def test_a_document_that_is_made_again_tells_the_same() -> None:
    assert api.get_openapi_schema(path_prefix="/") == document()


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
