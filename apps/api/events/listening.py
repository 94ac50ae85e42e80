"""Listening for events: server-sent events, and a request that waits. Nobody who listens holds a thread.

The event loop keeps the listeners. Once a second it asks, for each tenant that somebody listens to, for the latest
position; only who is behind it reads, on one of two threads of listening's own, as the key may by then: a key that was
revoked hears nothing more. What is not read yet lies in the database and nowhere else, so that who reads slowly costs
no memory.
"""

import asyncio
import json
import signal
import threading
import time
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Final, Self, TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest

from apps.api import auth
from apps.api.contract import problem_of
from apps.api.events import handlers
from apps.api.events.contract import EventsInput, MemoryEvent, MemoryEvents
from apps.api.gateway import Gateway
from apps.core import scope
from apps.journal import services
from memory_platform.errors import RateLimited

LOOK_SECONDS: Final = 1.0
HEARTBEAT_SECONDS: Final = 15.0
RETRY_SECONDS: Final = 3
MOST_A_STREAM: Final = 10_000
"""Then the stream ends, and the caller goes on behind the last id: a server between us may have buffered so many."""

Answer = TypeVar("Answer")
Texts = AsyncIterator[str]

_stopping, _stopping_is_noticed = threading.Event(), threading.Event()
_threads = ThreadPoolExecutor(2, thread_name_prefix="events")


class Seat:
    """One listener's; given back when it leaves, or is let go of before it began."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = weakref.finalize(self, leave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()


class Seats:
    """How many listen in this process."""

    def __init__(self) -> None:
        self._taken: Counter[UUID] = Counter()
        # A seat that was let go of may be given back while this very thread takes one.
        self._lock = threading.RLock()

    def take(self, tenant_id: UUID, *, most: int, most_in_all: int) -> Seat:
        """Raises RateLimited."""
        with self._lock:
            if self._taken[tenant_id] >= most or self._taken.total() >= most_in_all:
                raise RateLimited(
                    "As many listen already as this server keeps.",
                    retry_after=float(RETRY_SECONDS),
                    hint="Ask without `wait`, or have the limit of event streams raised.",
                )
            self._taken[tenant_id] += 1
        return Seat(lambda: self._leave(tenant_id))

    def _leave(self, tenant_id: UUID) -> None:
        with self._lock:
            self._taken -= Counter([tenant_id])


SEATS: Final = Seats()


@dataclass(frozen=True, slots=True)
class _Look:
    at: float
    found: "asyncio.Future[int]"


class Latest:
    """Each tenant's latest position, asked for once a LOOK_SECONDS however many listen."""

    def __init__(self) -> None:
        self._looks: dict[tuple[asyncio.AbstractEventLoop, UUID], _Look] = {}

    async def of(self, tenant_id: UUID) -> int:
        self._looks = {key: look for key, look in self._looks.items() if _is_fresh(look)}
        key = asyncio.get_running_loop(), tenant_id
        if key not in self._looks:
            self._looks[key] = _Look(time.monotonic(), asyncio.ensure_future(_in_thread(lambda: _latest(tenant_id))))
        return await asyncio.shield(self._looks[key].found)


def _is_fresh(look: _Look) -> bool:
    return not look.found.done() or time.monotonic() - look.at < LOOK_SECONDS


LATEST: Final = Latest()


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens: its key is looked at anew with every read."""

    request: HttpRequest
    tenant_id: UUID
    user_id: str | None
    seat: Seat

    async def read(self, after: str) -> MemoryEvents:
        return await _in_thread(lambda: self._read(after))

    async def wait(self, after: str, *, until: float) -> bool:
        """Whether there is something behind `after` before the time (of the monotonic clock) is over."""
        while await LATEST.of(self.tenant_id) <= int(after):
            left = until - time.monotonic()
            if left <= 0 or _stopping.is_set():
                return False
            await asyncio.sleep(min(LOOK_SECONDS, left))
        return True

    def _read(self, after: str) -> MemoryEvents:
        gateway = Gateway(auth.principal_again(self.request)).of(self.user_id)
        return handlers.memory_events(gateway, EventsInput(after=after))


def listener(request: HttpRequest, gateway: Gateway, user_id: str | None, *, most: int) -> Listener:
    """Raises RateLimited when too many listen already."""
    tenant_id = gateway.principal.tenant_id
    seat = SEATS.take(tenant_id, most=most, most_in_all=settings.EVENT_STREAMS)
    return Listener(request, tenant_id, user_id, seat)


def _notice_stop() -> None:
    """Have whoever listens leave when the process is told to stop: its server waits for open answers and tells nobody.

    The loop's own handlers go on as before: they hang on the wake-up descriptor and not on these.
    """
    if _stopping_is_noticed.is_set() or threading.current_thread() is not threading.main_thread():
        return
    _stopping_is_noticed.set()
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)
        if callable(before):
            signal.signal(number, partial(_stop, before))


def _stop(before: Callable[[int, FrameType | None], object], number: int, frame: FrameType | None) -> None:
    _stopping.set()
    before(number, frame)


async def stream(listening: Listener, found: MemoryEvents) -> Texts:
    """Server-sent events, beginning with what was found, until the caller goes, its key ends or the server stops."""
    _notice_stop()
    with listening.seat:
        yield f"retry: {RETRY_SECONDS * 1000}\n{'' if found.items else f'id: {found.next}'}\n\n"
        if found.missed:
            yield "event: missed\ndata: {}\n\n"
        try:
            async for text in _told(listening, found):
                yield text
        except Exception as error:  # noqa: BLE001  told as every API tells it: mapped, logged, masked
            yield f"event: refused\ndata: {json.dumps(problem_of(error).body)}\n\n"


async def _told(listening: Listener, found: MemoryEvents) -> Texts:
    told = 0
    while told < MOST_A_STREAM and not _stopping.is_set():
        for each in found.items:
            yield _event(each)
        told += len(found.items)
        if not await listening.wait(found.next, until=time.monotonic() + HEARTBEAT_SECONDS):
            yield f": still here\nid: {found.next}\n\n"
        found = await listening.read(found.next)


async def late(listening: Listener, found: MemoryEvents, *, seconds: float) -> Texts:
    """The answer of a request that waits: one JSON document, with what happens within the time, or nothing."""
    _notice_stop()
    with listening.seat:
        try:
            until = time.monotonic() + seconds
            while not found.items and await listening.wait(found.next, until=until):
                found = await listening.read(found.next)
            yield found.model_dump_json()
        except Exception as error:  # noqa: BLE001  told as every API tells it: mapped, logged, masked
            yield json.dumps(problem_of(error).body)


def _event(each: MemoryEvent) -> str:
    return f"id: {each.id}\nevent: {each.kind}\ndata: {each.model_dump_json()}\n\n"


def _latest(tenant_id: UUID) -> int:
    with scope.tenant_scope(tenant_id):
        return services.place_events()


async def _in_thread(work: Callable[[], Answer]) -> Answer:
    def done() -> Answer:
        try:
            return work()
        finally:
            close_old_connections()

    return await sync_to_async(done, thread_sensitive=False, executor=_threads)()
