"""Exporting and importing over REST."""

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.contract import Page, page_of
from apps.api.exports import handlers
from apps.api.exports.contract import ExportedLine, ExportInput, Imported, ImportInput
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "POST", "/exports", verbs.EXPORT_ABOUT)
def export_about(request: HttpRequest, body: ExportInput) -> Page[ExportedLine]:
    """Reads only; nothing is changed."""
    return page_of(handlers.export_about(gateway_of(request), body, body.as_page()))


@serve(router, "POST", "/imports", verbs.IMPORT_LINES)
def import_lines(request: HttpRequest, body: ImportInput) -> Imported:
    return handlers.import_lines(gateway_of(request), body)
