"""The table of verbs is what GraphQL, REST and the gateway speak of: each verb in both, with the same words."""

import pytest

from apps.api.graphql.schema import schema
from apps.api.verbs import VERBS
from tests.openapi import paths

# What hangs on a row that another verb named: GraphQL walks there, REST answers with it.
WALKS = {"memoryLinks", "memoryVersions", "sources", "entitiesNamed"}
FIELDS = {**schema._schema.query_type.fields, **schema._schema.mutation_type.fields}
OPERATIONS = {operation["operationId"]: operation for methods in paths().values() for operation in methods.values()}
SECOND_WAYS = {"curatedMemory.memory_file", "entity.entity_named", "recallShared.find_shared", "summary.download"}


def test_graphql_has_exactly_the_verbs():
    assert set(FIELDS) == VERBS.keys() - WALKS


def test_rest_has_exactly_the_verbs():
    assert set(OPERATIONS) - SECOND_WAYS == VERBS.keys() - WALKS


@pytest.mark.parametrize("name", sorted(VERBS.keys() - WALKS))
def test_a_verb_is_told_in_the_same_words_everywhere(name):
    assert FIELDS[name].description == OPERATIONS[name]["summary"] == VERBS[name].summary


@pytest.mark.parametrize("name", sorted(VERBS.keys() - WALKS))
def test_writes_are_mutations_and_reads_are_queries(name):
    assert (name in schema._schema.mutation_type.fields) == VERBS[name].writes
