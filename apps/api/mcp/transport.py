"""One exchange of the streamable HTTP transport inside a Django request: a message in, its answer out.

Through Django and not beside it, so that hosts, bodies, request ids, metrics, threads and connections are looked after
as for every request. Nothing is kept between requests: any web process answers any of them.
"""

from typing import Any

import anyio
from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Scope


def exchange(server: Server[Any], request: HttpRequest) -> HttpResponse:
    """Have the server answer what the request carries. Raises RequestDataTooBig."""
    return async_to_sync(_exchange)(server, _scope(request), request.body)


async def _exchange(server: Server[Any], scope: Scope, body: bytes) -> HttpResponse:
    incoming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    outgoing: list[Message] = []

    async def receive() -> Message:
        if not incoming:
            await anyio.sleep_forever()
        return incoming.pop()

    async def send(message: Message) -> None:
        outgoing.append(message)

    manager = StreamableHTTPSessionManager(
        server, stateless=True, json_response=True, max_request_body_size=settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    start, *parts = outgoing
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return HttpResponse(b"".join(part.get("body", b"") for part in parts), status=start["status"], headers=headers)


def _scope(request: HttpRequest) -> Scope:
    headers = [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in request.headers.items()]
    return {"type": "http", "method": request.method, "path": request.path, "query_string": b"", "headers": headers}
