"""Sessions, and how one went: turn by turn what was said, learnt, turned down and why, recalled and used."""

from datetime import date, datetime, time
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from apps.api.admission import Admission
from apps.api.contract import Input, Name
from apps.api.gateway import Gateway
from apps.api.sessions import handlers
from apps.api.sessions.contract import SessionFilter
from apps.core import paging

ROWS: Final = 50
TURNS: Final = 20


class SessionFields(Input):
    """The fields of the filter; an empty one is none. `since` is a day of the tenant's clock."""

    agent: Name | None = None
    user: Name | None = None
    since: date | None = None
    after: Annotated[str | None, Admission.NOT_KEPT] = None

    def as_filter(self) -> SessionFilter:
        began = None if self.since is None else timezone.make_aware(datetime.combine(self.since, time.min))
        return SessionFilter(agent_id=self.agent, since=began)


def sessions(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    wanted = SessionFields.model_validate({name: value for name, value in request.GET.items() if value})
    asked = gateway.of(wanted.user, all_users=wanted.user is None)
    cut = handlers.sessions(asked, wanted.as_filter(), paging.page(ROWS, wanted.after))
    return render(request, "console/sessions.html", {"cut": cut, "wanted": wanted})


def one(request: HttpRequest, gateway: Gateway, session_row_id: UUID) -> HttpResponse:
    trace = handlers.session_trace(gateway, session_row_id, paging.page(TURNS, request.GET.get("after") or None))
    return render(request, "console/session.html", {"trace": trace, "session": trace.session})
