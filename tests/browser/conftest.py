"""Headless Chromium before a real server: what a page complains of, whom it asks, and how it is to use."""

import io
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import httpx
import pytest
from PIL import Image
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from apps.stack.supervisor import Stack
from tests.browser import filling
from tests.browser.people import PASSWORD
from tests.stacks import in_shell, stack_of_its_own

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Where screenshots go when somebody wants to look at them.
SHOTS = os.environ.get("MEMORY_SCREENSHOTS")
pictures = pytest.mark.skipif(not SHOTS, reason="takes pictures alone: make screenshots")
"""A test that asserts nothing."""
# A page has few colours: with so many its picture looks the same and is a third as large.
COLOURS = 128
WIDTHS = (360, 768, 1280, 1920)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PATIENCE_MILLISECONDS = 60_000
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text()
HAS_AXE = "typeof axe !== 'undefined'"
# Of WCAG 2.2, level AA.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
JUDGE = """async (rules) => (await axe.run(document, {runOnly: rules})).violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`))"""

# What moved by itself since the page began to load: shares of the window (Cumulative Layout Shift), and where to where.
MOVED = """() => new Promise((done) => {
  const told = [];
  const box = ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" ");
  const place = ({node, previousRect, currentRect}) =>
    `${node?.nodeName} ${(node?.textContent ?? "").trim().slice(0, 40)}: ${box(previousRect)} -> ${box(currentRect)}`;
  const add = (one) => { if (!one.hadRecentInput) told.push([one.value, one.startTime, one.sources.map(place)]); };
  new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(told), 200);
})"""
STILL = 0.01
# What stands where on a page.
PLACES = """() => [...document.querySelectorAll("#main *")].map((each) => {
  const {x, y, width, height} = each.getBoundingClientRect();
  return [each.nodeName, ...[x, y, width, height].map(Math.round)].join(" ");
})"""
REFRESH = """() => new Promise((done) => {
  document.body.addEventListener("htmx:afterSettle", () => done(), {once: true});
  htmx.trigger("#fresh", "refresh");
})"""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """A stack that holds nothing yet."""
    with stack_of_its_own("wordllama", worker=False) as started:
        yield started


@pytest.fixture(scope="session")
def filled() -> Iterator[Stack]:
    """A stack that has learnt from a conversation, with some of everything the pages show."""
    with stack_of_its_own("minilm") as started:
        filling.fill(started)
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For a module alone: while Playwright runs, so does its event loop, in which Django refuses the database."""
    program = next(filter(None, map(shutil.which, NAMES)))
    with sync_playwright() as playwright:
        # Root's Chromium has no sandbox, and a container's /dev/shm is small.
        made = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        )
        yield made
        made.close()


class Tab:
    """A page, with what it complained of and whom it asked."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        self.asked: set[str] = set()
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")):
            self.asked.add("/".join(request.url.split("/")[:3]))

    def log_in(self, name: str, password: str) -> None:
        self.page.goto("/console/")
        self.page.get_by_label("Username").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()
        expect(self.page.get_by_role("navigation").first).to_be_attached()

    def shoot(self, name: str, *, full: bool = True) -> None:
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            taken = Image.open(io.BytesIO(self.page.screenshot(full_page=full))).convert("RGB")
            taken.quantize(COLOURS, dither=Image.Dither.NONE).save(Path(SHOTS) / f"{name}.png", optimize=True)

    def require_quiet(self) -> None:
        assert self.complaints == []
        assert self.asked == {self.url}

    def slow_down(self, times: int) -> None:
        """The browser has a part of the computer alone."""
        self.page.context.new_cdp_session(self.page).send("Emulation.setCPUThrottlingRate", {"rate": times})

    def require_still(self, *, when: Literal["load", "networkidle"] = "networkidle") -> None:
        """What was there when the page was first painted stayed where it was."""
        self.page.wait_for_load_state(when)
        moved = self.page.evaluate(MOVED)
        assert sum(share for share, _, _ in moved) < STILL, moved

    def require_still_at_every_width(self) -> None:
        """The page that is open, loaded anew from a phone to a large screen."""
        for _ in self._at_every_width():
            pass

    def require_still_and_usable_at_every_width(self) -> None:
        """The same, and to use at each."""
        for _ in self._at_every_width():
            self.require_usable()

    def _at_every_width(self) -> Iterator[int]:
        """It stands still at each, and is loaded anew where it is not as wide; half a second's patience is for one."""
        self.require_still()
        for width in WIDTHS:
            if self.page.viewport_size != (wanted := ViewportSize(width=width, height=800)):
                self.page.set_viewport_size(wanted)
                self.page.reload()
                self.require_still(when="load")
            yield width

    def require_still_when_refreshed(self, address: str) -> None:
        """What comes anew as it was stands where it stood: a browser tells of no new node that it moved."""
        kept = self.page.request.get(address)
        self.page.route(f"{self.url}{address}", lambda route: route.fulfill(response=kept))
        self.page.goto(address)
        self.require_still()
        before = self.page.evaluate(PLACES)
        self.page.evaluate(REFRESH)
        self.require_still()
        assert self.page.evaluate(PLACES) == before

    def require_usable(self) -> None:
        """Nothing is wider than the window, and nothing keeps anybody out."""
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), self.page.url
        if not self.page.evaluate(HAS_AXE):
            self.page.evaluate(AXE)
        assert self.page.evaluate(JUDGE, RULES) == [], self.page.url

    def require_usable_in_every_look(self) -> None:
        """The page that is open and not loaded again: light and dark, from a phone to a large screen."""
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme=scheme)
            self.require_usable_at_every_width()

    def require_usable_at_every_width(self) -> None:
        """The page that is open, from a phone to a large screen."""
        before = self.page.viewport_size
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 800})
            self.require_usable()
        if before is not None:
            self.page.set_viewport_size(before)


def opened(browser: Browser, stack: Stack, *, scheme: str = "light", width: int = 1200) -> BrowserContext:
    context = browser.new_context(
        base_url=stack.url,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    return context


@pytest.fixture
def tab(stack: Stack, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Tab]:
    context = opened(browser, stack, scheme=getattr(request, "param", "light"))
    yield Tab(context.new_page(), stack.url)
    context.close()


@pytest.fixture(scope="session")
def owner_cookies(filled: Stack) -> list[Any]:
    """Of the filled stack's owner: one login for all pages, for logins are counted."""
    owner = {"username": filled.first_tenant["admin_username"], "password": filled.first_tenant["admin_password"]}
    with httpx.Client(base_url=filled.url) as client:
        client.get("/console/login/").raise_for_status()
        answered = client.post(
            "/console/login/",
            data={**owner, "csrfmiddlewaretoken": client.cookies["csrftoken"]},
            headers={"Referer": f"{filled.url}/console/login/"},
        )
        assert answered.is_redirect, answered.text
        return [{"name": name, "value": value, "url": filled.url} for name, value in client.cookies.items()]


@pytest.fixture
def console(filled: Stack, browser: Browser, owner_cookies: list[Any], request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The owner at the console of the filled stack; a parameter says (colour scheme, width)."""
    scheme, width = getattr(request, "param", ("light", 1200))
    context = opened(browser, filled, scheme=scheme, width=width)
    context.add_cookies(owner_cookies)
    yield Tab(context.new_page(), filled.url)
    context.close()


@pytest.fixture
def person(filled: Stack, browser: Browser) -> Iterator[Callable[[str], Tab]]:
    """Somebody new, logged in to the console of the filled stack in a role."""
    contexts = []

    def enter(role: str) -> Tab:
        name = f"{role}-{uuid4().hex[:6]}"
        in_shell(filled, f"from tests.browser import people; people.join({name!r}, {role!r})")
        contexts.append(opened(browser, filled))
        tab = Tab(contexts[-1].new_page(), filled.url)
        tab.log_in(name, PASSWORD)
        return tab

    yield enter
    for context in contexts:
        context.close()
