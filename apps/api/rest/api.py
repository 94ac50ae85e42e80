"""The REST API under /api/v1: authentication, errors, and the routers of the topics."""

from collections.abc import Mapping
from enum import Enum
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError, ValidationErrorContext
from ninja.openapi.schema import OpenAPISchema
from ninja.security import HttpBearer
from ninja.signature.details import is_pydantic_model
from pydantic import BaseModel
from typing_extensions import override

from apps.api.auth import principal_of
from apps.api.billing.rest import router as billing
from apps.api.categories.rest import router as categories
from apps.api.contract import Answer, Sent, error_of, out_of_bounds, problem_of
from apps.api.curation.rest import router as curation
from apps.api.enumerations import meanings, of_shapes
from apps.api.erasure.rest import router as erasure
from apps.api.events.rest import router as events
from apps.api.exports.rest import router as exports
from apps.api.gateway import Gateway
from apps.api.graph.rest import router as graph
from apps.api.keys.rest import router as keys
from apps.api.lessons.rest import router as lessons
from apps.api.memories.rest import router as memories
from apps.api.operations.rest import router as operations
from apps.api.recall.rest import router as recall
from apps.api.schedules.rest import router as schedules
from apps.api.sessions.rest import router as sessions
from apps.api.sharing.rest import router as sharing
from apps.api.simulation.rest import router as simulation
from apps.api.summaries.rest import router as summaries
from apps.api.triggers.rest import router as triggers
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


class _Api(NinjaAPI):
    @override
    def get_openapi_schema(self, **where: Any) -> OpenAPISchema:
        """With what each value of an enumeration means, which pydantic does not tell."""
        kinds = {kind.__name__: kind for shape in (Answer, Sent) for kind in of_shapes(shape)}
        document = super().get_openapi_schema(**where)
        document.update(_telling_values(document, kinds))
        return document

    @override
    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext[Any]]
    ) -> ValidationError:
        """With the places the caller knows: ninja's own begin with the part of the request and the argument's name."""
        return ValidationError(
            [
                {**each, "loc": _callers_place(context.model, each["loc"])}
                for context in error_contexts
                for each in context.pydantic_validation_error.errors(include_url=False, include_input=False)
            ]
        )


def _telling_values(part: Any, kinds: Mapping[str, type[Enum]]) -> Any:
    """The part of the document, with that wherever it lists the values of one of these, by the names of their classes.
    Ninja keeps parts from one document to the next: they stay as they are.
    """
    if isinstance(part, list):
        return [_telling_values(each, kinds) for each in part]
    if not isinstance(part, dict):
        return part
    told = {name: _telling_values(each, kinds) for name, each in part.items()}
    if "enum" in told and told.get("title") in kinds:
        told["description"] = _with_values(told.get("description", ""), kinds[told["title"]])
    return told


def _with_values(told: str, kind: type[Enum]) -> str:
    means = meanings(kind)
    lines = [f"- `{member.value}`: {means[member.name]}" for member in kind if member.name in means]
    return "\n\n".join(filter(None, (told, "\n".join(lines))))


def _callers_place(arguments: type[BaseModel], place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """An argument that is a model is ours, and its fields are the caller's, but for a body that is not there; any other
    has the caller's own name.
    """
    argument = arguments.model_fields[str(place[0])]
    return (place[1:] or place) if is_pydantic_model(argument.annotation) else place


api = _Api(
    title="Memory Platform",
    version="1",
    description="Memory for AI agents. Errors: {error: {code, message, field?, hint?, retryAfter?}}.",
    auth=_AgentKey(),
    urls_namespace="rest",
)
for _router in (
    sessions, recall, sharing, memories, graph, summaries, triggers, lessons, curation, operations, events, simulation,
    schedules, keys, billing, categories, erasure, exports,
):  # fmt: skip
    api.add_router("", _router)


@api.exception_handler(Exception)
@api.exception_handler(Http404)
@api.exception_handler(HttpError)
@api.exception_handler(ValidationError)
def _tell(_request: HttpRequest, error: Exception) -> HttpResponse:
    return refused(_problem(error))


def refused(problem: Problem, body: Mapping[str, object] | None = None) -> HttpResponse:
    """A refusal that says how to come in, where that is what is missing."""
    response = problems.refusal(problem, body)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def _problem(error: Exception) -> Problem:
    if isinstance(error, ValidationError):
        return out_of_bounds(*error_of(error.errors))
    if isinstance(error, HttpError):
        return Problem("INVALID", error.status_code, error.message)
    if isinstance(error, Http404):
        return problems.of(NotFound("There is nothing at this address."))
    return problem_of(error)
