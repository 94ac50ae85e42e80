"""MCP as hosts use it: the SDK's own client against a running stack, over HTTP and through `memory mcp`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from apps.api.verbs import TOOLS
from apps.stack.supervisor import Stack
from tests.stacks import stack_of_its_own

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PROGRAM = str(Path(sys.executable).with_name("memory"))
Connect = Callable[..., Any]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with stack_of_its_own("wordllama") as started:
        yield started


@pytest.fixture(scope="module")
def key(stack: Stack) -> str:
    return str(stack.first_tenant["api_key"])


@asynccontextmanager
async def over_http(stack: Stack, key: str, user: str | None = None, mode: Any = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}", **({"Memory-User": quote(user, safe="")} if user else {})}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{stack.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(stack: Stack, key: str, user: str | None = None, mode: Any = "auto") -> AsyncIterator[Client]:
    told = {"MEMORY_URL": stack.url, "MEMORY_API_KEY": key, **({"MEMORY_USER": user} if user else {})}
    async with Client(StdioServerParameters(command=PROGRAM, args=["mcp"], env=told), mode=mode) as client:
        yield client


@pytest.fixture(params=[over_http, over_stdio])
def transport(request: pytest.FixtureRequest, stack: Stack) -> Connect:
    def connect(key: str, **options: Any) -> Any:
        return request.param(stack, key, **options)

    return connect


def answer(result: Any) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_host_lists_the_tools_and_uses_them_all(transport: Connect, key: str, mode: str):
    async def run() -> None:
        async with transport(key, mode=mode) as client:
            listed = (await client.list_tools()).tools
            assert {each.name for each in listed} == set(TOOLS)
            assert "Search before you answer" in client.instructions

            # The client checks each answer against the tool's output schema.
            async def call(name: str, **arguments: Any) -> Any:
                return answer(await client.call_tool(name, arguments))

            stored = await call("remember_fact", text=f"Rosa Keller leads the Zeppelin team of {mode}.")
            again = await call("search_memory", query="Who leads the Zeppelin team?", explain=True)
            await call("context", query="Who leads the Zeppelin team?")
            await call("capture_turn", session_id="chat", user_input="Rosa Keller moved to Lund.")
            await call("confirm_fact", id=stored["memory"]["id"])
            await call("explain_fact", id=stored["memory"]["id"])
            changed = await call("correct_fact", id=stored["memory"]["id"], text="Ines Maro leads the Zeppelin team.")
            await call("weak_facts")
            await call("memory_stats")
            trigger = await call("create_trigger", text="Call Rosa.", day="2040-06-12")
            assert (await call("list_triggers"))["items"]
            assert (await call("complete_trigger", id=trigger["id"]))["status"] == "done"
            looked = await call("forget", ids=[changed["memory"]["id"]])
            gone = await call("forget", ids=[changed["memory"]["id"]], dry_run=False)

            assert again["hits"][0]["item_id"] == stored["memory"]["id"]
            assert (looked["batch_id"], gone["dry_run"]) == (None, False)

    asyncio.run(run())


def test_a_host_reads_the_session_start(transport: Connect, key: str):
    async def run() -> None:
        async with transport(key) as client:
            await client.call_tool("remember_fact", {"text": "Never call Mara before nine.", "kind": "rule"})
            (offered,) = (await client.list_resources()).resources
            (read,) = (await client.read_resource(offered.uri)).contents
            assert "Never call Mara before nine." in read.text

    asyncio.run(run())


def test_a_host_that_speaks_for_a_user_stays_with_it(transport: Connect, key: str):
    async def run() -> None:
        async with transport(key, user="münch/1") as client:
            mine = answer(await client.call_tool("remember_fact", {"text": "My locker in the gym is number 17."}))
            other = await client.call_tool("search_memory", {"query": "locker", "filter": {"user_id": "olaf"}})
        assert mine["memory"]["user_id"] == "münch/1"
        assert json.loads(other.content[0].text)["error"]["code"] == "FORBIDDEN"

    asyncio.run(run())


def test_a_failing_tool_says_so_in_our_words(transport: Connect, key: str):
    async def run() -> None:
        async with transport(key) as client:
            failed = await client.call_tool("confirm_fact", {"id": "0193c2f5-7a77-7c1b-9b5e-3f2f6f0a1b2c"})
            with pytest.raises(MCPError, match="There is no such tool"):
                await client.call_tool("no_such_tool", {})
        assert failed.is_error
        assert json.loads(failed.content[0].text)["error"]["code"] == "NOT_FOUND"

    asyncio.run(run())


def test_hosts_ask_at_once(transport: Connect, key: str):
    async def run() -> None:
        async with transport(key) as client:
            asked = [client.call_tool("memory_stats", {}) for _ in range(24)]
            assert all(answer(each) for each in await asyncio.gather(*asked))

    asyncio.run(run())


def test_a_key_that_is_revoked_meanwhile_opens_nothing(transport: Connect, stack: Stack, key: str):
    async def run() -> None:
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=f"{stack.url}/api/v1", headers=headers) as admin:
            made = (await admin.post("/keys", json={"scopes": ["read"], "name": "a host's"})).json()
            async with transport(made["token"]) as client:
                assert answer(await client.call_tool("memory_stats", {}))
                assert "remember_fact" not in {each.name for each in (await client.list_tools()).tools}
                await admin.post(f"/keys/{made['key']['id']}/revoke")
                with pytest.raises(MCPError, match=r"The API key is revoked"):
                    await client.call_tool("memory_stats", {})

    asyncio.run(run())


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"MEMORY_API_KEY": "mp_x"}, "The API key is not valid."),
        ({"MEMORY_URL": "http://127.0.0.1:9"}, "No memory server answers at http://127.0.0.1:9."),
    ],
)
def test_a_relay_that_cannot_serve_says_why_and_ends(stack: Stack, key: str, told: dict[str, str], why: str):
    environment = {"MEMORY_URL": stack.url, "MEMORY_API_KEY": key, "COLUMNS": "200", **told}
    done = subprocess.run(
        [PROGRAM, "mcp"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_line_does_not_load_the_sdk():
    loaded = "import sys, apps.cli.main; print([name for name in sys.modules if name.split('.')[0] == 'mcp'])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
