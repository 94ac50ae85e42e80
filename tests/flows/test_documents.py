"""What the README and the guides print works as printed."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from uuid import uuid4

import pytest
from graphql import DocumentNode, parse, validate

from apps.api.graphql.schema import schema
from apps.stack.supervisor import Stack, StackOptions, private_stack
from memory_client import MemoryClient

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAM = Path(sys.executable).with_name("memory")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(path.read_text(encoding="utf-8")) if kind == language]


GRAPHQL = [
    pytest.param(text, id=f"{path.name}-{place}")
    for path in PAGES
    for place, text in enumerate(blocks(path, "graphql"), start=1)
]


PYTHON = [
    pytest.param(text, id=f"{path.relative_to(ROOT)}-{place}")
    for path in [*PAGES, ROOT / "sdk" / "python" / "README.md"]
    for place, text in enumerate(blocks(path, "python"), start=1)
]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with private_stack(StackOptions(root=Path("unused"), durable=False)) as started:
        yield started


@pytest.fixture
def key(stack: Stack) -> str:
    """The key of a tenant that knows nothing yet."""
    return str(json.loads(stack.manage("create_tenant", f"reader-{uuid4().hex[:8]}"))["api_key"])


@pytest.mark.parametrize("example", GRAPHQL)
def test_graphql_examples_fit_the_schema(example: str):
    for definition in parse(example).definitions:
        assert validate(schema._schema, DocumentNode(definitions=(definition,))) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_commands_of_the_readme_give_what_they_promise(stack: Stack, key: str, tmp_path: Path):
    (commands,) = [text for text in blocks(ROOT / "README.md", "") if "memory capture" in text]
    environment = {
        **os.environ,
        "MEMORY_URL": stack.url,
        "MEMORY_API_KEY": key,
        "MEMORY_HOME": str(tmp_path),
        "COLUMNS": "200",
    }

    said = []
    for line in commands.strip().splitlines():
        program, *words = shlex.split(line)
        assert program == ".venv/bin/memory"
        done = subprocess.run(
            [PROGRAM, *words], env=environment, capture_output=True, text=True, timeout=120, check=True
        )
        said.append(done.stdout)

    _, recalled, context, shown = said
    assert "Lisbon in February" in recalled
    assert "penicillin" in context
    assert "Lisbon" in shown
    assert "penicillin" in shown


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("example", PYTHON)
def test_the_python_of_a_page_answers_at_once(stack: Stack, key: str, example: str):
    own = example.replace("http://127.0.0.1:8000", stack.url).replace("mp_…", key)

    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(own, {})

    promised = "order 4711: status delivered" if "get_order" in example else "We deploy on Thursdays."
    assert promised in printed.getvalue().splitlines()[0]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_query_of_the_readme_is_answered_with_its_explanation(stack: Stack, key: str):
    (example,) = blocks(ROOT / "README.md", "graphql")
    with MemoryClient(stack.url, key) as memory:
        memory.capture_turn("s", user_input="We deploy on Thursdays.")
        answer = memory.graphql(example)["recall"]

    assert "Thursdays" in answer["hits"][0]["text"]
    assert answer["explanation"]["floor"] > 0
