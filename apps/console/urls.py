"""Routes below /console/: logging in, choosing a tenant, and what `pages` declares."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from apps.console.entering import entered, public, signed_in
from apps.console.pages import PAGES
from apps.console.views import login

app_name = "console"

urlpatterns = [
    path("", signed_in(login.home), name="home"),
    path("login/", public(login.Login.as_view()), name="login"),
    path("logout/", public(LogoutView.as_view(next_page="console:login")), name="logout"),
    path("tenant/", signed_in(login.choose_tenant), name="tenant"),
    *(path(page.path, entered(page), name=page.name) for page in PAGES),
]
