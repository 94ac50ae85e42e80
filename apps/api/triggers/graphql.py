"""Triggers in GraphQL."""

from datetime import datetime

import strawberry

from apps.api import verbs
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.api.triggers import handlers
from apps.api.triggers.contract import SnoozeInput, Trigger, TriggerFilter, TriggerInput
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.TRIGGERS)
    def triggers(
        self,
        info: Info,
        filter: TriggerFilter | None = None,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Trigger]:
        wanted = filter or TriggerFilter()
        gateway = info.context.ask_named(info, wanted)
        return connection(handlers.triggers(gateway, wanted.as_filter(), page(first, after)), after=after)


@strawberry.type
class Mutation:
    @mutation(verbs.CREATE_TRIGGER)
    def create_trigger(self, info: Info, input: TriggerInput) -> Trigger:  # noqa: A002  the API's word
        return handlers.create_trigger(info.context.ask(info), input)

    @mutation(verbs.SNOOZE_TRIGGER)
    def snooze_trigger(self, info: Info, id: strawberry.ID, until: datetime) -> Trigger:  # noqa: A002
        given = SnoozeInput.model_validate({"until": until})
        return handlers.snooze_trigger(info.context.ask(info), uuid_of(id, field="id"), given)

    @mutation(verbs.COMPLETE_TRIGGER)
    def complete_trigger(self, info: Info, id: strawberry.ID) -> Trigger:  # noqa: A002  the API's word
        return handlers.complete_trigger(info.context.ask(info), uuid_of(id, field="id"))

    @mutation(verbs.DISMISS_TRIGGER)
    def dismiss_trigger(self, info: Info, id: strawberry.ID) -> Trigger:  # noqa: A002  the API's word
        return handlers.dismiss_trigger(info.context.ask(info), uuid_of(id, field="id"))
