"""The guide to the pages shows every one of the console and the admin; no picture lies in the docs that none shows."""

import re

from tests.browser.test_admin import ANSWERS as ADMIN_ANSWERS
from tests.browser.test_admin import PICTURED
from tests.browser.test_console import ANSWERS, DETAILS, SHOWN
from tests.browser.test_pages import LOGINS
from tests.conftest import PROJECT_ROOT

DOCS = PROJECT_ROOT / "docs"
IMAGES = DOCS / "images"
IN_THE_CONSOLE = {*(page.name for page in SHOWN), *DETAILS, *ANSWERS}
IN_THE_ADMIN = {*PICTURED, *ADMIN_ANSWERS}
NAMES = {*(f"console-{name}" for name in IN_THE_CONSOLE), *(f"admin-{name}" for name in IN_THE_ADMIN), *LOGINS}
MOST_BYTES = 100_000


def shown_by(text: str) -> set[str]:
    return set(re.findall(r"!\[[^\]]+\]\([./]*images/([\w-]+)\.png\)", text))


def test_the_guide_shows_every_page() -> None:
    assert shown_by((DOCS / "guides" / "pages.md").read_text()) >= NAMES


def test_every_picture_is_there_and_shown() -> None:
    shown = set[str]().union(*(shown_by(page.read_text()) for page in DOCS.rglob("*.md")))

    assert {picture.stem for picture in IMAGES.glob("*.png")} == shown


def test_pictures_are_small() -> None:
    assert [picture.stem for picture in IMAGES.glob("*.png") if picture.stat().st_size > MOST_BYTES] == []
