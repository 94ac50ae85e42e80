"""An MCP server on standard input and output that asks another over HTTP: its tools, its answers, its errors."""

from typing import Any
from urllib.parse import quote

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from typing_extensions import override

from memory_client.running import USER_HEADER
from memory_platform.errors import Unavailable

TIMEOUT_SECONDS = 60.0


async def relay(url: str, api_key: str, user_id: str | None) -> None:
    """Serve until standard input ends."""
    headers = {"Authorization": f"Bearer {api_key}"} | ({USER_HEADER: quote(user_id, safe="")} if user_id else {})
    async with (
        httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_SECONDS, transport=RelayConnection()) as http,
        Client(streamable_http_client(url, http_client=http)) as there,
        stdio_server() as (incoming, outgoing),
    ):
        server = _relaying(there)
        await server.run(incoming, outgoing, server.create_initialization_options())


class RelayConnection(httpx2.AsyncHTTPTransport):
    """Answers for a server that is away, which would otherwise be the end of the SDK's client, and of this one."""

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await super().handle_async_request(request)
        except httpx2.TransportError:
            away = Unavailable("The memory server does not answer.", hint="Try again; `memory doctor` tells more.")
            data = {"code": away.code, "hint": away.hint}
            error = {"code": types.INTERNAL_ERROR, "message": away.message, "data": data}
            return httpx2.Response(away.status, json={"jsonrpc": "2.0", "id": None, "error": error})


def _relaying(there: Client) -> Server[Any]:
    return Server(
        "memory",
        instructions=there.instructions,
        on_list_tools=lambda _, _page: there.list_tools(),
        on_call_tool=lambda _, called: there.call_tool(called.name, called.arguments),
        on_list_resources=lambda _, _page: there.list_resources(),
        on_read_resource=lambda _, wanted: there.read_resource(wanted.uri),
    )
