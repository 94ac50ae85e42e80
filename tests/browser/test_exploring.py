"""The pages that explore, in Chromium: asking as an agent, going back in time through the graph, turning months."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, Tab, pictures
from tests.browser.exploring import ask, compare, read_its_versions, visit_mara

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

LOOKS = [(scheme, 1200) for scheme in SCHEMES]


def test_a_question_is_answered_with_what_each_arm_said(console: Tab) -> None:
    ask(console)

    first = console.page.locator(".hit").first
    # Which memory it is depends on what the journeys of other tests decided before.
    expect(first).to_contain_text("Harbor")
    expect(first.get_by_role("meter", name="vector")).to_be_visible()
    expect(first.get_by_role("meter", name="keyword")).to_be_visible()
    expect(console.page.get_by_text("Hits here are at least")).to_be_visible()
    expect(console.page.get_by_role("meter", name="Search")).to_be_visible()
    console.require_quiet()


def test_other_numbers_stand_beside_the_present_ones_and_the_block_is_shown(console: Tab) -> None:
    compare(console)
    expect(console.page.get_by_text("falls out").first).to_be_visible()
    expect(console.page.get_by_text("no longer stale").first).to_be_visible()

    console.page.get_by_role("button", name="Show the block").click()

    expect(console.page.locator("pre.block")).to_contain_text("(confidence:")
    console.require_quiet()


@pytest.mark.parametrize("console", LOOKS, indirect=True, ids=SCHEMES)
def test_time_slides_through_the_graph(console: Tab) -> None:
    visit_mara(console)
    drawn = console.page.locator("[data-drawn]")
    present = int(drawn.get_attribute("data-drawn") or 0)
    assert present > 5
    slider = console.page.get_by_role("slider")

    slider.fill(slider.get_attribute("max") or "0")

    expect(console.page.locator("#ties-title")).to_contain_text("at the end of")
    expect(drawn).not_to_have_attribute("data-drawn", str(present))
    expect(slider).to_be_enabled()
    assert "back=" in console.page.url
    console.require_usable_at_every_width()
    console.require_quiet()


@pytest.mark.parametrize("console", LOOKS, indirect=True, ids=SCHEMES)
def test_months_turn_and_a_trigger_opens(console: Tab) -> None:
    console.page.goto("/console/triggers/")
    heading = console.page.locator("#month-title")
    present = heading.inner_text()

    console.page.locator("a[rel=next]").click()
    expect(heading).not_to_have_text(present)
    console.page.locator("a[rel=prev]").click()
    expect(heading).to_have_text(present)

    console.page.locator("details.trigger.done, details.trigger.waiting").first.locator("summary").click()
    expect(console.page.locator("details[open] dl.facts")).to_contain_text("assistant")
    console.require_usable_at_every_width()
    console.require_quiet()


def test_a_summary_its_versions_and_the_history_of_memory_md_are_read(console: Tab) -> None:
    read_its_versions(console)
    console.page.goto("/console/memory-md/")
    console.page.get_by_role("link", name="History").click()

    expect(console.page.locator(".diff ins").first).to_be_visible()
    console.require_quiet()


@pictures
def test_an_entity_is_pictured(console: Tab) -> None:
    """`make screenshots` keeps the picture."""
    visit_mara(console)
    console.shoot("console-entity", full=False)
