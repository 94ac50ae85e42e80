"""Every route of the platform."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("console/", include("apps.console.urls")),
    path("", include("apps.api.urls")),
]

handler400 = "apps.api.front.refused"
handler403 = "apps.api.front.forbidden"
handler404 = "apps.api.front.missing"
