"""Every page of the console in Chromium: light and dark, on a phone and a large screen, judged by axe-core."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from apps.console.pages import PAGES
from tests.browser import exploring
from tests.browser.conftest import SCHEMES, Tab, pictures

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

SHOWN = [page for page in PAGES if page.method == "GET" and page.section]
LOOKS = [(scheme, 1200) for scheme in SCHEMES]
# A page that lists, and the link on it that leads to one.
DETAILS = {
    "memory": ("memories/", "tbody td.long a"),
    "memory-edit": ("memories/", "tbody a.button"),
    "session": ("sessions/", "tbody tr:last-child a"),
    "entity": ("graph/", "tbody a"),
    "summary": ("summaries/", "tbody a"),
    "erasure": ("erasures/", "tbody a"),
    "curated-history": ("memory-md/", ".tabs a:not([aria-current])"),
    "review-decided": ("review/", ".tabs a.apart"),
}
# What keeps itself fresh.
FRESH = ("overview", "memories", "jobs")
# What Chromium says of the page that refuses.
REFUSED = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
# By the journeys that lead there.
PICTURED_ELSEWHERE = {"entity", "erasure", "erasure-preview"}


def preview_an_erasure(console: Tab) -> None:
    console.page.goto("/console/erasures/")
    console.page.get_by_label("Erase").select_option(label="Whoever has a name")
    console.page.get_by_label("Its id, name or words").fill("Mara")
    console.page.get_by_role("button", name="Preview").click()
    expect(console.page.get_by_role("button", name="Request the erasure")).to_be_visible()


def ask_to_forget(console: Tab) -> None:
    console.page.goto("/console/memories/")
    console.page.locator('tbody input[type="checkbox"]').first.check()
    console.page.get_by_role("button", name="Forget …").click()
    expect(console.page.get_by_role("heading", level=1)).to_contain_text("Forget 1 memory?")


def choose_a_tenant(console: Tab) -> None:
    console.page.goto("/console/tenant/")
    expect(console.page.get_by_role("heading", level=1)).to_have_text("Choose a tenant")


def ask_for_what_is_not_there(console: Tab) -> None:
    console.page.goto("/console/memories/?status=nonsense")
    expect(console.page.get_by_role("alert")).to_contain_text("There is no such state.")


# What somebody does, and the page that answers.
ANSWERS = {
    "recall-answer": exploring.ask,
    "recall-compare": exploring.compare,
    "recall-block": exploring.show_the_block,
    "summary-versions": exploring.read_its_versions,
    "erasure-preview": preview_an_erasure,
    "memories-forget": ask_to_forget,
    "tenant": choose_a_tenant,
    "refused": ask_for_what_is_not_there,
}


def open_one(console: Tab, detail: str) -> None:
    """By the address of the link, which a script may follow in its place; or by what it answers."""
    if detail in ANSWERS:
        ANSWERS[detail](console)
        return
    listed, link = DETAILS[detail]
    console.page.goto(f"/console/{listed}")
    console.page.goto(str(console.page.locator(link).first.get_attribute("href")))


@pytest.mark.heavy
@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
@pytest.mark.parametrize("console", LOOKS, indirect=True, ids=SCHEMES)
def test_every_page_is_quiet_and_usable(console: Tab, page) -> None:
    console.page.goto(f"/console/{page.path}")

    expect(console.page.get_by_role("heading", level=1)).to_have_text(page.title)
    console.require_still_and_usable_at_every_width()
    console.require_quiet()


def test_a_table_stays_still_while_a_slow_computer_reads_the_page(console: Tab) -> None:
    console.slow_down(12)
    for _ in range(8):
        console.page.goto("/console/jobs/")
        console.require_still()


def test_what_refreshes_itself_stays_where_it_was(console: Tab) -> None:
    for name in FRESH:
        console.require_still_when_refreshed(f"/console/{name}/")
    console.require_quiet()


@pictures
@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_every_page_is_pictured(console: Tab, page) -> None:
    """`make screenshots` keeps the pictures."""
    console.page.goto(f"/console/{page.path}")
    console.page.wait_for_load_state("networkidle")

    console.shoot(f"console-{page.name}", full=False)


@pytest.mark.heavy
@pytest.mark.parametrize("detail", [*DETAILS, *ANSWERS])
@pytest.mark.parametrize("console", LOOKS, indirect=True, ids=SCHEMES)
def test_what_a_page_leads_to_is_still_and_usable(console: Tab, detail: str) -> None:
    open_one(console, detail)

    expect(console.page.get_by_role("heading", level=1)).to_be_visible()
    console.require_still_and_usable_at_every_width()
    assert console.asked == {console.url}
    assert set(console.complaints) == ({REFUSED} if detail == "refused" else set())


@pictures
@pytest.mark.parametrize("detail", sorted({*DETAILS, *ANSWERS} - PICTURED_ELSEWHERE))
def test_what_a_page_leads_to_is_pictured(console: Tab, detail: str) -> None:
    open_one(console, detail)
    console.page.wait_for_load_state("networkidle")

    console.shoot(f"console-{detail}", full=False)


def test_a_part_stays_fresh_until_it_is_paused(console: Tab) -> None:
    console.page.goto("/console/overview/")
    with console.page.expect_request(lambda asked: "hx-request" in asked.headers):
        pass

    console.page.get_by_role("button", name="Pause").click()

    expect(console.page.get_by_role("button", name="Go on")).to_have_attribute("aria-pressed", "true")
    console.require_quiet()


def test_a_phone_opens_the_menu(console: Tab) -> None:
    console.page.set_viewport_size({"width": 360, "height": 800})
    console.page.goto("/console/")

    console.page.get_by_text("Menu").click()

    expect(console.page.get_by_role("link", name="Overview").first).to_be_visible()
    console.require_usable()


def test_who_logs_out_has_to_log_in_again(person: Callable[[str], Tab]) -> None:
    tab = person("member")

    tab.page.get_by_role("button", name="Log out").first.click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Log in")
    tab.page.goto("/console/memories/")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Log in")


def test_feedback_is_given_and_taken_back_by_keyboard(person: Callable[[str], Tab]) -> None:
    tab = person("operator")
    tab.page.goto("/console/memories/")
    tab.page.locator("tbody a").first.click()
    helpful = tab.page.get_by_role("button", name="Helpful")

    tab.page.get_by_label("Why").focus()
    tab.page.keyboard.press("Tab")
    expect(helpful).to_be_focused()
    tab.page.keyboard.press("Enter")
    expect(helpful).to_have_attribute("aria-pressed", "true")
    tab.require_usable()
    tab.page.get_by_role("button", name="Take back").focus()
    tab.page.keyboard.press("Enter")

    expect(helpful).to_have_attribute("aria-pressed", "false")
    tab.require_quiet()
