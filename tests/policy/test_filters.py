"""What a list is filtered by is declared once: the query string of REST takes the filter of GraphQL."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from strawberry.types import get_object_definition
from strawberry.types.base import StrawberryContainer

from apps.api.contract import Sent
from apps.api.graphql.schema import schema
from apps.api.rest.api import api


def root_fields() -> Iterator[Any]:
    for root in (schema.query, schema.mutation):
        yield from get_object_definition(root, strict=True).fields


def filters() -> dict[str, type[Sent]]:
    """By the verb's name."""
    return {
        field.graphql_name or field.python_name: within(argument.type)
        for field in root_fields()
        for argument in field.arguments
        if argument.python_name == "filter"
    }


def within(kind: Any) -> type[Sent]:
    while isinstance(kind, StrawberryContainer):
        kind = kind.of_type
    assert issubclass(kind, Sent)
    return kind


def read_by() -> Mapping[str, tuple[object, ...]]:
    """What REST reads a request into, by the operation's name."""
    views = (view for _, router in api._routers for view in router.path_operations.values())
    return {
        str(operation.operation_id): tuple(
            getattr(parameter.annotation, "__origin__", parameter.annotation)
            for parameter in inspect.signature(operation.view_func).parameters.values()
        )
        for view in views
        for operation in view.operations
    }


FILTERS = filters()
READ = read_by()


def takes(kinds: tuple[object, ...], filtered: type[Sent]) -> bool:
    return any(isinstance(kind, type) and issubclass(kind, filtered) for kind in kinds)


def test_the_lists_with_a_filter_are_found() -> None:
    assert {"memories", "triggers", "lessons", "proposals", "reviewQueue"} <= FILTERS.keys() <= READ.keys()


@pytest.mark.parametrize("verb", FILTERS)
def test_the_query_string_of_a_list_takes_the_very_filter(verb: str) -> None:
    assert takes(READ[verb], FILTERS[verb]), (FILTERS[verb], READ[verb])
