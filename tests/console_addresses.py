"""Every address of the console, out of its URL configuration, with a row of each kind: no new page can be left out."""

import re
from collections.abc import Mapping
from typing import Final

from django.urls import reverse

from apps.console import pages, urls

NAMES: Final = {pattern.name for pattern in urls.urlpatterns}
PAGES: Final = {page.name: page for page in pages.PAGES}
# What a path names that each tenant has one of.
_EVERY_TENANT_HAS: Final = {"schedule": "nightly"}


def address(name: str, ids: Mapping[str, str]) -> str:
    """The path of a page; what it captures is named `<kind>_id`, of the kinds of `ids`."""
    captured = re.findall(r"<(?:\w+:)?(\w+)>", PAGES[name].path if name in PAGES else "")
    held = {**ids, **_EVERY_TENANT_HAS}
    return reverse(f"console:{name}", kwargs={field: held[field.removesuffix("_id")] for field in captured})
