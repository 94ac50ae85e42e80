"""What somebody does on the pages that explore, up to the page that answers."""

from typing import Final

from playwright.sync_api import expect

from tests.browser.conftest import Tab

QUESTION: Final = "When does Harbor go live?"


def ask(console: Tab) -> None:
    console.page.goto("/console/recall/")
    console.page.get_by_role("textbox", name="Question").fill(QUESTION)
    console.page.get_by_role("button", name="Ask").click()
    expect(console.page.locator(".hit").first).to_be_visible()


def compare(console: Tab) -> None:
    """With a floor that some hits do not reach, and a category whose memories stay fresh for a year."""
    ask(console)
    console.page.get_by_text("What else to look at").click()
    console.page.get_by_label("Relevance floor").fill("0.3")
    console.page.get_by_label("Of category").select_option("projects")
    console.page.get_by_label("Its TTL in days").fill("365")
    console.page.get_by_role("button", name="Compare").click()
    expect(console.page.locator("table.compared")).to_be_visible()


def show_the_block(console: Tab) -> None:
    ask(console)
    console.page.get_by_text("What else to look at").click()
    console.page.get_by_role("button", name="Show the block").click()
    expect(console.page.locator("pre.block")).to_be_visible()


def read_a_summary(console: Tab) -> None:
    console.page.goto("/console/summaries/")
    console.page.locator("tbody tr").filter(has_not_text="not yet").get_by_role("link").first.click()
    expect(console.page.get_by_text("it rests on")).to_be_visible()


def read_its_versions(console: Tab) -> None:
    read_a_summary(console)
    console.page.get_by_role("link", name="Versions").click()
    expect(console.page.locator(".diff ins").first).to_be_visible()


def visit_mara(console: Tab) -> None:
    console.page.goto("/console/graph/?search=mara")
    console.page.get_by_role("link", name="Mara", exact=True).click()
    expect(console.page.locator("[data-drawn]")).to_be_visible()
