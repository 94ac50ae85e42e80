"""Recall quality through the API: every turn ingested, every question asked, one tenant a conversation.

Metric: the mean share of a question's gold turns among the first 5 and 10 distinct turns that the hits name as sources,
with profile DEEP and limit 20; what lies below the relevance floor counts as found, and what passes it, which is what a
caller gets, has the bar. All arms together against each alone: the paired differences of the same questions. Then how
much of the gold a context of 1,000 tokens holds. Skipped when the development data is absent.

`python -m bench.quality --keep FOLDER` ingests into that folder, or asks what it holds, with the code as it is now;
`--refresh` has the kept index and graph made anew first, which a change to what they hold needs.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench import development_data
from bench.development_data import BEAM_CORE, Conversation, Question
from bench.figures import Bar, at_least, figure, percentile
from memory_client import MemoryClient
from memory_client.contract import ContextBlock, Hit, Ingest, Recall

LIMIT = 20
CUTS = (5, 10)
ALL_ARMS = "learned"
ARMS = {
    ALL_ARMS: "everything on",
    "contextual": "formula",
    "keyword": "keyword arm",
    "vector": "vector arm",
    "dual": "two-score form",
}
ALONE = ("keyword", "vector")
# percent at 5 and at 10 of what a caller gets with everything on, and of a category at 10 of all that is found
BARS = {"locomo": (at_least(76.0), at_least(83.0)), "beam": (at_least(72.0), at_least(79.0))}
CATEGORY_BARS = {("locomo", "multi-hop"): at_least(52.0)}
# what all arms together must add to the best one alone: LoCoMo surely something, BEAM not less
GAIN_BARS = {"locomo": ("95 % interval low", at_least(0.0)), "beam": ("gain", at_least(0.0))}
CONTEXT_TOKENS = 1_000
CONTEXT_BAR = at_least(80.0)
CLIENTS = 2
BOOTSTRAPS = 4_000
OPTIONS = StackOptions(root=Path(), durable=False, port=0, environment={"MEMORY_EMBEDDER": "minilm"})

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answered:
    """How much of the gold the first turns are: of all that was found (`at`), of what passed the floor (`shown`)."""

    question: Question
    at: tuple[float, ...]
    shown: tuple[float, ...]
    is_empty: bool
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Known:
    """A conversation in its tenant, and the key that opens it."""

    set_name: str
    conversation: Conversation
    slug: str
    key: str


def run() -> None:
    main([])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--keep", type=Path, help="folder of the ingested data; the next run asks it again")
    parser.add_argument("--refresh", action="store_true", help="make the kept index and graph anew first")
    parser.add_argument("--sets", nargs="*", choices=["locomo", "beam"], default=["locomo", "beam"])
    parser.add_argument("--arms", nargs="*", choices=[*ARMS], default=[ALL_ARMS, *ALONE])
    parser.add_argument("--conversations", type=int, help="only the first so many of each set")
    wanted = parser.parse_args(arguments)
    if not development_data.available_for("quality"):
        return
    with stack_in(wanted.keep) as stack:
        for name in wanted.sets:
            conversations = {"locomo": development_data.locomo, "beam": development_data.beam}[name]()
            known = [_known(stack, name, each) for each in conversations[: wanted.conversations]]
            if wanted.refresh:
                _refresh(stack, known)
            _measure(stack, known, arms=wanted.arms)
            if name == "locomo":
                _report_context(stack, known)


@contextmanager
def stack_in(keep: Path | None) -> Iterator[Stack]:
    """A stack of one's own, gone at the end; or one in a folder that stays."""
    if keep is None:
        with private_stack(OPTIONS) as stack:
            yield stack
        return
    stack = Stack(replace(OPTIONS, root=keep), report=lambda _line: None)
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


def _known(stack: Stack, name: str, conversation: Conversation) -> Known:
    """The conversation as it was kept, or ingested now."""
    slug = f"{name}-{conversation.name}".lower().replace("_", "-")
    path = stack.root / "keys.json"
    keys = json.loads(path.read_text()) if path.exists() else {}
    if slug not in keys:
        keys[slug] = _ingest(stack, slug, conversation)
        path.write_text(json.dumps(keys))
    return Known(name, conversation, slug, keys[slug])


def _ingest(stack: Stack, slug: str, conversation: Conversation) -> str:
    key = str(json.loads(stack.manage("create_tenant", slug))["api_key"])
    with MemoryClient(stack.url, key, timeout=120.0) as agent:
        answer = agent.ingest(conversation.lines)
        agent.wait_until_idle()
    _report_left_out(slug, answer)
    return key


def _report_left_out(slug: str, answer: Ingest) -> None:
    """A message over the bound of one is refused with its reason, as a caller's would be: its questions still count.

    Raises RuntimeError when a line is missing for any other reason.
    """
    invalid = [line for line in answer.results if line.status == "invalid"]
    if answer.accepted + len(invalid) != len(answer.results):
        raise RuntimeError(f"{slug}: {answer.accepted} of {len(answer.results)} lines accepted")
    for line in invalid:
        figure(f"{slug}, line {line.line} refused: {line.error}", 1, "messages")


def _refresh(stack: Stack, known: Iterable[Known]) -> None:
    for each in known:
        stack.manage("rebuild_index", "--tenant", each.slug)
        with MemoryClient(stack.url, each.key, timeout=120.0) as agent:
            agent.wait_until_idle()


def _measure(stack: Stack, known: Sequence[Known], *, arms: Sequence[str]) -> None:
    answers = {arm: _answers(stack, known, arm) for arm in arms}
    for arm, answered in answers.items():
        _report(known[0].set_name, arm, answered)
    alone = [arm for arm in ALONE if arm in answers]
    if ALL_ARMS in answers and alone:
        _report_gains(known[0].set_name, answers[ALL_ARMS], {arm: answers[arm] for arm in alone})


def _answers(stack: Stack, known: Sequence[Known], arm: str) -> list[Answered]:
    for each in known:
        stack.manage("set_policy", each.slug, f"fusion={arm}")
    with ThreadPoolExecutor(CLIENTS) as clients:
        return [answer for own in clients.map(lambda each: _ask(stack.url, each), known) for answer in own]


def _ask(url: str, known: Known) -> list[Answered]:
    with MemoryClient(url, known.key, timeout=120.0) as agent:
        return [_answered(agent, question) for question in known.conversation.questions]


def _answered(agent: MemoryClient, question: Question) -> Answered:
    answer = agent.recall(question.text, explain=True, profile="deep", limit=LIMIT)
    at = _shares(question, distinct_turns(answer))
    shown = _shares(question, _turns(answer.hits))
    return Answered(question, at, shown, is_empty=not answer.hits, milliseconds=answer.took_ms)


def distinct_turns(answer: Recall) -> list[str]:
    """The external ids the hits name as sources, by falling score, each once; those below the floor among them."""
    below = answer.explanation.below_floor if answer.explanation else ()
    return _turns(sorted([*answer.hits, *below], key=lambda hit: -hit.score))


def _turns(hits: Iterable[Hit]) -> list[str]:
    named = (source.external_id for hit in hits for source in hit.sources)
    return list(dict.fromkeys(external_id for external_id in named if external_id))


def _shares(question: Question, turns: Sequence[str]) -> tuple[float, ...]:
    return tuple(_share(question.gold, turns[:cut]) for cut in CUTS)


def _share(gold: frozenset[str], turns: Iterable[str]) -> float:
    return len(gold & set(turns)) / len(gold) if gold else 0.0


def _scored(name: str, answered: Iterable[Answered]) -> list[Answered]:
    """The questions a turn answers; of BEAM those of the five core abilities."""
    return [each for each in answered if each.question.gold and (name != "beam" or each.question.category in BEAM_CORE)]


def _report(name: str, arm: str, answered: Sequence[Answered]) -> None:
    scored = _scored(name, answered)
    shares = _percent(scored)
    for place, cut in enumerate(CUTS):
        label = f"{name} recall@{cut}, {ARMS[arm]}"
        figure(f"{label} (n = {len(scored)})", float(shares[:, place].mean()), "%")
        if arm == ALL_ARMS:
            _report_interval(label, shares[:, place])
    if arm == ALL_ARMS:
        _report_details(name, answered, scored)


def _percent(scored: Sequence[Answered]) -> Floats:
    return 100 * np.array([each.at for each in scored], dtype=np.float64).reshape(-1, len(CUTS))


def _report_details(name: str, answered: Sequence[Answered], scored: Sequence[Answered]) -> None:
    shares = _percent(scored)
    categories = np.array([each.question.category for each in scored])
    for category in sorted(set(categories.tolist())):
        own = shares[categories == category]
        for place, cut in enumerate(CUTS):
            bar = CATEGORY_BARS.get((name, category)) if cut == max(CUTS) else None
            label = f"{name} recall@{cut}, {category} (n = {len(own)})"
            figure(label, float(own[:, place].mean()), "%", bar=bar)
    for place, cut in enumerate(CUTS):
        passed = float(np.mean([each.shown[place] for each in scored]))
        figure(f"{name} recall@{cut} of what a caller gets", 100 * passed, "%", bar=BARS[name][place])
    empty = [each.is_empty for each in scored]
    figure(f"{name} answerable questions answered with nothing", 100 * float(np.mean(empty)), "%")
    unanswerable = [each for each in answered if not each.question.gold]
    if unanswerable:
        share = 100 * float(np.mean([not each.is_empty for each in unanswerable]))
        figure(f"{name} unanswerable questions answered", share, "%")
    figure(f"{name} recall, p50 inside the server", percentile([each.milliseconds for each in answered], 50), "ms")


def _report_gains(name: str, together: Sequence[Answered], alone: dict[str, list[Answered]]) -> None:
    """What all arms together add to each alone, and to the best at each cut, question by question."""
    whole = _percent(_scored(name, together))
    single = {arm: _percent(_scored(name, answered)) for arm, answered in alone.items()}
    for place, cut in enumerate(CUTS):
        best = max(single, key=lambda arm: float(single[arm][:, place].mean()))
        for arm, shares in single.items():
            label = f"{name} recall@{cut}, everything on over the {ARMS[arm]}{' (the best)' if arm == best else ''}"
            bars = dict([GAIN_BARS[name]]) if arm == best else {}
            gains = whole[:, place] - shares[:, place]
            figure(f"{label}, gain", float(gains.mean()), "%", bar=bars.get("gain"))
            _report_interval(label, gains, bar=bars.get("95 % interval low"))


def _report_interval(label: str, values: Floats, *, bar: Bar | None = None) -> None:
    """Percentile bootstrap over questions."""
    chance = np.random.default_rng(7)
    means = values[chance.integers(0, len(values), (BOOTSTRAPS, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    figure(f"{label}, 95 % interval low", float(low), "%", bar=bar)
    figure(f"{label}, 95 % interval high", float(high), "%")


def _report_context(stack: Stack, known: Sequence[Known]) -> None:
    """Which share of a question's gold turns are sources of what one context of 1,000 tokens holds, style FACTS."""
    for each in known:
        stack.manage("set_policy", each.slug, f"fusion={ALL_ARMS}")
    with ThreadPoolExecutor(CLIENTS) as clients:
        asked = [one for own in clients.map(lambda each: _contexts(stack.url, each), known) for one in own]
    shares, tokens = [share for share, _ in asked], [count for _, count in asked]
    label = f"{known[0].set_name} gold turns in a context of {CONTEXT_TOKENS} tokens"
    figure(f"{label} (n = {len(shares)})", 100 * float(np.mean(shares)), "%", bar=CONTEXT_BAR)
    figure(f"{label}, tokens at most", max(tokens), "tokens")


def _contexts(url: str, known: Known) -> list[tuple[float, int]]:
    with MemoryClient(url, known.key, timeout=120.0) as agent:
        return [
            _covered(question, agent.context(query=question.text, max_tokens=CONTEXT_TOKENS, profile="deep"))
            for question in known.conversation.questions
            if question.gold
        ]


def _covered(question: Question, block: ContextBlock) -> tuple[float, int]:
    return _share(question.gold, _turns(block.hits)), block.tokens


if __name__ == "__main__":
    main()
