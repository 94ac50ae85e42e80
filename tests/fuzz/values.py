"""What callers send who mean harm or know no better: values that broke something once, and bodies made of them."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

TIMES = (
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:00",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00-23:59",
    "1969-12-31T23:59:59Z",
    "2024-05-01T12:00:00+23:00",
    "2024-05-01T12:00:00-16:00",
    "2024-02-30T00:00:00Z",
    "2024-05-01",
    "2024-05-01T00:00:00",
    "24:00",
    "last_week",
)
STRINGS = (
    "",
    " ",
    "tea",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udc00 tea",
    "\u202etea\u200b",
    "e\u0301" * 50,
    "x" * 201,
    "x " * 4_500,
    "%00",
    "../../etc",
    "'; --",
    "[MEMORY:work:tea] tea",
    "yesterday",
    "00000000-0000-0000-0000-000000000000",
    "WyJjcmVhdGVkX2F0Il0",
    *TIMES,
)
NUMBERS = (
    0,
    -1,
    1,
    101,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**63,
    2**64,
    10**30,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
)
UNKNOWN_ID = str(UUID(int=1))
DEEP = '{"a":' * 2_000 + "[" * 2_000 + "]" * 2_000 + "}" * 2_000

nasty = st.one_of(
    st.sampled_from(STRINGS),
    st.sampled_from(NUMBERS),
    st.none(),
    st.booleans(),
    st.text(st.characters(codec=None), max_size=40),
    st.just([]),
    st.just({}),
    st.lists(st.sampled_from((*STRINGS, *NUMBERS)), min_size=1, max_size=120),
    st.dictionaries(st.sampled_from(STRINGS), st.sampled_from((*STRINGS, *NUMBERS)), max_size=3),
)


def sample(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """A value an OpenAPI schema allows, the plainest one."""
    if "$ref" in schema:
        return sample(components[schema["$ref"].rpartition("/")[2]], components)
    for alternatives in ("anyOf", "allOf", "oneOf"):
        if alternatives in schema:
            return sample(schema[alternatives][0], components)
    if schema.get("type") == "object":
        return {name: sample(schema["properties"][name], components) for name in schema.get("required", ())}
    if schema.get("type") == "array":
        return [sample(schema.get("items", {}), components)]
    if "enum" in schema:
        return schema["enum"][0]
    plain = {"integer": 1, "number": 0.5, "boolean": True, "null": None, "date-time": TIMES[5], "uuid": UNKNOWN_ID}
    return plain.get(schema.get("format", schema.get("type")), "tea at four")


def properties(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Mapping[str, Any]:
    resolved = components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    for alternative in resolved.get("anyOf", ()):
        if found := properties(alternative, components):
            return found
    held: Mapping[str, Any] = resolved.get("properties", {})
    return held


@st.composite
def spoilt(draw: st.DrawFn, schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """What the schema allows but for a field or two, or none of them."""
    known = properties(schema, components)
    body = sample(schema, components)
    if not known or not isinstance(body, dict):
        return draw(nasty)
    for name in draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=3, unique=True)):
        inner = known[name]
        within = properties(inner, components)
        body[name] = draw(spoilt(inner, components) if within and draw(st.booleans()) else nasty)
    return body


@st.composite
def raw_bodies(draw: st.DrawFn) -> bytes:
    """Bytes that are no JSON, no UTF-8, JSON of the wrong kind, or JSON of a depth nobody needs."""
    value = draw(nasty)
    text = json.dumps({"query": value, "variables": draw(nasty), "operationName": draw(nasty)})
    encoding = draw(st.sampled_from(["utf-8", "utf-16", "utf-32", "cp037"]))
    whole = text.encode(encoding)
    return draw(
        st.one_of(
            st.binary(max_size=200),
            st.just(whole),
            st.integers(0, len(whole)).map(lambda end: whole[:end]),
            st.sampled_from(
                [
                    b"",
                    b"1",
                    b"null",
                    b"true",
                    b'"x"',
                    b"[]",
                    b"[1]",
                    b"{}",
                    b"\xff\xfe",
                    b"\x1f\x8b\x08\x00",
                    b"NaN",
                    b"1e999999",
                    b"9" * 5_000,
                    b"[" * 2_000,
                    b"[" * 100_000,
                    DEEP.encode(),
                    b'{"query": ' + DEEP.encode() + b"}",
                    b'{"query": "{viewer{tenant}}", "variables": ' + DEEP.encode() + b"}",
                    b'{"query": "' + b"{a" * 300 + b'"}',
                    b'{"query": "{ memories(first: ' + b"9" * 5_000 + b') { edges { cursor } } }"}',
                    b'{"query": "query($n: Int = ' + b"9" * 5_000 + b') { viewer { tenant } }"}',
                    b'{"query": "{ recall(query: ' + b"[" * 300 + b"]" * 300 + b') { id } }"}',
                    b'{"query": "' + b"#" * 70_000 + b'"}',
                    b'{"query": "{viewer{tenant}}", "query": "\\ud800"}',
                ]
            ),
        )
    )
