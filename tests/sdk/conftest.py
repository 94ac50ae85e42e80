"""Both clients, asked in the same way."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from memory_client import AsyncMemoryClient, MemoryClient
from tests.sdk.asking import AT_ONCE

Ask = Callable[..., Any]


@pytest.fixture(params=["blocking", "awaiting"])
def open_client(request: pytest.FixtureRequest) -> Iterator[Callable[..., Ask]]:
    """`open_client(url, **options)` is a function that calls a client's method by its name."""
    with asyncio.Runner() as runner:
        opened: list[Any] = []

        def open_blocking(url: str, key: str = "mp_key", **options: Any) -> Ask:
            client = MemoryClient(url, key, **{"retries": AT_ONCE, **options})
            opened.append(client.close)
            return lambda name, *args, **named: getattr(client, name)(*args, **named)

        def open_awaiting(url: str, key: str = "mp_key", **options: Any) -> Ask:
            client = AsyncMemoryClient(url, key, **{"retries": AT_ONCE, **options})
            opened.append(lambda: runner.run(client.close()))
            return lambda name, *args, **named: runner.run(getattr(client, name)(*args, **named))

        yield {"blocking": open_blocking, "awaiting": open_awaiting}[request.param]
        for close in opened:
            close()


@pytest.fixture
def ask(httpserver: HTTPServer, open_client: Callable[..., Ask]) -> Ask:
    return open_client(httpserver.url_for("/"))
