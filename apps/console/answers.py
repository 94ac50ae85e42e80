"""What an action answers with: back to where its button stood, and what was done told above the page."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from apps.tenants import logins


def done(request: HttpRequest, told: str, *, page: str) -> HttpResponse:
    """`page` is where to go when the browser does not say where the button stood."""
    messages.success(request, told)
    return HttpResponseRedirect(logins.origin(request, otherwise=reverse(f"console:{page}")))
