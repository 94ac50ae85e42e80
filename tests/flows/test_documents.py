"""Every fenced block of every page runs, in the order of its page, and what the page prints is what comes out.

Each page is followed by a reader of its own: a tenant that knows nothing but what TOLD says, in a folder that looks
like a checkout. A block of `text` or `json` after one that runs is its output; ids and times are not compared, and `…`
stands for anything. A block that cannot run says why in a comment before it, and NOT_RUN lists it.
"""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import playwright
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from typing_extensions import override

from apps.stack.supervisor import Stack
from memory_client import MemoryClient
from tests.stacks import keys_of_new_tenants, stack_of_its_own

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# The Node.js that Playwright brings: no other need be installed.
NODE = Path(playwright.__file__).parent / "driver" / "node"
PAGES = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for pattern in ("*.md", "docs/**/*.md", "sdk/*/*.md", "deploy/**/*.md", "bench/*.md", "training/*.md")
    for page in sorted(ROOT.glob(pattern))
}
FENCE = re.compile(r"^\s*(```|~~~)", re.MULTILINE)
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = {"text", "json"}

NOT_RUN = {
    "README.md": [
        "`.ci/run` builds the environment and runs the tests, which start a stack of their own",
    ],
    "docs/guides/categories.md": [
        "a file of the deployment; tests/apps/tenants/test_taxonomy.py reads such files",
    ],
    "docs/guides/command-line.md": [
        "they start servers or read standard input; flows/test_demo.py and flows/test_mcp.py run them",
    ],
    "docs/guides/events.md": [
        "a stream goes on until it is stopped; tests/api/test_events.py reads one",
    ],
    "docs/guides/graph.md": [
        "`.ci/run` fetches Neo4j, tests/faults/test_graph.py starts it",
        "the platform is started again, with a Neo4j; tests/faults/test_graph.py does",
        "needs the Neo4j of before; tests/faults/test_graph.py copies the graph to one",
    ],
    "docs/guides/curation.md": [
        "a file as it may look; tests/core/test_curating.py pins its form",
        "it needs a tenant that lost its lines; tests/flows/test_drill.py does it, word for word",
    ],
    "docs/guides/lessons.md": [
        "a file as it may look; tests/core/test_lessons.py pins its form",
    ],
    "docs/guides/mcp.md": [
        "needs Claude Code; the address and the header are those of the configuration below, which runs",
    ],
    "docs/guides/operations.md": [
        "needs a server at db.example.com; tests/apps/stack/test_database.py runs the command on one",
        "needs Docker",
        "`restore` needs the platform stopped; tests/faults/test_backup.py does that",
        "they ask for a password at the terminal",
    ],
    "docs/guides/recall.md": [
        "a block as it may look; tests/core/test_context.py pins its form",
    ],
    "docs/guides/summaries.md": [
        "a page as it may look; tests/core/test_summarising.py pins its form",
    ],
}

# What was said before, in `chat-1`, where a page speaks of more than it sends.
TOLD: dict[str, list[str]] = {
    "docs/guides/command-line.md": [
        "Mara Lindqvist lives in Lisbon.",
        "The company Elvekraft is based in Hamar.",
        "Mara is a nurse.",
        "Jonas works at Vestkraft in Hamar.",
    ],
    "docs/guides/sessions.md": ["We met in room 1.", "We met in room 2."],
}


@dataclass(frozen=True)
class Block:
    """One fence; `promised` is the output that its page prints after it."""

    page: str
    line: int
    kind: str
    text: str
    reason: str | None
    promised: "Block | None" = None

    @override
    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def fences(page: str) -> Iterator[Block]:
    for found in BLOCK.finditer(PAGES[page]):
        yield Block(page, PAGES[page].count("\n", 0, found.start(3)), found[2], found[3], found[1])


def blocks(page: str) -> list[Block]:
    """The fences of a page, each output with the block before it."""
    joined: list[Block] = []
    for block in fences(page):
        last = joined[-1] if joined else None
        if last and block.kind in OUTPUT and last.kind in PROGRAMS and not last.reason and not last.promised:
            joined[-1] = replace(last, promised=block)
        else:
            joined.append(block)
    return joined


@dataclass
class Reader:
    """Who follows a page: a tenant's first key, a folder, and the variables its shell has by now."""

    stack: Stack
    key: str
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    def __post_init__(self) -> None:
        (self.folder / ".venv").symlink_to(sys.prefix)
        (self.folder / "apps").symlink_to(ROOT / "apps")
        (self.folder / "sdk").symlink_to(ROOT / "sdk")
        (self.folder / "var").symlink_to(self.stack.root)
        (self.folder / "node_modules").mkdir()
        (self.folder / "node_modules" / "memory-platform-client").symlink_to(ROOT / "sdk" / "typescript")
        (self.folder / "chat.jsonl").write_text('{"role": "user", "content": "I have played the cello since 2011."}\n')
        self.variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")},
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "MEMORY_URL": self.stack.url,
            "MEMORY_API_KEY": self.key,
            "MEMORY_HOME": str(self.folder / "home"),
            "COLUMNS": "120",
        }

    @property
    def memory(self) -> MemoryClient:
        return MemoryClient(self.stack.url, self.key, timeout=60.0)

    def own(self, text: str) -> str:
        """The text with this reader's server and key in the places of the page's."""
        return text.replace("127.0.0.1:8000", urlsplit(self.stack.url).netloc).replace("mp_…", self.key)

    def run(self, *command: str, **variables: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"exit {done.returncode} of {shlex.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def shell(reader: Reader, text: str) -> str:
    """Run commands with what exists in the places of MEMORY, KEY …; what they set, later blocks of the page know."""
    text = re.sub(rf" ({'|'.join(MADE)})\b", lambda found: f" {MADE[found[1]](reader)}", text)
    kept = reader.folder / "variables"
    said = reader.run(
        "bash",
        "-euc",
        f'set -a\ncurl() {{ command curl --silent --fail-with-body "$@"; }}\n{text}\nenv -0 > {kept}',
    )
    reader.printed += said
    reader.variables = dict(line.split("=", 1) for line in kept.read_text().split("\0") if line[:1].isupper())
    return said


def python(reader: Reader, text: str) -> str:
    return reader.run(sys.executable, "-c", text)


def javascript(reader: Reader, text: str) -> str:
    program = reader.folder / "example.mjs"
    program.write_text(text, encoding="utf-8")
    return reader.run(str(NODE), str(program))


def graphql(reader: Reader, text: str) -> str:
    """The data that answers a request; each of its variables is named after what goes there."""
    variables = {name: MADE[name.upper()](reader) for name in re.findall(r"\$(\w+):", text)}
    with reader.memory as memory:
        return json.dumps(memory.graphql(text, variables))


def host(reader: Reader, text: str) -> str:
    """The tools that a host with this MCP configuration is offered."""
    told = json.loads(text.replace("${input:memory-key}", reader.key).replace("https://your-server", reader.stack.url))
    ((server,),) = [each.values() for name, each in told.items() if name in {"mcpServers", "servers"}]
    return "\n".join(asyncio.run(tools(server)))


async def tools(server: dict[str, Any]) -> list[str]:
    if "command" in server:
        command = BIN / server["command"]
        started = StdioServerParameters(command=str(command), args=server["args"], env=server["env"])
        async with Client(started) as client:
            return [each.name for each in (await client.list_tools()).tools]
    async with (
        httpx2.AsyncClient(headers=server["headers"], timeout=30) as http,
        Client(streamable_http_client(server["url"], http_client=http)) as client,
    ):
        return [each.name for each in (await client.list_tools()).tools]


Runner = Callable[[Reader, str], str]
PROGRAMS: dict[str, Runner] = {"sh": shell, "python": python, "js": javascript, "graphql": graphql}
# A block of JSON that nothing printed is the configuration of an MCP host.
RUNNERS: dict[str, Runner] = {**PROGRAMS, "json": host}


def fact(reader: Reader) -> str:
    """The id of a memory that nothing else speaks of."""
    with reader.memory as memory:
        stored = memory.remember(f"Locker {uuid4().int % 10**6} in the north wing belongs to Noor Haddad.").memory
    assert stored is not None
    return stored.id


def wording(reader: Reader) -> str:
    """The id of what says the same as a memory and was merged into it."""
    with reader.memory as memory:
        held = memory.memory(fact(reader))
        memory.remember(held.text)
        return memory.explain_memory(held.id).merged[0].id


def lesson(reader: Reader) -> str:
    """The id of what a user taught just now; with no time of rest it is read at once."""
    with reader.memory as memory:
        memory.capture_turn("chat-8", user_input="Never deploy to production on a Friday.")
        memory.wait_until_idle()
        return memory.lessons().items[0].id


def proposal(reader: Reader) -> str:
    """The id of a proposal that waits for somebody."""

    def waiting() -> list[str]:
        return [each["id"] for each in told_json("proposals")(reader)["items"]]

    if not waiting():
        reader.run("memory", "remember", "The crane of the yard lifts forty tons.", "--shared")
        reader.run("memory", "reflect")
        with reader.memory as memory:
            memory.wait_until_idle()
    return waiting()[0]


def batch(reader: Reader) -> str:
    with reader.memory as memory:
        return str(memory.forget(ids=[fact(reader)]).batch_id)


def told_json(*words: str) -> Callable[[Reader], Any]:
    return lambda reader: json.loads(reader.run("memory", *words, "--json"))


# What stands in capitals in a page, or is a variable of a request, by how it is come by.
MADE: dict[str, Callable[[Reader], str]] = {
    "ID": lambda reader: re.findall(r"[Mm]emory ([0-9a-f]{8})", reader.printed)[-1],
    "MEMORY": fact,
    "WORDING": wording,
    "BATCH": batch,
    "LESSON": lesson,
    "PROPOSAL": proposal,
    "TRIGGER": lambda reader: told_json("remind", "Call the bank.", "--day", "2040-06-12")(reader)["id"],
    "RECALL": lambda reader: told_json("recall", "Where does Mara live?")(reader)["id"],
    "JOB": lambda reader: told_json("capture", "chat-9", "--user", "Hello there.")(reader)["job_ids"][0],
    "KEY": lambda reader: told_json("keys", "create")(reader)["key"]["id"],
    "PUBLIC_KEY": lambda reader: told_json("curated", "check")(reader)["public_key"],
    "ENTITY": lambda reader: told_json("entity", "Wanda")(reader)["id"],
    "OTHER": lambda reader: told_json("entity", "Maresia")(reader)["id"],
}


# Ids and times: no two runs have the same.
OWN = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"
    r"|(?m:^)[0-9a-f]{8}(?=  )|(?<=memory |Memory )[0-9a-f]{8}\b"
)


def fits(promised: Any, given: Any) -> bool:
    """Whether an output is as promised. `…` alone stands for any value, or any lines."""
    match promised:
        case "…":
            return True
        case dict():
            return (
                isinstance(given, dict)
                and promised.keys() == given.keys()
                and all(fits(each, given[name]) for name, each in promised.items())
            )
        case list():
            return isinstance(given, list) and len(promised) == len(given) and all(map(fits, promised, given))
        case str():
            return isinstance(given, str) and bool(
                re.fullmatch(
                    pattern(promised), "\n" + OWN.sub("…", re.sub(r" +$", "", given.strip(), flags=re.MULTILINE))
                )
            )
        case _:
            return bool(promised == given)


def pattern(promised: str) -> str:
    lines = OWN.sub("…", promised.strip()).split("\n")
    return "".join("(?s:.*)" if line == "…" else rf"\n{re.escape(line.rstrip()).replace('…', '.*')}" for line in lines)


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with stack_of_its_own("minilm") as started:
        yield started


@pytest.fixture(scope="module")
def keys(stack: Stack) -> Iterator[str]:
    return keys_of_new_tenants(stack)


@pytest.fixture
def reader(stack: Stack, keys: Iterator[str], tmp_path: Path) -> Reader:
    return Reader(stack, next(keys), tmp_path)


def test_every_fence_is_known_and_runs_or_says_why_not() -> None:
    for page, text in PAGES.items():
        assert len(FENCE.findall(text)) == 2 * len(list(fences(page))), f"{page}: a fence is indented or not closed"
    unknown = {
        f"{block}: {block.kind}"
        for page in PAGES
        for block in blocks(page)
        if not (block.reason or block.kind in RUNNERS)
    }
    assert unknown == set()
    reasons = {page: [block.reason for block in blocks(page) if block.reason] for page in PAGES}
    assert {page: given for page, given in reasons.items() if given} == NOT_RUN


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_a_page_can_be_followed(reader: Reader, page: str) -> None:
    tell(reader, TOLD.get(page, []))
    for block in blocks(page):
        if not block.reason:
            follow(reader, block)


def tell(reader: Reader, said: list[str]) -> None:
    with reader.memory as memory:
        for turn, words in enumerate(said, start=1):
            memory.capture_turn("chat-1", turn_number=turn, user_input=words)


def follow(reader: Reader, block: Block) -> None:
    with reader.memory as memory:
        memory.wait_until_idle()
    try:
        given = RUNNERS[block.kind](reader, reader.own(block.text))
    except Exception as error:
        raise AssertionError(f"{block}: {error}") from error
    if block.promised is not None:
        as_json = block.promised.kind == "json"
        promised = json.loads(block.promised.text) if as_json else block.promised.text
        assert fits(promised, json.loads(given) if as_json else given), f"{block.promised}: what comes is\n{given}"
