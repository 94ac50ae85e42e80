"""`memory demo`: the main job once, on a private stack, from a transcript to answers."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from apps.cli import transcripts, writing
from apps.cli.entities import find_path, print_path
from apps.cli.explicit import written
from apps.cli.options import RUN, add
from apps.cli.output import ListRow, amount, cell, console, entries, leaning
from apps.cli.reading import print_recall
from apps.cli.server import Answer, Server
from apps.cli.serving import require_valid_settings
from memory_platform.errors import NotFound, Unavailable
from memory_platform.model import Profile

BUNDLED = Path(__file__).with_name("demo_conversation.jsonl")
BUNDLED_QUESTIONS = (
    "When does Harbor go live?",
    "Who approves the releases now?",
    "Is there anything to know before prescribing medicine for Mara?",
    "Which PostgreSQL version does Harbor run on?",
    "When and where is Ines getting married?",
)
BUNDLED_FACTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("Mara is allergic to penicillin.", {"kind": "fact"}),
    ("Harbor runs on PostgreSQL 15.", {"strength": "inferred"}),
    ("Replace the second paragraph with the new prices.", {}),
)
# What answers it was said in two conversations; the names are the ends of the way between them.
BUNDLED_JOINED = ("In which city is the company based that Wanda worked at before?", "Wanda", "Porto")
UNANSWERABLE = "Which violin strings does the orchestra in Helsinki prefer?"
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]{2,}\b")


def register(app: typer.Typer) -> None:
    add(app, "demo", demo, "memory demo", "memory demo chat.jsonl", group=RUN)


def demo(
    file: Annotated[Path | None, typer.Argument(help="A transcript of yours; default: the bundled one.")] = None,
) -> None:
    """Remember a conversation and recall from it, on a private stack that is gone afterwards."""
    from apps.stack.supervisor import private_stack

    require_valid_settings()
    transcript = transcripts.read(file or BUNDLED)
    questions = questions_for(file, transcript.lines)
    console.print(f"[bold]1. A private stack[/] for {amount(len(transcript.lines), 'message')}")
    with private_stack(report=lambda line: console.print(f"   {line}", style="dim", markup=False)) as stack:
        key = stack.first_tenant.get("api_key")
        if not key:
            raise Unavailable("The private stack made no API key.", hint="Run `memory doctor`.")
        with Server(stack.url, str(key)) as server:
            _remember(server, transcript)
            if file is None:
                _tell(server)
            _show_what_became_of_it(server)
            _ask(server, questions)
            if file is None:
                _connect(server, *BUNDLED_JOINED)


def questions_for(file: Path | None, lines: Sequence[transcripts.TranscriptLine]) -> tuple[str, ...]:
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


def _remember(server: Server, transcript: transcripts.Transcript) -> None:
    console.print("\n[bold]2. Capture[/]: searchable by keyword at once; the worker distils memories")
    before = writing.LearntBefore.of(server)
    began = time.perf_counter()
    counted = writing.counted(writing.send(server, transcript))
    accepted = time.perf_counter() - began
    writing.wait_until_idle(server)
    console.print(f"   {counted} {accepted:.2f} s; all remembered after {time.perf_counter() - began:.2f} s")
    console.print(f"   {writing.learnt(server, before)}")


def _tell(server: Server) -> None:
    """Explicit facts pass the same gate, dedup and contradiction check as observed ones."""
    for text, fields in BUNDLED_FACTS:
        result = server.post("memories", text=text, **fields)
        console.print(f"   remember “{text}” → {written(result)}", markup=False)


def _show_what_became_of_it(server: Server) -> None:
    console.print("\n[bold]3. What became of it[/]")
    kept = _memories(server)
    _show_memories("Kept", kept)
    _show_memories("Held for review", _memories(server, verdict="hold"))
    _show_changes(
        "Superseded", _memories(server, status="superseded"), server, link="superseded_by", marks=("was", "now")
    )
    _show_changes(
        "Merged", [memory for memory in kept if memory["merged_count"]], server, link="merged", marks=("kept", "with")
    )
    _show_rejections(server)
    redactions = server.get("journal", first=50, operation="resource.redacted")["items"]
    kinds = sorted({kind for each in redactions for kind in each["data"]["kinds"]})
    console.print(f"\nSecrets removed before anything was stored: {cell(kinds) or 'none'}", markup=False)


def _memories(server: Server, **chosen: str) -> list[Answer]:
    """What was said last first: sessions are distilled beside each other, in whatever order."""
    found = server.get("memories", first=100, **chosen)["items"]
    return sorted(found, key=lambda memory: str(memory["valid_from"]), reverse=True)


def _show_memories(title: str, memories: Sequence[Answer], most: int = 15) -> None:
    more = f", the first {most} of them" if len(memories) > most else ""
    console.print(f"\n{title}: {len(memories)}{more}")
    entries(
        ListRow(
            f"{memory['confidence']:.2f}",
            leaning(memory["text"], memory["lead_in"]),
            (memory["kind"], memory["category"]),
        )
        for memory in memories[:most]
    )


def _show_changes(title: str, memories: Sequence[Answer], server: Server, *, link: str, marks: tuple[str, str]) -> None:
    rows: list[ListRow] = []
    for memory in memories[:10]:
        why = server.get(f"memories/{memory['id']}/explain")
        rows.append(ListRow(marks[0], memory["text"]))
        rows.extend(ListRow(marks[1], other["text"], (other["reason"],)) for other in why[link])
    console.print(f"\n{title}: {len(memories)}")
    entries(rows)


def _show_rejections(server: Server) -> None:
    found = server.get("rejections", first=100)["items"]
    reasons = Counter(each["reason"] for each in found)
    summary = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    console.print(f"\nRejected: {len(found)} ({summary})", markup=False)
    for each in found[:8]:
        console.print(f"   {each['reason']}: {each['text']}", style="dim", markup=False)


def _ask(server: Server, questions: Sequence[str]) -> None:
    console.print("\n[bold]4. Recall[/]")
    for question in questions:
        console.print(f"\n[bold]{question}[/]")
        print_recall(server.post("recall", query=question, profile=Profile.BALANCED.value, limit=3))
    console.print("\n[bold]A question that nothing answers[/]: " + UNANSWERABLE)
    print_recall(server.post("recall", query=UNANSWERABLE))
    console.print("\n[bold]5. The block for the prompt[/]")
    for question in questions:
        began = time.perf_counter()
        block = server.post("context", query=question, max_tokens=300)
        elapsed = (time.perf_counter() - began) * 1000
        console.print(f"\n# {question}", style="bold", markup=False)
        console.print(block["text"] or "(nothing relevant)", markup=False)
        of_all = f"{block['included']} of {amount(block['available'], 'memory', 'memories')}"
        console.print(f"{of_all}, {amount(block['tokens'], 'token')}, {elapsed:.0f} ms", style="dim")


def _connect(server: Server, question: str, start: str, end: str) -> None:
    """A question whose answer takes two memories, and the way between them through what both name."""
    console.print("\n[bold]6. Two memories, one answer[/]")
    console.print(f"\n[bold]{question}[/]")
    print_recall(server.post("recall", query=question, profile=Profile.DEEP.value, limit=5))
    console.print(f"\n[bold]How are {start} and {end} connected?[/]")
    try:
        print_path(find_path(server, start, end))
    except NotFound as unknown:
        console.print(unknown.message, markup=False)
