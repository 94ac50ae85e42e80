"""Every statement the Neo4j adapter can run names its tenant, wherever it names a node or a relationship."""

import re

import pytest

from memory_platform.adapters import neo4j_cypher
from memory_platform.adapters.neo4j_cypher import SCHEMA, CypherStatement, require_tenant

STATEMENTS = {
    name: value
    for module in [vars(neo4j_cypher)]
    for key, held in module.items()
    for name, value in (
        [(f"{key}.{kind}", each) for kind, each in held.items()] if isinstance(held, dict) else [(key, held)]
    )
    if isinstance(value, CypherStatement)
}


def test_there_are_statements_of_every_sort() -> None:
    assert len(STATEMENTS) == 30


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_named_node_and_relationship_is_bound_to_the_tenant(name: str) -> None:
    text = STATEMENTS[name].text
    for variable in set(re.findall(r"(?:\(|-\[)([a-z])(?::\w+| \{|\]|\))", text)):
        in_pattern = rf"[(\[]{variable}(:\w+)? \{{tenant_id: \$tenant_id"
        in_condition = rf"(?<!\w){variable}\.tenant_id = \$tenant_id"
        assert re.search(f"{in_pattern}|{in_condition}", text), (variable, text)


def test_every_constraint_and_index_begins_with_the_tenant() -> None:
    assert len(SCHEMA) == 7
    for statement in SCHEMA:
        assert "IF NOT EXISTS" in statement
        assert re.search(r"(REQUIRE|ON) \([a-z]\.tenant_id[,)]", statement), statement


def test_a_statement_without_a_tenant_is_refused_when_made_and_when_run() -> None:
    with pytest.raises(ValueError, match="tenant_id"):
        CypherStatement("MATCH (n:Node) RETURN n")
    with pytest.raises(ValueError, match="tenant_id"):
        require_tenant(neo4j_cypher.PING, {"tenant_id": ""})
