"""Erasures of the chosen tenant: asked for through the API, and approved there or here."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.erasure import services
from apps.erasure.models import Erasure
from apps.erasure.results import ErasureView
from apps.tenants.access import Member
from apps.tenants.admin.base import LookedAtAdmin
from apps.tenants.models import ApiKey

Decide = Callable[[UUID], ErasureView]
_DECIDES: Final = ["decide"]


@admin.register(Erasure)
class ErasureAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.ADMIN
    icon = "delete_forever"
    list_display = ("requested_at", "kind", "state", "targets_count", "finished_at", "digest")
    list_filter = ("kind", "state")
    fields = (
        "kind",
        "about",
        "reason",
        "targets_count",
        "state",
        "requested_by",
        "requested_person",
        "requested_at",
        "decided_by",
        "decided_person",
        "decided_at",
        "finished_at",
        "digest",
    )
    readonly_fields = fields
    ordering = ("-id",)
    actions = ("approve", "reject")

    def has_decide_permission(self, request: HttpRequest) -> bool:
        member = getattr(request, "principal", None)
        return isinstance(member, Member) and member.may_edit

    @admin.action(description="Approve: erase for good", permissions=_DECIDES)
    def approve(self, request: HttpRequest, rows: QuerySet[Erasure]) -> None:
        self._decide(request, rows, services.approve)

    @admin.action(description="Reject", permissions=_DECIDES)
    def reject(self, request: HttpRequest, rows: QuerySet[Erasure]) -> None:
        self._decide(request, rows, services.reject)

    def _decide(self, request: HttpRequest, rows: QuerySet[Erasure], decide: Decide) -> None:
        for row in rows:
            view = decide(row.id)
            self.message_user(request, f"{view.kind} {view.digest[:12]}: {view.state}.")
