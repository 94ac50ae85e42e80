"""Schedules, for those who run a tenant: when, whether, how the last run went, and running one now."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from typing_extensions import override

from apps.core import clock
from apps.jobs import planning
from apps.jobs import services as jobs
from apps.jobs.models import Schedule
from apps.maintenance import services
from apps.maintenance.steps import RUNS
from apps.tenants.admin import TenantForm, TenantModelAdmin
from memory_platform.errors import Invalid


class ScheduleForm(TenantForm):
    def clean_cron(self) -> str:
        cron: str = self.cleaned_data["cron"]
        row: Schedule = self.instance
        try:
            planning.next_run(cron, row.time_zone, row.tenant_id, after=clock.now())
        except Invalid as error:
            raise forms.ValidationError(error.message) from None
        return cron


@admin.register(Schedule)
class ScheduleAdmin(TenantModelAdmin):
    form = ScheduleForm
    list_display = ("name", "cron", "time_zone", "enabled", "next_run", "last_run", "error", "counts")
    fields = ("name", "cron", "enabled", "next_run", "last_run", "error", "counts")
    readonly_fields = ("name", "next_run", "last_run", "error", "counts")
    ordering = ("name",)
    actions = ("run_now", "dry_run")

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        """A tenant has those that there are jobs for."""
        return False

    @admin.display(description="next run, in the tenant's time zone")
    def next_run(self, row: Schedule) -> str:
        return _local(row.next_run_at, row) if row.enabled else "never: it is not enabled"

    @admin.display(description="last run")
    def last_run(self, row: Schedule) -> str:
        return _local(row.last_run_at, row) if row.last_run_at else "never"

    @override
    def save_model(self, request: HttpRequest, obj: Schedule, form: Any, change: bool) -> None:
        if form.changed_data:
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            jobs.change_schedules(changes, names=[obj.name])

    @admin.action(description="Run now", permissions=["change"])
    def run_now(self, request: HttpRequest, rows: QuerySet[Schedule]) -> None:
        for row in rows:
            self.message_user(request, f"{row.name}: job {jobs.start(row.name)} runs it.")

    @admin.action(description="Dry run: count what would change", permissions=["change"])
    def dry_run(self, request: HttpRequest, rows: QuerySet[Schedule]) -> None:
        for row in rows.exclude(name__in=RUNS):
            self.message_user(request, f"There is no dry run of {row.name}.", messages.WARNING)
        for row in rows.filter(name__in=RUNS):
            job_id = services.start(row.name, dry_run=True)
            self.message_user(request, f"{row.name}: job {job_id} counts what would change.")


def _local(moment: datetime, row: Schedule) -> str:
    return f"{moment.astimezone(ZoneInfo(row.time_zone)):%Y-%m-%d %H:%M} {row.time_zone}"
