"""How a verb becomes an operation of the REST API, and what all of them have in common."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeVar, get_type_hints

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from ninja.signature import ViewSignature
from ninja.signature.details import is_pydantic_model
from ninja.signature.utils import get_path_param_names
from pydantic import Field
from pydantic.fields import FieldInfo

from apps.api.descriptions import ARGUMENTS
from apps.api.gateway import Gateway
from apps.api.verbs import ADMIN, Verb
from memory_platform.errors import Invalid

Handler = TypeVar("Handler", bound=Callable[..., object])

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class ProblemDetail(Schema):
    code: str = Field(description="What is wrong, by its code, such as INVALID or NOT_FOUND.")
    message: str = Field(description="What is wrong, in words.")
    field: str | None = Field(default=None, description="Where in the request that is, if it is in one place.")
    hint: str | None = Field(default=None, description="What to do about it, if that is known.")
    retryAfter: float | None = Field(default=None, description="Seconds after which to try again, where that helps.")  # noqa: N815  one spelling with GraphQL's extensions


class ProblemAnswer(Schema):
    error: ProblemDetail = Field(description="What is wrong.")


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

    strict.__signature__ = _described(path, handler)  # type: ignore[attr-defined]
    return strict


def _described(path: str, handler: Callable[..., object]) -> Signature:
    """The handler's, with what its parameters mean, which ninja takes from what says where in a request they are."""
    own, in_path = signature(handler), get_path_param_names(path)
    request, *given = own.parameters.values()
    return own.replace(parameters=[request, *(_told(each, in_path) for each in given)])


def _told(parameter: Parameter, in_path: set[str]) -> Parameter:
    """A model says it by its fields."""
    if is_pydantic_model(parameter.annotation):
        return parameter
    marks = getattr(parameter.annotation, "__metadata__", ())
    said = [mark.description for mark in marks if isinstance(mark, FieldInfo) and mark.description]
    told = said[-1] if said else ARGUMENTS.get(parameter.name)
    source = Path if parameter.name in in_path else Query
    default = ... if parameter.default is Parameter.empty else parameter.default
    return parameter.replace(annotation=Annotated[parameter.annotation, source(default, description=told)])


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
