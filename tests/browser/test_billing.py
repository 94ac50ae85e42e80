"""Whoever pays: what a month came to, day by day, and the month as a file."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]


def test_billing_exports_a_month(person: Callable[[str], Tab], tmp_path: Path) -> None:
    payer = person("billing")

    expect(payer.page.get_by_role("heading", level=1)).to_have_text("Cost")
    assert payer.page.locator(".beside nav a").all_inner_texts() == ["Cost"]
    expect(payer.page.locator("#days canvas")).to_be_visible()
    payer.page.get_by_role("link", name="by model").click()
    expect(payer.page.get_by_role("rowheader", name="gpt-5-mini", exact=True)).to_be_visible()
    payer.page.get_by_role("link", name="←").click()
    spent = payer.page.locator(".figure", has_text="Spent").locator("p").inner_text()
    with payer.page.expect_download() as downloaded:
        payer.page.get_by_role("link", name="Export").click()
    file = tmp_path / downloaded.value.suggested_filename
    downloaded.value.save_as(file)

    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert file.name.startswith("usage-2")
    assert {row["model"] for row in rows} == {"gpt-5-mini", "text-embedding-3-small", "gpt-5"}
    assert f"${sum(float(row['known_cost_usd']) for row in rows):,.2f}" == spent
    payer.require_quiet()


def test_billing_is_told_of_what_is_not_theirs_in_words(person: Callable[[str], Tab]) -> None:
    payer = person("billing")

    payer.page.goto("/console/journal/")

    expect(payer.page.get_by_role("alert")).to_have_text("This page is not for the role billing.")
    payer.require_usable_in_every_look()
