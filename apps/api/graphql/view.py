"""POST /graphql: authenticate once, execute, tell errors the one way; GET shows GraphiQL to developers."""

import json
from typing import Any

from cross_web import HTTPException, SyncHTTPRequestAdapter
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from graphql import GraphQLError, GraphQLFormattedError, GraphQLSyntaxError
from strawberry.django.views import GraphQLView, TemporalHttpResponse
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.pydantic import InputValidationError
from strawberry.types import ExecutionResult
from typing_extensions import override

from apps.api.admission import camel_case
from apps.api.auth import principal_of
from apps.api.contract import out_of_bounds, problem_of
from apps.api.front import only_post
from apps.api.gateway import Gateway
from apps.api.graphql.context import GraphQLContext
from apps.api.graphql.documents import require_short
from apps.api.graphql.schema import schema
from apps.api.local import is_developing
from apps.core import problems
from apps.core.problems import Problem
from memory_platform.errors import TooComplex, Unauthenticated
from memory_platform.text.redaction import redact

# GraphiQL styles its editor at run time; scripts come from here only.
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "font-src 'self' data:; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


# How the parser says that it gave up.
_TOO_MUCH = ("tokens", "nested too deeply")


class _View(GraphQLView[GraphQLContext, None]):
    """Synchronous, like everything here; errors never pass unmapped."""

    @override
    def get_context(self, request: HttpRequest, response: HttpResponse | TemporalHttpResponse) -> GraphQLContext:
        return GraphQLContext(request, _opened(request))

    @override
    def decode_json(self, data: str | bytes) -> object:
        """Raises HTTPException for what is no JSON object, in whatever way."""
        try:
            decoded = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, "The body is not JSON in UTF-8.") from error
        if not isinstance(decoded, dict | list):
            raise HTTPException(400, "The body must be a JSON object with a query.")
        return decoded

    @override
    def parse_http_body(self, request: SyncHTTPRequestAdapter) -> GraphQLRequestData | list[GraphQLRequestData]:
        try:
            asked = super().parse_http_body(request)
        except UnicodeDecodeError as error:
            raise HTTPException(400, "The body is not JSON in UTF-8.") from error
        if isinstance(asked, GraphQLRequestData) and asked.query is not None:
            require_short(asked.query)
        return asked

    @override
    def process_result(self, request: HttpRequest, result: ExecutionResult) -> GraphQLHTTPResponse:
        answer: GraphQLHTTPResponse = {"data": result.data}
        if result.errors:
            answer["errors"] = [_told(error) for error in result.errors]
        return answer

    @override
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return self.run(request=request)
        except HTTPException as error:
            return _refused(Problem("INVALID", error.status_code, error.reason))
        except Exception as error:  # noqa: BLE001  the entry's last resort: mapped, logged, masked
            return _refused(problems.of(error))


_execute = _View.as_view(schema=schema, graphql_ide=None, allow_queries_via_get=False)


@csrf_exempt  # A header authenticates; cookies do not, so there is nothing to forge.
def graphql(request: HttpRequest) -> HttpResponseBase:
    if request.method == "GET":
        return graphiql(request)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    return _execute(request)


def graphiql(request: HttpRequest) -> HttpResponse:
    """The playground, from files of our own, for who is developing."""
    if not is_developing(request):
        return only_post(request)
    page = render(request, "api/graphiql.html")
    page["Content-Security-Policy"] = _CSP
    return page


def _opened(request: HttpRequest) -> Gateway | None:
    """The caller's agent; None for who is developing without a key, to read the schema. Raises Unauthenticated."""
    try:
        return Gateway(principal_of(request))
    except Unauthenticated:
        if is_developing(request) and "Authorization" not in request.headers:
            return None
        raise


def _told(error: GraphQLError) -> GraphQLFormattedError:
    problem = _problem(error)
    told: GraphQLFormattedError = {"message": problem.message, "extensions": problem.extensions}
    if error.locations:
        told["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path:
        told["path"] = error.path
    return told


def _problem(error: GraphQLError) -> Problem:
    cause = error.original_error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    if isinstance(error, GraphQLSyntaxError) and any(reason in error.message for reason in _TOO_MUCH):
        return problems.of(TooComplex("The query has too many tokens or levels.", hint="Send values as variables."))
    if isinstance(cause, InputValidationError):
        first = cause.errors[0]
        return out_of_bounds(first.message, first.location[1:])
    if cause is None or isinstance(cause, GraphQLError):
        # Parser and validator speak of the caller's own query only, and repeat its values.
        return problems.invalid(redact(error.message).text)
    if isinstance(cause, ValueError) and not error.path:
        # The validator's, of a literal: Python reads no number of more than 4,300 digits.
        return problems.invalid("A number in the query is too long.")
    return problem_of(cause, spelled=camel_case)


def _refused(problem: Problem) -> HttpResponse:
    body = {"data": None, "errors": [{"message": problem.message, "extensions": problem.extensions}]}
    return problems.refusal(problem, body)
