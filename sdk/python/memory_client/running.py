"""The two drivers of the same steps, and how a verb's description becomes a method of theirs."""

import asyncio
import copy
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, ParamSpec, Self, TypeVar
from urllib.parse import quote

import httpx

from memory_client.decoding import Page
from memory_client.errors import Invalid, Unauthenticated
from memory_client.exchange import Outcome, Retries, Steps, Wait, answer_of
from memory_client.requests import NDJSON, Request

# The caller's own id of the user a request is for, percent-encoded.
USER_HEADER = "Memory-User"
TIMEOUT_SECONDS = 30.0
RETRIES = Retries()

Answer = TypeVar("Answer")
Row = TypeVar("Row")
Options = ParamSpec("Options")


class Connection:
    """What both clients are made with, and what each request carries."""

    def __init__(self, url: str, api_key: str, user_id: str | None, retries: Retries) -> None:
        if not api_key.strip():
            raise Unauthenticated("There is no API key.", hint="Give the key that the server's operator made for you.")
        if not (api_key.isascii() and api_key.isprintable()):
            raise Unauthenticated(
                "The API key holds characters that no key has.", hint="Copy it whole, as it was shown."
            )
        self.url = _checked(url)
        self.retries = retries
        self._api_key = api_key
        self._user_id = user_id

    def for_user(self, user_id: str | None) -> Self:
        """The same client speaking for a user. It shares the connections: closing one closes the other."""
        other = copy.copy(self)
        other._user_id = user_id  # noqa: SLF001  a copy of its own class
        return other

    def _arguments(self, request: Request[Any]) -> dict[str, Any]:
        """Of httpx's `request`."""
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": request.accepts}
        if self._user_id is not None:
            headers[USER_HEADER] = quote(self._user_id, safe="")
        if request.lines is not None:
            headers["Content-Type"] = NDJSON
        return {
            "method": request.method,
            "url": request.path,
            "params": dict(request.query),
            "json": request.body,
            "content": request.lines,
            "headers": headers,
        }


class Blocking(Connection):
    """Takes steps one after the other, waiting for each."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        user_id: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries = RETRIES,
    ) -> None:
        """`timeout` is in seconds, of one attempt. Raises Invalid when `url` is none, Unauthenticated for no key."""
        super().__init__(url, api_key, user_id, retries)
        self._http = httpx.Client(base_url=self.url, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def run(self, steps: Steps[Answer]) -> Answer:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                answer: Answer = done.value
                return answer
            outcome = self._take(step)

    def _take(self, step: Request[Any] | Wait) -> Outcome:
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            return None
        try:
            return self._http.request(**self._arguments(step))
        except httpx.TransportError as error:
            return error


class Awaiting(Connection):
    """Takes the same steps without blocking the event loop."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        user_id: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries = RETRIES,
    ) -> None:
        """`timeout` is in seconds, of one attempt. Raises Invalid when `url` is none, Unauthenticated for no key."""
        super().__init__(url, api_key, user_id, retries)
        self._http = httpx.AsyncClient(base_url=self.url, timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def run(self, steps: Steps[Answer]) -> Answer:
        outcome: Outcome = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                answer: Answer = done.value
                return answer
            outcome = await self._take(step)

    async def _take(self, step: Request[Any] | Wait) -> Outcome:
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._http.request(**self._arguments(step))
        except httpx.TransportError as error:
            return error


def blocking(build: Callable[Options, Request[Answer]]) -> Callable[Concatenate[Blocking, Options], Answer]:
    @functools.wraps(build)
    def method(client: Blocking, /, *args: Options.args, **options: Options.kwargs) -> Answer:
        return client.run(answer_of(build(*args, **options), client.retries))

    return method


def awaiting(build: Callable[Options, Request[Answer]]) -> Callable[Concatenate[Awaiting, Options], Awaitable[Answer]]:
    @functools.wraps(build)
    async def method(client: Awaiting, /, *args: Options.args, **options: Options.kwargs) -> Answer:
        return await client.run(answer_of(build(*args, **options), client.retries))

    return method


def every(build: Callable[Options, Request[Page[Row]]]) -> Callable[Concatenate[Blocking, Options], Iterator[Row]]:
    """Rows over all pages, asked for as they are used."""
    ask = blocking(build)

    @functools.wraps(build)
    def method(client: Blocking, /, *args: Options.args, **options: Options.kwargs) -> Iterator[Row]:
        page = ask(client, *args, **options)
        yield from page.items
        while page.next is not None:
            page = ask(client, *args, **{**options, "after": page.next})  # type: ignore[arg-type]
            yield from page.items

    return method


def every_awaiting(
    build: Callable[Options, Request[Page[Row]]],
) -> Callable[Concatenate[Awaiting, Options], AsyncIterator[Row]]:
    """Rows over all pages, asked for as they are used."""
    ask = awaiting(build)

    @functools.wraps(build)
    async def method(client: Awaiting, /, *args: Options.args, **options: Options.kwargs) -> AsyncIterator[Row]:
        page = await ask(client, *args, **options)
        for row in page.items:
            yield row
        while page.next is not None:
            page = await ask(client, *args, **{**options, "after": page.next})  # type: ignore[arg-type]
            for row in page.items:
                yield row

    return method


def _checked(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url.strip().rstrip("/"))
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise Invalid(f"{url!r} is not the URL of a server.", hint="Use one such as http://127.0.0.1:8000.")
    return parsed
