"""Pages for whoever opens the server in a browser: where to go from `/`, what is not there, how to use /graphql.

They say nothing of any tenant and load nothing from elsewhere.
"""

import json
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from django.contrib.staticfiles import finders
from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import strip_tags
from markdown_it import MarkdownIt

from apps.api import health
from apps.api.local import is_developing
from apps.core import problems
from apps.environment import PROJECT_ROOT
from memory_platform.errors import NotFound

_CSP: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
# In a checkout and in the image; what is installed as a wheel has no pages, and the first page then names none.
_DOCUMENTS: Final = PROJECT_ROOT / "docs"
_HEADING: Final = re.compile(r"<h([1-6])>(.*?)</h\1>")
_MCP_GUIDE: Final = "guides/mcp.md"


def front(request: HttpRequest) -> HttpResponse:
    """/: what runs here, whether it is well, and where to go."""
    if request.method not in {"GET", "HEAD"}:
        return missing(request)
    checks = health.checks()
    found = {
        "version": running_version(),
        "checks": checks,
        "is_ready": health.are_ready(checks),
        "has_graphiql": is_developing(request),
        "mcp_line": _mcp_line(request),
        "mcp_guide": _MCP_GUIDE if _MCP_GUIDE in _documents() else None,
        "guides": _guides(),
    }
    return _page(request, "api/front.html", found)


def _mcp_line(request: HttpRequest) -> str:
    """The entry of a host's `mcpServers`, at the address by which this page was asked for."""
    server = {"url": request.build_absolute_uri(reverse("mcp")), "headers": {"Authorization": "Bearer mp_…"}}
    return f'"memory": {json.dumps(server, ensure_ascii=False)}'


def only_post(request: HttpRequest) -> HttpResponse:
    """GET /graphql where there is no playground: 405, with what to do instead."""
    problem = problems.Problem(
        "INVALID", 405, "GraphQL is asked by POST.", hint='Send {"query": "…"} as application/json with your API key.'
    )
    response = _told(request, problem, "api/only_post.html")
    response["Allow"] = "POST"
    return response


def missing(request: HttpRequest, *_exception: Exception, **_named: Exception) -> HttpResponse:
    """404."""
    nothing = NotFound("There is nothing at this address.", hint="/api/v1/docs lists every route.")
    return _told(request, problems.of(nothing), "api/missing.html")


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, in our own words only: what else refuses a request quotes what was sent."""
    told = str(exception) if type(exception) is BadRequest else "The request cannot be read."
    return _told(request, problems.Problem("INVALID", 400, told), "api/refused.html")


def forbidden(request: HttpRequest, *_exception: Exception, **_named: Exception) -> HttpResponse:
    """403 of the admin, to whom a role does not open a page."""
    hint = "Ask an owner of the tenant for a role that opens it, or log in as somebody else."
    return _told(
        request, problems.Problem("FORBIDDEN", 403, "Your role does not open this.", hint=hint), "api/forbidden.html"
    )


def outdated(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001  Django tells its own reason
    """403 of a form without the token of the login that sends it: who logged in elsewhere meanwhile has another."""
    hint = "Go back, load the page anew and send it again; cookies have to be allowed."
    told = "Nothing was done: this page is older than your login."
    return _told(request, problems.Problem("FORBIDDEN", 403, told, hint=hint), "api/refused.html")


def not_allowed(response: HttpResponse) -> HttpResponse:
    """405 of REST as JSON: ninja's own answer is a page."""
    allowed = ", ".join(sorted(response.headers["Allow"].split(", ")))
    told = problems.refusal(problems.Problem("INVALID", 405, "This route has no such method.", hint=f"Use {allowed}."))
    told["Allow"] = allowed
    return told


def guide(request: HttpRequest, page: str) -> HttpResponse | FileResponse:
    """A page of the documentation, or a picture of one."""
    if page in _pictures():
        return FileResponse(_pictures()[page].open("rb"), content_type="image/png")
    if page not in _documents():
        return missing(request)
    return _page(request, "api/guide.html", {"title": _title(page), "body": _rendered(_documents()[page])})


def favicon(_request: HttpRequest) -> FileResponse:
    """Browsers ask for it beside every page."""
    found = finders.find("api/favicon.svg")
    if not isinstance(found, str):
        raise Http404
    response = FileResponse(Path(found).open("rb"), content_type="image/svg+xml")  # noqa: SIM115  closed by the response
    response["Cache-Control"] = "public, max-age=86400"
    return response


def _rendered(page: Path) -> str:
    """As HTML, in which keys scroll, too, what is wider than the window."""
    body: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(page.read_text("utf-8"))
    for wide in ("pre", "table"):
        body = body.replace(f"<{wide}>", f'<{wide} tabindex="0">')
    return _HEADING.sub(_with_id, body)


def _with_id(heading: re.Match[str]) -> str:
    """Named as GitHub names it, which is what pages link to."""
    level, words = heading.groups()
    name = re.sub(r"[^\w\- ]", "", strip_tags(words).lower()).replace(" ", "-")
    return f'<h{level} id="{name}">{words}</h{level}>'


def _told(request: HttpRequest, problem: problems.Problem, template: str) -> HttpResponse:
    """A problem as JSON under /api/ and for programs, as a page in a browser."""
    if request.path.startswith("/api/") or not _wants_a_page(request):
        return problems.refusal(problem)
    return _page(request, template, {"problem": problem}, status=problem.status)


def _page(request: HttpRequest, template: str, found: dict[str, Any], *, status: int = 200) -> HttpResponse:
    page = render(request, template, found, status=status)
    page["Content-Security-Policy"] = _CSP
    return page


def _wants_a_page(request: HttpRequest) -> bool:
    return "text/html" in request.headers.get("Accept", "")


@cache
def running_version() -> str:
    try:
        return version("memory-platform")
    except PackageNotFoundError:
        return "of a checkout"


@cache
def _documents() -> dict[str, Path]:
    """The pages that may be shown, by their path below the documents' folder: no other file can be asked for."""
    return {path.relative_to(_DOCUMENTS).as_posix(): path for path in _DOCUMENTS.glob("**/*.md")}


@cache
def _pictures() -> dict[str, Path]:
    return {path.relative_to(_DOCUMENTS).as_posix(): path for path in _DOCUMENTS.glob("images/*.png")}


@cache
def _guides() -> tuple[tuple[str, str], ...]:
    """Page and title of each guide."""
    pages = sorted(page for page in _documents() if page.startswith("guides/"))
    return tuple((page, _title(page)) for page in pages)


def _title(page: str) -> str:
    with _documents()[page].open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip()
