"""The REST API under /api/v1: authentication, errors, and the routers of the topics."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.security import HttpBearer
from pydantic import ValidationError as BoundsError
from typing_extensions import override

from apps.api.auth import principal_of
from apps.api.billing.rest import router as billing
from apps.api.contract import out_of_bounds
from apps.api.gateway import Gateway
from apps.api.graph.rest import router as graph
from apps.api.keys.rest import router as keys
from apps.api.memories.rest import router as memories
from apps.api.operations.rest import router as operations
from apps.api.recall.rest import router as recall
from apps.api.schedules.rest import router as schedules
from apps.api.sessions.rest import router as sessions
from apps.api.sharing.rest import router as sharing
from apps.core import problems
from apps.core.problems import Problem
from memory_platform.errors import NotFound


class _AgentKey(HttpBearer):
    """`Authorization: Bearer mp_…`; the operation finds its Gateway in `request.auth`."""

    @override
    def __call__(self, request: HttpRequest) -> Gateway:
        return Gateway(principal_of(request))

    @override
    def authenticate(self, request: HttpRequest, token: str) -> Gateway:
        raise NotImplementedError


api = NinjaAPI(
    title="Memory Platform",
    version="1",
    description="Memory for AI agents. Errors: {error: {code, message, field?, hint?, retryAfter?}}.",
    auth=_AgentKey(),
    urls_namespace="rest",
)
for _router in (sessions, recall, sharing, memories, graph, operations, schedules, keys, billing):
    api.add_router("", _router)


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


def refused(problem: Problem, body: Mapping[str, object] | None = None) -> HttpResponse:
    """What a refused caller gets: the problem's own body, unless another protocol has one of its own."""
    response = JsonResponse(body or problem.body, status=problem.status)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    if problem.retry_after is not None:
        response["Retry-After"] = str(max(1, round(problem.retry_after)))
    return response


def _problem(error: Exception) -> Problem:
    if isinstance(error, ValidationError):
        # In front of the field stand the part of the request and the argument's name.
        return out_of_bounds(error.errors, skipped=2)
    if isinstance(error, BoundsError):
        return out_of_bounds(error.errors(include_url=False, include_input=False))
    if isinstance(error, HttpError):
        return Problem("INVALID", error.status_code, error.message)
    if isinstance(error, Http404):
        return problems.of(NotFound("There is nothing at this address."))
    return problems.of(error)
