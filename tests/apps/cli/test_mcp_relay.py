import asyncio

import httpx2

from apps.cli.mcp_relay import RelayConnection
from apps.stack.network import free_port


def test_a_server_that_is_away_is_an_answer_and_not_the_end():
    async def ask() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=RelayConnection()) as http:
            return await http.post(f"http://127.0.0.1:{free_port()}/mcp", json={})

    away = asyncio.run(ask())

    assert away.status_code == 503
    assert away.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": -32603,
            "message": "The memory server does not answer.",
            "data": {"code": "UNAVAILABLE", "hint": "Try again; `memory doctor` tells more."},
        },
    }
