"""The ASGI entry: Django with synchronous views and middleware, and bounds on request bodies."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import django
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import close_old_connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from typing_extensions import override

from config.body_limit import BodyLimit, Receive, Scope, Send
from config.turns import Turns

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# What serves requests may not act as the tables' owner, even where commands of the same environment may.
os.environ.pop("MEMORY_MIGRATION_URL", None)
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  settings exist only once Django is set up

from apps.api.mcp import view as mcp  # noqa: E402
from apps.core import providers, signing  # noqa: E402
from apps.graph import stores  # noqa: E402
from apps.memory.services import classifying  # noqa: E402
from apps.retrieval.services import intents  # noqa: E402
from config import celery  # noqa: E402, F401  imported here, or the first capture pays for it
from memory_platform.adapters.allocator import return_freed_memory  # noqa: E402

signing.secret()

# As many requests are worked on at once; more wait their turn. Connections come from the pool of each process.
THREADS = 16
# Of these one key has as many at most, so that no agent keeps all others waiting.
THREADS_OF_ONE_KEY = 12


class SynchronousStack(ASGIHandler):
    """Runs the whole middleware chain and the view in one hop to a pooled thread.

    Django's own handler keeps the chain asynchronous, hops twice for each middleware with synchronous hooks, and
    starts a thread for each request, with database and cache objects of its own. Asynchronous views still work:
    Django adapts them one by one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._turns = Turns(THREADS_OF_ONE_KEY)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"Only HTTP is served, not {scope['type']}.")
        await self.handle(scope, receive, send)

    @override
    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        async with self._turns.of(request.headers.get("Authorization", "")):
            return await sync_to_async(self._respond, thread_sensitive=False, executor=self._threads)(request)

    def _respond(self, request: HttpRequest) -> HttpResponseBase:
        try:
            return self.get_response(request)
        finally:
            # Django would do so on the thread that ends the request, which is not this one.
            close_old_connections()


application = BodyLimit(
    SynchronousStack(), limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE, seconds=settings.BODY_TIMEOUT_SECONDS
)


def _warm() -> None:
    """Load what the first recall would otherwise wait for, or answer without. Requests need not wait for this."""
    providers.warm()
    intents.warm()
    classifying.warm()
    stores.warm()
    mcp.warm()
    return_freed_memory()


threading.Thread(target=_warm, name="warm-up", daemon=True).start()
