"""Journeys of those who curate: ten decisions by keyboard, two people at one queue, a memory corrected in its row,
somebody erased for good.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.cli import writing
from apps.cli.server import Server
from apps.stack.supervisor import Stack
from tests.browser.conftest import SCHEMES, Tab
from tests.stacks import in_shell

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

LOOKS = [(scheme, 1200) for scheme in SCHEMES]
PROPOSED = 14


@pytest.fixture(scope="module")
def queue(filled: Stack) -> None:
    """Proposals, held memories and contradictions that wait for somebody."""
    in_shell(filled, f"from tests.browser import waiting; waiting.write({PROPOSED})")


@pytest.fixture
def operator(person: Callable[[str], Tab]) -> Tab:
    return person("operator")


def entries(page: Page) -> int:
    return page.locator("[data-entry]").count()


@pytest.mark.usefixtures("queue")
def test_two_operators_collide_and_the_second_is_told(person: Callable[[str], Tab]) -> None:
    first, second = person("operator"), person("operator")
    for tab in (first, second):
        tab.page.goto("/console/review/?kind=proposal")
        expect(tab.page.locator("[data-entry]").first).to_be_focused()

    first.page.keyboard.press("a")
    expect(first.page.locator("[data-outcome]")).to_contain_text("Approved")
    second.page.keyboard.press("r")

    told = second.page.locator("[data-outcome]")
    expect(told).to_contain_text(re.compile("decided this before you: approved"))
    expect(told.locator("time")).to_be_visible()
    second.shoot("console-review-collision", full=False)
    second.require_usable_in_every_look()
    for tab in (first, second):
        tab.require_quiet()


@pytest.mark.usefixtures("queue")
def test_ten_proposals_are_decided_by_keyboard(operator: Tab) -> None:
    page = operator.page
    page.goto("/console/review/?kind=proposal")
    expect(page.locator("[data-entry]").first).to_be_focused()
    before = entries(page)
    page.keyboard.press("j")
    expect(page.locator("[data-entry]").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("[data-entry]").first).to_be_focused()

    for number in range(10):
        if number == 4:
            page.keyboard.press("e")
            expect(page.locator("[data-entry] textarea").first).to_be_focused()
            page.keyboard.press("End")
            page.keyboard.type(" It is written by hand.")
            page.keyboard.press("Control+Enter")
        else:
            page.keyboard.press("r" if number % 3 == 2 else "a")
        expect(page.locator("[data-outcome]")).to_have_count(number + 1)
        expect(page.locator("[data-entry][aria-current]")).to_be_focused()

    assert entries(page) == before - 10
    expect(page.locator("[data-outcome]", has_text="Rejected")).to_have_count(3)
    expect(page.locator("[data-outcome]", has_text="written by hand")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("[data-outcome]")).to_have_count(9)
    expect(page.locator("[data-entry]")).to_have_count(before - 9)
    expect(page.locator("[data-entry][aria-current]")).to_be_focused()
    expect(page.locator("[data-outcome] + [data-entry][aria-current]")).to_have_count(1)
    operator.require_usable_in_every_look()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="By keyboard")).to_be_visible()
    operator.require_usable_in_every_look()
    operator.shoot("console-review-help", full=False)
    page.keyboard.press("Escape")
    page.reload()
    assert entries(page) == before - 9
    operator.require_quiet()


@pytest.mark.usefixtures("queue")
def test_a_memory_is_corrected_in_its_row_and_what_is_edited_is_not_refreshed(operator: Tab) -> None:
    page = operator.page
    page.goto("/console/memories/")
    row = page.locator("tbody tr").first
    row.get_by_role("link", name="Correct").click()
    words = page.get_by_label("Corrected text")
    expect(words).to_be_focused()
    words.fill("The quay of the old harbour is closed to lorries.")
    page.get_by_role("heading", level=1).click()
    page.wait_for_timeout(6_000)
    expect(words).to_have_value("The quay of the old harbour is closed to lorries.")
    operator.shoot("console-memory-edit", full=False)
    operator.require_usable_in_every_look()

    page.get_by_role("button", name="Save the correction").click()

    expect(page.get_by_role("link", name="The quay of the old harbour is closed to lorries.")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="The quay of the old harbour is closed to lorries.").click()
    expect(page.get_by_text("Took the place of")).to_be_visible()
    operator.require_usable()
    operator.require_quiet()


@pytest.mark.usefixtures("queue")
def test_marked_memories_are_forgotten_after_a_preview_and_given_back(operator: Tab) -> None:
    page = operator.page
    page.goto("/console/memories/?order=oldest")
    for number in (0, 1):
        page.locator('tbody input[type="checkbox"]').nth(number).check()
    expect(page.locator("[data-marked]")).to_have_text("2 marked")
    page.get_by_role("button", name="Forget …").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Forget 2 memor")
    operator.require_usable()
    page.get_by_role("button", name=re.compile("Forget 2")).click(click_count=2, delay=60)
    expect(page.get_by_text("2 memories forgotten.")).to_be_visible()

    page.get_by_role("button", name="Undo").click(click_count=2, delay=60)

    expect(page.get_by_text("2 memories given back.")).to_be_visible()
    operator.require_quiet()


@pytest.mark.usefixtures("queue")
def test_a_key_that_is_held_down_decides_once(operator: Tab) -> None:
    page = operator.page
    page.goto("/console/review/?kind=proposal")
    expect(page.locator("[data-entry]").first).to_be_focused()

    for _ in range(40):
        page.keyboard.down("a")
        page.wait_for_timeout(30)
    page.keyboard.up("a")

    expect(page.locator("[data-outcome]")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator("[data-outcome]")).to_have_count(0)
    operator.require_quiet()


def test_the_preview_of_an_erasure_comes_true_and_its_receipt_is_kept(
    filled: Stack, person: Callable[[str], Tab], tmp_path: Path
) -> None:
    with Server(filled.url, str(filled.first_tenant["api_key"])) as server:
        server.post("capture", session_id="visit", user_id="lena", user_input="I have played the cello since 2011.")
        writing.wait_until_idle(server)
    admin = person("admin")
    page = admin.page
    page.goto("/console/erasures/")
    page.get_by_label("Its id, name or words").fill("lena")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Everything of the user lena")).to_be_visible()
    expect(page.get_by_text("the cello since 2011").first).to_be_visible()
    admin.require_usable_at_every_width()
    admin.shoot("console-erasure-preview", full=False)
    page.get_by_label("Why").fill("She asked for it.")
    page.get_by_role("button", name="Request the erasure").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()

    expect(page.get_by_text("genuine", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("A user")
    admin.require_usable_at_every_width()
    admin.shoot("console-erasure", full=False)
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="Download").click()
    file = tmp_path / downloaded.value.suggested_filename
    downloaded.value.save_as(file)
    assert json.loads(file.read_text())["erasure_id"] in page.url
    page.goto("/console/erasures/")
    page.get_by_label("Its id, name or words").fill("lena")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("button", name="Request the erasure")).to_be_visible()
    expect(page.get_by_text("cello")).to_have_count(0)
    admin.require_quiet()


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("console", LOOKS, indirect=True, ids=SCHEMES)
def test_a_full_queue_is_still_and_usable(console: Tab) -> None:
    console.page.goto("/console/review/")

    console.require_still_and_usable_at_every_width()
    console.require_quiet()
