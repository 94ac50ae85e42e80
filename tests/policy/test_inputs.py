"""Every input of every verb says what it means and how much it takes: in its contract, for all that speak it."""

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import build_schema

from apps.api.contract import BulkLine, Input, Sent
from apps.api.graphql.schema import schema
from tests.openapi import paths
from tests.policy.contracts import below

ENTIRE = frozenset({"uuid", "date", "date-time"})
"""Formats whose every value is of one length."""


def kinds() -> list[type[Sent]]:
    # The forms of the console are read into the inputs of the verbs that they call.
    ours = (kind for kind in below(Sent) if kind.__module__.startswith("apps.api."))
    return [kind for kind in ours if kind not in {Input, BulkLine}]


def fields(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of a JSON schema, those of what it names included."""
    for shape in (schema, *schema.get("$defs", {}).values()):
        for name, field in shape.get("properties", {}).items():
            yield f"{shape.get('title')}.{name}", field


def is_bounded(field: dict[str, Any]) -> bool:
    others = field.get("anyOf", ())
    if others:
        # A bound beside the alternatives is one of the field, whichever of them it is.
        beside = {name: held for name, held in field.items() if name != "anyOf"}
        return all(is_bounded({**beside, **each}) for each in others)
    match field.get("type"):
        case "string":
            return "enum" in field or field.get("format") in ENTIRE or "maxLength" in field or "pattern" in field
        case "integer" | "number":
            return bool(
                field.keys() & {"minimum", "exclusiveMinimum"} and field.keys() & {"maximum", "exclusiveMaximum"}
            )
        case "array":
            return "maxItems" in field and is_bounded(field["items"])
    return True


def is_plain(field: dict[str, Any]) -> bool:
    """Whether its name and type say it all: yes or no, one of a list, an id, or a shape described elsewhere."""
    if "anyOf" in field:
        return all(is_plain(each) for each in field["anyOf"])
    return (
        "enum" in field or "$ref" in field or field.get("type") in {"boolean", "null"} or field.get("format") == "uuid"
    )


def unsaid(named: Iterator[tuple[str, dict[str, Any]]]) -> list[str]:
    return [name for name, field in named if not is_plain(field) and not field.get("description")]


def unbounded(named: Iterator[tuple[str, dict[str, Any]]]) -> list[str]:
    return [name for name, field in named if not is_bounded(field)]


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__qualname__)
def test_each_field_of_an_input_has_a_bound_and_a_description(kind: type[Sent]) -> None:
    schema = kind.model_json_schema()

    assert (unbounded(fields(schema)), unsaid(fields(schema))) == ([], [])


def test_each_parameter_of_a_path_or_query_has_a_bound() -> None:
    named = [
        (f"{path} ?{each['name']}", each["schema"])
        for path, methods in paths().items()
        for operation in methods.values()
        for each in operation.get("parameters", ())
    ]

    assert len(named) > 100
    assert unbounded(iter(named)) == []


def test_each_argument_of_graphql_has_a_description() -> None:
    built = build_schema(schema.as_str())
    fields = {**built.query_type.fields, **built.mutation_type.fields}
    named = {f"{name}({argument})": held for name, field in fields.items() for argument, held in field.args.items()}

    assert len(named) > 150
    assert [name for name, argument in named.items() if not argument.description] == []


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"type": "string"}, (False, False)),
        ({"type": "string", "maxLength": 9, "description": "So."}, (True, True)),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "maxLength": 9}, (True, False)),
        ({"type": "array", "items": {"type": "string", "maxLength": 9}}, (False, False)),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 9}, (False, False)),
        ({"type": "integer", "minimum": 1}, (False, False)),
        ({"type": "string", "format": "uuid"}, (True, True)),
        ({"type": "boolean"}, (True, True)),
    ],
)
def test_a_missing_bound_or_description_is_noticed(field: dict[str, Any], expected: tuple[bool, bool]) -> None:
    assert (not unbounded(iter([("x", field)])), not unsaid(iter([("x", field)]))) == expected
