"""The admin in Chromium: every page quiet and usable, and what people come to it for, done as they do it."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from apps.stack.logs import last_lines
from apps.stack.process import wait_until
from apps.stack.supervisor import Stack
from tests.admin_addresses import addresses
from tests.browser.conftest import SCHEMES, WIDTHS, Tab, pictures
from tests.stacks import in_shell

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

# Its first page, what is no list of rows, and every list, by the name of its picture.
NAMED = {"overview": "", "health": "jobs/schedule/health/"}
CALLED = {"apikey": "keys", "category": "categories", "schedule": "schedules"}
LISTS = {each.model.partition(".")[2]: each.path for each in addresses() if each.name.endswith("_changelist")}
PICTURED = NAMED | {CALLED.get(model, model): path for model, path in LISTS.items()}
PHONE = WIDTHS[0]
SCHEMED = [(scheme, 1200) for scheme in SCHEMES]
# What Chromium says of a page that is not open to somebody.
FORBIDDEN = "Failed to load resource: the server responded with a status of 403 (Forbidden)"
# Whoever opens it is logged out.
LEAVING = {"logout"}
# Sent elsewhere, forbidden, not found, or nothing to look at: tests/policy/test_admin.py opens these.
NOT_SHOWN = {302, 403, 404, 405}
SCHEDULES = "{ schedules { name jobId lastRunAt finishedAt error counts { name count } } }"
LIED = 3


def hand_over_a_key(admin: Tab, agent: str = "assistant", name: str = "for the assistant") -> None:
    admin.page.goto("/admin/tenants/agent/")
    admin.page.get_by_role("row").filter(has_text=agent).get_by_role("link", name="new key").click()
    admin.page.get_by_label("Name").fill(name)
    admin.page.get_by_role("button", name="Save", exact=True).click(click_count=2, delay=60)
    expect(admin.page.get_by_role("button", name="Copy")).to_be_visible()


def open_a_category(admin: Tab) -> None:
    admin.page.goto("/admin/tenants/category/")
    admin.page.get_by_role("link", name="Hobbies", exact=True).click()
    expect(admin.page.get_by_label("Decay lambda")).to_be_visible()


def shorten_a_lifetime(admin: Tab, label: str) -> None:
    """As far as the page that asks."""
    admin.page.goto("/admin/tenants/category/")
    admin.page.get_by_label(f"TTL in days of {label}").fill("30")
    admin.page.get_by_role("button", name="Save").click()
    expect(admin.page.get_by_role("heading", level=1)).to_have_text(f"Change {label}?")


def set_the_lean_limit(admin: Tab, hits: int) -> None:
    admin.page.goto("/admin/tenants/policy/")
    admin.page.get_by_label("Lean limit").fill(str(hits))
    admin.page.get_by_role("button", name="Save", exact=True).click()


def look_back(admin: Tab) -> None:
    """At a change and at what undid it."""
    for hits in (5, 3):
        set_the_lean_limit(admin, hits)
    admin.page.goto("/admin/history/")
    expect(admin.page.get_by_role("row").filter(has_text="lean limit").first).to_be_visible()


# What somebody does, and the page that answers.
ANSWERS = {"new-key": hand_over_a_key, "category-form": open_a_category, "history": look_back}


@pytest.fixture
def admin(person: Callable[[str], Tab]) -> Tab:
    return person("admin")


@pytest.fixture(scope="module")
def shown(filled: Stack, owner_cookies: list[Any]) -> list[str]:
    """The address of every page that the admin shows to an owner who runs the servers, with one row of each kind."""
    rows = in_shell(filled, "from tests import admin_addresses; admin_addresses.tell()")
    cookies = {each["name"]: each["value"] for each in owner_cookies}
    with httpx.Client(base_url=filled.url, cookies=cookies, timeout=60) as client:
        there = [each.of(rows) for each in addresses() if each.name not in LEAVING]
        answered = [client.get(each) for each in there]
    assert {each.status_code for each in answered} <= {200, *NOT_SHOWN}
    return [each.url.path for each in answered if each.status_code == 200 and _is_page(each)]


@pytest.mark.heavy
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("console", [("light", PHONE)], indirect=True)
def test_every_page_is_quiet_still_and_usable_from_a_phone_to_a_large_screen(console: Tab, shown: list[str]) -> None:
    for path in shown:
        console.page.set_viewport_size({"width": PHONE, "height": 800})
        console.page.goto(path)

        expect(console.page.get_by_role("heading", level=1)).to_be_visible()
        console.require_still_and_usable_at_every_width()
    console.require_quiet()


@pytest.mark.heavy
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("console", [("dark", 1280)], indirect=True)
def test_every_page_is_quiet_still_and_usable_in_the_dark(console: Tab, shown: list[str]) -> None:
    """What stands where does not hang on the colours: it is loaded once, and judged at every width."""
    for path in shown:
        console.page.goto(path)

        expect(console.page.get_by_role("heading", level=1)).to_be_visible()
        console.require_still()
        console.require_usable_at_every_width()
    console.require_quiet()


@pictures
@pytest.mark.parametrize("page", PICTURED)
@pytest.mark.parametrize("console", [("light", 1280)], indirect=True)
def test_every_page_is_pictured(console: Tab, page: str) -> None:
    """`make screenshots` keeps the pictures."""
    console.page.goto(f"/admin/{PICTURED[page]}")
    console.page.wait_for_load_state("networkidle")

    console.shoot(f"admin-{page}", full=False)


@pictures
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("console", [("light", 1280)], indirect=True)
def test_what_a_page_leads_to_is_pictured(console: Tab, answer: str) -> None:
    """`make screenshots` keeps the pictures."""
    ANSWERS[answer](console)
    console.page.wait_for_load_state("networkidle")

    console.shoot(f"admin-{answer}", full=False)


@pytest.mark.parametrize("console", SCHEMED, indirect=True, ids=SCHEMES)
def test_a_new_key_is_shown_in_a_usable_way(console: Tab) -> None:
    hand_over_a_key(console)

    console.require_usable_at_every_width()
    console.require_quiet()


@pytest.mark.parametrize("console", SCHEMED, indirect=True, ids=SCHEMES)
def test_a_preview_of_a_lifetime_is_usable(console: Tab, filled: Stack) -> None:
    lie(filled, "relationships")
    shorten_a_lifetime(console, "Relationships")
    expect(console.page.get_by_text("The choir of spring").first).to_be_visible()

    console.require_usable_at_every_width()
    console.require_quiet()


def test_what_is_not_open_to_a_role_is_a_page_that_says_so(admin: Tab) -> None:
    admin.page.goto("/admin/auth/user/")

    expect(admin.page.get_by_role("heading", level=1)).to_have_text("This is not open to you")
    admin.require_usable_in_every_look()
    assert admin.complaints == [FORBIDDEN]


def test_a_team_tunes_a_lifetime_and_the_preview_comes_true(filled: Stack, admin: Tab) -> None:
    lie(filled, "hobbies")
    page = admin.page
    page.goto("/admin/tenants/category/")
    row = page.get_by_role("row").filter(has_text="Hobbies")
    expect(row).to_contain_text("60 days, then archived unless used")

    shorten_a_lifetime(admin, "Hobbies")
    expect(page.get_by_text(f"would archive {LIED} more of them")).to_be_visible()
    expect(page.get_by_text("The choir of spring")).to_have_count(LIED)
    admin.shoot("admin-preview", full=False)
    page.get_by_role("button", name="Save the change").click()

    expect(row).to_contain_text("30 days, then archived unless used")
    assert _archived(filled) == 0
    page.goto("/admin/jobs/schedule/")
    nightly = page.get_by_role("row").filter(has_text="nightly")
    nightly.get_by_role("button", name="Run now").click()
    expect(page.get_by_text("nightly: job")).to_be_visible()
    assert wait_until(lambda: _archived(filled) == LIED, seconds=240), _what_hinders(filled)
    admin.require_quiet()


def test_an_admin_makes_an_agent_hands_over_a_key_and_revokes_it(filled: Stack, admin: Tab) -> None:
    page = admin.page
    page.goto("/admin/tenants/agent/add/")
    page.get_by_label("Slug").fill("scribe")
    page.get_by_role("button", name="Save", exact=True).click()
    hand_over_a_key(admin, "scribe", "for the scribe")
    token = page.locator(".secret code").inner_text()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()

    working = _viewer(filled, token)
    page.get_by_role("link", name="All keys").click()
    row = page.get_by_role("row").filter(has_text="for the scribe")
    row.get_by_role("checkbox").check()
    page.locator("select[name=action]").select_option(label="Revoke: stop working for good")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(row).to_contain_text("revoked")
    refused = _viewer(filled, token)

    assert (working.status_code, working.json()["agent_id"]) == (200, "scribe")
    assert refused.status_code == 401
    assert token not in page.content()
    admin.require_quiet()


def test_a_number_is_found_changed_and_reset(console: Tab) -> None:
    page = console.page
    page.goto("/admin/tenants/policy/")
    number = page.get_by_label("Lean limit")

    page.get_by_label("Find a number").fill("hits lean profile")
    expect(page.get_by_label("Time zone")).to_be_hidden()
    number.fill("5")
    expect(page.get_by_text("only what differs from the start (1)")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/admin/history/")
    expect(page.get_by_role("row").filter(has_text="lean limit")).to_contain_text("3 → 5")
    page.goto("/admin/tenants/policy/")
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(number).to_have_value("3")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto("/admin/history/")

    expect(page.get_by_role("row").filter(has_text="lean limit").first).to_contain_text("5 → 3")
    console.require_quiet()


@pytest.mark.parametrize("console", [("light", 360)], indirect=True)
def test_a_phone_finds_its_way(console: Tab) -> None:
    console.page.goto("/admin/")

    console.page.get_by_role("button", name="Show or hide the navigation").click()
    console.page.locator("#nav-sidebar").get_by_role("link", name="Schedules").click()

    expect(console.page.get_by_role("heading", level=1)).to_have_text("Schedules")
    console.require_quiet()


def test_it_turns_dark_when_told(console: Tab) -> None:
    console.page.set_viewport_size({"width": 1400, "height": 800})
    console.page.goto("/admin/")

    console.page.locator("button.account").click()
    console.page.get_by_text("Dark", exact=True).click()
    expect(console.page.locator("html")).to_have_class("dark")
    console.page.reload()

    expect(console.page.locator("html")).to_have_class("dark")
    console.require_usable()
    console.require_quiet()


def _is_page(answer: httpx.Response) -> bool:
    return answer.headers["Content-Type"].startswith("text/html")


def _what_hinders(stack: Stack) -> str:
    """What became of the schedules and their jobs, and what the worker says."""
    schedules = _asked(stack, SCHEDULES)["data"]["schedules"]
    ids = json.dumps([each["jobId"] for each in schedules if each["jobId"]])
    jobs = _asked(stack, f"{{ jobs(ids: {ids}) {{ name state attempts error outcome {{ name count }} }} }}")
    return json.dumps([schedules, jobs]) + last_lines(stack.logs["worker"], count=60)


def lie(stack: Stack, category: str) -> None:
    """Memories of that category that nobody asked for in 40 days."""
    in_shell(stack, f"from tests.browser import past; past.let_lie({category!r}, days=40, number={LIED})")


def _archived(stack: Stack) -> int:
    wanted = (
        '{ memories(filter: {categories: ["hobbies"], statuses: [ARCHIVED]}, first: 100) { edges { node { id } } } }'
    )
    return len(_asked(stack, wanted)["data"]["memories"]["edges"])


def _asked(stack: Stack, query: str) -> Any:
    """What the first tenant's agent is answered."""
    headers = _with(str(stack.first_tenant["api_key"]))
    return httpx.post(f"{stack.url}/graphql", json={"query": query}, headers=headers).json()


def _viewer(stack: Stack, token: str) -> httpx.Response:
    return httpx.get(f"{stack.url}/api/v1/viewer", headers=_with(token))


def _with(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
