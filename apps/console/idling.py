"""How long nobody does anything: a page that keeps itself fresh is no person."""

from typing import Final

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from typing_extensions import override

FRESH: Final = "fresh"
"""The id of what base.html keeps fresh, which htmx names in HX-Trigger."""


class IdleSessionMiddleware(SessionMiddleware):
    """Begins a session's time anew with each request but those that a page makes by itself."""

    @override
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        is_nobody = request.headers.get("HX-Trigger") == FRESH and not request.session.modified
        return response if is_nobody else super().process_response(request, response)
