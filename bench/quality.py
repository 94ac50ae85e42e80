"""Recall quality through the API: every turn ingested, every question asked, one tenant a conversation.

Metric: the mean share of a question's gold turns among the first 5 and 10 distinct turns that the hits name as sources,
with profile DEEP and limit 20; what lies below the relevance floor counts as found, and the floor's own errors are
reported apart. Skipped when the development data is absent.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from apps.cli.writing import wait_until_idle
from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench import development_data
from bench.development_data import BEAM_CORE, Conversation, Question
from bench.figures import figure, percentile
from memory_platform.client import Hit, MemoryAgent, Recall

LIMIT = 20
ARMS = ("contextual", "keyword", "vector")
# percent at 5 and at 10: DESIGN's bars for everything on
BARS = {"locomo": (73.0, 80.0), "beam": (72.0, 79.0)}


@dataclass(frozen=True, slots=True)
class Answered:
    question: Question
    at_5: float
    at_10: float
    is_empty: bool
    milliseconds: float


def run() -> None:
    if not development_data.available():
        print(json.dumps({"name": "quality", "skipped": "no development data; set MEMORY_BENCH_DATA"}))
        return
    with private_stack(StackOptions(root=Path(), durable=False, environment={"MEMORY_EMBEDDER": "minilm"})) as stack:
        _measure(stack, "locomo", development_data.locomo())
        _measure(stack, "beam", development_data.beam())


def _measure(stack: Stack, name: str, conversations: Sequence[Conversation]) -> None:
    agents = [_ingested(stack, name, conversation) for conversation in conversations]
    for arm in ARMS:
        for conversation in conversations:
            stack.manage("set_policy", _slug(name, conversation), f"fusion={arm}")
        answered = [
            answer
            for agent, conversation in zip(agents, conversations, strict=True)
            for answer in _ask(agent, conversation.questions)
        ]
        _report(name, arm, answered)
    for agent in agents:
        agent.close()


def _slug(name: str, conversation: Conversation) -> str:
    return f"{name}-{conversation.name}".lower().replace("_", "-")


def _ingested(stack: Stack, name: str, conversation: Conversation) -> MemoryAgent:
    made = json.loads(stack.manage("create_tenant", _slug(name, conversation)))
    agent = MemoryAgent(stack.url, made["api_key"], timeout=120.0)
    answer = agent.ingest(conversation.lines)
    if answer["accepted"] != len(conversation.lines):
        raise RuntimeError(f"{conversation.name}: {answer['accepted']} of {len(conversation.lines)} lines accepted")
    wait_until_idle(agent, quiet=True)
    return agent


def _ask(agent: MemoryAgent, questions: Iterable[Question]) -> Iterator[Answered]:
    for question in questions:
        answer = agent.recall(question.text, explain=True, profile="DEEP", limit=LIMIT)
        turns = distinct_turns(answer)
        yield Answered(
            question,
            at_5=_share(question.gold, turns[:5]),
            at_10=_share(question.gold, turns[:10]),
            is_empty=not answer.hits,
            milliseconds=answer.took_ms,
        )


def distinct_turns(answer: Recall) -> list[str]:
    """The external ids the hits name as sources, by falling score, each once; those below the floor among them."""
    below = [Hit.parse({**_BELOW, **hit}) for hit in (answer.explanation or {}).get("belowFloor", [])]
    ordered = sorted([*answer.hits, *below], key=lambda hit: -hit.score)
    named = (source.external_id for hit in ordered for source in hit.sources)
    return list(dict.fromkeys(external_id for external_id in named if external_id))


_BELOW = {"rank": 0, "scores": {}, "confidence": None, "ageDays": 0.0, "tags": []}


def _share(gold: frozenset[str], turns: Sequence[str]) -> float:
    return len(gold & set(turns)) / len(gold) if gold else 0.0


def _report(name: str, arm: str, answered: Sequence[Answered]) -> None:
    scored = [answer for answer in answered if answer.question.gold]
    if name == "beam":
        scored = [answer for answer in scored if answer.question.category in BEAM_CORE]
    bars = BARS[name] if arm == "contextual" else (None, None)
    label = {"contextual": "everything on", "keyword": "keyword arm", "vector": "vector arm"}[arm]
    for at, values, bar in (
        (5, [answer.at_5 for answer in scored], bars[0]),
        (10, [answer.at_10 for answer in scored], bars[1]),
    ):
        figure(f"{name} recall@{at}, {label} (n = {len(values)})", 100 * _mean(values), "%", bar=bar)
        if arm == "contextual":
            low, high = _interval(values)
            figure(f"{name} recall@{at}, 95 % interval low", 100 * low, "%")
            figure(f"{name} recall@{at}, 95 % interval high", 100 * high, "%")
    if arm == "contextual":
        _report_details(name, answered, scored)


def _report_details(name: str, answered: Sequence[Answered], scored: Sequence[Answered]) -> None:
    by_category: dict[str, list[float]] = defaultdict(list)
    for answer in scored:
        by_category[answer.question.category].append(answer.at_10)
    for category, values in sorted(by_category.items()):
        figure(f"{name} recall@10, {category} (n = {len(values)})", 100 * _mean(values), "%")
    figure(f"{name} answerable questions answered with nothing", 100 * _mean([a.is_empty for a in scored]), "%")
    unanswerable = [answer for answer in answered if not answer.question.gold]
    if unanswerable:
        figure(f"{name} unanswerable questions answered", 100 * _mean([not a.is_empty for a in unanswerable]), "%")
    figure(f"{name} recall, p50 inside the server", percentile([a.milliseconds for a in answered], 50), "ms")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _interval(values: Sequence[float], rounds: int = 2_000) -> tuple[float, float]:
    """Percentile bootstrap over questions."""
    chance = random.Random(7)
    means = sorted(_mean(chance.choices(values, k=len(values))) for _ in range(rounds))
    return means[int(0.025 * rounds)], means[int(0.975 * rounds)]
