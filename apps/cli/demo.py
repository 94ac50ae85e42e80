"""`memory demo`: the main job once, on a private stack, from a transcript to answers."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from apps.cli import transcripts, writing
from apps.cli.entities import print_path
from apps.cli.output import console, table
from apps.cli.reading import print_recall
from apps.cli.serving import require_valid_settings
from apps.stack.supervisor import private_stack
from memory_platform.client import MemoryAgent
from memory_platform.errors import Unavailable

BUNDLED = Path(__file__).with_name("demo_conversation.jsonl")
BUNDLED_QUESTIONS = (
    "When does Harbor go live?",
    "Who approves the releases now?",
    "Is there anything to know before prescribing medicine for Mara?",
    "Which PostgreSQL version does Harbor run on?",
    "When and where is Ines getting married?",
)
BUNDLED_FACTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("Mara is allergic to penicillin.", {"kind": "FACT"}),
    ("Harbor runs on PostgreSQL 15.", {"strength": "INFERRED"}),
    ("Replace the second paragraph with the new prices.", {}),
)
# What answers it was said in two conversations; the names are the ends of the way between them.
BUNDLED_JOINED = ("In which city is the company based that Wanda worked at before?", "Wanda", "Porto")
UNANSWERABLE = "Which violin strings does the orchestra in Helsinki prefer?"
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]{2,}\b")


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    file: Annotated[Path | None, typer.Argument(help="A transcript of yours; default: the bundled one.")] = None,
) -> None:
    """Remember a conversation and recall from it, on a private stack that is gone afterwards."""
    require_valid_settings()
    lines = transcripts.read(file or BUNDLED)
    questions = questions_for(file, lines)
    console.print(f"[bold]1. A private stack[/] for {len(lines)} messages", markup=True)
    with private_stack(report=lambda line: console.print(f"   {line}", style="dim", markup=False)) as stack:
        key = stack.first_tenant.get("api_key")
        if not key:
            raise Unavailable("The private stack made no API key.", hint="Run `memory doctor`.")
        with MemoryAgent(stack.url, str(key)) as agent:
            _remember(agent, lines)
            if file is None:
                _tell(agent)
            _show_what_became_of_it(agent)
            _ask(agent, questions)
            if file is None:
                _connect(agent, *BUNDLED_JOINED)


def questions_for(file: Path | None, lines: Sequence[transcripts.Line]) -> tuple[str, ...]:
    """Five questions: written ones for the bundled conversation, the file's own for LoCoMo, else about who is in it."""
    if file is None:
        return BUNDLED_QUESTIONS
    if own := tuple(_own_questions(file))[:5]:
        return own
    speakers = [name for name, _ in Counter(line.speaker for line in lines).most_common(2)]
    names = Counter(name for line in lines for name in _NAME.findall(line.content) if name not in speakers)
    return tuple(f"What is known about {name}?" for name in [*speakers, *(name for name, _ in names.most_common(3))])


def _own_questions(file: Path) -> Iterator[str]:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError:
        return
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict):
        for question in first.get("qa", []):
            yield str(question["question"])


def _remember(agent: MemoryAgent, lines: Sequence[transcripts.Line]) -> None:
    console.print("\n[bold]2. Capture[/]: searchable by keyword at once; the worker distils memories")
    began = time.perf_counter()
    counts = writing.send(agent, list(lines))
    accepted = time.perf_counter() - began
    writing.wait_until_idle(agent)
    console.print(
        f"   {counts['accepted']} messages accepted in {accepted:.2f} s, all remembered after "
        f"{time.perf_counter() - began:.2f} s"
    )


def _tell(agent: MemoryAgent) -> None:
    """Explicit facts pass the same gate, dedup and contradiction check as observed ones."""
    for text, fields in BUNDLED_FACTS:
        result = agent.remember(text, **fields)
        console.print(f"   remember “{text}” → {result.outcome}: {result.reason}", markup=False)


def _show_what_became_of_it(agent: MemoryAgent) -> None:
    console.print("\n[bold]3. What became of it[/]")
    kept = _memories(agent)
    _show_memories("Kept", kept)
    _show_memories("Held for review", _memories(agent, verdicts=["HOLD"]))
    superseded = _memories(agent, statuses=["SUPERSEDED"])
    _show_changes("Superseded", superseded, agent, link="supersededBy")
    _show_changes("Merged", [memory for memory in kept if memory["mergedCount"]], agent, link="merged")
    _show_left_out(agent)
    _show_rejections(agent)
    redactions = agent.journal(first=50, operation="resource.redacted")["edges"]
    kinds = [str(edge["node"]["data"].get("kinds")) for edge in redactions]
    console.print(f"\nSecrets removed before anything was stored: {', '.join(kinds) or 'none'}", markup=False)


def _memories(agent: MemoryAgent, **filters: Any) -> list[Mapping[str, Any]]:
    """What was said last first: sessions are distilled beside each other, in whatever order."""
    page = agent.memories(filter=filters or None, first=100)
    return sorted((edge["node"] for edge in page["edges"]), key=lambda memory: str(memory["validFrom"]), reverse=True)


def _show_memories(title: str, memories: Sequence[Mapping[str, Any]], most: int = 15) -> None:
    more = f", the first {most} of them" if len(memories) > most else ""
    rows = [
        (memory["text"], memory["kind"].lower(), memory["category"], memory["confidence"]) for memory in memories[:most]
    ]
    table(["memory", "kind", "category", "confidence"], rows, title=f"\n{title}: {len(memories)}{more}")


def _show_changes(title: str, memories: Sequence[Mapping[str, Any]], agent: MemoryAgent, *, link: str) -> None:
    rows: list[tuple[str, str, str]] = []
    for memory in memories[:10]:
        why = agent.explain(memory["id"]) or {}
        rows.extend((memory["text"], other["text"], other["reason"]) for other in why.get(link, []))
    word = "replaced by" if link == "supersededBy" else "with"
    table(["memory", word, "why"], rows, title=f"\n{title}: {len(rows)}")


def _show_left_out(agent: MemoryAgent) -> None:
    """What the extractor did not take for facts is counted in the journal; what the gate refused has its reason."""
    runs = [edge["node"]["data"] for edge in agent.journal(first=100, operation="memory.observed")["edges"]]
    dropped = sum(int(run.get("dropped", 0)) for run in runs)
    console.print(f"\nLeft out as questions, greetings, thanks, reactions, instructions: {dropped} sentences")


def _show_rejections(agent: MemoryAgent) -> None:
    nodes = [edge["node"] for edge in agent.rejections(first=100)["edges"]]
    reasons = Counter(node["reason"] for node in nodes)
    summary = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    console.print(f"\nRejected: {len(nodes)} ({summary})", markup=False)
    for node in nodes[:8]:
        console.print(f"   {node['reason']}: {node['text']}", style="dim", markup=False)


def _ask(agent: MemoryAgent, questions: Sequence[str]) -> None:
    console.print("\n[bold]4. Recall[/]")
    for question in questions:
        answer = agent.recall(question, profile="BALANCED", limit=3)
        console.print(f"\n[bold]{question}[/]")
        print_recall(answer)
    console.print("\n[bold]A question that nothing answers[/]: " + UNANSWERABLE)
    print_recall(agent.recall(UNANSWERABLE))
    console.print("\n[bold]5. The block for the prompt[/]")
    for question in questions:
        began = time.perf_counter()
        block = agent.context(question, maxTokens=300)
        elapsed = (time.perf_counter() - began) * 1000
        console.print(f"\n# {question}", style="bold", markup=False)
        console.print(block.text or "(nothing relevant)", markup=False)
        console.print(
            f"{block.included} of {block.available} memories, {block.tokens} tokens, {elapsed:.0f} ms", style="dim"
        )


def _connect(agent: MemoryAgent, question: str, start: str, end: str) -> None:
    """A question whose answer takes two memories, and the way between them through what both name."""
    console.print("\n[bold]6. Two memories, one answer[/]")
    console.print(f"\n[bold]{question}[/]")
    print_recall(agent.recall(question, profile="DEEP", limit=5))
    console.print(f"\n[bold]How are {start} and {end} connected?[/]")
    ends = [agent.entity(name=name) for name in (start, end)]
    steps = agent.path(*(each["id"] for each in ends if each)) if all(ends) else None
    print_path(steps)
