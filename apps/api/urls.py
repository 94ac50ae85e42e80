"""Routes of the API."""

from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.csrf import csrf_exempt

from apps.api import front, health
from apps.api.curation.repository import repository
from apps.api.graphql.view import graphql
from apps.api.mcp.view import mcp
from apps.api.rest.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("", front.front, name="front"),
    path("favicon.ico", front.favicon),
    path("docs/<path:page>", front.guide, name="guide"),
    path("graphql", graphql, name="graphql"),
    path("api/v1/", api.urls),
    # Exempt: where there is nothing, no form is answered, and a key is no cookie.
    re_path("^api/", csrf_exempt(front.missing)),
    path("git/memory.git/<path:path>", repository, name="repository"),
    path("mcp", mcp, name="mcp"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics_view, name="metrics"),
]
