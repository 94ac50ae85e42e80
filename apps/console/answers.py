"""What an action answers with: back to where its button stood, and what was done told above the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def done(request: HttpRequest, told: str, *, page: str) -> HttpResponse:
    """`page` is where to go when the browser does not say where the button stood."""
    messages.success(request, told)
    origin = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(origin, allowed_hosts={request.get_host()})
    return HttpResponseRedirect(origin if is_ours else reverse(f"console:{page}"))
