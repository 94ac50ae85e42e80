"""Routes of the doors."""

from django.urls import URLPattern, URLResolver, path

from apps.api import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics_view, name="metrics"),
]
