"""How a verb becomes an operation of the REST API, and what all of them have in common."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, TypeVar, get_type_hints

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.signature import ViewSignature

from apps.api.gateway import Gateway
from apps.api.verbs import ADMIN, Verb
from memory_platform.errors import Invalid

Handler = TypeVar("Handler", bound=Callable[..., object])

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class ProblemDetail(Schema):
    code: str
    message: str
    field: str | None = None
    hint: str | None = None
    retryAfter: float | None = None  # noqa: N815  one spelling with GraphQL's extensions


class ProblemAnswer(Schema):
    error: ProblemDetail


_FAILURES: dict[Any, Any] = {frozenset({400, 401, 403, 404, 409, 413, 422, 429, 503}): ProblemAnswer}


def serve(
    router: Router,
    method: str,
    path: str,
    verb: Verb,
    *,
    answers: object = None,
    describes: Mapping[str, Any] = NOTHING,
) -> Callable[[Handler], Handler]:
    """Route `method` `path` to a handler that speaks for a verb; its return annotation is the answer's shape.

    `answers` states the shape where the handler writes the response itself, `describes` what OpenAPI says beside.
    """

    def route(handler: Handler) -> Handler:
        shape = answers or get_type_hints(handler)["return"]
        router.add_api_operation(
            path,
            [method],
            _with_known_parameters(path, handler),
            response={200: shape, **_FAILURES},
            operation_id=_operation_id(verb, handler),
            summary=verb.summary,
            description=handler.__doc__,
            tags=["admin" if verb.scope == ADMIN else "write" if verb.writes else "read"],
            openapi_extra={**_repeats(verb), **describes},
        )
        return handler

    return route


def _with_known_parameters(path: str, handler: Callable[..., object]) -> Callable[..., object]:
    """The handler, refusing query parameters it does not have: ninja would leave them out unsaid."""
    known = _query_parameters(path, handler)

    @wraps(handler)
    def strict(request: HttpRequest, **given: object) -> object:
        if unknown := sorted(request.GET.keys() - known):
            raise Invalid(
                f"{unknown[0]}: There is no such query parameter.",
                hint=f"Known here: {', '.join(sorted(known))}." if known else "This route has none.",
                field=unknown[0],
            )
        return handler(request, **given)

    return strict


def _query_parameters(path: str, handler: Callable[..., object]) -> frozenset[str]:
    models = ViewSignature(path, handler).models
    return frozenset(
        name for model in models if model.__ninja_param_source__ == "query" for name in model.__ninja_flatten_map__
    )


def _repeats(verb: Verb) -> dict[str, Any]:
    """What clients must know before they send something again."""
    key = {} if verb.repeat_key is None else {"x-repeat-key": verb.repeat_key}
    return {"x-repeatable": verb.repeatable, **key}


def _operation_id(verb: Verb, handler: Callable[..., object]) -> str:
    """A verb's second route is told apart by its handler."""
    own = "".join(word.capitalize() for word in handler.__name__.split("_"))
    return verb.name if own.lower() == verb.name.lower() else f"{verb.name}.{handler.__name__}"


def gateway_of(request: HttpRequest) -> Gateway:
    gateway = request.auth  # type: ignore[attr-defined]
    if not isinstance(gateway, Gateway):
        raise TypeError(type(gateway).__name__)
    return gateway
