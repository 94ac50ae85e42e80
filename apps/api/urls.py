"""Routes of the API."""

from django.urls import URLPattern, URLResolver, path

from apps.api import health
from apps.api.graphql.view import graphql
from apps.api.rest.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("graphql", graphql, name="graphql"),
    path("api/v1/", api.urls),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics_view, name="metrics"),
]
