"""What a page of the console is."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.http import HttpResponse

from apps.tenants.models import Membership

_Role: Final = Membership.Role
ADMINS: Final = frozenset({_Role.OWNER, _Role.ADMIN})
OPERATORS: Final = ADMINS | {_Role.OPERATOR}
MEMBERS: Final = OPERATORS | {_Role.MEMBER}
PAYERS: Final = ADMINS | {_Role.BILLING}


class MenuSection(StrEnum):
    """Under which heading of the navigation a page stands."""

    NOW = "Now"
    MEMORY = "Memory"
    CURATION = "Curation"
    OPERATIONS = "Operations"


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """`path` lies below /console/; `roles` see it, others are told that they may not.

    `view` gets the request, the gateway of the person, and what the path captures. Without a `section` a page is not in
    the navigation: a detail, or a part of another page. With `method` POST it is an action.
    """

    name: str
    path: str
    title: str
    roles: frozenset[Membership.Role]
    view: Callable[..., HttpResponse]
    section: MenuSection | None = None
    method: str = "GET"

    @property
    def methods(self) -> tuple[str, ...]:
        return ("POST",) if self.method == "POST" else ("GET", "HEAD")

    @property
    def has_parameters(self) -> bool:
        return "<" in self.path
