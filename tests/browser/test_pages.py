"""The pages as a browser shows them: headless Chromium, a real server, nothing on the console but silence."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from apps.stack.supervisor import Stack, StackOptions, private_stack

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Where screenshots go when somebody wants to look at them.
SHOTS = os.environ.get("MEMORY_SCREENSHOTS")
PATIENCE_MILLISECONDS = 60_000
# As GraphiQL does.
ASK = """async (key) => (await fetch('/graphql', {
  method: 'POST',
  headers: {'Content-Type': 'application/json', Authorization: `Bearer ${key}`},
  body: JSON.stringify({query: '{ viewer { agentId } }'}),
})).json()"""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    options = StackOptions(
        root=Path("unused"), worker=False, durable=False, environment={"MEMORY_EMBEDDER": "wordllama"}
    )
    with private_stack(options) as started:
        yield started


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
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

    def shoot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)

    def require_quiet(self) -> None:
        assert self.complaints == []
        assert self.asked == {self.url}


@pytest.fixture
def tab(stack: Stack, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Tab]:
    context = browser.new_context(
        base_url=stack.url, viewport={"width": 1200, "height": 800}, color_scheme=getattr(request, "param", "light")
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    yield Tab(context.new_page(), stack.url)
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("tab", ["light", "dark"], indirect=True)
def test_the_first_page_leads_on(tab: Tab, width: int, request: pytest.FixtureRequest) -> None:
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.goto("/")

    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Memory Platform")
    expect(tab.page.get_by_text("Ready · version")).to_be_visible()
    for link in ("GraphiQL", "REST", "MCP", "Admin", "Operations"):
        expect(tab.page.get_by_role("link", name=link).first).to_be_visible()
    expect(tab.page.get_by_text(f"{tab.url}/mcp")).to_be_visible()
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.shoot(f"front-{request.node.callspec.params['tab']}-{width}")
    tab.require_quiet()


def test_graphiql_knows_the_schema_and_asks_with_a_key(stack: Stack, tab: Tab) -> None:
    tab.page.goto("/graphql")

    expect(tab.page.get_by_role("button", name="Show Documentation Explorer")).to_be_visible()
    tab.page.get_by_role("button", name="Show Documentation Explorer").click()
    expect(tab.page.get_by_text("A GraphQL schema provides a root type")).to_be_visible()
    expect(tab.page.get_by_role("link", name="Query")).to_be_visible()
    answer = tab.page.evaluate(ASK, str(stack.first_tenant["api_key"]))
    assert answer == {"data": {"viewer": {"agentId": "assistant"}}}
    tab.shoot("graphiql")
    tab.require_quiet()


def test_the_api_docs_list_the_routes(tab: Tab) -> None:
    tab.page.goto("/api/v1/docs")

    expect(tab.page.locator('[data-path="/api/v1/recall"]')).to_be_visible()
    tab.shoot("api-docs")
    tab.require_quiet()


def test_the_admin_lets_its_first_member_in(stack: Stack, tab: Tab) -> None:
    tab.page.goto("/admin/")
    tab.shoot("admin-login")
    tab.page.get_by_label("Username").fill(str(stack.first_tenant["admin_username"]))
    tab.page.get_by_label("Password").fill(str(stack.first_tenant["admin_password"]))
    tab.page.get_by_role("button", name="Log in").click()

    expect(
        tab.page.get_by_role("link", name="Api keys").or_(tab.page.get_by_role("link", name="API keys"))
    ).to_be_visible()
    tab.shoot("admin-index")
    tab.require_quiet()


def test_a_guide_reads_well(tab: Tab) -> None:
    tab.page.goto("/docs/guides/operations.md")

    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Operations")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.shoot("guide")
    tab.require_quiet()
