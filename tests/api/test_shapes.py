"""Both APIs take and answer the same: `schema.graphql` and `openapi.json` are compared, verb by verb, both ways.

What differs by the nature of the two is folded before: camelCase and snake_case, a connection and a page, a list and
its envelope, arguments that GraphQL groups (`input`, `options`, `filter`) and REST spreads over path, query and body, a
row that is not there (null, 404). An optional input may be null in both, for REST drops what is null. Every other
difference is one of INTENDED, with its reason.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    build_schema,
    is_required_argument,
    is_required_input_field,
)

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = build_schema((ROOT / "schema.graphql").read_text(encoding="utf-8"))
REST = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
FIELDS: dict[str, GraphQLField] = {**SCHEMA.query_type.fields, **SCHEMA.mutation_type.fields}  # type: ignore[union-attr]
OPERATIONS: dict[str, Mapping[str, Any]] = {
    operation["operationId"]: operation for methods in REST["paths"].values() for operation in methods.values()
}
GROUPS = {"input", "options", "filter", "lines"}
# What REST calls otherwise: an id in a path is named after its noun, and a query string repeats a singular.
SINGULAR = {
    "kind": "kinds",
    "category": "categories",
    "service": "services",
    "source": "sources",
    "state": "states",
    "status": "statuses",
    "verdict": "verdicts",
}
SCALARS = {
    "String": "text",
    "ID": "text",
    "Int": "integer",
    "Float": "number",
    "Boolean": "boolean",
    "DateTime": "date-time",
    "Date": "date",
    "JSON": "any",
}

WALK = "GraphQL walks there; REST has a verb, or answers with it"
BY_NAME = "REST's `entities/named`, a second way of the verb"
BY_TIME = "`after` is the cursor in a query string: a filter's `after` and `before` are `since` and `until` there"
BIG = "GraphQL's Int ends at 2^31, sums of tokens do not"

INTENDED: dict[str, str] = {
    "Hit.memory: in GraphQL only": WALK,
    "Memory.entities: in GraphQL only": WALK,
    "Memory.supersededBy: in GraphQL only": WALK,
    "Memory.supersedes: in GraphQL only": WALK,
    "Memory.versions: in GraphQL only": WALK,
    "NamedEntity.profile: in GraphQL only": WALK,
    "OpenLink.memory: in GraphQL only": WALK,
    "Rejection.sources: in GraphQL only": WALK,
    "entity.name: in GraphQL only": BY_NAME,
    "entity(id): required in REST only": BY_NAME,
    "memories.before: in GraphQL only": BY_TIME,
    "memories.since: in REST only": BY_TIME,
    "memories.until: in REST only": BY_TIME,
    "memories.idPart: in REST only": "for people, who are shown the end of an id",
    "memoryEvents.wait: in REST only": "GraphQL answers at once",
    "mergeEntities.into: in GraphQL only": "REST has it in the path",
    "mergeEntities.entityId: in REST only": "GraphQL's `into`",
    "proposals.ids: in GraphQL only": "REST repeats `id`",
    "proposals.id: in REST only": "GraphQL's `ids`",
    "path: [PathStep!] in GraphQL, Path in REST": "no way is null in GraphQL; a body of REST says `connected: false`",
    "UsageGroup.tokensIn: Float in GraphQL, integer in REST": BIG,
    "UsageGroup.tokensOut: Float in GraphQL, integer in REST": BIG,
}


def camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a value may be; Ninja nests those of a parameter that may be null."""
    for each in schema.get("anyOf", ()):
        yield from alternatives(each)
    if "anyOf" not in schema:
        yield schema


class Described:
    """A type of OpenAPI, with references followed and null set apart."""

    def __init__(self, schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None) -> None:
        self.definitions = definitions or {}
        self.name = ""
        kinds = list(alternatives(schema))
        self.is_nullable = any(kind.get("type") == "null" for kind in kinds)
        (schema,) = [kind for kind in kinds if kind.get("type") != "null"]
        for inner in schema.get("allOf", ()):
            schema = inner
        while "$ref" in schema:
            self.name = schema["$ref"].rpartition("/")[2]
            schema = self.definitions.get(self.name) or REST["components"]["schemas"][self.name]
        self.schema = schema

    def of(self, schema: Mapping[str, Any]) -> "Described":
        return Described(schema, self.definitions)

    @property
    def properties(self) -> dict[str, tuple["Described", bool]]:
        """By name: the type, and whether it must be there."""
        required = self.schema.get("required", ())
        return {
            camel(name): (self.of(kind), name in required) for name, kind in self.schema.get("properties", {}).items()
        }

    @property
    def scalar(self) -> str:
        kind: str = self.schema.get("type", "any")
        known: str | None = self.schema.get("format") if self.schema.get("format") in {"date", "date-time"} else None
        return known or {"string": "text", "object": "any"}.get(kind, kind)


def bare(kind: Any) -> Any:
    return kind.of_type if isinstance(kind, GraphQLNonNull) else kind


def is_required(argument: GraphQLArgument | GraphQLInputField) -> bool:
    if isinstance(argument, GraphQLInputField):
        return is_required_input_field(argument)
    return is_required_argument(argument)


def arguments(field: GraphQLField) -> Iterator[tuple[str, GraphQLArgument | GraphQLInputField]]:
    """What a verb takes, with its groups spread."""
    for name, argument in field.args.items():
        inside = bare(argument.type)
        inside = bare(inside.of_type) if isinstance(inside, GraphQLList) else inside
        if name in GROUPS and isinstance(inside, GraphQLInputObjectType):
            yield from inside.fields.items()
        else:
            yield name, argument


def parameters(operation: Mapping[str, Any]) -> Iterator[tuple[str, Described, bool]]:
    """What an operation takes, from its path, its query and its body."""
    for each in operation.get("parameters", ()):
        yield camel(each["name"]), Described(each["schema"]), each.get("required", False)
    for content in operation.get("requestBody", {}).get("content", {}).values():
        body = Described(content["schema"], content["schema"].get("$defs"))
        for name, (kind, required) in body.properties.items():
            yield name, kind, required


def as_graphql(name: str, known: Mapping[str, Any]) -> str:
    """What GraphQL calls a parameter of REST."""
    if name in known:
        return name
    return "id" if name.endswith("Id") and "id" in known else SINGULAR.get(name, name)


def answer(operation: Mapping[str, Any]) -> Described:
    (content,) = [each["content"] for code, each in operation["responses"].items() if code.startswith("2")]
    return Described(content["application/json"]["schema"])


class Comparison:
    """The differences between what one verb is in both; a pair of types is walked once."""

    def __init__(self) -> None:
        self.differences: set[str] = set()
        self._seen: set[tuple[str, str]] = set()

    def note(self, place: str, what: str) -> None:
        self.differences.add(f"{place}: {what}")

    def inputs(self, verb: str) -> None:
        graphql = dict(arguments(FIELDS[verb]))
        rest = {as_graphql(name, graphql): (kind, required) for name, kind, required in parameters(OPERATIONS[verb])}
        self._members(verb, graphql, rest)

    def _members(self, place: str, graphql: Mapping[str, Any], rest: Mapping[str, tuple[Described, bool]]) -> None:
        self._names(place, graphql, rest)
        for name in graphql.keys() & rest.keys():
            described, required = rest[name]
            if is_required(graphql[name]) != required:
                self.note(f"{place}({name})", f"required in {'REST' if required else 'GraphQL'} only")
            self._kind(f"{place}({name})", bare(graphql[name].type), described)

    def answers(self, verb: str) -> None:
        kind, described = bare(FIELDS[verb].type), answer(OPERATIONS[verb])
        if described.name.startswith("Items_"):
            described = described.properties["items"][0]
        self._kind(verb, kind, described)

    def _names(self, place: str, graphql: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
        for name in graphql.keys() - rest.keys():
            self.note(f"{place}.{name}", "in GraphQL only")
        for name in rest.keys() - graphql.keys():
            self.note(f"{place}.{name}", "in REST only")

    def _type(self, place: str, kind: Any, described: Described) -> None:
        """Compare a field of an answer. What may be any JSON may be null."""
        is_nullable = not isinstance(kind, GraphQLNonNull)
        if is_nullable != described.is_nullable and described.scalar != "any":
            self.note(place, f"nullable in {'GraphQL' if is_nullable else 'REST'} only")
        self._kind(place, bare(kind), described)

    def _kind(self, place: str, kind: Any, described: Described) -> None:
        match kind:
            case GraphQLList() if described.scalar == "array":
                self._type(place, kind.of_type, described.of(described.schema["items"]))
            case GraphQLEnumType():
                self._values(place, kind, described)
            case GraphQLObjectType() if described.schema.get("properties") is not None:
                self._object(kind, described)
            case GraphQLInputObjectType() if described.schema.get("properties") is not None:
                if self._is_new(kind.name, described):
                    self._members(kind.name, kind.fields, described.properties)
            case _ if SCALARS.get(getattr(kind, "name", "")) != described.scalar:
                self.note(place, f"{kind} in GraphQL, {described.name or described.scalar} in REST")

    def _values(self, place: str, kind: GraphQLEnumType, described: Described) -> None:
        values = described.schema.get("enum", [described.schema.get("const")])
        if {value.lower() for value in kind.values} != {str(value).lower() for value in values}:
            self.note(place, f"{sorted(kind.values)} in GraphQL, {values} in REST")

    def _is_new(self, name: str, described: Described) -> bool:
        pair = (name, described.name)
        fresh = pair not in self._seen
        self._seen.add(pair)
        return fresh

    def _object(self, kind: GraphQLObjectType, described: Described) -> None:
        if kind.name.endswith("Connection"):
            node = bare(bare(bare(kind.fields["edges"].type).of_type).fields["node"].type)
            items = described.properties["items"][0]
            self._kind(kind.name, node, items.of(items.schema["items"]))
        elif self._is_new(kind.name, described):
            self._names(kind.name, kind.fields, described.properties)
            for name in kind.fields.keys() & described.properties.keys():
                self._type(f"{kind.name}.{name}", kind.fields[name].type, described.properties[name][0])


@pytest.fixture(scope="module")
def differences() -> set[str]:
    compared = Comparison()
    for verb in FIELDS:
        compared.inputs(verb)
        compared.answers(verb)
    return compared.differences


def test_both_apis_take_and_answer_the_same(differences: set[str]) -> None:
    assert differences - INTENDED.keys() == set()


def test_no_difference_is_excused_that_is_none(differences: set[str]) -> None:
    assert INTENDED.keys() - differences == set()
