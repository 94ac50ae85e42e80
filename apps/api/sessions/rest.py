"""Sessions over REST, and messages in bulk."""

from collections.abc import Iterator
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Items, NamedSession, Page, UserId, found, page_of
from apps.api.rest.routing import gateway_of, serve
from apps.api.sessions import handlers
from apps.api.sessions.contract import (
    BranchInput,
    Capture,
    Checkpoint,
    Heartbeat,
    Ingest,
    IngestLine,
    ObservedText,
    ObserveInput,
    Recovered,
    Session,
    SessionEnd,
    SessionEndInput,
    SessionInput,
    SessionOf,
    SessionsInput,
    SessionStart,
    SessionTrace,
    TraceInput,
    TurnInput,
    TurnOf,
)

NDJSON = "application/x-ndjson"

router = Router()


@serve(router, "POST", "/capture", verbs.CAPTURE_TURN)
def capture_turn(request: HttpRequest, body: TurnInput) -> Capture:
    """Store a turn; it is remembered in the background. Repeating a turn_number changes nothing."""
    return handlers.capture_turn(gateway_of(request), body)


@serve(
    router,
    "POST",
    "/ingest",
    verbs.INGEST,
    answers=Ingest,
    describes={"requestBody": {"required": True, "content": {NDJSON: {"schema": IngestLine.model_json_schema()}}}},
)
def ingest(request: HttpRequest) -> Ingest | HttpResponse:
    """One JSON object a line; an answer for each.

    With `Accept: application/x-ndjson` the answer is a line for each line.
    """
    done = handlers.ingest_ndjson(gateway_of(request), _lines(request))
    if NDJSON not in request.headers.get("Accept", ""):
        return done
    return HttpResponse("".join(f"{each.model_dump_json()}\n" for each in done.results), content_type=NDJSON)


@serve(router, "POST", "/sessions", verbs.START_SESSION)
def start_session(request: HttpRequest, body: SessionInput) -> SessionStart:
    return handlers.start_session(gateway_of(request), body)


@serve(router, "POST", "/sessions/{path:session_id}/heartbeat", verbs.HEARTBEAT)
def heartbeat(request: HttpRequest, session_id: NamedSession, body: SessionOf) -> Heartbeat:
    return handlers.heartbeat(gateway_of(request).of(body.user_id), session_id)


@serve(router, "POST", "/sessions/{path:session_id}/end", verbs.END_SESSION)
def end_session(request: HttpRequest, session_id: NamedSession, body: SessionEndInput) -> SessionEnd:
    return handlers.end_session(gateway_of(request).of(body.user_id), session_id, wait_seconds=body.wait_seconds)


@serve(router, "POST", "/sessions/{path:session_id}/branch", verbs.BRANCH_SESSION)
def branch_session(request: HttpRequest, session_id: NamedSession, body: BranchInput) -> Session:
    return handlers.branch_session(gateway_of(request).of(body.user_id), session_id, body)


@serve(router, "POST", "/observe", verbs.OBSERVE)
def observe(request: HttpRequest, body: ObserveInput) -> ObservedText:
    return handlers.observe(gateway_of(request), body)


@serve(router, "GET", "/sessions", verbs.SESSIONS)
def sessions(request: HttpRequest, query: Query[SessionsInput]) -> Page[Session]:
    return page_of(handlers.sessions(gateway_of(request).of_named(query), query, query.as_page()))


@serve(router, "GET", "/session-traces/{trace_id}", verbs.SESSION_TRACE)
def session_trace(request: HttpRequest, trace_id: UUID, query: Query[TraceInput]) -> SessionTrace:
    """By the session's `id`, as lists of sessions give it."""
    return handlers.session_trace(gateway_of(request).of(query.user_id), trace_id, query.as_page())


@serve(router, "GET", "/sessions/{path:session_id}/recover", verbs.RECOVER)
def recover(request: HttpRequest, session_id: NamedSession, user_id: UserId = None) -> Recovered:
    return handlers.recover(gateway_of(request).of(user_id), session_id)


@serve(router, "GET", "/sessions/{path:session_id}/checkpoint", verbs.CHECKPOINT)
def checkpoint(request: HttpRequest, session_id: NamedSession, query: Query[TurnOf]) -> Checkpoint:
    gateway = gateway_of(request).of(query.user_id)
    return found(handlers.checkpoint(gateway, session_id, query.turn), "checkpoint")


@serve(router, "GET", "/sessions/{path:session_id}/replay", verbs.REPLAY)
def replay(request: HttpRequest, session_id: NamedSession, query: Query[TurnOf]) -> Items[Checkpoint]:
    return Items(items=handlers.replay(gateway_of(request).of(query.user_id), session_id, query.turn))


@serve(router, "GET", "/sessions/{path:session_id}", verbs.SESSION)
def session(request: HttpRequest, session_id: NamedSession, user_id: UserId = None) -> Session:
    return found(handlers.session(gateway_of(request).of(user_id), session_id), "session")


def _lines(request: HttpRequest) -> Iterator[bytes]:
    """The body line by line, never whole in memory. Raises RequestDataTooBig past the limit."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    seen = 0
    while line := request.readline():
        seen += len(line)
        if seen > limit:
            raise RequestDataTooBig
        yield line
