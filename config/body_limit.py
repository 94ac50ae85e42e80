"""Refuses request bodies over the limit as they arrive, before they are spooled to disk, whatever they declare."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class _TooBig(Exception):
    pass


class BodyLimit:
    """ASGI middleware: answers 413 past `limit` bytes, by Content-Length or by counting."""

    def __init__(self, application: Application, *, limit: int) -> None:
        self._application = application
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        if _declared(scope) > self._limit:
            await self._refuse(send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise _TooBig
            return message

        try:
            await self._application(scope, counted, send)
        except _TooBig:
            await self._refuse(send)

    async def _refuse(self, send: Send) -> None:
        message = f"The body is larger than {self._limit} bytes."
        error = {"code": "INVALID", "message": message, "hint": "Send it in several parts."}
        body = json.dumps({"error": error}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
