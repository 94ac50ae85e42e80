"""The pages as a browser shows them: headless Chromium, a real server, nothing on the console but silence."""

import pytest
from playwright.sync_api import expect

from apps.stack.supervisor import Stack
from tests.browser.conftest import SCHEMES, Tab, pictures
from tests.conftest import PROJECT_ROOT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]

# As GraphiQL does.
ASK = """async (key) => (await fetch('/graphql', {
  method: 'POST',
  headers: {'Content-Type': 'application/json', Authorization: `Bearer ${key}`},
  body: JSON.stringify({query: '{ viewer { agentId } }'}),
})).json()"""

GUIDES = sorted(page.name for page in (PROJECT_ROOT / "docs" / "guides").glob("*.md"))
# By the names of their pictures: where to go, and what somebody is told who is not known.
LOGINS = {
    "console-login": ("/console/", "Name and password do not match."),
    "admin-login": ("/admin/", "Please enter the correct username and password"),
}


@pytest.mark.parametrize("tab", SCHEMES, indirect=True)
def test_the_first_page_leads_on(tab: Tab) -> None:
    tab.page.goto("/")

    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Memory Platform")
    expect(tab.page.get_by_text("Ready · version")).to_be_visible()
    for link in ("GraphiQL", "REST", "MCP", "Console", "Admin", "Operations"):
        expect(tab.page.get_by_role("link", name=link).first).to_be_visible()
    expect(tab.page.get_by_text(f"{tab.url}/mcp")).to_be_visible()
    tab.require_still_and_usable_at_every_width()
    tab.require_quiet()


@pytest.mark.parametrize("tab", SCHEMES, indirect=True)
@pytest.mark.parametrize("login", LOGINS)
def test_whom_nobody_knows_can_log_in_anywhere(tab: Tab, login: str) -> None:
    there, told = LOGINS[login]
    tab.page.goto(there)
    tab.require_still_and_usable_at_every_width()

    tab.page.get_by_label("Username").fill("nobody")
    tab.page.get_by_label("Password").fill("nothing of the sort")
    tab.page.get_by_role("button", name="Log in").click()

    expect(tab.page.get_by_text(told)).to_be_visible()
    tab.require_usable_at_every_width()
    tab.require_quiet()


@pictures
@pytest.mark.parametrize("login", LOGINS)
def test_a_login_is_pictured(tab: Tab, login: str) -> None:
    """`make screenshots` keeps the pictures."""
    tab.page.goto(LOGINS[login][0])
    tab.page.wait_for_load_state("networkidle")

    tab.shoot(login, full=False)


def test_graphiql_knows_the_schema_and_asks_with_a_key(stack: Stack, tab: Tab) -> None:
    tab.page.goto("/graphql")

    expect(tab.page.get_by_role("button", name="Show Documentation Explorer")).to_be_visible()
    tab.require_still_at_every_width()
    tab.page.get_by_role("button", name="Show Documentation Explorer").click()
    expect(tab.page.get_by_text("A GraphQL schema provides a root type")).to_be_visible()
    expect(tab.page.get_by_role("link", name="Query")).to_be_visible()
    answer = tab.page.evaluate(ASK, str(stack.first_tenant["api_key"]))
    assert answer == {"data": {"viewer": {"agentId": "assistant"}}}
    tab.shoot("graphiql")
    tab.require_quiet()


@pytest.mark.parametrize("tab", SCHEMES, indirect=True)
def test_graphiql_is_usable(tab: Tab) -> None:
    tab.page.goto("/graphql")

    expect(tab.page.get_by_role("button", name="Show Documentation Explorer")).to_be_visible()
    tab.require_usable()


def test_the_api_docs_list_the_routes(tab: Tab) -> None:
    tab.page.goto("/api/v1/docs")

    expect(tab.page.locator('[data-path="/api/v1/recall"]')).to_be_visible()
    tab.shoot("api-docs")
    tab.require_quiet()


def test_the_admin_lets_its_first_member_in(stack: Stack, tab: Tab) -> None:
    tab.page.goto("/admin/")
    tab.page.get_by_label("Username").fill(str(stack.first_tenant["admin_username"]))
    tab.page.get_by_label("Password").fill(str(stack.first_tenant["admin_password"]))
    tab.page.get_by_role("button", name="Log in").click()

    expect(tab.page.locator("#content").get_by_role("link", name="Keys")).to_be_visible()
    tab.shoot("admin-index")
    tab.require_quiet()


@pytest.mark.heavy
@pytest.mark.parametrize("tab", SCHEMES, indirect=True)
def test_guides_read_well(tab: Tab) -> None:
    for guide in GUIDES:
        tab.page.goto(f"/docs/guides/{guide}")

        expect(tab.page.get_by_role("heading", level=1)).to_be_visible()
        tab.require_usable()
    tab.require_quiet()


@pytest.mark.parametrize("tab", SCHEMES, indirect=True)
def test_a_preview_of_an_erasure_is_usable_while_it_is_counted(stack: Stack, tab: Tab) -> None:
    """No worker of this stack counts it."""
    tab.log_in(str(stack.first_tenant["admin_username"]), str(stack.first_tenant["admin_password"]))
    tab.page.goto("/console/erasures/")
    tab.page.get_by_label("Its id, name or words").fill("nobody")
    tab.page.get_by_role("button", name="Preview").click()

    expect(tab.page.get_by_role("progressbar")).to_be_visible()
    tab.require_usable_at_every_width()
    tab.require_quiet()
