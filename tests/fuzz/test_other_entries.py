"""The same of the entries beside the two APIs: tools over MCP, the console's and the admin's forms, the repository over
git.
"""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import strategies as st

from apps.api.mcp.tools import TOOLS
from apps.console.pages import PAGES
from tests.fuzz.admin_forms import Form, Listing, browsing, forms, listings
from tests.fuzz.conftest import Server
from tests.fuzz.trying import rounds, tried, words
from tests.fuzz.values import STRINGS, UNKNOWN_ID, nasty, raw_bodies, spoilt

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CONSOLE = Path(__file__).resolve().parents[2] / "apps" / "console" / "templates"
FIELDS = sorted(
    {name for page in CONSOLE.rglob("*.html") for name in re.findall(r'name="([a-z_]+)"', page.read_text())}
)
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
METHODS = ("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/get", "x")
GIT = (
    "info/refs?service=git-upload-pack",
    "info/refs?service=git-receive-pack",
    "info/refs",
    "git-upload-pack",
    "git-receive-pack",
    "HEAD",
    "objects/info/packs",
    "objects/00/" + "0" * 38,
)
COMMANDS = (
    b"0000",
    b"0009done\n",
    b"ffff",
    b"0032want " + b"0" * 40 + b"\n0000",
    b"0014command=ls-refs\n0000",
    b"zzzz",
)


LIST_PARAMETERS = (
    *("o", "p", "q", "all", "e", "_popup", "_to_field", "_facets", "_changelist_filters", "pk", "id", "id__exact"),
    *("id__in", "id__gt", "name__contains", "name__regex", "created_at__gte", "created_at__year", "created_at__month"),
    *("agent__id__exact", "agent__isnull", "tenant__slug", "state__in", "password__startswith"),
)
LIST_VALUES = ("1.2.-3", "-0", "0", "-1", str(10**30), "1,2,,", "%00", "%ff", "%ED%A0%80", "True", "(", UNKNOWN_ID)


@st.composite
def tool_calls(draw: st.DrawFn) -> dict[str, Any]:
    tool = draw(st.sampled_from(sorted(TOOLS)))
    schema = TOOLS[tool].description.input_schema
    arguments = draw(spoilt(_without_references(schema), schema.get("$defs", {})))
    return _message("tools/call", {"name": tool, "arguments": arguments})


def _without_references(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in schema.items() if name != "$defs"}


def _message(method: Any, parameters: Any, number: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


@rounds
def test_tools_over_mcp(attacked: Server, rounds: int) -> None:
    others = st.builds(_message, st.one_of(st.sampled_from(METHODS), nasty), nasty, nasty)
    bodies = st.one_of(tool_calls().map(json.dumps), others.map(json.dumps)).map(str.encode)
    tried(bodies, lambda body: attacked.send("POST", "/mcp", body, MCP), rounds=rounds, each=50)
    tried(raw_bodies(), lambda body: attacked.send("POST", "/mcp", body, MCP), rounds=rounds, each=10)


@st.composite
def visits(draw: st.DrawFn, known: tuple[str, ...]) -> tuple[str, str, bytes]:
    """A page of the console with fields as its forms send them, of which no one is what it should be."""
    page = draw(st.sampled_from(PAGES))
    part = st.one_of(st.sampled_from(known), words.filter(bool))
    path = re.sub(r"<[^>]+>", lambda _found: draw(part), page.path)
    pairs = draw(st.lists(st.tuples(st.sampled_from(FIELDS), st.one_of(part, words)), max_size=5))
    said = "&".join(f"{name}={value}" for name, value in pairs)
    if page.method == "GET":
        return "GET", f"/console/{path}?{said}", b""
    return page.method, f"/console/{path}", said.encode()


@rounds
def test_forms_of_the_console(attacked: Server, rounds: int) -> None:
    form = {**attacked.logged_in(), "Content-Type": "application/x-www-form-urlencoded"}
    known = (UNKNOWN_ID, attacked.memory_id, "nightly")
    tried(visits(known), lambda visit: attacked.send(*visit, form), rounds=rounds, each=60)


@st.composite
def fillings(draw: st.DrawFn, known: list[Form]) -> tuple[str, bytes]:
    """A form of the admin as it stood, but for a field or two."""
    form = draw(st.sampled_from(known))
    spoilt_fields = draw(st.lists(st.sampled_from(form.fields), min_size=1, max_size=3, unique=True))
    said = {name: quote(value, safe="") for name, value in form.values.items()}
    said |= {name: draw(words) for name in spoilt_fields}
    return form.path, "&".join(f"{quote(name)}={value}" for name, value in said.items()).encode()


@rounds
def test_forms_of_the_admin(attacked: Server, rounds: int) -> None:
    headers = attacked.logged_in()
    with browsing(attacked.url, headers) as get:
        known = forms(get)
    assert {"add", "change"} <= {form.path.rstrip("/").rpartition("/")[2] for form in known}
    form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
    tried(fillings(known), lambda filled: attacked.send("POST", *filled, form), rounds=rounds, each=40)


@st.composite
def queries(draw: st.DrawFn, known: list[Listing]) -> str:
    """A list of the admin under parameters as its links have them, or that Django reads of any list, spoilt."""
    listing = draw(st.sampled_from(known))
    names = st.one_of(st.sampled_from([*listing.parameters, *LIST_PARAMETERS]), words.filter(bool))
    values = st.one_of(st.sampled_from(LIST_VALUES), words)
    pairs = draw(st.lists(st.tuples(names, values), min_size=1, max_size=4))
    return f"{listing.path}?" + "&".join(f"{name}={value}" for name, value in pairs)


@rounds
def test_lists_of_the_admin(attacked: Server, rounds: int) -> None:
    headers = attacked.logged_in()
    with browsing(attacked.url, headers) as get:
        known = listings(get)
    assert len(known) > 10
    assert any(listing.parameters for listing in known)
    tried(queries(known), lambda path: attacked.send("GET", path, b"", headers), rounds=rounds, each=60)


@rounds
def test_the_repository_over_git(attacked: Server, rounds: int) -> None:
    asked = st.tuples(
        st.sampled_from(["GET", "POST", "PUT"]),
        st.one_of(st.sampled_from(GIT), words),
        st.one_of(st.sampled_from(COMMANDS), st.binary(max_size=60), st.sampled_from(STRINGS).map(_encoded)),
        st.fixed_dictionaries(
            {"Content-Type": st.sampled_from(["application/x-git-upload-pack-request", "text/plain", ""])},
            optional={
                "Content-Encoding": st.just("gzip"),
                "Git-Protocol": st.sampled_from(["version=2", "version=9", "\xff"]),
            },
        ),
    )

    def send(parts: Any) -> None:
        method, path, body, headers = parts
        attacked.send(method, f"/git/memory.git/{path}", body, headers)

    tried(asked, send, rounds=rounds, each=15)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
