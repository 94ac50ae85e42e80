"""The REST API under /api/v1: bulk ingest, and the verbs for callers who prefer it to GraphQL."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Query
from ninja.errors import HttpError, ValidationError
from ninja.security import HttpBearer
from typing_extensions import override

from apps.api.auth import principal_of
from apps.api.flows import ingesting
from apps.api.memory_agent import MemoryAgent
from apps.api.rest import answers, bodies
from apps.core import problems
from apps.core.paging import page
from apps.core.problems import Problem
from apps.journal.selectors import EntryFilter
from apps.memory.requests import REJECTION_WEEKS
from memory_platform.errors import NotFound

NDJSON = "application/x-ndjson"


class _AgentKey(HttpBearer):
    """`Authorization: Bearer mp_…`; the operation finds its MemoryAgent in `request.auth`."""

    @override
    def __call__(self, request: HttpRequest) -> MemoryAgent:
        return MemoryAgent(principal_of(request))

    @override
    def authenticate(self, request: HttpRequest, token: str) -> MemoryAgent:
        raise NotImplementedError


api = NinjaAPI(
    title="Memory Platform",
    version="1",
    description="Memory for AI agents. Errors: {error: {code, message, field?, hint?, retryAfter?}}.",
    auth=_AgentKey(),
    urls_namespace="rest",
)
_FAILURES: dict[Any, Any] = {frozenset({400, 401, 403, 404, 409, 413, 422, 429, 503}): answers.ProblemAnswer}


def agent_of(request: HttpRequest) -> MemoryAgent:
    agent = request.auth  # type: ignore[attr-defined]
    if not isinstance(agent, MemoryAgent):
        raise TypeError(type(agent).__name__)
    return agent


def asked(request: HttpRequest, given: bodies.FilterBody | bodies.UserQuery) -> MemoryAgent:
    """The agent for the users that are named."""
    return agent_of(request).of(given.user_id, all_users=given.all_users)


@api.exception_handler(Exception)
def _tell(_request: HttpRequest, error: Exception) -> HttpResponse:
    return refused(_problem(error))


@api.exception_handler(ValidationError)
def _tell_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return _tell(request, error)


@api.exception_handler(HttpError)
def _tell_http(request: HttpRequest, error: HttpError) -> HttpResponse:
    return _tell(request, error)


@api.exception_handler(Http404)
def _tell_missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return _tell(request, error)


def refused(problem: Problem) -> HttpResponse:
    response = JsonResponse(problem.body, status=problem.status)
    if problem.retry_after is not None:
        response["Retry-After"] = str(max(1, round(problem.retry_after)))
    return response


def _problem(error: Exception) -> Problem:
    if isinstance(error, ValidationError):
        first = error.errors[0]
        field = ".".join(str(part) for part in first["loc"][2:]) or None
        return problems.invalid(str(first["msg"]), field=field)
    if isinstance(error, HttpError):
        return Problem("INVALID", error.status_code, error.message)
    if isinstance(error, Http404):
        return problems.of(NotFound("There is nothing at this address."))
    return problems.of(error)


# --- what happened


@api.post("/capture", response={200: answers.CaptureAnswer, **_FAILURES}, tags=["write"])
def capture_turn(request: HttpRequest, body: bodies.TurnBody) -> object:
    """Store a turn; it is remembered in the background. Repeating a turn_number changes nothing."""
    return agent_of(request).capture_turn(body.as_turn())


@api.post(
    "/ingest",
    response={200: answers.IngestAnswer, **_FAILURES},
    tags=["write"],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {NDJSON: {"schema": ingesting.NdjsonLine.model_json_schema()}},
        }
    },
)
def ingest(request: HttpRequest) -> HttpResponse:
    """Store messages in bulk, one JSON object a line; an answer for each. Safe to repeat.

    With `Accept: application/x-ndjson` the answer is a line for each line.
    """
    done = ingesting.ingest(_lines(request), store=agent_of(request).ingest)
    results = [
        {
            "line": each.line,
            "status": each.status,
            "resource_id": str(each.resource_id) if each.resource_id else None,
            "error": each.error,
            "field": each.field,
        }
        for each in done.results
    ]
    if NDJSON in request.headers.get("Accept", ""):
        return HttpResponse("".join(f"{json.dumps(each)}\n" for each in results), content_type=NDJSON)
    counts = {status: done.count(status) for status in ("accepted", "duplicate", "invalid", "conflict", "refused")}
    return JsonResponse({**counts, "retry_after": done.retry_after, "results": results})


def _lines(request: HttpRequest) -> Iterator[bytes]:
    """The body line by line, never whole in memory. Raises RequestDataTooBig past the limit."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    seen = 0
    while line := request.readline():
        seen += len(line)
        if seen > limit:
            raise RequestDataTooBig
        yield line


# --- asking


@api.post("/recall", response={200: answers.RecallAnswer, **_FAILURES}, tags=["read"])
def recall(request: HttpRequest, body: bodies.RecallBody) -> object:
    """The few memories worth knowing; none when nothing is relevant."""
    return asked(request, body.filter).recall(body.as_request())


@api.post("/context", response={200: answers.ContextAnswer, **_FAILURES}, tags=["read"])
def context(request: HttpRequest, body: bodies.ContextBody) -> object:
    """The block for the prompt; without a query: what to know at session start."""
    return asked(request, body.filter).context(body.as_request())


@api.post("/recalls/{recall_id}/output", response={200: answers.FeedbackAnswer, **_FAILURES}, tags=["write"])
def report_output(request: HttpRequest, recall_id: UUID, body: bodies.OutputBody) -> object:
    """What the model made of a recall: which hits were of use."""
    return agent_of(request).report_output(recall_id, body.output)


# --- memories


@api.get("/memories", response={200: answers.PageAnswer[answers.MemoryAnswer], **_FAILURES}, tags=["read"])
def memories(request: HttpRequest, query: Query[bodies.MemoriesQuery]) -> object:
    """Memories page by page; repeat a filter to allow several values."""
    cut = asked(request, query).memories(
        wanted=query.as_filter(),
        order=query.order_by,
        page=page(query.first, query.after),
    )
    return answers.page_of(cut)


@api.post("/memories", response={200: answers.WriteAnswer, **_FAILURES}, tags=["write"])
def remember(request: HttpRequest, body: bodies.RememberBody) -> object:
    """An explicit fact: still gated, deduplicated and checked for contradictions."""
    return agent_of(request).remember(body.as_new())


@api.get("/memories/weak", response={200: answers.PageAnswer[answers.MemoryAnswer], **_FAILURES}, tags=["read"])
def weak_memories(request: HttpRequest, query: Query[bodies.PageQuery]) -> object:
    """Low confidence, or soon to decay."""
    return answers.page_of(asked(request, query).weak_memories(page(query.first, query.after)))


@api.get("/memories/{memory_id}", response={200: answers.MemoryAnswer, **_FAILURES}, tags=["read"])
def memory(request: HttpRequest, memory_id: UUID, user_id: str | None = None) -> object:
    return _found(agent_of(request).of(user_id).memory(memory_id), "memory")


@api.get("/memories/{memory_id}/explain", response={200: answers.ExplanationAnswer, **_FAILURES}, tags=["read"])
def explain_memory(request: HttpRequest, memory_id: UUID, user_id: str | None = None) -> object:
    """Sources with quotes, versions, merges, what it superseded."""
    return _found(agent_of(request).of(user_id).explain_memory(memory_id), "memory")


@api.post("/memories/{memory_id}/correct", response={200: answers.WriteAnswer, **_FAILURES}, tags=["write"])
def correct(request: HttpRequest, memory_id: UUID, body: bodies.CorrectBody) -> object:
    """A better wording or a new truth, which supersedes the old one."""
    return agent_of(request).correct(memory_id, body.text, body.reason)


@api.post("/memories/{memory_id}/confirm", response={200: answers.MemoryAnswer, **_FAILURES}, tags=["write"])
def confirm(request: HttpRequest, memory_id: UUID) -> object:
    """Confirmed by someone: protected from decay."""
    return agent_of(request).confirm(memory_id)


@api.post("/memories/{memory_id}/share", response={200: answers.MemoryAnswer, **_FAILURES}, tags=["shared memory"])
def share(request: HttpRequest, memory_id: UUID, body: bodies.ShareBody | None = None) -> object:
    """Make a private memory known to all agents; the answer is the shared one."""
    return agent_of(request).share(memory_id, body.domain if body else None)


@api.post("/forget", response={200: answers.ForgottenAnswer, **_FAILURES}, tags=["write"])
def forget(request: HttpRequest, body: bodies.ForgetBody) -> object:
    """By ids, by user or by query; dry_run lists what would go."""
    return asked(request, body.filter).forget(body.as_request())


@api.post("/restore", response={200: answers.ForgottenAnswer, **_FAILURES}, tags=["write"])
def restore(request: HttpRequest, body: bodies.RestoreBody) -> object:
    """Undoes a batch of forgetting."""
    return agent_of(request).restore(body.batch_id)


@api.get("/rejections", response={200: answers.PageAnswer[answers.RejectionAnswer], **_FAILURES}, tags=["read"])
def rejections(request: HttpRequest, query: Query[bodies.RejectionsQuery]) -> object:
    """What was said and became no memory, newest first."""
    return answers.page_of(asked(request, query).rejections(query.as_filter(), page(query.first, query.after)))


@api.get("/rejections/counts", response={200: answers.RejectionCountsAnswer, **_FAILURES}, tags=["read"])
def rejection_counts(request: HttpRequest, weeks: int = REJECTION_WEEKS) -> object:
    """How many rejections of each reason a week saw, the latest week first."""
    return {"items": agent_of(request).rejection_counts(weeks)}


# --- shared memory


@api.post("/shared-memory", response={200: answers.WriteAnswer, **_FAILURES}, tags=["shared memory"])
def remember_shared(request: HttpRequest, body: bodies.SharedMemoryBody) -> object:
    """A fact for all agents of the tenant, filed in the agent's own domain."""
    return agent_of(request).remember(body.as_new())


@api.get("/shared-memory", response={200: answers.RecallAnswer, **_FAILURES}, tags=["shared memory"])
def find_shared(request: HttpRequest, query: Query[bodies.SharedQuery]) -> object:
    """The short form of /shared-memory/query."""
    return asked(request, query).recall_shared(query.as_request())


@api.post("/shared-memory/query", response={200: answers.RecallAnswer, **_FAILURES}, tags=["shared memory"])
def recall_shared(request: HttpRequest, body: bodies.RecallBody) -> object:
    """Like /recall, among what agents share; filter.domain narrows it."""
    return asked(request, body.filter).recall_shared(body.as_request())


@api.get("/shared-memory/domains", response={200: answers.SharedDomainsAnswer, **_FAILURES}, tags=["shared memory"])
def shared_domains(request: HttpRequest, user_id: str | None = None) -> object:
    """What agents share, by domain: how many memories, whose, and the last write."""
    return {"items": agent_of(request).of(user_id).shared_domains()}


# --- the graph


@api.get("/entities", response={200: answers.PageAnswer[answers.EntityAnswer], **_FAILURES}, tags=["graph"])
def entities(request: HttpRequest, query: Query[bodies.EntitiesQuery]) -> object:
    """Who and what is spoken of, the most mentioned first."""
    cut = asked(request, query).entities(
        search=query.search, entity_type=query.type, page=page(query.first, query.after)
    )
    return answers.page_of(cut)


@api.get("/entities/named", response={200: answers.EntityProfileAnswer, **_FAILURES}, tags=["graph"])
def entity_named(request: HttpRequest, query: Query[bodies.EntityQuery]) -> object:
    """The profile of the entity this name fits best."""
    return _found(asked(request, query).entity(name=query.name, as_of=query.as_of), "entity")


@api.get("/entities/{entity_id}", response={200: answers.EntityProfileAnswer, **_FAILURES}, tags=["graph"])
def entity(request: HttpRequest, entity_id: UUID, query: Query[bodies.EntityByIdQuery]) -> object:
    """What is true of it, its timeline, what it is related to, and who said so."""
    return _found(asked(request, query).entity(entity_id=entity_id, as_of=query.as_of), "entity")


@api.post("/entities/{entity_id}/merge", response={200: answers.EntityProfileAnswer, **_FAILURES}, tags=["graph"])
def merge_entities(request: HttpRequest, entity_id: UUID, body: bodies.MergeBody) -> object:
    """Others that are the same become one with it; shared ones need the scope review."""
    return agent_of(request).merge_entities(entity_id, body.from_ids)


@api.post("/entities/{entity_id}/split", response={200: answers.EntityProfileAnswer, **_FAILURES}, tags=["graph"])
def split_entity(request: HttpRequest, entity_id: UUID, body: bodies.SplitBody) -> object:
    """Give some of its names an entity of their own, which is the answer."""
    return agent_of(request).split_entity(entity_id, body.aliases)


@api.get("/path", response={200: answers.PathAnswer, **_FAILURES}, tags=["graph"])
def path(request: HttpRequest, query: Query[bodies.PathQuery]) -> object:
    """How two entities are connected, with what says so at each step."""
    steps = asked(request, query).path(query.as_way())
    return {"connected": steps is not None, "steps": steps or ()}


# --- sessions, jobs, journal


@api.get("/sessions/{path:session_id}/checkpoint", response={200: answers.CheckpointAnswer, **_FAILURES}, tags=["read"])
def checkpoint(request: HttpRequest, session_id: str, turn: int | None = None, user_id: str | None = None) -> object:
    """A turn as it was reported; the latest when turn is absent."""
    return _found(agent_of(request).of(user_id).checkpoint(session_id, turn), "checkpoint")


@api.get("/sessions/{path:session_id}/replay", response={200: answers.ReplayAnswer, **_FAILURES}, tags=["read"])
def replay(request: HttpRequest, session_id: str, turn: int | None = None, user_id: str | None = None) -> object:
    """The session's turns in order, up to a turn."""
    return {"items": agent_of(request).of(user_id).replay(session_id, turn)}


@api.get("/sessions/{path:session_id}", response={200: answers.SessionAnswer, **_FAILURES}, tags=["read"])
def session(request: HttpRequest, session_id: str, user_id: str | None = None) -> object:
    return _found(agent_of(request).of(user_id).session(session_id), "session")


@api.get("/jobs", response={200: answers.JobsAnswer, **_FAILURES}, tags=["read"])
def jobs(request: HttpRequest, ids: Query[list[UUID]]) -> object:
    """When a turn became memory: state, attempts, error, outcome."""
    return {"items": agent_of(request).jobs(ids)}


@api.get("/journal", response={200: answers.PageAnswer[answers.EntryAnswer], **_FAILURES}, tags=["read"])
def journal(
    request: HttpRequest,
    first: int | None = None,
    after: str | None = None,
    operation: str | None = None,
    agent_id: str | None = None,
    subject_id: UUID | None = None,
    user_id: str | None = None,
) -> object:
    """The agent's entries; the tenant's with the scope review."""
    wanted = EntryFilter(operation=operation, subject_id=subject_id)
    agent = agent_of(request).of(user_id)
    return answers.page_of(agent.journal(wanted=wanted, agent_id=agent_id, page=page(first, after)))


@api.post("/journal", response={200: answers.EntryAnswer, **_FAILURES}, tags=["write"])
def log_action(request: HttpRequest, body: bodies.LogBody) -> object:
    """The operations log agents write themselves."""
    return agent_of(request).log_action(action=body.action, tool=body.tool, detail=body.detail, reason=body.reason)


@api.get("/stats", response={200: answers.StatsAnswer, **_FAILURES}, tags=["read"])
def stats(request: HttpRequest, user_id: str | None = None) -> object:
    return agent_of(request).of(user_id).stats()


@api.get("/viewer", response={200: answers.ViewerAnswer, **_FAILURES}, tags=["read"])
def viewer(request: HttpRequest) -> object:
    """Tenant, agent, scopes and limits of the key."""
    return agent_of(request).viewer()


# --- the graph's copy


@api.get("/graph", response={200: answers.GraphStatusAnswer, **_FAILURES}, tags=["admin"])
def graph_status(request: HttpRequest) -> object:
    """Which server has a copy of the graph, whether it is asked, and how far behind it is."""
    return agent_of(request).graph_status()


@api.post("/graph/backfill", response={200: answers.BackfillAnswer, **_FAILURES}, tags=["admin"])
def backfill_graph(request: HttpRequest) -> object:
    """Read what was captured before there was a graph, and what a projection missed; repeating it changes nothing."""
    return {"jobs": agent_of(request).backfill_graph()}


@api.post("/graph/check", response={200: answers.StartedJobAnswer, **_FAILURES}, tags=["admin"])
def check_graph(request: HttpRequest) -> object:
    """Compare the copy with the truth by counts and checksums; the job's outcome says what differs."""
    return {"job_id": agent_of(request).check_graph()}


@api.post("/graph/repair", response={200: answers.StartedJobAnswer, **_FAILURES}, tags=["admin"])
def repair_graph(request: HttpRequest) -> object:
    """Compare, and copy again what differs."""
    return {"job_id": agent_of(request).repair_graph()}


@api.post("/graph/rebuild", response={200: answers.StartedJobAnswer, **_FAILURES}, tags=["admin"])
def rebuild_graph(request: HttpRequest) -> object:
    """Throw the copy away and make a new one; SQL answers meanwhile."""
    return {"job_id": agent_of(request).rebuild_graph()}


# --- keys


@api.get("/keys", response={200: answers.KeysAnswer, **_FAILURES}, tags=["admin"])
def keys(request: HttpRequest) -> object:
    """The tenant's keys; secrets are never shown again."""
    return {"items": agent_of(request).keys()}


@api.post("/keys", response={200: answers.NewKeyAnswer, **_FAILURES}, tags=["admin"])
def create_key(request: HttpRequest, body: bodies.KeyBody) -> object:
    return agent_of(request).create_key(
        scopes=[scope.value for scope in body.scopes],
        agent_id=body.agent_id,
        domain=body.domain,
        name=body.name,
        expires_at=body.expires_at,
        user_id=body.user_id,
    )


@api.post("/keys/{key_id}/rotate", response={200: answers.NewKeyAnswer, **_FAILURES}, tags=["admin"])
def rotate_key(request: HttpRequest, key_id: UUID, body: bodies.RotateBody | None = None) -> object:
    """A new secret; the old one stops at once, or after overlap_seconds."""
    overlap = timedelta(seconds=body.overlap_seconds if body else 0)
    return agent_of(request).rotate_key(key_id, overlap=overlap)


@api.post("/keys/{key_id}/revoke", response={200: answers.KeyAnswer, **_FAILURES}, tags=["admin"])
def revoke_key(request: HttpRequest, key_id: UUID) -> object:
    return agent_of(request).revoke_key(key_id)


def _found(record: object | None, name: str) -> object:
    if record is None:
        raise NotFound(f"There is no such {name}.")
    return record
