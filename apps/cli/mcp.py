"""`memory mcp`: the tools of the server at MEMORY_URL, for a host that speaks MCP over standard input and output."""

import typer

from apps.cli.connection import api_key, connect, server_url, user_id
from apps.cli.options import RUN, add


def register(app: typer.Typer) -> None:
    add(app, "mcp", mcp, "memory mcp", group=RUN)


def mcp() -> None:
    """Serve the tools of /mcp over standard input and output; hosts start this by themselves."""
    with connect() as server:
        server.get("viewer")
    import asyncio

    from apps.cli.mcp_relay import relay

    asyncio.run(relay(f"{server_url().rstrip('/')}/mcp", api_key(), user_id()))
