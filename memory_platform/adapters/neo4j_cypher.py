"""What the Neo4j adapter says in Cypher. Tenants share one database of the Community edition, which knows neither
roles nor existence constraints: so every pattern is bound to `$tenant_id`, and a statement that does not name it is
refused.
"""

from collections.abc import Mapping
from typing import Final

from memory_platform.knowledge.graph import NodeKind, RelationKind

# Relationships that need not touch the node of the unit they rest on.
RESTING: Final = (RelationKind.ENTITY, RelationKind.FACT, RelationKind.CAUSAL)


class CypherStatement:
    """Cypher that cannot reach beyond one tenant by accident: it must name `$tenant_id`, and is run with it."""

    def __init__(self, text: str) -> None:
        if "$tenant_id" not in text:
            raise ValueError(f"A statement must name $tenant_id: {text[:80]}")
        self.text = text


def require_tenant(statement: CypherStatement, parameters: Mapping[str, object]) -> None:
    if "$tenant_id" not in statement.text or not parameters.get("tenant_id"):
        raise ValueError("A statement must name $tenant_id and be run with one.")


def _readable(name: str) -> str:
    """The condition under which a row exists for the reader, at the moment asked about."""
    return (
        f"{name}.tenant_id = $tenant_id"
        f" AND ($everything OR {name}.agent_id = $asked.agent_id OR ($shared AND {name}.visibility = 'shared'))"
        f" AND ($any_user OR {name}.user_id IS NULL OR {name}.user_id = $asked.user_id)"
        f" AND {name}.recorded_at <= $believed_at AND {name}.retracted_at > $believed_at"
        f" AND {name}.valid_from <= $true_at AND {name}.valid_until > $true_at"
    )


def _node(name: str, key: str, label: str = "Node") -> str:
    return f"({name}:{label} {{tenant_id: $tenant_id, key: {key}}})"


# Lists and names travel in one map, `$asked`: Neo4j plans a statement anew for every type of a parameter and every
# order of magnitude of a list or text that is one; and planning takes longer than a reader waits.
# Answers come as one record, a list of lists: the driver reads each record from the socket by itself.
_NODE = "[m.key, m.label, m.valid_from, namesakes]"
# Entities of the same name, as far as they can be read: [key, label, mention count].
_NAMESAKES = (
    "CALL (m) {"
    " MATCH (t:Entity {tenant_id: $tenant_id, name_key: m.name_key})"
    f" WHERE {_readable('t')}"
    " RETURN collect([t.key, t.label, t.mention_count]) AS namesakes }"
)
_EDGE = (
    "[type(r), startNode(r).key, endNode(r).key, r.predicate, r.weight, r.confidence, r.valid_from, r.valid_until,"
    " r.evidence]"
)

FIND = CypherStatement(
    "OPTIONAL MATCH (p:Projection {tenant_id: $tenant_id}) WITH count(p) > 0 AS is_known CALL () {"
    f" UNWIND $asked.keys AS sought MATCH {_node('m', 'sought')} WHERE {_readable('m')} {_NAMESAKES}"
    f" RETURN collect({_NODE}) AS found }} RETURN is_known, found"
)
# One hop: the newest units of each entity, out of an index, so that a hub costs no more than others; what entities are
# tied to; whatever touches a unit.
_REACH = (
    "WITH $asked.entities AS entities, $asked.units AS units, $asked.kinds AS kinds, $asked.seen AS seen"
    " CALL (entities, units, kinds, seen) {"
    " UNWIND entities AS entity CALL (entity, kinds, seen) {"
    " MATCH (m:Node)-[r:mentions]->(:Node) WHERE 'mentions' IN kinds AND r.entity = entity"
    f" AND {_readable('r')} AND NOT m.key IN seen AND {_readable('m')}"
    " RETURN m, r ORDER BY r.tenant_id DESC, r.entity DESC, r.valid_from DESC LIMIT $room } RETURN m, r"
    f" UNION ALL UNWIND entities AS from MATCH {_node('n', 'from')}-[r:entity|fact|causal]-(m:Node)"
    f" WHERE type(r) IN kinds AND NOT m.key IN seen AND {_readable('r')} AND {_readable('m')} RETURN m, r"
    f" UNION ALL UNWIND units AS from MATCH {_node('n', 'from')}-[r]-(m:Node)"
    f" WHERE type(r) IN kinds AND NOT m.key IN seen AND {_readable('r')} AND {_readable('m')} RETURN m, r"
    " } WITH m, head(collect(r)) AS r"
    " ORDER BY m.kind <> 'entity', coalesce(m.mention_count, 0) DESC, m.valid_from DESC, m.key LIMIT $room"
)
EXPAND = CypherStatement(f"{_REACH} {_NAMESAKES} RETURN collect({_NODE}) AS found")
STEP = CypherStatement(f"{_REACH} {_NAMESAKES} RETURN collect([{_NODE}, {_EDGE}]) AS found")
CONNECT = CypherStatement(
    f"WITH $asked.keys AS keys, $asked.kinds AS kinds UNWIND keys AS from MATCH {_node('n', 'from')}-[r]->(m:Node)"
    f" WHERE m.key IN keys AND type(r) IN kinds AND m.tenant_id = $tenant_id AND {_readable('r')}"
    f" RETURN collect({_EDGE}) AS edges"
)
_NODES = "MATCH (n:Node) WHERE n.tenant_id = $tenant_id AND n.key IS NOT NULL"
_EDGES = "MATCH (n:Node)-[r]->() WHERE n.tenant_id = $tenant_id AND n.key IS NOT NULL AND r.tenant_id = $tenant_id"
COUNT_NODES = CypherStatement(
    f"{_NODES} RETURN 'node.' + n.kind AS kind, n.identity % $buckets AS bucket, count(*) AS count,"
    " sum(n.digest) AS digest"
)
COUNT_EDGES = CypherStatement(
    f"{_EDGES} RETURN 'edge.' + type(r) AS kind, r.identity % $buckets AS bucket, count(*) AS count,"
    " sum(r.digest) AS digest"
)
HELD_NODES = CypherStatement(
    f"{_NODES} AND n.identity % $buckets IN $wanted RETURN n.identity AS identity, n.key AS key, n.digest AS digest"
)
HELD_EDGES = CypherStatement(
    f"{_EDGES} AND r.identity % $buckets IN $wanted RETURN r.identity AS identity, r.digest AS digest,"
    " r.evidence AS evidence, [startNode(r).key, endNode(r).key] AS ends"
)
TRACED_NODES = CypherStatement(
    f"{_NODES} AND (n.key IN $keys OR substring(n.key, 1) < $before AND (n.user_id = $user_id"
    " OR coalesce(n.user_id, '') IN $users AND n.label =~ $words)) RETURN count(*) AS found"
)
TRACED_EDGES = CypherStatement(f"{_EDGES} AND r.evidence IN $units RETURN count(*) AS found")
# The first assignment takes the lock under which the version is compared: puts of one tenant follow each other.
TAKE_TURN = CypherStatement(
    "MERGE (p:Projection {tenant_id: $tenant_id}) SET p.asked = $version"
    " WITH p, p.version AS before"
    " SET p.version = CASE WHEN before > $version THEN before ELSE $version END RETURN before"
)
DROP_NODES = CypherStatement(f"UNWIND $keys AS gone MATCH {_node('n', 'gone')} DETACH DELETE n")
DROP_TOUCHING = CypherStatement(
    f"UNWIND $keys AS stale MATCH {_node('n', 'stale')}-[r]-() WHERE r.tenant_id = $tenant_id"
    " AND NOT r.identity IN $kept DELETE r"
)
DROP_RESTING = {
    kind: CypherStatement(
        f"MATCH ()-[r:{kind.value}]->() WHERE r.tenant_id = $tenant_id AND r.evidence IN $evidence"
        " AND NOT r.identity IN $kept DELETE r"
    )
    for kind in RESTING
}
PUT_NODES = {
    kind: CypherStatement(f"UNWIND $rows AS row MERGE {_node('n', 'row.key')} SET n = row, n:{kind.value.capitalize()}")
    for kind in NodeKind
}
PUT_EDGES = {
    kind: CypherStatement(
        f"UNWIND $rows AS row MATCH {_node('a', 'row.start')} MATCH {_node('b', 'row.end')}"
        f" MERGE (a)-[r:{kind.value} {{tenant_id: $tenant_id, identity: row.properties.identity}}]->(b)"
        " SET r = row.properties"
    )
    for kind in RelationKind
}
CLEAR = CypherStatement(
    "MATCH (n:Node) WHERE n.tenant_id = $tenant_id AND n.key IS NOT NULL WITH n LIMIT $rows DETACH DELETE n"
    " RETURN count(*) AS dropped"
)
PING = CypherStatement("MATCH (p:Projection {tenant_id: $tenant_id}) RETURN p.version AS version")
FORGET_TURN = CypherStatement("MATCH (p:Projection {tenant_id: $tenant_id}) DETACH DELETE p")

SCHEMA: Final[tuple[str, ...]] = (
    "CREATE CONSTRAINT node_key IF NOT EXISTS FOR (n:Node) REQUIRE (n.tenant_id, n.key) IS UNIQUE",
    "CREATE CONSTRAINT projection_tenant IF NOT EXISTS FOR (p:Projection) REQUIRE (p.tenant_id) IS UNIQUE",
    "CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.tenant_id, n.name_key)",
    "CREATE INDEX mentions_newest IF NOT EXISTS FOR ()-[r:mentions]-() ON (r.tenant_id, r.entity, r.valid_from)",
    *(
        f"CREATE INDEX {kind.value}_evidence IF NOT EXISTS FOR ()-[r:{kind.value}]-() ON (r.tenant_id, r.evidence)"
        for kind in RESTING
    ),
)
