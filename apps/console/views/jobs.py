"""What the workers do and when: jobs, and the schedules that start some of them."""

from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.operations import handlers as operations
from apps.api.schedules import handlers as schedule_handlers
from apps.api.schedules.contract import MaintenanceInput, ScheduleInput
from apps.console.answers import done
from apps.core.paging import page
from apps.jobs import registry, selectors
from apps.jobs.models import JobState
from apps.maintenance.steps import RUNS


def _names() -> list[tuple[str, str]]:
    return [("", "Any"), *((name, name) for name in sorted(registry.names()))]


class JobsForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[("", "Any"), *JobState.choices])
    name = forms.ChoiceField(required=False, label="Job", choices=_names)


def jobs(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    form = JobsForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    with gateway.open(verbs.JOBS):
        queue = selectors.queue_state()
        cut = selectors.listed(
            state=JobState(chosen["state"]) if chosen.get("state") else None,
            name=chosen.get("name") or None,
            page=page(50, request.GET.get("after")),
        )
    shown = {"form": form, "queue": queue, "cut": cut, "seconds": 5, "may_retry": gateway.curates}
    return render(request, "console/jobs.html", shown)


def retry_job(request: HttpRequest, gateway: Gateway, job_id: UUID) -> HttpResponse:
    job = operations.retry_job(gateway, job_id)
    return done(request, f"{job.name} is tried again.", page="jobs")


def schedules(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    shown = {"schedules": schedule_handlers.schedules(gateway), "counted": RUNS, "may_change": gateway.administers}
    return render(request, "console/schedules.html", shown)


def change_schedule(request: HttpRequest, gateway: Gateway, schedule: str) -> HttpResponse:
    given = ScheduleInput(cron=request.POST.get("cron", ""), enabled="enabled" in request.POST)
    changed = schedule_handlers.change_schedule(gateway, schedule, given)
    return done(request, f"{changed.name} is changed.", page="schedules")


def run_schedule(request: HttpRequest, gateway: Gateway, schedule: str) -> HttpResponse:
    started = schedule_handlers.run_schedule(gateway, schedule)
    return done(request, f"Job {started.job_id} runs {schedule}.", page="schedules")


def count_schedule(request: HttpRequest, gateway: Gateway, schedule: str) -> HttpResponse:
    """A dry run: only count what would change."""
    started = schedule_handlers.run_maintenance(gateway, MaintenanceInput(job=schedule, dry_run=True))
    return done(request, f"Job {started.job_id} counts what {schedule} would change.", page="schedules")
