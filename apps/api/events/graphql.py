"""Events in GraphQL: what there is, at once."""

import strawberry

from apps.api import verbs
from apps.api.events import handlers
from apps.api.events.contract import MOST_AT_ONCE, EventsInput, MemoryEvents
from apps.api.graphql.context import Info
from apps.api.graphql.shapes import query


@strawberry.type
class Query:
    @query(verbs.MEMORY_EVENTS)
    def memory_events(
        self, info: Info, after: str | None = None, first: int = MOST_AT_ONCE, user_id: str | None = None
    ) -> MemoryEvents:
        return handlers.memory_events(info.context.ask(info, user_id), EventsInput(after=after, first=first))
