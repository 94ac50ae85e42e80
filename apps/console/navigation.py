"""The navigation beside every page: what the person's role sees, under its headings."""

from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse

from apps.console import pages
from apps.console.page import ConsolePage, MenuSection


@dataclass(frozen=True, slots=True)
class MenuLink:
    title: str
    url: str
    is_current: bool


def seen_by(role: str, *, path: str) -> list[tuple[MenuSection | None, list[MenuLink]]]:
    """Each section with its links, for who looks at `path`."""
    held = groupby(pages.seen_by(role), key=lambda page: page.section)
    return [(section, [_link(page, path) for page in under]) for section, under in held]


def _link(page: ConsolePage, path: str) -> MenuLink:
    """Details lie below their list's address."""
    url = reverse(f"console:{page.name}")
    return MenuLink(page.title, url, path.startswith(url))
