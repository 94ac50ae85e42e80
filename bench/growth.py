"""What all arms cost over two, and what ten times the documents in one tenant cost: time, and what is no longer found.

Documents of about 26 Zipf terms in which two of 3,000 names occur, so that the graph has hubs and rarities; questions
name somebody. Two arms are compared with four in this process, query by query in turn, and so are two tenants, one ten
times the other, over HTTP. Lost is how much more often a known item would be among the ten best if all were scored.
"""

import json
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from unittest.mock import patch
from uuid import UUID

import httpx
import numpy as np

from apps.stack.supervisor import Stack
from bench.figures import at_most, figure, percentile
from bench.latency import RECALL, REQUESTS, WARM_UP, new_key, settle
from bench.served import served
from memory_platform.ports import Vectors

SMALL = int(os.environ.get("BENCH_DOCUMENTS", "20000"))
LARGE = int(os.environ.get("BENCH_LARGE", "200000"))
NAMES = 3_000
SAMPLE = 200
TOP = 10
CHUNK = 500


def run() -> None:
    with served() as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    small = filled("small", SMALL)
    large = _multiplied(stack, small)
    settle()
    questions = [small.world.question() for _ in range(WARM_UP + REQUESTS)]
    _arms(small, questions)
    over_small, over_large = _in_turn(stack, small, large, questions)
    figure(f"recall over HTTP, all arms, {SMALL} documents, p50", percentile(over_small, 50), "ms")
    figure(
        "the same, p95 over p50", percentile(over_small, 95), "ms", floor=percentile(over_small, 50), bar=at_most(3.0)
    )
    figure(
        f"the same, {LARGE} documents, p50",
        percentile(over_large, 50),
        "ms",
        floor=percentile(over_small, 50),
        bar=at_most(3.0),
    )
    figure(
        "the same, p95 over p50", percentile(over_large, 95), "ms", floor=percentile(over_large, 50), bar=at_most(3.0)
    )
    _lost(large)


def _multiplied(stack: Stack, small: "Filled") -> "Filled":
    from bench import synthetic  # noqa: PLC0415
    from bench.multiplied import multiply  # noqa: PLC0415

    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    tenant_id, agent_id = synthetic.new_tenant("large")
    began = time.perf_counter()
    multiply(
        stack.postgres.superuser_url(), small=small.tenant_id, large=tenant_id, agent=agent_id, copies=LARGE // SMALL
    )
    figure(f"{LARGE} documents made of them", time.perf_counter() - began, "s")
    return Filled(tenant_id, agent_id, new_key(tenant_id, agent_id), small.world)


@dataclass(frozen=True, slots=True)
class Filled:
    """A tenant, its agent, the agent's key and what was written."""

    tenant_id: UUID
    agent_id: UUID
    key: str
    world: "World"


def filled(slug: str, documents: int) -> Filled:
    """A tenant of so many documents."""
    from bench import synthetic  # noqa: PLC0415  its models need Django to be set up against this stack

    tenant_id, agent_id = synthetic.new_tenant(slug)
    world = World()
    began = time.perf_counter()
    world.grow(tenant_id, agent_id, documents=documents)
    figure(f"{documents} documents written, embedded elsewhere, and projected", time.perf_counter() - began, "s")
    return Filled(tenant_id, agent_id, new_key(tenant_id, agent_id), world)


def _in_turn(stack: Stack, small: Filled, large: Filled, questions: Sequence[str]) -> tuple[list[float], list[float]]:
    """Milliseconds of each question, put to both tenants one after the other: the machine's other work meets both."""
    spent: tuple[list[float], list[float]] = ([], [])
    with httpx.Client(timeout=60.0) as client:
        for question in questions:
            for held, times in zip((small, large), spent, strict=True):
                body = {"query": RECALL, "variables": {"query": question}}
                began = time.perf_counter()
                answer = client.post(f"{stack.url}/graphql", json=body, headers={"Authorization": f"Bearer {held.key}"})
                times.append((time.perf_counter() - began) * 1000)
                if "errors" in answer.json():
                    raise RuntimeError(answer.text)
    return spent[0][WARM_UP:], spent[1][WARM_UP:]


class World:
    """Texts with names, their vectors (real ones, moved a little), and the questions asked about them."""

    def __init__(self, seed: int = 7) -> None:
        from bench import synthetic  # noqa: PLC0415

        self._chance = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._corpus = synthetic.Corpus(seed)
        self._names = sorted({f"{self._corpus.text(1).capitalize()}ka" for _ in range(NAMES * 2)})[:NAMES]
        self._chance.shuffle(self._names)
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._names))))
        self._base = synthetic.vectors_of([self.text() for _ in range(synthetic.EMBEDDED)])
        self.texts: list[str] = []

    def text(self) -> str:
        one, two = self._pick(2)
        return f"{self._corpus.text(12)} {one} {self._corpus.text(7)} with {two} {self._corpus.text(5)}."

    def question(self) -> str:
        return f"What did {self._pick(1)[0]} say about {self._corpus.text(6)}?"

    def _pick(self, count: int) -> list[str]:
        return self._chance.choices(self._names, cum_weights=self._weights, k=count)

    def grow(self, tenant_id: UUID, agent_id: UUID, *, documents: int) -> None:
        """Ingest texts as messages, store their vectors, fold the statistics and project the graph."""
        from apps.core.scope import tenant_scope  # noqa: PLC0415
        from apps.index import statistics  # noqa: PLC0415
        from apps.jobs.models import Job  # noqa: PLC0415

        before = len(self.texts)
        self.texts += [self.text() for _ in range(documents)]
        for start in range(before, len(self.texts), CHUNK):
            self._write(tenant_id, agent_id, start, min(start + CHUNK, len(self.texts)))
        with tenant_scope(tenant_id):
            while statistics.fold():
                pass
            Job.objects.filter(tenant_id=tenant_id).delete()

    def _write(self, tenant_id: UUID, agent_id: UUID, start: int, end: int) -> None:
        from apps.core import providers  # noqa: PLC0415
        from apps.core.scope import Reach, Scope, tenant_scope  # noqa: PLC0415
        from apps.graph import services as graph  # noqa: PLC0415
        from apps.index import services as index  # noqa: PLC0415
        from apps.index.models import Document  # noqa: PLC0415
        from apps.jobs.models import Job  # noqa: PLC0415
        from apps.resources import services as resources  # noqa: PLC0415
        from bench import synthetic  # noqa: PLC0415

        lines = [synthetic.line(number, self.texts[number]) for number in range(start, end)]
        with tenant_scope(tenant_id, agent_id=agent_id):
            stored = [result.resource_id for result in resources.ingest(lines) if result.resource_id]
            rows = Document.objects.filter(tenant_id=tenant_id, unit_id__in=stored).values_list("unit_id", "id")
            document_ids = dict(rows)
            ids = [document_ids[resource_id] for resource_id in stored]
            vectors = self._moved(len(ids))
            index.store_embeddings(ids, vectors, providers.embedder().model)
            Job.objects.filter(tenant_id=tenant_id).delete()
        graph.project(resource_ids=stored, within=Scope(tenant_id, None, Reach.TENANT))

    def _moved(self, count: int) -> Vectors:
        picked = self._base[self._noise.integers(len(self._base), size=count)]
        moved = picked + self._noise.normal(scale=0.02, size=picked.shape)
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)


def _arms(held: Filled, questions: Sequence[str]) -> None:
    """The same recall with all arms and without graph and time, in turn."""
    from apps.core.scope import Reach, Scope  # noqa: PLC0415
    from apps.retrieval.requests import RecallRequest  # noqa: PLC0415
    from apps.retrieval.services import recall  # noqa: PLC0415
    from memory_platform.model import Profile  # noqa: PLC0415

    within = Scope(held.tenant_id, held.agent_id, Reach.OWN)
    four: list[float] = []
    two: list[float] = []
    reached = 0
    for question in questions:
        request = RecallRequest(query=question, profile=Profile.BALANCED, explain=False)
        began = time.perf_counter()
        recall(request, within=within)
        between = time.perf_counter()
        with _two_arms():
            recall(request, within=within)
        two.append((time.perf_counter() - between) * 1000)
        four.append((between - began) * 1000)
    for question in questions[:SAMPLE]:
        explained = recall(RecallRequest(query=question, explain=True), within=within).explanation
        reached += explained is not None and any(arm.name == "graph" and arm.candidates for arm in explained.arms)
    figure("questions whose graph arm found something", 100 * reached / SAMPLE, "%")
    figure(
        f"recall in process, all arms, {SMALL} documents, p50",
        percentile(four[WARM_UP:], 50),
        "ms",
        floor=percentile(two[WARM_UP:], 50),
        bar=at_most(1.5),
    )


@contextmanager
def _two_arms() -> Iterator[None]:
    from apps.retrieval.services import graph_arm  # noqa: PLC0415

    with patch.object(graph_arm, "ask", lambda *_args, **_named: graph_arm.Proximity):
        yield


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A document, a question of three of its words and three others, and a vector not far from its own."""

    document: int
    lexemes: tuple[int, ...]
    vector: Vectors


def _lost(held: Filled) -> None:
    from apps.core.scope import tenant_scope  # noqa: PLC0415

    found_all, found = 0, 0
    with tenant_scope(held.tenant_id, agent_id=held.agent_id):
        everything = _Everything(held.tenant_id)
        for item in everything.known_items(SAMPLE):
            found_all += item.document in everything.best(item)
            found += item.document in _candidates(item)
    figure(f"known item among {TOP}, scoring all {LARGE}", 100 * found_all / SAMPLE, "%")
    figure(
        f"points of it lost by choosing candidates (n = {SAMPLE})",
        100 * (found_all - found) / SAMPLE,
        "%",
        bar=at_most(1.0),
    )


def _candidates(item: KnownItem) -> list[int]:
    from apps.core import providers  # noqa: PLC0415
    from apps.core.clock import now  # noqa: PLC0415
    from apps.index.search import CandidateRequest, candidates  # noqa: PLC0415
    from memory_platform.retrieval import fusion  # noqa: PLC0415

    answer = candidates(CandidateRequest(item.lexemes, item.vector, providers.embedder().model, now()))
    thresholds = providers.embedder().thresholds
    scores = fusion.score(answer.query, answer.units, answer.postings, statement=False, thresholds=thresholds)
    return _best(answer.units.document, scores.score)


class _Everything:
    """The formula over every document of a tenant."""

    def __init__(self, tenant_id: UUID, seed: int = 7) -> None:
        self._tenant_id = tenant_id
        self._chance = np.random.default_rng(seed)
        columns = self._rows(
            "SELECT id, center, length, cues FROM index_document WHERE tenant_id = %(tenant)s ORDER BY id"
        )
        self._document = columns[:, 0].astype(np.int64)
        self._center, self._length, self._cues = (
            columns[:, 1],
            columns[:, 2].astype(np.int64),
            columns[:, 3].astype(np.int64),
        )

    def known_items(self, count: int) -> Iterator[KnownItem]:
        words = self._fetch("SELECT lexeme FROM index_term_stat WHERE tenant_id = %(tenant)s", {})
        every = np.array([row[0] for row in words], dtype=np.int64)
        for document in self._chance.choice(self._document, count, replace=False).tolist():
            ((lexemes, vector),) = self._fetch(
                "SELECT d.lexemes, e.vector::text FROM index_document d JOIN index_embedding384 e"
                " ON e.tenant_id = %(tenant)s AND e.document_id = d.id"
                " WHERE d.tenant_id = %(tenant)s AND d.id = %(document)s",
                {"document": document},
            )
            own = self._chance.choice(np.array(lexemes, dtype=np.int64), 3, replace=False)
            others = self._chance.choice(every, 3, replace=False)
            near = np.array(json.loads(vector)) + self._chance.normal(scale=0.06, size=384)
            lexemes = tuple(dict.fromkeys([*own.tolist(), *others.tolist()]))
            yield KnownItem(document, lexemes, (near / np.linalg.norm(near)).astype(np.float32))

    def best(self, item: KnownItem) -> list[int]:
        from apps.core import providers  # noqa: PLC0415
        from apps.index.packing import ordinal_of, session_of  # noqa: PLC0415
        from memory_platform.retrieval import contextual, fusion  # noqa: PLC0415

        cosine = self._cosines(item.vector)
        follows = np.append(self._document[1:] == self._document[:-1] + 1, [False])
        units = contextual.Units(
            document=self._document,
            session=session_of(self._document),
            ordinal=ordinal_of(self._document),
            center=self._center,
            length=self._length,
            cosine=cosine,
            next_cosine=np.where(follows, np.roll(cosine, -1), np.nan),
            cues=self._cues,
        )
        rows = self._rows(
            "SELECT document_id, array_position(%(lexemes)s::bigint[], lexeme) - 1, tf, length, center"
            " FROM index_posting WHERE tenant_id = %(tenant)s AND lexeme = ANY(%(lexemes)s)",
            {"lexemes": list(item.lexemes)},
        )
        owner, term, tf, length = (rows[:, at].astype(np.int64) for at in range(4))
        postings = contextual.Postings(owner, term, tf, length, session_of(owner), ordinal_of(owner), rows[:, 4])
        frequency = np.bincount(term, minlength=len(item.lexemes))
        query = contextual.QueryTerms(np.array(item.lexemes, dtype=np.int64), frequency, len(self._document))
        thresholds = providers.embedder().thresholds
        scores = fusion.score(query, units, postings, statement=False, thresholds=thresholds)
        return _best(self._document, scores.score)

    def _cosines(self, vector: Vectors) -> Any:
        rows = self._rows(
            "SELECT document_id, 1 - (vector <=> %(vector)s::halfvec) FROM index_embedding384"
            " WHERE tenant_id = %(tenant)s ORDER BY document_id",
            {"vector": "[" + ",".join(f"{value:.6g}" for value in vector.tolist()) + "]"},
        )
        return rows[:, 1]

    def _rows(self, statement: str, named: Mapping[str, Any] | None = None) -> Any:
        """The rows as an array of float64, which holds ids up to 2^53."""
        return np.array(self._fetch(statement, named or {}), dtype=np.float64)

    def _fetch(self, statement: str, named: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        from django.db import connection  # noqa: PLC0415

        with connection.cursor() as cursor:
            cursor.execute(statement, {"tenant": self._tenant_id, **named})
            return list(cursor.fetchall())


def _best(document: Any, score: Any) -> list[int]:
    return [int(each) for each in document[np.argsort(-score, kind="stable")[:TOP]]]
