"""What the clients need to know of openapi.json, in terms of no language."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]

# The short form of another route, a file, and what travels in parts: sdk's own.
LEFT_OUT = frozenset({"recallShared.find_shared", "summary.download", "ingest"})
LINES = "application/x-ndjson"
_SCALARS = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
_FORMATS = {"date-time": "moment", "date": "day"}
_GENERIC = re.compile(r"(Items|Page)\[(\w+)\]")


@dataclass(frozen=True)
class Kind:
    """`name` is a scalar's or a shape's; `json` anything. A `many` is a list of it."""

    name: str
    is_shape: bool = False
    many: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Field:
    name: str
    kind: Kind
    required: bool
    description: str


@dataclass(frozen=True)
class Shape:
    """A word has `values`, of which its description tells line by line, an input or a record `fields`."""

    name: str
    description: str
    fields: tuple[Field, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """`wrapper` is Items, Page or empty."""

    shape: str
    wrapper: str


@dataclass(frozen=True)
class Operation:
    """One route. `repeat_key` is the field that makes a repeat harmless."""

    name: str
    method: str
    path: str
    in_path: tuple[Field, ...]
    in_query: tuple[Field, ...]
    in_body: tuple[Field, ...] | None
    answer: Answer
    summary: str
    description: str
    repeatable: bool
    repeat_key: str | None

    @property
    def fields(self) -> tuple[Field, ...]:
        return (*self.in_path, *self.in_query, *(self.in_body or ()))

    @property
    def required(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.required)

    @property
    def options(self) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if not field.required)

    @property
    def makes_key(self) -> bool:
        """A client can make up an id; the number of a turn is the caller's to know."""
        return any(field.name == self.repeat_key and field.kind.name == "string" for field in self.fields)


@dataclass(frozen=True)
class Contract:
    operations: tuple[Operation, ...]
    words: tuple[Shape, ...]
    inputs: tuple[Shape, ...]
    records: tuple[Shape, ...]


def read(document: Json) -> Contract:
    """Shapes come in an order in which each stands behind those it uses."""
    schemas = {**document["components"]["schemas"], **_line_schemas(document)}
    operations = tuple(_operations(document, schemas))
    shapes = {name: _shape(name, schema) for name, schema in schemas.items()}
    asked = _reachable([each for operation in operations for each in _names(operation.fields)] + ["IngestLine"], shapes)
    answered = _reachable([each.answer.shape for each in operations] + ["Ingest"], shapes)
    words = {name for name in [*asked, *answered] if shapes[name].values}
    return Contract(
        operations,
        words=tuple(shapes[name] for name in sorted(words)),
        inputs=tuple(shapes[name] for name in asked if name not in words),
        records=tuple(shapes[name] for name in answered if name not in words),
    )


def _line_schemas(document: Json) -> Json:
    """The shape of a line of bulk ingest, which OpenAPI holds inside its operation."""
    body = document["paths"]["/api/v1/ingest"]["post"]["requestBody"]
    return {"IngestLine": body["content"][LINES]["schema"]}


def _operations(document: Json, schemas: Json) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            if described["operationId"] not in LEFT_OUT:
                yield _operation(method.upper(), path, described, schemas)


def _operation(method: str, path: str, described: Json, schemas: Json) -> Operation:
    return Operation(
        name=described["operationId"].rpartition(".")[2],
        method=method,
        path=path,
        in_path=tuple(_parameters(described, "path")),
        in_query=tuple(_parameters(described, "query")),
        in_body=_body(described, schemas),
        answer=_answer(described, schemas),
        summary=described["summary"],
        description=_flat(described.get("description", "")),
        repeatable=described["x-repeatable"],
        repeat_key=described.get("x-repeat-key"),
    )


def _parameters(described: Json, place: str) -> Iterator[Field]:
    for each in described["parameters"]:
        if each["in"] == place:
            schema = each["schema"]
            yield Field(each["name"], _kind(schema), each["required"], _flat(schema.get("description", "")))


def _body(described: Json, schemas: Json) -> tuple[Field, ...] | None:
    if "requestBody" not in described:
        return None
    return _fields(schemas[_kind(described["requestBody"]["content"]["application/json"]["schema"]).name])


def _answer(described: Json, schemas: Json) -> Answer:
    name = _kind(described["responses"]["200"]["content"]["application/json"]["schema"]).name
    if generic := _GENERIC.fullmatch(schemas[name]["title"]):
        return Answer(generic[2], generic[1])
    return Answer(name, "")


def _shape(name: str, schema: Json) -> Shape:
    told = schema.get("description", "")
    if "enum" in schema:
        return Shape(name, "\n".join(filter(None, told.splitlines())), values=tuple(schema["enum"]))
    return Shape(name, _flat(told), fields=_fields(schema))


def _fields(schema: Json) -> tuple[Field, ...]:
    """The required ones first, in the order of the contract."""
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    return tuple(
        Field(name, _kind(properties[name]), name in required, _flat(properties[name].get("description", "")))
        for name in [*required, *(each for each in properties if each not in required)]
    )


def _kind(schema: Json) -> Kind:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Kind("json") if name == "JsonValue" else Kind(name, is_shape=True)
    if "allOf" in schema:
        return _kind(schema["allOf"][0])
    if "anyOf" in schema:
        (chosen,) = (each for each in schema["anyOf"] if each.get("type") != "null")
        kind = _kind(chosen)
        return Kind(kind.name, kind.is_shape, kind.many, optional=True)
    if "enum" in schema:
        return Kind(schema["title"], is_shape=True)
    if schema.get("type") == "array":
        return Kind(_kind(schema["items"]).name, _kind(schema["items"]).is_shape, many=True)
    return Kind(_FORMATS.get(schema.get("format", "")) or _SCALARS.get(schema.get("type", ""), "json"))


def _names(fields: Iterable[Field]) -> Iterator[str]:
    return (field.kind.name for field in fields if field.kind.is_shape)


def _reachable(names: Iterable[str], shapes: Mapping[str, Shape]) -> list[str]:
    """The names and all that they use, those first that others use."""
    found: list[str] = []
    for name in names:
        if name not in found:
            found += [each for each in _reachable(_names(shapes[name].fields), shapes) if each not in found]
            found.append(name)
    return found


def _flat(text: str) -> str:
    return " ".join(text.split())
