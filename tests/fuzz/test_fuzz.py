"""No request is answered with 5xx, whatever is in it: REST by its OpenAPI document, GraphQL by its schema, and bytes.

A few hundred requests with the marker `heavy`, always the same; with `fuzz` (`make fuzz`) more than ten thousand.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from graphql import GraphQLList, GraphQLNonNull, GraphQLObjectType, StringValueNode, build_schema, get_named_type
from hypothesis import strategies as st
from hypothesis_graphql import from_schema
from schemathesis import GenerationMode

from tests.fuzz.conftest import Server
from tests.fuzz.trying import rounds, tried, words
from tests.fuzz.values import STRINGS, TIMES, UNKNOWN_ID, nasty, raw_bodies, spoilt

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PROJECT = Path(__file__).resolve().parents[2]
REST = json.loads((PROJECT / "openapi.json").read_text())
for _each in REST["paths"]["/api/v1/events"]["get"]["parameters"]:
    if _each["name"] == "wait":
        # Nothing happens meanwhile: who waits longer tries nothing more.
        _each["schema"]["maximum"] = 0.1
COMPONENTS = REST["components"]["schemas"]
GRAPHQL = build_schema((PROJECT / "schema.graphql").read_text())
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "FOO")
CONTENT_TYPES = (
    "application/json",
    "application/json; charset=utf-16",
    "application/x-ndjson",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "text/plain",
    "",
)
PATHS = (
    "/graphql",
    "/",
    "/api/v1",
    "/admin/",
    "/admin/login/",
    "/static/x",
    "/mcp",
    "/console/",
    "/readyz",
    "/metrics",
    "/favicon.ico",
)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in REST["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


@cache
def by_schema() -> Any:
    return schemathesis.openapi.from_dict(REST)


@rounds
def test_rest_as_its_document_describes_it(attacked: Server, rounds: int) -> None:
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {attacked.token}"

    def send(case: Any) -> None:
        response = case.call(base_url=attacked.url, session=session, timeout=30)
        sent = f"{response.request.url} {response.request.body!r}".encode()
        attacked.judge(f"{case.method} {case.formatted_path}", sent, response.status_code, response.content)

    for found in by_schema().get_all_operations():
        operation = found.ok()
        tried(operation.as_strategy(generation_mode=GenerationMode.POSITIVE), send, rounds=rounds, each=2)


@rounds
def test_rest_with_spoilt_fields(attacked: Server, rounds: int) -> None:
    for method, path, operation in operations():
        tried(_spoilt_request(path, operation), lambda parts, m=method: attacked.send(m, *parts), rounds=rounds, each=2)


@st.composite
def _spoilt_request(draw: st.DrawFn, path: str, operation: dict[str, Any]) -> tuple[str, bytes, dict[str, str]]:
    content = operation.get("requestBody", {}).get("content", {})
    media, shape = next(iter(content.items()), ("application/json", {}))
    values = (
        [draw(spoilt(shape["schema"], COMPONENTS)) for _ in range(3 if "ndjson" in media else 1)] if content else []
    )
    body = "\n".join(json.dumps(value) for value in values).encode()
    query = []
    for parameter in operation.get("parameters", ()):
        word = draw(words)
        if parameter["in"] == "path":
            keeps = "id" in parameter["schema"].get("format", "") and draw(st.booleans())
            path = path.replace(f"{{{parameter['name']}}}", UNKNOWN_ID if keeps else word)
        elif parameter.get("required") or draw(st.booleans()):
            query.append(f"{parameter['name']}={word}")
    return f"{path}?{'&'.join(query)}" if query else path, body, {"Content-Type": media}


@rounds
def test_graphql_as_its_schema_describes_it(attacked: Server, rounds: int) -> None:
    scalars = {
        "Date": st.sampled_from(TIMES).map(lambda text: StringValueNode(value=text[:10])),
        "DateTime": st.sampled_from(TIMES).map(lambda text: StringValueNode(value=text)),
        "JSON": st.sampled_from(["tea", "[]"]).map(lambda text: StringValueNode(value=text)),
    }
    tried(from_schema(GRAPHQL, custom_scalars=scalars), lambda text: _ask(attacked, text, {}), rounds=rounds, each=40)


@rounds
def test_graphql_with_spoilt_variables(attacked: Server, rounds: int) -> None:
    for kind in (GRAPHQL.query_type, GRAPHQL.mutation_type):
        for name, each in kind.fields.items() if kind else ():
            if each.args:
                text, variables = _operation("query" if kind is GRAPHQL.query_type else "mutation", name, each)
                tried(variables, lambda given, t=text: _ask(attacked, t, given), rounds=rounds)


def _ask(server: Server, text: str, variables: Any) -> None:
    server.send("POST", "/graphql", json.dumps({"query": text, "variables": variables}).encode())


def _operation(kind: str, name: str, each: Any) -> tuple[str, st.SearchStrategy[Any]]:
    declared = ", ".join(f"${arg}: {given.type}" for arg, given in each.args.items())
    passed = ", ".join(f"{arg}: ${arg}" for arg in each.args)
    below = " { __typename }" if isinstance(get_named_type(each.type), GraphQLObjectType) else ""
    values = {arg: _input(given.type) for arg, given in each.args.items() if isinstance(given.type, GraphQLNonNull)}
    optional = {arg: _input(given.type) for arg, given in each.args.items() if arg not in values}
    return f"{kind}({declared}) {{ {name}({passed}){below} }}", st.fixed_dictionaries(values, optional=optional)


def _input(kind: Any) -> st.SearchStrategy[Any]:
    """Of the right type for the most part: what is of another is refused by the first glance."""
    if isinstance(kind, GraphQLNonNull):
        return _input(kind.of_type)
    if isinstance(kind, GraphQLList):
        return st.lists(_input(kind.of_type), max_size=3)
    if hasattr(kind, "fields"):
        required = {
            name: _input(each.type) for name, each in kind.fields.items() if isinstance(each.type, GraphQLNonNull)
        }
        others = {name: _input(each.type) for name, each in kind.fields.items() if name not in required}
        return st.fixed_dictionaries(required, optional=others)
    if hasattr(kind, "values"):
        return st.sampled_from(sorted(kind.values))
    return {
        "Int": st.sampled_from([0, -1, 1, 101, 2**31 - 1, -(2**31)]),
        "Float": st.sampled_from([0.5, -1.0, 1e308]),
        "Boolean": st.booleans(),
        "Date": st.sampled_from(TIMES).map(lambda text: text[:10]),
        "DateTime": st.sampled_from(TIMES),
        "ID": st.one_of(st.just(UNKNOWN_ID), st.sampled_from(STRINGS)),
        "JSON": nasty,
    }.get(kind.name, st.one_of(st.sampled_from(STRINGS), st.text(max_size=30)))


@rounds
def test_bytes_of_any_kind(attacked: Server, rounds: int) -> None:
    paths = (*PATHS, *(path for _, path, _ in operations()))
    requests_of_any_kind = st.tuples(
        st.sampled_from(METHODS),
        st.tuples(
            st.one_of(st.just("/graphql"), st.sampled_from(paths)),
            st.sampled_from(["", "%00", "%ff", "%ED%A0%80", "?%00=%ff", "?first=%F0%28", "/" * 50]),
        ),
        raw_bodies(),
        st.fixed_dictionaries(
            {"Content-Type": st.sampled_from(CONTENT_TYPES)},
            optional={
                "Content-Encoding": st.just("gzip"),
                "Authorization": st.sampled_from(["Bearer", "Bearer \xff", "Basic eDp4", f"Bearer mp_{'0' * 12}_\xe9"]),
                "Memory-User": st.sampled_from(["%00", "%ff", "\xff", "x" * 300, "%ED%A0%80", "mara"]),
                "Accept": st.sampled_from(
                    ["text/html", "application/x-ndjson", "text/event-stream", "multipart/mixed"]
                ),
                "X-Request-ID": st.sampled_from(["\xff", "x" * 100]),
            },
        ),
    )

    def send(parts: Any) -> None:
        method, path, body, headers = parts
        attacked.send(method, "".join(path), body, headers)

    tried(requests_of_any_kind, send, rounds=rounds, each=50)
