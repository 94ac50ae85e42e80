"""What the search index costs beside bare SQL on the same tables: reading candidates, writing documents and vectors.

Starts a PostgreSQL of its own, fills it with synthetic documents (a Zipf vocabulary, about 26 terms each) and prints
one JSON line a figure. Floors are measured in turn with what they are floors of, query by query. Figures called `cpu`
are milliseconds of processor time, here and in the server: on a busy machine they tell more than the clock.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from bench.figures import at_most, figure

ROOT = Path(__file__).resolve().parents[1]
VOCABULARY = 30_000
DIMENSION = 384
TURNS = 30
QUERIES = 100
TOPICS = 600
QUERY_TERMS = 7
BATCH = 64
MODEL = "memory-encoder-1"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Query:
    lexemes: tuple[int, ...]
    vector: Floats


class Synthetic:
    """Texts and vectors out of one seed: word n occurs in proportion to 1 / (n + 2.7)^1.07.

    A session has a topic: a third of its words come from 60 of the rarer ones, its vectors lie round one center.
    """

    def __init__(self, seed: int = 1) -> None:
        self._chance = np.random.default_rng(seed)
        weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.07
        self._cumulative = np.cumsum(weights / weights.sum())
        self._centers = self._chance.standard_normal((TOPICS, DIMENSION)).astype(np.float32)

    def text(self, topic: int) -> str:
        length = int(np.clip(self._chance.lognormal(np.log(23), 0.5), 5, 200))
        words = np.minimum(np.searchsorted(self._cumulative, self._chance.random(length)), VOCABULARY - 1)
        special = np.random.default_rng(topic).integers(200, VOCABULARY, 60)
        words = np.where(self._chance.random(length) < 1 / 3, self._chance.choice(special, length), words)
        return " ".join(f"w{word}" for word in words)

    def vectors(self, topics: Sequence[int]) -> Floats:
        near = 0.6 * self._centers[np.array(topics) % len(self._centers)]
        vectors = near + self._chance.standard_normal((len(topics), DIMENSION)).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)

    def query(self, topic: int) -> Query:
        from memory_platform.text.terms import lexeme_hash, terms  # noqa: PLC0415

        words = list(dict.fromkeys(self.text(topic).split()))
        self._chance.shuffle(words)
        lexemes = (lexeme_hash(term) for term in terms(" ".join(words[:QUERY_TERMS])))
        return Query(tuple(lexemes), self.vectors([topic])[0])


@contextmanager
def database() -> Iterator[None]:
    """A fresh, migrated database that Django of this process is set up for."""
    from apps.stack.postgres import EmbeddedPostgres  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="memory-search-bench-") as folder:
        server = EmbeddedPostgres(Path(folder))
        server.start()
        try:
            server.bootstrap("memory")
            url = server.migration_url("memory")
            os.environ |= {"MEMORY_DATABASE_URL": url, "MEMORY_SECRET_KEY": "b" * 50, "MEMORY_LOG_LEVEL": "ERROR"}
            os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
            owner = {**os.environ, "MEMORY_DATABASE_ROLE": "memory_owner"}
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=owner, check=True)
            import django  # noqa: PLC0415

            django.setup()
            yield
        finally:
            from django.db import connections  # noqa: PLC0415

            connections["default"].close()
            connections["default"].close_pool()  # type: ignore[attr-defined]
            server.stop()


def agent_of(tenant: UUID) -> UUID:
    """Return the one agent of a tenant; it searches what it may read, as with an API key."""
    return UUID(int=tenant.int + (1 << 64))


def write(tenant: UUID, count: int, synthetic: Synthetic, *, batch: int = BATCH) -> list[int]:
    """Put `count` documents in sessions of TURNS, without vectors; returns their ids."""
    from apps.core import scope  # noqa: PLC0415
    from apps.index import services  # noqa: PLC0415
    from memory_platform.model import Audience, Unit  # noqa: PLC0415

    audience, session, ids = Audience(agent_of(tenant), None), uuid4(), []
    for start in range(0, count, batch):
        documents = []
        for number in range(start, min(start + batch, count)):
            if number % TURNS == 0:
                session = uuid4()
            new = services.NewDocument(
                Unit.EPISODE, uuid4(), synthetic.text(number // TURNS), audience, session, number % TURNS
            )
            documents.append(new)
        with scope.tenant_scope(tenant):
            ids += services.put(documents)
    with scope.tenant_scope(tenant):
        fold_all()
    return ids


def fold_all() -> None:
    from apps.index.statistics import fold  # noqa: PLC0415

    while fold():
        pass


@contextmanager
def as_owner() -> Iterator[Any]:
    from django.db import connection, transaction  # noqa: PLC0415

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('role', 'memory_owner', true)")
        yield cursor


def load_vectors(documents: Sequence[tuple[UUID, list[int]]], synthetic: Synthetic) -> None:
    """Copy random vectors in and build the HNSW index afterwards: an hour faster than one by one, the same index."""
    from apps.index.embeddings import literal  # noqa: PLC0415
    from apps.index.models import HNSW_EFFORT, HNSW_LINKS  # noqa: PLC0415

    index = (
        "CREATE INDEX index_embedding384_encoder ON index_embedding384 USING hnsw (vector halfvec_cosine_ops)"
        f" WITH (m = {HNSW_LINKS}, ef_construction = {HNSW_EFFORT}) WHERE model = '{MODEL}'"
    )
    with as_owner() as cursor:
        cursor.execute("DROP INDEX index_embedding384_encoder")
        statement = "COPY index_embedding384 (tenant_id, document_id, model, text_hash, vector) FROM STDIN"
        with cursor.copy(statement) as copy:
            for tenant, ids in documents:
                for document_id, vector in zip(
                    ids, synthetic.vectors([n // TURNS for n in range(len(ids))]), strict=True
                ):
                    copy.write_row((tenant, document_id, MODEL, 0, literal(vector)))
        cursor.execute("SET LOCAL maintenance_work_mem = '1GB'")
        cursor.execute(index)


def settle() -> None:
    """What autovacuum does within minutes."""
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("SET role memory_owner")
        for table in ("index_document", "index_posting", "index_embedding384", "index_term_stat"):
            cursor.execute(f"VACUUM ANALYZE {table}")
        cursor.execute("RESET role")


def bare_keyword(cursor: Any, tenant: UUID, query: Query) -> None:
    """The top 200 of L over the rare terms, in plain SQL, of documents that may be seen."""
    cursor.execute(
        "SELECT t.lexeme, ln(1 + (c.documents - t.documents + .5) / (t.documents + .5))"
        " FROM index_term_stat t, index_corpus_stat c WHERE t.tenant_id = %s AND t.lexeme = ANY(%s)"
        " AND c.tenant_id = %s AND t.documents <= .2 * c.documents",
        [tenant, list(query.lexemes), tenant],
    )
    rows = ",".join(f"({lexeme}::bigint, {float(idf)}::float8)" for lexeme, idf in cursor.fetchall())
    if rows:
        cursor.execute(
            "SELECT d.id, k.l FROM (SELECT p.document_id, sum(t.idf * '2.2'::float8 * p.tf"
            " / (p.tf + '.048'::float8 * greatest(p.length, 25))) AS l"
            f" FROM (VALUES {rows}) AS t(lexeme, idf) JOIN index_posting p ON p.lexeme = t.lexeme"
            " WHERE p.tenant_id = %s GROUP BY p.document_id ORDER BY l DESC LIMIT 200) k JOIN index_document d"
            " ON d.tenant_id = %s AND d.id = k.document_id AND NOT d.hidden ORDER BY k.l DESC",
            [tenant, tenant],
        )
        cursor.fetchall()


def bare_vector(cursor: Any, tenant: UUID, query: Query) -> None:
    """The 200 nearest, in plain SQL."""
    from apps.index.embeddings import literal  # noqa: PLC0415

    cursor.execute(
        "SELECT document_id, vector <=> %s::halfvec AS distance FROM index_embedding384"
        " WHERE tenant_id = %s AND model = %s ORDER BY distance LIMIT 200",
        [literal(query.vector), tenant, MODEL],
    )
    cursor.fetchall()


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds by the clock, and of processor time in this process and the server's."""

    clock: list[float]
    cpu: list[float]

    def add(self, server: int, action: Callable[[], object]) -> None:
        spent, begun = processor_milliseconds(server), time.perf_counter()
        action()
        self.clock.append((time.perf_counter() - begun) * 1e3)
        self.cpu.append(processor_milliseconds(server) - spent)

    def median(self) -> float:
        return statistics.median(self.clock)

    def mean_cpu(self) -> float:
        return statistics.fmean(self.cpu)


def processor_milliseconds(server: int) -> float:
    """Return what this process and the one with pid `server` have used so far; the latter on Linux only."""
    try:
        nanoseconds = int(Path(f"/proc/{server}/schedstat").read_text().split()[0])
    except OSError:
        nanoseconds = 0
    return time.process_time() * 1e3 + nanoseconds / 1e6


def read(tenant: UUID, queries: Sequence[Query]) -> tuple[Cost, Cost, Cost]:
    """Return what the bare keyword query, the bare vector query and candidates() cost."""
    from django.db import connection  # noqa: PLC0415

    from apps.core import clock, scope  # noqa: PLC0415
    from apps.index.search import CandidateRequest, candidates  # noqa: PLC0415

    def search(query: Query) -> None:
        candidates(CandidateRequest(query.lexemes, query.vector, MODEL, clock.now()))

    costs = (Cost([], []), Cost([], []), Cost([], []))
    with scope.tenant_scope(tenant, agent_id=agent_of(tenant)), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_backend_pid(), set_config('hnsw.iterative_scan', 'relaxed_order', true),"
            " set_config('hnsw.ef_search', '200', true)"
        )
        server = cursor.fetchone()[0]
        for query in queries[:10]:
            search(query)
        for query in queries:
            costs[0].add(server, partial(bare_keyword, cursor, tenant, query))
            costs[1].add(server, partial(bare_vector, cursor, tenant, query))
            costs[2].add(server, partial(search, query))
    return costs


def clocked(action: Callable[[], object]) -> float:
    """Return the milliseconds an action takes."""
    begun = time.perf_counter()
    action()
    return (time.perf_counter() - begun) * 1e3


def report(name: str, tenant: UUID, queries: Sequence[Query]) -> float:
    """Print the three costs, and return the processor time of candidates()."""
    keyword, vector, whole = read(tenant, queries)
    for part, cost in (("bare_keyword", keyword), ("bare_vector", vector)):
        figure(f"search.{name}.{part}_p50", cost.median(), "ms")
        figure(f"search.{name}.{part}_cpu", cost.mean_cpu(), "ms")
    figure(
        f"search.{name}.candidates_p50",
        whole.median(),
        "ms",
        floor=keyword.median() + vector.median(),
        bar=at_most(2.0),
    )
    figure(f"search.{name}.candidates_cpu", whole.mean_cpu(), "ms", floor=keyword.mean_cpu() + vector.mean_cpu())
    return whole.mean_cpu()


def report_writing(tenant: UUID, synthetic: Synthetic) -> None:
    """Two messages at a time, as capture does; then documents with vectors in batches, HNSW included."""
    from apps.core import scope  # noqa: PLC0415
    from apps.index import services  # noqa: PLC0415
    from memory_platform.model import Audience, Unit  # noqa: PLC0415

    audience, session = Audience(uuid4(), None), uuid4()
    taken = []
    for turn in range(0, 400, 2):
        texts = [synthetic.text(turn // TURNS) for _ in range(2)]
        with scope.tenant_scope(tenant):
            two = [
                services.NewDocument(Unit.EPISODE, uuid4(), text, audience, session, turn + number)
                for number, text in enumerate(texts)
            ]
            taken.append(clocked(partial(services.put, two)))
    figure("search.put_two_p50", statistics.median(taken), "ms")
    taken = []
    for _ in range(16):
        new = [services.NewDocument(Unit.ITEM, uuid4(), synthetic.text(number), audience) for number in range(BATCH)]
        taken.append(clocked(partial(put_and_store, tenant, new, synthetic.vectors(range(BATCH)))))
    figure("search.put_and_store_rate", BATCH / statistics.median(taken) * 1e3, "documents/s")


def put_and_store(tenant: UUID, documents: Sequence[Any], vectors: Floats) -> None:
    from apps.core import scope  # noqa: PLC0415
    from apps.index import embeddings, services  # noqa: PLC0415

    with scope.tenant_scope(tenant):
        embeddings.store(services.put(documents), vectors, MODEL)


def run(documents: int = 20_000, tenants: int = 200, large: int = 0) -> None:
    """Search a tenant of `documents`, again beside `tenants` of 100 documents each, and one of `large` documents."""
    with database():
        synthetic = Synthetic()
        queries = [synthetic.query(number) for number in range(QUERIES)]
        tenant = UUID(int=1)
        load_vectors([(tenant, write(tenant, documents, synthetic))], synthetic)
        settle()
        alone = report("one_tenant", tenant, queries)
        report_writing(UUID(int=3), synthetic)
        if tenants:
            others = [UUID(int=1_000 + number) for number in range(tenants)]
            load_vectors([(other, write(other, 100, synthetic, batch=100)) for other in others], synthetic)
            settle()
            among = report("among_tenants", tenant, queries)
            figure("search.among_tenants.slowdown", among / alone, "ratio", bar=at_most(1.3))
            report("small_tenant", others[0], queries)
        if large:
            larger = UUID(int=2)
            load_vectors([(larger, write(larger, large, synthetic))], synthetic)
            settle()
            grown = report("large_tenant", larger, queries)
            figure("search.large_tenant.growth", grown / alone, "ratio", bar=at_most(3.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000, help="in the tenant that is searched")
    parser.add_argument("--tenants", type=int, default=200, help="further tenants of 100 documents")
    parser.add_argument("--large", type=int, default=0, help="documents of one more tenant; 200,000 take a while")
    options = parser.parse_args()
    run(options.documents, options.tenants, options.large)


if __name__ == "__main__":
    main()
