"""Events over REST: at once, waiting for the next, or as server-sent events."""

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.events import handlers, listening
from apps.api.events.contract import EventsInput, MemoryEvents, WaitingInput
from apps.api.gateway import Gateway
from apps.api.rest.routing import gateway_of, serve

EVENT_STREAM = "text/event-stream"

router = Router()


@serve(
    router,
    "GET",
    "/events",
    verbs.MEMORY_EVENTS,
    answers=MemoryEvents,
    describes={"responses": {200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}}},
)
def memory_events(request: HttpRequest, query: Query[WaitingInput]) -> MemoryEvents | StreamingHttpResponse:
    """With `Accept: text/event-stream` they come as they happen; Last-Event-ID goes on where a stream broke off."""
    gateway = gateway_of(request).of(query.user_id)
    found = handlers.memory_events(gateway, _resumed(request, query))
    if EVENT_STREAM in request.headers.get("Accept", ""):
        return _streamed(listening.stream(_listener(request, gateway, query), found), EVENT_STREAM)
    if found.items or not query.wait:
        return found
    return _streamed(listening.late(_listener(request, gateway, query), found, seconds=query.wait), "application/json")


def _resumed(request: HttpRequest, query: WaitingInput) -> EventsInput:
    """What the header says counts: who reconnects sends the query of the first time. Raises ValidationError."""
    last = request.headers.get("Last-Event-ID")
    return query if last is None else EventsInput(after=last, first=query.first)


def _listener(request: HttpRequest, gateway: Gateway, query: WaitingInput) -> listening.Listener:
    return listening.listener(request, gateway, query.user_id, most=handlers.most_listeners(gateway))


def _streamed(texts: "listening.Texts", content_type: str) -> StreamingHttpResponse:
    """Not held back by a proxy."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(texts, content_type=content_type, headers=headers)
