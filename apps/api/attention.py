"""What waits for people's decisions, counted and told once, for the first pages of the admin and of the console."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet

from apps.curation import selectors as curation
from apps.erasure import selectors as erasure

PROPOSALS: Final = "proposals"
ERASURES: Final = "erasures"
SAID: Final[Mapping[str, tuple[str, str]]] = {
    PROPOSALS: ("proposal waits for a decision", "proposals wait for a decision"),
    ERASURES: ("erasure waits for approval", "erasures wait for approval"),
}
"""How each is told of one and of several."""


def to_decide(*, erasures: bool = True) -> dict[str, QuerySet[Any]]:
    """The rows that people alone decide on, by name, to be counted; `erasures` only for those who approve them.

    Needs an open scope of the whole tenant.
    """
    rows: dict[str, QuerySet[Any]] = {PROPOSALS: curation.flagged_proposals()}
    return rows | ({ERASURES: erasure.waiting_erasures()} if erasures else {})
