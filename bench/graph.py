"""Walks through the graph on synthetic data: the time of a neighbourhood by depth and of a way, store by store.

20,000 units (half episodes, half items drawn from them) mention three entities each, out of a Zipf distribution over
5,000 names, so that there are hubs; one item of ten states something of two of them. Starts a PostgreSQL of its own
and, where one was fetched (`make neo4j-server`), a Neo4j the graph is copied to; prints one JSON line a figure.
"""

import argparse
import hashlib
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from apps.stack import neo4j
from apps.stack.data_root import default_root
from apps.stack.memory_use import summed_pss
from apps.stack.neo4j import EmbeddedNeo4j
from bench.figures import at_most, figure, percentile
from bench.search_sql import as_owner, database

START = datetime(2025, 1, 1, tzinfo=UTC)
MENTIONS = 3
ENTITIES = 5_000
TURNS = 30
SEEDS = 5
LIMIT = 200
FAR_LIMIT = 1_000
# A server that compiles what it runs often needs more than a few.
WARM_UP = 30
BAR_DEPTH_2 = at_most(10.0)


@dataclass(frozen=True, slots=True)
class Filled:
    """A tenant with a graph: its one agent, and entity ids, the most mentioned first."""

    tenant_id: UUID
    agent_id: UUID
    entities: Sequence[UUID]


def identifier(kind: int, number: int) -> UUID:
    return UUID(int=(kind << 96) + (7 << 76) + number + 1)


def fill(units: int, *, seed: int = 1) -> Filled:
    """Create a tenant and copy the rows of a graph of `units` units into it."""
    from apps.core import scope  # noqa: PLC0415
    from apps.tenants import services  # noqa: PLC0415

    tenant = services.create_tenant(slug=f"graph-{units}", name="Graph")
    with scope.tenant_scope(tenant.id):
        agent = services.create_agent(slug="reader")
    drawn = _draw(units, seed)
    counts = np.bincount(drawn.ravel(), minlength=ENTITIES)
    names = [identifier(units, number) for number in range(ENTITIES)]
    with as_owner() as cursor:
        _copy_entities(cursor, tenant.id, agent.id, names, counts)
        _copy_units(cursor, tenant.id, agent.id, names, drawn)
    with as_owner() as cursor:
        for table in ("graph_entity", "graph_alias", "graph_mention", "graph_relation", "memory_item"):
            cursor.execute(f"ANALYZE {table}")
        cursor.execute("ANALYZE memory_item_source; ANALYZE resources_resource")
    by_count = [names[number] for number in np.argsort(-counts) if counts[number]]
    return Filled(tenant.id, agent.id, by_count)


def _draw(units: int, seed: int) -> Any:
    """The entities of each unit, shape (units, MENTIONS), without repetition within a unit."""
    chance = np.random.default_rng(seed)
    weights = 1 / (np.arange(ENTITIES) + 10)
    drawn = chance.choice(ENTITIES, size=(units, MENTIONS), p=weights / weights.sum())
    for column in range(1, MENTIONS):
        same = (drawn[:, column : column + 1] == drawn[:, :column]).any(axis=1)
        drawn[same, column] = (drawn[same, column] + 1 + column * 17) % ENTITIES
    return drawn


def _copy(cursor: Any, table: str, rows: Sequence[dict[str, Any]]) -> None:
    columns = list(rows[0])
    with cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([row[name] for name in columns])


def _copy_entities(cursor: Any, tenant: UUID, agent: UUID, names: Sequence[UUID], counts: Any) -> None:
    own = {"tenant_id": tenant, "agent_id": agent, "visibility": "private", "created_at": START}
    entities = [
        {
            "id": one, **own, "canonical_name": f"Name {n}", "name_key": f"name {n}", "type": "concept", "summary": "",
            "type_confidence": 0.1, "mention_count": int(counts[n]), "first_seen_at": START, "last_seen_at": START,
        }
        for n, one in enumerate(names)
    ]  # fmt: skip
    aliases = [
        {
            "id": one, **own, "entity_id": one, "name": f"Name {n}", "name_key": f"name {n}", "kind": "canonical",
            "mention_count": int(counts[n]), "pinned": False,
        }
        for n, one in enumerate(names)
    ]  # fmt: skip
    _copy(cursor, "graph_entity", entities)
    _copy(cursor, "graph_alias", aliases)


def _copy_units(cursor: Any, tenant: UUID, agent: UUID, names: Sequence[UUID], drawn: Any) -> None:
    own = {"tenant_id": tenant, "agent_id": agent, "visibility": "private"}
    episodes, items, sources, mentions, relations, sessions = [], [], [], [], [], []
    for number, entities in enumerate(drawn):
        at = START + timedelta(minutes=number)
        unit = identifier(2, number)
        times = {"valid_from": at, "recorded_at": at}
        if number % 2 == 0:
            session = identifier(3, number // (2 * TURNS))
            if number % (2 * TURNS) == 0:
                sessions.append(
                    {"id": session, "tenant_id": tenant, "agent_id": agent, "external_id": str(number),
                     "next_ordinal": 0, "next_turn": 1, "started_at": at, "last_active_at": at,
                     "opened_at": at}
                )  # fmt: skip
            episodes.append(
                {"id": unit, **own, "session_id": session, "ordinal": number // 2 % TURNS, "role": "user",
                 "content_type": "text/plain", "raw_content": "said", "content_at": at, "created_at": at,
                 "content_hash": hashlib.sha256(b"said").digest()}
            )  # fmt: skip
        else:
            items.append(
                {"id": unit, **own, **times, "text": "known", "claim_hash": unit.hex, "kind": "fact",
                 "category": "other", "taxonomy_version": 1, "service": "", "entity_names": [], "strength": "explicit",
                 "sentiment": "neutral", "priority": "medium", "confidence": 0.9, "reinforced_at": at,
                 "verdict": "allow", "verdict_reason": "", "status": "active", "status_reason": "", "event_time": at,
                 "said_at": at, "merged_count": 0, "protected": False, "dedup_pending": False, "change_number": 0}
            )  # fmt: skip
            sources.append(
                {"id": identifier(4, number), **own, "item_id": unit, "resource_id": identifier(2, number - 1),
                 "quote": "", "inherited": False, "created_at": at}
            )  # fmt: skip
        kind = "episode" if number % 2 == 0 else "item"
        mentions += [
            {"id": identifier(5, number * MENTIONS + place), **own, **times, "entity_id": names[one],
             "alias_id": names[one], "unit": kind, "unit_id": unit, "is_speaker": False, "event_time": at}
            for place, one in enumerate(entities)
        ]  # fmt: skip
        if number % 20 == 1:
            relations.append(
                {"id": identifier(6, number), **own, **times, "unit": kind, "unit_id": unit, "digest": number,
                 "kind": "fact", "origin": "rule",
                    "predicate": "uses", "negated": False, "subject_id": names[entities[0]],
                 "object_id": names[entities[1]], "object_text": "", "confidence": 0.8, "item_id": unit, "quote": ""}
            )  # fmt: skip
    for table, rows in (
        ("resources_session", sessions),
        ("resources_resource", episodes),
        ("memory_item", items),
        ("memory_item_source", sources),
        ("graph_mention", mentions),
        ("graph_relation", relations),
    ):
        _copy(cursor, table, rows)


def measure(stores: Sequence[Any], filled: Filled, *, rounds: int, units: int) -> None:
    """Print the figures: neighbourhoods and ways between two names, each asked of every store in turn."""
    from memory_platform.knowledge.graph import Moment, Node, NodeKind, Viewpoint  # noqa: PLC0415

    reader = Viewpoint(filled.tenant_id, filled.agent_id, "own")
    moment = Moment.at(START + timedelta(days=3650))
    chance = random.Random(5)
    asked = [_names(filled, chance) for _ in range(rounds)]
    rare = [[chance.choice(filled.entities[len(filled.entities) // 2 :])] for _ in range(rounds)]
    # Names as questions hold them fill the limit within a hop or two; from one rare name a walk goes as deep as asked.
    for start, seeds_of, limit in (("", asked, LIMIT), (" one rare name", rare, FAR_LIMIT)):
        for depth in (1, 2, 4):

            def walk(store: Any, seeds: Sequence[UUID], depth: int = depth, limit: int = limit) -> int:
                around = store.neighbourhood(
                    seeds, depth=depth, limit=limit, viewpoint=reader, moment=moment, timeout=30.0
                )
                return len(around.nodes)

            for store, times, sizes in _timed(walk, stores, seeds_of):
                label = f"graph {store.name} {units}{start} depth {depth}"
                bar = BAR_DEPTH_2 if depth == 2 and store.name == "sql" and limit == LIMIT else None
                figure(f"{label} p50", percentile(times, 50), "ms", bar=bar)
                figure(f"{label} p95", percentile(times, 95), "ms")
                figure(f"{label} nodes", sum(sizes) / len(sizes), "nodes")

    def way(store: Any, ends: Sequence[UUID]) -> int:
        first, last = (Node(NodeKind.ENTITY, one) for one in ends[:2])
        found = store.path(first, last, max_depth=4, viewpoint=reader, moment=moment, timeout=30.0)
        return 0 if found is None else len(found)

    for store, times, lengths in _timed(way, stores, asked):
        label = f"graph {store.name} {units} path"
        figure(f"{label} p50", percentile(times, 50), "ms")
        figure(f"{label} p95", percentile(times, 95), "ms")
        figure(f"{label} found", sum(length > 0 for length in lengths) / len(lengths), "share")


def _names(filled: Filled, chance: random.Random) -> list[UUID]:
    """Five names as questions hold them: a hub or two, mostly rarer ones."""
    return [filled.entities[int(len(filled.entities) ** chance.random()) - 1] for _ in range(SEEDS)]


def _timed(
    ask: Callable[[Any, Sequence[UUID]], int], stores: Sequence[Any], asked: Sequence[Sequence[UUID]]
) -> Iterator[tuple[Any, list[float], list[int]]]:
    """Milliseconds and answer of each question, store by store, after a few to warm up.

    Every question goes to one store after the other, so that whatever else the machine does meets them alike.
    """
    for seeds in asked[:WARM_UP]:
        for store in stores:
            ask(store, seeds)
    found: list[tuple[Any, list[float], list[int]]] = [(store, [], []) for store in stores]
    for seeds in asked:
        for store, times, answers in found:
            started = time.perf_counter()
            answers.append(ask(store, seeds))
            times.append((time.perf_counter() - started) * 1000)
    yield from found


@contextmanager
def neo4j_copy(filled: Filled) -> Iterator[Any]:
    """A Neo4j of its own with a copy of the tenant's graph; prints how long copying took."""
    from apps.core import providers, scope  # noqa: PLC0415
    from apps.core.scope import Reach, Scope  # noqa: PLC0415
    from apps.graph import services, stores  # noqa: PLC0415
    from apps.graph.services import drift  # noqa: PLC0415
    from apps.jobs import services as jobs  # noqa: PLC0415
    from memory_platform.adapters.neo4j import Neo4jGraph  # noqa: PLC0415

    worker = Scope(filled.tenant_id, None, Reach.TENANT)
    with tempfile.TemporaryDirectory(prefix="bench-neo4j-") as folder:
        server = EmbeddedNeo4j(Path(folder), jars=neo4j.library(default_root()))
        server.start()
        graph = Neo4jGraph(url=server.url, user=server.user, password=server.password)
        providers.graph_server = lambda: graph  # type: ignore[assignment]
        try:
            graph.prepare()
            stores.warm()
            with scope.enter(worker):
                services.rebuild_projection()
            began = time.perf_counter()
            jobs.drain("bench", tenant_id=filled.tenant_id)
            figure("graph neo4j copying everything", time.perf_counter() - began, "s")
            began = time.perf_counter()
            found = drift.find(within=worker)
            figure("graph neo4j drift check", time.perf_counter() - began, "s")
            figure("graph neo4j kinds that differ", len(found.kinds), "kinds", bar=at_most(0))
            figure("graph neo4j resident", summed_pss([server.pid or 0]) / 2**20, "MB")
            yield graph
        finally:
            graph.close()
            server.stop()


def run(*, units: int = 20_000, rounds: int = 100) -> None:
    """Ask each store the same questions in turn: SQL, and Neo4j where it was fetched (`make neo4j-server`)."""
    with database():
        from apps.core import scope  # noqa: PLC0415
        from apps.graph.store_sql import SqlGraph  # noqa: PLC0415

        filled = fill(units)
        with ExitStack() as stack:
            stores: list[Any] = [SqlGraph()]
            if neo4j.is_fetched(default_root()):
                stores.append(stack.enter_context(neo4j_copy(filled)))
            stack.enter_context(scope.tenant_scope(filled.tenant_id, agent_id=filled.agent_id))
            measure(stores, filled, rounds=rounds, units=units)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=100)
    chosen = parser.parse_args()
    run(units=chosen.units, rounds=chosen.rounds)


if __name__ == "__main__":
    main()
