"""`memory demo` shows the main job once, from a transcript to answers, on a stack that is gone afterwards."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SECTIONS = [
    "1. A private stack",
    "2. Capture",
    "3. What became of it",
    "4. Recall",
    "5. The block for the prompt",
    "6. Two memories, one answer",
]


def demo(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MEMORY_EMBEDDER": "wordllama", "COLUMNS": "160"}
    program = Path(sys.executable).with_name("memory")
    return subprocess.run(
        [program, "demo", *words], env=environment, capture_output=True, text=True, timeout=220, check=False
    )


def test_the_bundled_conversation_is_remembered_and_answered_from():
    shown = demo()

    assert (shown.returncode, shown.stderr.count("Traceback")) == (0, 0), shown.stderr
    lines = shown.stdout.splitlines()
    starts = [next(number for number, line in enumerate(lines) if line.startswith(section)) for section in SECTIONS]
    assert starts == sorted(starts)
    kept, recalled = "\n".join(lines[starts[2] : starts[3]]), "\n".join(lines[starts[3] : starts[4]])
    assert "hunter2" not in shown.stdout
    assert "Migrations must be reversible and run in under five minutes." in kept
    assert "29 June 2026" in recalled
    assert "Nothing relevant is remembered." in recalled[recalled.index("A question that nothing answers") :]
    joined = "\n".join(lines[starts[5] :])
    hits, path = joined.split("How are Wanda and Porto connected?")
    assert "Wanda worked at Maresia" in hits
    assert "1. Wanda —worked at→ Maresia" in path
    assert "2. Maresia —based in→ Porto" in path
    assert "Maresia is based in Porto" in path
    assert path.count("said by Mara on") == 2


def test_a_transcript_that_is_not_there_starts_no_stack():
    refused = demo("/nowhere/chat.jsonl")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "error: There is no file /nowhere/chat.jsonl. Give the path of a transcript.\n"
