"""The forms and lists of the admin as a browser has them: found by following its links, with the values they show."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
from typing_extensions import override

MOST_PAGES = 80
# What ends the session, or takes from whoever sends the requests the login, the key or the rates to send more.
LEFT_ALONE = re.compile(
    r"/(?:logout|password\w*|delete|jsi18n|autocomplete)/|/(?:user|membership|apikey)/[^/]+/change/"
)
KEPT = re.compile(r"csrfmiddlewaretoken|\w+_per_minute|captures_burst|keep_raw_secrets")
LIST = re.compile(r"/admin/\w+/\w+/")
_TYPELESS = {"submit", "button", "image", "reset", "file"}


@dataclass
class Form:
    """Where it is sent, and the pairs it holds. `fields` are the names of those that may be spoilt."""

    path: str
    values: dict[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> list[str]:
        return sorted(name for name in self.values if not KEPT.fullmatch(name))


@dataclass(frozen=True)
class Listing:
    """Where rows are listed, and by which parameters its links sort, filter and turn its pages."""

    path: str
    parameters: list[str]


class _Page(HTMLParser):
    """The links of a page, and its forms that are posted."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.path = path
        self._form: Form | None = None
        self._named = ""

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given:
            self.links.append(urljoin(self.path, given["href"]))
        elif tag == "form":
            is_posted = given.get("method", "").lower() == "post"
            self._form = Form(urljoin(self.path, given.get("action", ""))) if is_posted else None
            self.forms += [self._form] if self._form else []
        elif self._form is not None:
            self._read(tag, given, self._form)

    def _read(self, tag: str, given: Mapping[str, str], form: Form) -> None:
        if tag == "option":
            if "selected" in given and self._named:
                form.values[self._named] = given.get("value", "")
        elif tag in {"input", "select", "textarea"} and given.get("name") and given.get("type") not in _TYPELESS:
            self._named = given["name"]
            is_off = given.get("type") in {"checkbox", "radio"} and "checked" not in given
            form.values.setdefault(self._named, "" if is_off else given.get("value", ""))

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None


Getter = Callable[[str], str]
"""The HTML at a path, by whoever is logged in; nothing where there is none."""


def forms(get: Getter) -> list[Form]:
    """What can be filled in under `/admin/`, breadth first from its first page."""
    return list({form.path: form for page in _pages(get) for form in page.forms if form.fields}.values())


def forms_in(path: str, html: str) -> list[Form]:
    """Those of one page that are posted."""
    page = _Page(path)
    page.feed(html)
    return page.forms


def listings(get: Getter) -> list[Listing]:
    """The lists under `/admin/`."""
    return [Listing(page.path, _parameters(page)) for page in _pages(get) if LIST.fullmatch(page.path)]


@contextmanager
def browsing(url: str, headers: Mapping[str, str]) -> Iterator[Getter]:
    """A server's pages."""
    with httpx.Client(base_url=url, headers=headers, follow_redirects=True, timeout=60) as client:

        def get(path: str) -> str:
            answer = client.get(path)
            return answer.text if answer.is_success and "html" in answer.headers["Content-Type"] else ""

        yield get


def _parameters(page: _Page) -> list[str]:
    queries = (urlsplit(link).query for link in page.links)
    return sorted({name for query in queries for name, _ in parse_qsl(query, keep_blank_values=True)})


def _pages(get: Getter) -> Iterator[_Page]:
    """One of each kind: a list's second row has the same form as its first."""
    waiting, seen = ["/admin/"], set[str]()
    while waiting and len(seen) < MOST_PAGES:
        path = waiting.pop(0)
        if (kind := _kind(path)) in seen:
            continue
        seen.add(kind)
        if html := get(path):
            page = _Page(path)
            page.feed(html)
            page.forms = [form for form in page.forms if _is_ours(form.path)]
            waiting += [link for link in map(_bare, page.links) if _is_ours(link)]
            yield page


def _bare(link: str) -> str:
    return urlsplit(link).path


def _kind(path: str) -> str:
    return re.sub(r"/[^/]*\d[^/]*/", "/0/", path)


def _is_ours(path: str) -> bool:
    return path.startswith("/admin/") and not LEFT_ALONE.search(path)
