"""What an answer takes over HTTP in a tenant of 250 turns: those of the first stories, learnt by a worker that has
nothing left to do.

Every question of theirs is asked once in each profile, the balanced one again: by then it is remembered how the hits
relate. Beside each p50 stands the floor of the same run, embedding the question and one exact vector query in bare SQL.
"""

import os
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from django import setup as set_up_django

from apps.stack.supervisor import Stack
from bench.figures import at_most, figure, percentile
from bench.latency import EXACT_FLOOR, TURNS, new_key, recall_floor, times
from bench.quality import stack_in
from bench.stories import FOLDER, Row, lines, stories
from memory_client import MemoryClient

RECALL = """
query($query: String!, $profile: Profile!) {
  recall(query: $query, options: {profile: $profile}) { id hits { id text score } tookMs } }
"""
WARM_UP = 12
TIMES_THE_FLOOR = at_most(2.0)
ASKED = (
    ("lean", "LEAN"),
    ("balanced, asked for the first time", "BALANCED"),
    ("balanced, asked again", "BALANCED"),
    ("deep", "DEEP"),
)


def run() -> None:
    with stack_in(None) as stack:
        measure(stack)


def measure(stack: Stack) -> None:
    os.environ.update(stack.command_variables)
    set_up_django()
    from bench import synthetic  # noqa: PLC0415  its models need Django to be set up against this stack

    told, others = _enough(stories(FOLDER / "dev_en.jsonl"))
    tenant_id, agent_id = synthetic.new_tenant("lived")
    key = new_key(tenant_id, agent_id)
    with MemoryClient(stack.url, key, timeout=600.0) as agent:
        agent.ingest(chain.from_iterable(map(lines, told)))
        agent.wait_until_idle()
    questions = [asked for story in told for asked in _questions(story)]
    _times(stack, key, [asked for story in others for asked in _questions(story)][:WARM_UP], "DEEP")
    floor = recall_floor(tenant_id, questions, EXACT_FLOOR)
    for name, profile in ASKED:
        spent = _times(stack, key, questions, profile)
        named = f"recall over HTTP, {TURNS} turns of stories, {name} (n = {len(questions)})"
        figure(f"{named}, p50", percentile(spent, 50), "ms", floor=floor, bar=TIMES_THE_FLOOR)
        figure(f"{named}, p95", percentile(spent, 95), "ms")


def _enough(told: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """As many stories as TURNS take, and the rest."""
    count = 0
    for place, story in enumerate(told):
        count += sum(1 for _ in lines(story))
        if count >= TURNS:
            return list(told[: place + 1]), list(told[place + 1 :])
    return list(told), []


def _questions(story: Row) -> Iterator[str]:
    return (question["ask"] for question in story["questions"])


def _times(stack: Stack, key: str, questions: Sequence[str], profile: str) -> list[float]:
    waiting = iter(questions)

    def body() -> dict[str, Any]:
        return {"query": RECALL, "variables": {"query": next(waiting), "profile": profile}}

    return times(f"{stack.url}/graphql", key, body, requests=len(questions))
