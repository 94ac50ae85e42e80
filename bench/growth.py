"""What all arms cost over two, and what ten times the documents in one tenant cost: time, and what is no longer found.

Documents of about 26 Zipf terms in which two of 3,000 names occur, so that the graph has hubs and rarities; questions
name somebody. Two arms are compared with four in this process, query by query in turn, and so are two tenants, one ten
times the other, over HTTP. Lost is how much more often a known item would be among the ten best if all were scored.
"""

import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import httpx
import numpy as np
from django import setup as set_up_django

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench.figures import figure, percentile
from bench.latency import RECALL, REQUESTS, WARM_UP, new_key, settle
from memory_platform.ports import Vectors

SMALL = int(os.environ.get("BENCH_DOCUMENTS", "20000"))
LARGE = int(os.environ.get("BENCH_LARGE", "200000"))
NAMES = 3_000
SAMPLE = 200
TOP = 10
CHUNK = 500


def run() -> None:
    options = StackOptions(root=Path(), durable=False, worker=False, environment={"MEMORY_EMBEDDER": "minilm"})
    with private_stack(options) as stack:
        os.environ.update(stack.variables)
        set_up_django()
        measure(stack)


def measure(stack: Stack) -> None:
    small, large = filled("small", SMALL), filled("large", LARGE)
    settle()
    questions = [small.world.question() for _ in range(WARM_UP + REQUESTS)]
    _arms(small, questions)
    over_small, over_large = _in_turn(stack, small, large, questions)
    figure(f"recall over HTTP, all arms, {SMALL} documents, p50", percentile(over_small, 50), "ms")
    figure("the same, p95 over p50", percentile(over_small, 95), "ms", floor=percentile(over_small, 50), bar=3.0)
    figure(
        f"the same, {LARGE} documents, p50", percentile(over_large, 50), "ms", floor=percentile(over_small, 50), bar=3.0
    )
    figure("the same, p95 over p50", percentile(over_large, 95), "ms", floor=percentile(over_large, 50), bar=3.0)
    _lost(large)


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
        self.ids: list[int] = []
        self._vectors: list[Any] = []

    @cached_property
    def vectors(self) -> Any:
        """All of them once nothing grows any more, shape (documents, dimension)."""
        return np.concatenate(self._vectors)

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
        self.ids += ids
        self._vectors.append(vectors.astype(np.float16))

    def _moved(self, count: int) -> Vectors:
        picked = self._base[self._noise.integers(len(self._base), size=count)]
        moved = picked + self._noise.normal(scale=0.02, size=picked.shape)
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)

    def known_item(self) -> tuple[int, str, Vectors]:
        """A document's place, a question of three of its words and three others, and a vector not far from its own."""
        place = self._chance.randrange(len(self.texts))
        words = [*self._chance.sample(self.texts[place].rstrip(".").split(), 3), *self._corpus.text(3).split()]
        moved = self.vectors[place].astype(np.float32) + self._noise.normal(scale=0.06, size=self.vectors.shape[1])
        return place, f"What about {' '.join(words)}?", np.asarray(moved / np.linalg.norm(moved), dtype=np.float32)


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
        bar=1.5,
    )


@contextmanager
def _two_arms() -> Iterator[None]:
    from apps.retrieval.services import graph_arm  # noqa: PLC0415

    with patch.object(graph_arm, "ask", lambda *_args, **_named: graph_arm.Near):
        yield


def _lost(held: Filled) -> None:
    from apps.core.scope import tenant_scope  # noqa: PLC0415

    world, found_all, found = held.world, 0, 0
    with tenant_scope(held.tenant_id, agent_id=held.agent_id):
        for _ in range(SAMPLE):
            place, question, vector = world.known_item()
            found_all += world.ids[place] in _everything(held.tenant_id, world, question, vector)
            found += world.ids[place] in _candidates(question, vector)
    figure(f"known item among {TOP}, scoring all {len(world.ids)}", 100 * found_all / SAMPLE, "%")
    figure(f"points of it lost by choosing candidates (n = {SAMPLE})", 100 * (found_all - found) / SAMPLE, "%", bar=1.0)


def _candidates(question: str, vector: Vectors) -> list[int]:
    from apps.core import providers  # noqa: PLC0415
    from apps.core.clock import now  # noqa: PLC0415
    from apps.index.search import CandidateRequest, candidates  # noqa: PLC0415
    from memory_platform import fusion  # noqa: PLC0415

    answer = candidates(CandidateRequest(_lexemes(question), vector, providers.embedder().model, now()))
    scores = fusion.score(answer.query, answer.units, answer.postings, statement=False)
    return _best(answer.units.document, scores.score)


def _everything(tenant_id: UUID, world: World, question: str, vector: Vectors) -> list[int]:
    """The best documents by the formula over all of them."""
    from apps.index.packing import ordinal_of, session_of  # noqa: PLC0415
    from memory_platform import fusion  # noqa: PLC0415

    lexemes = _lexemes(question)
    rows = _postings(tenant_id, lexemes)
    document = np.array(world.ids, dtype=np.int64)
    cosine = (world.vectors @ vector.astype(np.float16)).astype(np.float64)
    order = np.argsort(document)
    document, cosine = document[order], cosine[order]
    follows = np.append(document[1:] == document[:-1] + 1, False)
    place = {lexeme: number for number, lexeme in enumerate(lexemes)}
    owner = rows["document"]
    term = np.array([place[lexeme] for lexeme in rows["lexeme"].tolist()], dtype=np.int64)
    units = fusion.Units(
        document=document,
        session=session_of(document),
        ordinal=ordinal_of(document),
        center=_columns(tenant_id, document, "center"),
        length=_columns(tenant_id, document, "length").astype(np.int64),
        cosine=cosine,
        next_cosine=np.where(follows, np.roll(cosine, -1), np.nan),
    )
    postings = fusion.Postings(
        owner, term, rows["tf"], rows["length"], session_of(owner), ordinal_of(owner), rows["center"]
    )
    frequency = np.bincount(term, minlength=len(lexemes))
    query = fusion.QueryTerms(np.array(lexemes, dtype=np.int64), frequency, len(document))
    return _best(document, fusion.score(query, units, postings, statement=False).score)


_held: dict[tuple[str, int], Any] = {}


def _columns(tenant_id: UUID, document: Any, name: str) -> Any:
    """A column of all documents, in the order of their ids."""
    from django.db import connection  # noqa: PLC0415

    if (name, len(document)) not in _held:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {name}::float8 FROM index_document WHERE tenant_id = %s ORDER BY id",
                [tenant_id],
            )
            _held[name, len(document)] = np.array([row[0] for row in cursor.fetchall()])
    return _held[name, len(document)]


def _postings(tenant_id: UUID, lexemes: Sequence[int]) -> dict[str, Any]:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT document_id, lexeme, tf, length, center FROM index_posting"
            " WHERE tenant_id = %s AND lexeme = ANY(%s)",
            [tenant_id, list(lexemes)],
        )
        rows = cursor.fetchall()
    names = ("document", "lexeme", "tf", "length", "center")
    whole = {name: np.array([row[at] for row in rows], dtype=np.int64) for at, name in enumerate(names[:4])}
    return {**whole, "center": np.array([row[4] for row in rows], dtype=np.float64)}


def _lexemes(question: str) -> tuple[int, ...]:
    from memory_platform import terms  # noqa: PLC0415

    return tuple(terms.lexeme_hash(term) for term in terms.terms(question))


def _best(document: Any, score: Any) -> list[int]:
    return [int(each) for each in document[np.argsort(-score, kind="stable")[:TOP]]]
