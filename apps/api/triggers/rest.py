"""Triggers over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Page, page_of
from apps.api.rest.routing import gateway_of, serve
from apps.api.triggers import handlers
from apps.api.triggers.contract import SnoozeInput, Trigger, TriggerInput, TriggersInput

router = Router()


@serve(router, "GET", "/triggers", verbs.TRIGGERS)
def triggers(request: HttpRequest, query: Query[TriggersInput]) -> Page[Trigger]:
    """Repeat `status` to allow several."""
    cut = handlers.triggers(gateway_of(request).of_named(query), query.as_filter(), query.as_page())
    return page_of(cut)


@serve(router, "POST", "/triggers", verbs.CREATE_TRIGGER)
def create_trigger(request: HttpRequest, body: TriggerInput) -> Trigger:
    return handlers.create_trigger(gateway_of(request), body)


@serve(router, "POST", "/triggers/{trigger_id}/snooze", verbs.SNOOZE_TRIGGER)
def snooze_trigger(request: HttpRequest, trigger_id: UUID, body: SnoozeInput) -> Trigger:
    return handlers.snooze_trigger(gateway_of(request), trigger_id, body)


@serve(router, "POST", "/triggers/{trigger_id}/complete", verbs.COMPLETE_TRIGGER)
def complete_trigger(request: HttpRequest, trigger_id: UUID) -> Trigger:
    return handlers.complete_trigger(gateway_of(request), trigger_id)


@serve(router, "POST", "/triggers/{trigger_id}/dismiss", verbs.DISMISS_TRIGGER)
def dismiss_trigger(request: HttpRequest, trigger_id: UUID) -> Trigger:
    return handlers.dismiss_trigger(gateway_of(request), trigger_id)
