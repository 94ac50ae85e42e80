"""The health report in the admin: its tables, and as a file to keep."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.response import TemplateResponse

from apps.maintenance import reporting
from apps.maintenance.reporting import HealthReport

FILES: Final = (("md", "Markdown"), ("json", "JSON"))


def page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """The report within the admin's `context`; as a file where `as` names its kind. Needs the chosen tenant's scope."""
    report = reporting.health()
    kind = request.GET.get("as")
    if kind == "md":
        return _kept(report, kind, HttpResponse(report.markdown, content_type="text/markdown; charset=utf-8"))
    if kind == "json":
        return _kept(report, kind, JsonResponse({"at": report.at, "days": report.days, "counts": report.counts}))
    shown = {**context, "title": "Health of the memory", "report": report, "files": FILES}
    return TemplateResponse(request, "admin/maintenance/health.html", shown)


def _kept(report: HealthReport, kind: str, response: HttpResponse) -> HttpResponse:
    response.headers["Content-Disposition"] = f'attachment; filename="health-{report.at:%Y-%m-%d}.{kind}"'
    return response
