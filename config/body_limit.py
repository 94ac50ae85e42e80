"""Refuses request bodies that are too large or too slow as they arrive, before they are spooled to disk."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class _BodyRefused(Exception):
    def __init__(self, status: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.hint = hint


class BodyLimit:
    """ASGI middleware: answers 413 past `limit` bytes, by Content-Length or by counting, whatever was declared, and
    408 for a body that is not there within `seconds`; the connection is closed then.
    """

    def __init__(self, application: Application, *, limit: int, seconds: float) -> None:
        self._application = application
        self._limit = limit
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        try:
            if _declared(scope) > self._limit:
                raise self._too_big()
            await self._application(scope, self._bounded(receive), send)
        except _BodyRefused as refused:
            await _refuse(send, refused)

    def _bounded(self, receive: Receive) -> Receive:
        seen = 0
        is_whole = False
        deadline = asyncio.get_running_loop().time() + self._seconds

        async def bounded() -> Message:
            nonlocal seen, is_whole
            if is_whole:
                # What comes now is that the caller has gone, in its own time.
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError as error:
                raise self._too_slow() from error
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise self._too_big()
            is_whole = not message.get("more_body", False)
            return message

        return bounded

    def _too_big(self) -> _BodyRefused:
        return _BodyRefused(413, f"The body is larger than {self._limit} bytes.", "Send it in several parts.")

    def _too_slow(self) -> _BodyRefused:
        return _BodyRefused(
            408, f"The body was not sent within {self._seconds:g} seconds.", "Send it in smaller parts."
        )


async def _refuse(send: Send, refused: _BodyRefused) -> None:
    error = {"code": "INVALID", "message": refused.message, "hint": refused.hint}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
