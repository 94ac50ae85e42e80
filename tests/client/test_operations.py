"""Every operation the client can send is one the committed schema answers."""

from pathlib import Path

import pytest
from graphql import FieldNode, GraphQLSchema, OperationDefinitionNode, build_schema, parse, validate

from memory_platform.client import operations

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "schema.graphql"
OPERATIONS = {name: text for name, text in vars(operations).items() if name.isupper() and not name.startswith("_")}


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(SCHEMA_FILE.read_text())


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_schema_answers_the_operation(schema: GraphQLSchema, name: str):
    document = parse(OPERATIONS[name])

    assert [error.message for error in validate(schema, document)] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_has_one_root_field(name: str):
    (definition,) = parse(OPERATIONS[name]).definitions

    assert isinstance(definition, OperationDefinitionNode)
    assert len(definition.selection_set.selections) == 1


def test_every_verb_of_the_schema_has_an_operation(schema: GraphQLSchema):
    sent = set()
    for text in OPERATIONS.values():
        (definition,) = parse(text).definitions
        assert isinstance(definition, OperationDefinitionNode)
        (field,) = definition.selection_set.selections
        assert isinstance(field, FieldNode)
        sent.add(field.name.value)

    assert schema.mutation_type is not None
    assert set(schema.mutation_type.fields) - sent == set()
