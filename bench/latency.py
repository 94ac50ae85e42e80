"""Capture and recall over HTTP against their floors, measured in the same run by one client.

Capture: p95 against a bare authenticated view that inserts one row, both served as ASGI. Recall: p50 in a tenant of
20,000 documents against embedding, one vector query and one top-200 keyword query in bare SQL; then the same after
1,000 other tenants of 100 documents have moved in. What it takes where something was learnt: `bench/answers.py`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from uuid import UUID

import httpx

from apps.stack.network import free_port
from apps.stack.supervisor import Stack
from bench.figures import at_most, figure, percentile
from bench.served import served

DOCUMENTS = int(os.environ.get("BENCH_DOCUMENTS", "20000"))
OTHER_TENANTS = int(os.environ.get("BENCH_OTHER_TENANTS", "1000"))
OTHER_DOCUMENTS = 100
TURNS = 250
MILLISECONDS = 25.0
"""What a recall in the large tenant may take on the machine that docs/benchmarks.md speaks of."""
REQUESTS = 200
WARM_UP = 30

CAPTURE = """
mutation($input: TurnInput!) { captureTurn(input: $input) { turnNumber jobIds } }
"""
RECALL = """
query($query: String!) { recall(query: $query, options: {profile: BALANCED}) { id hits { id text score } tookMs } }
"""
KEYWORD_FLOOR = """
SELECT p.document_id, sum(t.idf * 2.2 * p.tf / (p.tf + 1.2 * greatest(p.length, 25) / 25.0)) AS score
FROM (SELECT s.lexeme, ln(1 + (c.documents - s.documents + 0.5) / (s.documents + 0.5)) AS idf
      FROM index_term_stat s JOIN index_corpus_stat c ON c.tenant_id = s.tenant_id
      WHERE s.tenant_id = %(tenant)s AND s.lexeme = ANY(%(lexemes)s)) t
JOIN index_posting p ON p.tenant_id = %(tenant)s AND p.lexeme = t.lexeme
GROUP BY p.document_id ORDER BY score DESC LIMIT 200
"""
VECTOR_FLOOR = """
SELECT document_id FROM index_embedding384 WHERE tenant_id = %(tenant)s AND model = %(model)s
ORDER BY vector <=> %(vector)s::halfvec LIMIT 200
"""
EXACT_FLOOR = """
SELECT document_id FROM index_embedding384 WHERE tenant_id = %(tenant)s AND model = %(model)s
ORDER BY (vector <=> %(vector)s::halfvec) + 0 LIMIT 10
"""


def run() -> None:
    with served() as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    from bench import synthetic  # noqa: PLC0415  its models need Django to be set up against this stack

    corpus = synthetic.Corpus()
    base = synthetic.vectors_of([corpus.text() for _ in range(synthetic.EMBEDDED)])
    tenant_id, agent_id = synthetic.new_tenant("latency")
    key = new_key(tenant_id, agent_id)
    synthetic.fill(tenant_id, [corpus.text() for _ in range(DOCUMENTS)], base, agent_id=agent_id)
    settle()
    questions = [corpus.question() for _ in range(WARM_UP + REQUESTS)]
    _capture(stack, key)
    floor = recall_floor(tenant_id, questions, VECTOR_FLOOR, KEYWORD_FLOOR)
    alone = recall_times(stack, key, questions)
    figure(f"recall over HTTP, {DOCUMENTS} documents, p50", alone[0], "ms", floor=floor, bar=at_most(3.0))
    figure("the same, by itself", alone[0], "ms", bar=at_most(MILLISECONDS))
    figure("the same, p95", alone[1], "ms")
    for number in range(OTHER_TENANTS):
        other, other_agent = synthetic.new_tenant(f"other-{number}")
        texts = [corpus.text() for _ in range(OTHER_DOCUMENTS)]
        synthetic.fill(other, texts, base, agent_id=other_agent, seed=number)
    settle()
    among = recall_times(stack, key, questions)
    figure(f"the same among {OTHER_TENANTS} other tenants, p50", among[0], "ms", floor=alone[0], bar=at_most(1.3))


def new_key(tenant_id: UUID, agent_id: UUID) -> str:
    from apps.core.scope import tenant_scope  # noqa: PLC0415
    from apps.tenants import services  # noqa: PLC0415

    with tenant_scope(tenant_id):
        _lift_limits(tenant_id)
        return services.create_key(agent_id=agent_id, scopes=["read", "write"]).token


def _lift_limits(tenant_id: UUID) -> None:
    from apps.tenants import services  # noqa: PLC0415
    from apps.tenants.models import Policy  # noqa: PLC0415

    generous = {"captures_per_minute": 1_000_000, "captures_burst": 100_000, "requests_per_minute": 1_000_000}
    services.change(Policy.objects.get(tenant_id=tenant_id), generous)


def settle() -> None:
    """Let PostgreSQL collect statistics and write what it holds back, so that neither happens during a measurement."""
    import psycopg  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415

    database = settings.DATABASES["default"]
    with psycopg.connect(
        host=database["HOST"],
        port=database["PORT"],
        user=database["USER"],
        password=database["PASSWORD"],
        dbname=database["NAME"],
        options="-c role=memory_owner",
        autocommit=True,
    ) as connection:
        for table in ("index_document", "index_posting", "index_embedding384", "index_term_stat"):
            connection.execute(f"VACUUM ANALYZE {table}")


def _capture(stack: Stack, key: str) -> None:
    turns = count()

    def turn() -> dict[str, Any]:
        return {
            "query": CAPTURE,
            "variables": {
                "input": {
                    "sessionId": "bench",
                    "userInput": f"We moved the review of chapter {next(turns)} to Thursday because Ana is away.",
                    "llmOutput": "Understood, I will remind you on Wednesday.",
                }
            },
        }

    with _bare_server(stack) as bare:
        floor = _times(f"{bare}/insert", key, dict)
        spent = _times(f"{stack.url}/graphql", key, turn)
    figure("capture over HTTP, p95", percentile(spent, 95), "ms", floor=percentile(floor, 95), bar=at_most(3.0))
    figure("capture over HTTP, p50", percentile(spent, 50), "ms", floor=percentile(floor, 50))


@contextmanager
def _bare_server(stack: Stack) -> Iterator[str]:
    port = free_port()
    environment = {**stack.environment, "DJANGO_SETTINGS_MODULE": "bench.bare_settings"}
    command = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "asginl",
        "--no-ws",
        "--port",
        str(port),
        "--workers",
        "1",
    ]
    server = subprocess.Popen([*command, "config.asgi:application"], env=environment, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{url}/livez")
        yield url
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for(url: str, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise TimeoutError(url)


def _times(url: str, key: str, body: Callable[[], dict[str, Any]]) -> list[float]:
    return times(url, key, body, requests=WARM_UP + REQUESTS)[WARM_UP:]


def times(url: str, key: str, body: Callable[[], dict[str, Any]], *, requests: int) -> list[float]:
    """Milliseconds of each of `requests` posts, one after the other. Raises when one is refused."""
    spent = []
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=30.0) as client:
        for _ in range(requests):
            payload = body()
            began = time.perf_counter()
            response = client.post(url, json=payload)
            spent.append((time.perf_counter() - began) * 1000)
            response.raise_for_status()
            if "errors" in response.json():
                raise RuntimeError(response.text)
    return spent


def recall_times(stack: Stack, key: str, questions: list[str]) -> tuple[float, float]:
    waiting = iter(questions)
    spent = _times(f"{stack.url}/graphql", key, lambda: {"query": RECALL, "variables": {"query": next(waiting)}})
    return percentile(spent, 50), percentile(spent, 95)


def recall_floor(tenant_id: UUID, questions: list[str], *statements: str) -> float:
    """The p50 of embedding the question and asking bare SQL in a scope."""
    from django.db import connection  # noqa: PLC0415

    from apps.core import providers  # noqa: PLC0415
    from apps.core.scope import tenant_scope  # noqa: PLC0415
    from memory_platform.text import terms  # noqa: PLC0415

    embedder = providers.embedder()
    spent = []
    for question in questions:
        lexemes = [terms.lexeme_hash(term) for term in terms.terms(question)]
        with tenant_scope(tenant_id), connection.cursor() as cursor:
            cursor.execute("SET LOCAL hnsw.ef_search = 200")
            began = time.perf_counter()
            vectors, _ = embedder.embed([question], as_questions=True)
            literal = "[" + ",".join(f"{value:.6g}" for value in vectors[0].tolist()) + "]"
            named: dict[str, Any] = {
                "tenant": tenant_id,
                "model": embedder.model,
                "vector": literal,
                "lexemes": lexemes,
            }
            for statement in statements:
                cursor.execute(statement, named)
                cursor.fetchall()
            spent.append((time.perf_counter() - began) * 1000)
    return percentile(spent[WARM_UP:], 50)
