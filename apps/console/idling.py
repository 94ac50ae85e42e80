"""Sessions: how long nobody does anything (a page that keeps itself fresh is no person), and what is no session."""

import re
from typing import Final

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from typing_extensions import override

FRESH: Final = "fresh"
"""The id of what base.html keeps fresh, which htmx names in HX-Trigger."""


_KEY: Final = re.compile(r"[a-z0-9]{32}")
"""As Django makes the keys of sessions."""


class IdleSessionMiddleware(SessionMiddleware):
    """Begins a session's time anew with each request but those that a page makes by itself."""

    @override
    def process_request(self, request: HttpRequest) -> None:
        """PostgreSQL would not even look for some of what a cookie can hold."""
        if not _KEY.fullmatch(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")):
            request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
        super().process_request(request)

    @override
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        is_nobody = request.headers.get("HX-Trigger") == FRESH and not request.session.modified
        return response if is_nobody else super().process_response(request, response)
