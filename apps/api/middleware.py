"""Around every request: an id that travels in and out, whose address it counts for, the numbers of /metrics, and how a
wrong method is told.
"""

import re
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from apps.api import front, metrics
from apps.core.context import acting_as
from apps.core.ids import new_id
from apps.core.proxies import client_address
from memory_platform.text.redaction import redact

_REQUEST_ID = re.compile(r"[A-Za-z0-9._\-]{1,64}")
_UNTRACED = frozenset({"livez", "metrics"})


class RequestMiddleware:
    """Binds X-Request-ID to the journal, jobs and logs of this request and returns it; counts and times by route."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        request_id = _request_id(request)
        request.META["REMOTE_ADDR"] = client_address(
            request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", ""), proxies=settings.PROXIES
        )
        with acting_as("anonymous", request_id=request_id):
            response = _told(request, self._get_response(request))
        response["X-Request-ID"] = request_id
        _count(request, response, time.perf_counter() - started)
        return response


def _told(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    is_refused = isinstance(response, HttpResponseNotAllowed) and request.path.startswith("/api/")
    return front.not_allowed(response) if is_refused else response


def _request_id(request: HttpRequest) -> str:
    sent = request.headers.get("X-Request-ID", "")
    return sent if _REQUEST_ID.fullmatch(sent) and not redact(sent).kinds else str(new_id())


def _count(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route = request.resolver_match.route if request.resolver_match else "unknown"
    if route in _UNTRACED:
        return
    method = request.method if request.method in _METHODS else "OTHER"
    metrics.REQUESTS.labels(method, route, str(response.status_code)).inc()
    metrics.REQUEST_SECONDS.labels(method, route).observe(seconds)


_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
