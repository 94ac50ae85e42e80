"""Every address of the admin, out of its URL configuration, with a row of each kind: no new page can be left out."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import Group
from django.urls import URLPattern, URLResolver

from apps.core.scope import tenant_scope, unscoped
from apps.tenants import onboarding
from apps.tenants.models import Tenant

_CAPTURED: Final = re.compile(r"<(?:path:)?\w+>")


@dataclass(frozen=True, slots=True)
class AdminAddress:
    """A page of the admin: its path below it, `<…>` standing for a row, and of what model (`app.model`) that row is."""

    name: str
    path: str
    model: str

    def of(self, rows: Mapping[str, str]) -> str:
        """The path with the row of its model in it."""
        return f"/admin/{_CAPTURED.sub(lambda _: rows[self.model], self.path)}"

    @property
    def has_row(self) -> bool:
        return _CAPTURED.search(self.path) is not None


def addresses() -> list[AdminAddress]:
    """All of them, the pages of every app and an address at which there is nothing among them."""
    return list(_addresses(admin.site.urls[0]))


def one_of_each(tenant_id: UUID) -> dict[str, str]:
    """The key of a row of every model the admin knows: of the tenant, and of the servers' own."""
    Group.objects.get_or_create(name="Reviewers")
    # Django's own tables belong to the login role, the tenants' to the role that a scope takes.
    servers, tenants = _models()
    rows = {model: model.objects.latest("pk").pk for model in servers}
    with tenant_scope(tenant_id):
        rows |= {model: model.objects.latest("pk").pk for model in tenants}
    return {model._meta.label_lower: str(key) for model, key in rows.items()}


def tell() -> None:
    """Print `one_of_each` of the first tenant as JSON: for tests before a stack, by its `manage.py shell`."""
    with unscoped("find a tenant by its slug"):
        tenant_id = Tenant.objects.get(slug=onboarding.FIRST_TENANT).id
    print(json.dumps(one_of_each(tenant_id)))  # noqa: T201


def _models() -> tuple[list[Any], list[Any]]:
    """Those of the servers, and those of a tenant."""
    registered = [(model, getattr(page, "is_tenant_data", False)) for model, page in admin.site._registry.items()]
    return [model for model, is_scoped in registered if not is_scoped], [
        model for model, is_scoped in registered if is_scoped
    ]


def _addresses(patterns: Sequence[URLPattern | URLResolver], above: str = "") -> Iterator[AdminAddress]:
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from _addresses(each.url_patterns, above + str(each.pattern))
        else:
            yield from _address(each, above)


def _address(pattern: URLPattern, above: str) -> Iterator[AdminAddress]:
    """One; of the pages that a regular expression stands for, one an app, and one that there is not."""
    name, route, model = pattern.name or "", above + str(pattern.pattern), above.rstrip("/").replace("/", ".")
    if name == "app_list":
        yield from (AdminAddress(f"{name}-{app}", f"{app}/", "") for app in _apps())
    elif name == "view_on_site":
        yield AdminAddress(name, "r/1/1/", "")
    elif "(?P<" in route:
        yield AdminAddress("nothing", "nothing/of/the/sort/", "")
    else:
        yield AdminAddress(name or f"{model}-short", route, model)


def _apps() -> list[Any]:
    return sorted({model._meta.app_label for model in admin.site._registry})
