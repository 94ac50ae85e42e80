"""When the memory tends itself, running it now, and the jobs that came of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.html import format_html
from typing_extensions import override

from apps.core import clock
from apps.jobs import planning
from apps.jobs import services as jobs
from apps.jobs.models import Job, JobState, Schedule
from apps.jobs.selectors import ScheduleState
from apps.maintenance import services
from apps.maintenance.admin import health
from apps.maintenance.steps import RUNS
from apps.tenants.admin.base import LookedAtAdmin, TenantForm, TenantModelAdmin, Tone, badge
from apps.tenants.models import ApiKey
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


_TONES: Final[Mapping[ScheduleState, Tone]] = {
    ScheduleState.PLANNED: "good",
    ScheduleState.RUNNING: "wary",
    ScheduleState.OVERDUE: "bad",
    ScheduleState.FAILED: "bad",
    ScheduleState.OFF: "quiet",
}
_JOB_TONES: Final[Mapping[JobState, Tone]] = {
    JobState.QUEUED: "quiet",
    JobState.RUNNING: "wary",
    JobState.DONE: "good",
    JobState.FAILED: "bad",
}


@admin.register(Schedule)
class ScheduleAdmin(TenantModelAdmin):
    needs = ApiKey.Scope.REVIEW
    told_as = "schedule"
    section = "Tuning"
    icon = "schedule"
    form = ScheduleForm
    list_display = ("name", "state", "cron", "next_run", "last_run", "achieved")
    fields = ("name", "cron", "enabled", "state", "next_run", "last_run", "achieved")
    readonly_fields = ("name", "state", "next_run", "last_run", "achieved")
    ordering = ("name",)
    actions = ("run_now", "dry_run")

    @override
    def get_urls(self) -> list[URLPattern]:
        """With what the runs keep count of: whoever sees the first page may look."""
        return [path("health/", self.admin_site.admin_view(self.health), name="health"), *super().get_urls()]

    def health(self, request: HttpRequest) -> HttpResponse:
        return health.page(request, {**self.admin_site.each_context(request), "opts": self.opts})

    @override
    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return (*self.list_display, "button") if self.has_change_permission(request) else self.list_display

    @override
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """A row's own button runs it; that needs no box to be ticked."""
        wanted = request.POST.get("run")
        if wanted is None:
            return super().changelist_view(request, extra_context)
        if not self.has_change_permission(request):
            raise PermissionDenied
        return self._or_refused(request, self._run, wanted)

    def _run(self, request: HttpRequest, name: str) -> HttpResponse:
        self.message_user(request, f"{name}: job {jobs.start(name)} runs it.")
        return HttpResponseRedirect(request.get_full_path())

    @admin.display(description="run now")
    def button(self, row: Schedule) -> str:
        return format_html('<button type="submit" class="quiet" name="run" value="{}">Run now</button>', row.name)

    @admin.display(description="state")
    def state(self, row: Schedule) -> str:
        state = ScheduleState.of(row)
        return badge(f"{state.value}: {row.error}" if state is ScheduleState.FAILED else state.value, _TONES[state])

    @admin.display(description="the last run achieved")
    def achieved(self, row: Schedule) -> str:
        return _told(row.counts)

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        """A tenant has those that there are jobs for."""
        return False

    @admin.display(description="next run", ordering="next_run_at")
    def next_run(self, row: Schedule) -> str:
        return _local(row.next_run_at, row) if row.enabled else "never"

    @admin.display(description="last run", ordering="last_run_at")
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


@admin.register(Job)
class JobAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.REVIEW
    told_as = "job"
    section = "Tuning"
    icon = "manufacturing"
    list_display = ("name", "progress", "attempts", "created_at", "finished_at", "error", "achieved")
    list_filter = ("state",)
    fields = ("id", "name", "progress", "attempts", "created_at", "run_after", "started_at", "finished_at", "error")
    readonly_fields = fields
    ordering = ("-created_at", "-id")

    @admin.display(description="state", ordering="state")
    def progress(self, row: Job) -> str:
        return badge(row.state, _JOB_TONES[JobState(row.state)])

    @admin.display(description="achieved")
    def achieved(self, row: Job) -> str:
        return _told(row.outcome)


def _told(counts: Mapping[str, object]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count) or "–"


def _local(moment: datetime, row: Schedule) -> str:
    return f"{moment.astimezone(ZoneInfo(row.time_zone)):%Y-%m-%d %H:%M} {row.time_zone}"
