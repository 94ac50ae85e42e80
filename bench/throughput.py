"""Texts embedded and searchable per second: one worker, the web server idle, against the same ONNX model alone.

The turns are distinct sentences of chat length; each becomes an episode and, where there is something to keep, an item.
All of both are counted. The floor embeds the same episodes in the same batches with the same number of threads. Then
real texts, from being sent until nothing is left to do for them: chat turns of LoCoMo, and the long replies of BEAM.
"""

import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import psycopg

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench import development_data
from bench.figures import at_least, at_most, figure
from memory_client import MemoryClient
from memory_platform.adapters.encoder import EncoderEmbedder
from memory_platform.text.terms import indexed_text

TURNS = 2_000
BATCH = 64
CHAT_TURNS = 400
LONG_REPLIES = 60
TURNS_PER_SECOND = 25.0
REPLIES_PER_SECOND = 6.0
PLACES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Coimbra", "Aveiro", "Sintra", "Tavira", "Lagos")
THINGS = (
    "bicycle",
    "red kayak",
    "piano",
    "sewing machine",
    "telescope",
    "camera",
    "drum kit",
    "surf board",
    "tent",
    "loom",
)
PEOPLE = ("Ana", "Rui", "Marta", "Tiago", "Joana", "Pedro", "Sofia", "Nuno", "Carla", "Hugo")


def run() -> None:
    options = StackOptions(root=Path(), durable=True, environment={"MEMORY_EMBEDDER": "minilm"})
    with private_stack(options) as stack, MemoryClient(stack.url, str(stack.first_tenant["api_key"])) as agent:
        _warm(agent)
        texts = [text_of(number) for number in range(TURNS)]
        floor = _floor(texts)
        agent.ingest(lines_of(texts))
        before, began = _embedded(stack), time.perf_counter()
        agent.wait_until_idle()
        elapsed = time.perf_counter() - began
        embedded = _embedded(stack) - before
    # Half of the floor is the bar, so the floor may be at most twice the value.
    figure("texts embedded and searchable per second, one worker", embedded / elapsed, "texts/s", floor=floor)
    figure("the same ONNX model alone, over it", floor / (embedded / elapsed), "ratio", bar=at_most(2.0))
    _observe_real_texts()


def _observe_real_texts() -> None:
    if not development_data.available_for("observing"):
        return
    turns = list(islice((line for each in development_data.locomo() for line in each.lines), CHAT_TURNS))
    _report("chat turns (LoCoMo)", turns, least=TURNS_PER_SECOND)
    _report(
        "long replies (BEAM)", list(islice(development_data.long_replies(), LONG_REPLIES)), least=REPLIES_PER_SECOND
    )


def _report(name: str, lines: Sequence[dict[str, Any]], *, least: float) -> None:
    """One worker, a tenant that knows nothing yet."""
    options = StackOptions(root=Path(), durable=True, environment={"MEMORY_EMBEDDER": "minilm"})
    with private_stack(options) as stack, MemoryClient(stack.url, str(stack.first_tenant["api_key"])) as agent:
        _warm(agent)
        began = time.perf_counter()
        agent.ingest(lines)
        agent.wait_until_idle()
        rate = len(lines) / (time.perf_counter() - began)
    figure(f"{name} observed a second, one worker", rate, "texts/s", bar=at_least(least))


def text_of(number: int) -> str:
    place, thing, person = PLACES[number % 10], THINGS[number // 10 % 10], PEOPLE[number // 100 % 10]
    return (
        f"Yesterday I bought a {thing} for {number * 3 + 40} euros in {place} together with {person}, and we plan to "
        f"use it on trip number {number} to the coast in early July."
    )


def lines_of(texts: list[str]) -> list[dict[str, str]]:
    return [
        {
            "external_id": str(number),
            "session_id": f"session-{number // 50}",
            "speaker": "Mara",
            "content": text,
            "content_at": f"2026-03-{number % 28 + 1:02}T10:00:00+00:00",
        }
        for number, text in enumerate(texts)
    ]


def _warm(agent: MemoryClient) -> None:
    agent.capture_turn("warm", user_input="I moved to Lisbon in February 2026.", llm_output="Lovely!")
    agent.wait_until_idle()


def _floor(texts: list[str]) -> float:
    embedder = EncoderEmbedder(intra_op_threads=int(os.environ.get("MEMORY_EMBEDDER_THREADS", "1")))
    framed = [indexed_text(text, speaker="Mara", said_at=None) for text in texts]
    embedder.embed(framed[:BATCH])
    began = time.perf_counter()
    for start in range(0, len(framed), BATCH):
        embedder.embed(framed[start : start + BATCH])
    return len(framed) / (time.perf_counter() - began)


def _embedded(stack: Stack) -> int:
    if stack.postgres is None:
        raise RuntimeError("this benchmark needs the embedded PostgreSQL")
    with psycopg.connect(stack.postgres.superuser_url()) as connection:
        row = connection.execute("SELECT count(*) FROM index_embedding384").fetchone()
    return int(row[0]) if row else 0
