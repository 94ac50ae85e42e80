"""MEMORY.md over git: `git clone` with an API key as the password (any name), or as a bearer token."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from apps.api import verbs
from apps.api.auth import principal_of
from apps.api.gateway import Gateway
from apps.core import problems
from apps.curation import projecting
from memory_platform.errors import MemoryPlatformError, Unauthenticated


@csrf_exempt
def repository(request: HttpRequest, path: str) -> HttpResponse:
    """Serve the repository of the key's tenant; nobody pushes."""
    try:
        return _served(Gateway(principal_of(request, with_password=True)), request, path)
    except MemoryPlatformError as error:
        refused = problems.refusal(problems.of(error))
        if isinstance(error, Unauthenticated):
            refused["WWW-Authenticate"] = 'Basic realm="memory"'
        return refused


def _served(gateway: Gateway, request: HttpRequest, path: str) -> HttpResponse:
    with gateway.admit(verbs.CURATED_MEMORY, of_all_agents=True) as within:
        reply = projecting.serve(
            request.method or "",
            path,
            request.META.get("QUERY_STRING", ""),
            content_type=request.META.get("CONTENT_TYPE", ""),
            encoding=request.headers.get("Content-Encoding", ""),
            body=request.body,
            within=within,
        )
    return HttpResponse(reply.body, status=reply.status, headers=dict(reply.headers))
