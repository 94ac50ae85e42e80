"""What the verbs of triggers do, once the gateway has let the caller in."""

from uuid import UUID

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.triggers.contract import SnoozeInput, Trigger, TriggerInput
from apps.core.paging import PageRequest, Slice
from apps.triggers import selectors, services
from apps.triggers.requests import TriggerFilter


def triggers(gateway: Gateway, wanted: TriggerFilter, page: PageRequest) -> Slice[Trigger]:
    with gateway.open(verbs.TRIGGERS, whose=gateway.content_of):
        return gateway.page(Trigger, selectors.triggers(filter=wanted, page=page))


def trigger(gateway: Gateway, trigger_id: UUID) -> Trigger | None:
    with gateway.open(verbs.TRIGGERS):
        return gateway.answer_or_none(Trigger, selectors.trigger(trigger_id))


def create_trigger(gateway: Gateway, given: TriggerInput) -> Trigger:
    whose = gateway.written_for(given.user_id or None)
    owned = given.model_copy(update={"user_id": whose.user_id}).as_new()
    with gateway.open(verbs.CREATE_TRIGGER, visibility=given.visibility, whose=whose):
        return gateway.answer(Trigger, services.create(owned))


def snooze_trigger(gateway: Gateway, trigger_id: UUID, given: SnoozeInput) -> Trigger:
    with gateway.open(verbs.SNOOZE_TRIGGER):
        return gateway.answer(Trigger, services.snooze(trigger_id, given.until))


def complete_trigger(gateway: Gateway, trigger_id: UUID) -> Trigger:
    with gateway.open(verbs.COMPLETE_TRIGGER):
        return gateway.answer(Trigger, services.complete(trigger_id))


def dismiss_trigger(gateway: Gateway, trigger_id: UUID) -> Trigger:
    with gateway.open(verbs.DISMISS_TRIGGER):
        return gateway.answer(Trigger, services.dismiss(trigger_id))
