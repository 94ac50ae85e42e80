"""Writing."""

from typing import Annotated, Any

import strawberry

from apps.api.graphql.context import Info
from apps.api.graphql.inputs import ApiKeyInput, ForgetInput, LogInput, RememberInput, TurnInput, aware
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.types import (
    ApiKey,
    Capture,
    Entity,
    Feedback,
    Forgotten,
    JournalEntry,
    Memory,
    NewApiKey,
    WriteResult,
    shaped,
)
from apps.memory.results import ItemView
from apps.memory.results import WriteResult as Written


def _told(info: Info, item: ItemView) -> Any:
    """What hangs on an item that was named by its id is its user's."""
    info.context.follow(info, item.user_id)
    return shaped(item)


def _written(info: Info, result: Written) -> Any:
    if result.item is not None:
        info.context.follow(info, result.item.user_id)
    return shaped(result)


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Checkpoint and resources; never waits for a model.")
    def capture_turn(self, info: Info, input: TurnInput) -> Capture:  # noqa: A002  the API's word
        return shaped(info.context.agent.capture_turn(input.as_turn()))

    @strawberry.mutation(description="An explicit fact: still gated, deduplicated and checked for contradictions.")
    def remember(self, info: Info, input: RememberInput) -> WriteResult:  # noqa: A002  the API's word
        return _written(info, info.context.ask(info).remember(input.as_new()))

    @strawberry.mutation(description="A better wording or a new truth, which supersedes the old one.")
    def correct(self, info: Info, id: strawberry.ID, text: str, reason: str | None = None) -> WriteResult:  # noqa: A002
        return _written(info, info.context.ask(info).correct(uuid_of(id, field="id"), text, reason or ""))

    @strawberry.mutation(description="Confirmed by someone: protected from decay.")
    def confirm(self, info: Info, id: strawberry.ID) -> Memory:  # noqa: A002  the API's word
        return _told(info, info.context.ask(info).confirm(uuid_of(id, field="id")))

    @strawberry.mutation(description="Private to shared: returns the memory all agents see. Needs the scope share.")
    def share(self, info: Info, id: strawberry.ID, domain: str | None = None) -> Memory:  # noqa: A002  the API's word
        return _told(info, info.context.ask(info).share(uuid_of(id, field="id"), domain))

    @strawberry.mutation(description="Two that are one; shared ones need the scope review.")
    def merge_entities(
        self,
        info: Info,
        into: strawberry.ID,
        from_: Annotated[list[strawberry.ID], strawberry.argument(name="from")],
    ) -> Entity:
        from_ids = [uuid_of(each, field="from") for each in from_]
        return shaped(info.context.agent.merge_entities(uuid_of(into, field="into"), from_ids))

    @strawberry.mutation(description="One that is two: gives these names an entity of their own, which is returned.")
    def split_entity(self, info: Info, id: strawberry.ID, aliases: list[str]) -> Entity:  # noqa: A002  the API's word
        return shaped(info.context.agent.split_entity(uuid_of(id, field="id"), aliases))

    @strawberry.mutation(description="By ids, by user or by query; dryRun lists what would go.")
    def forget(self, info: Info, input: ForgetInput) -> Forgotten:  # noqa: A002  the API's word
        given = input.filter
        agent = info.context.ask(info, given.user_id, all_users=given.all_users) if given else info.context.ask(info)
        return shaped(agent.forget(input.as_request()))

    @strawberry.mutation(description="Undoes a batch of forgetting.")
    def restore(self, info: Info, batch_id: strawberry.ID) -> Forgotten:
        return shaped(info.context.agent.restore(uuid_of(batch_id, field="batchId")))

    @strawberry.mutation(description="What the model made of a recall: which hits were of use.")
    def report_output(self, info: Info, recall_id: strawberry.ID, output: str) -> Feedback:
        return shaped(info.context.agent.report_output(uuid_of(recall_id, field="recallId"), output))

    @strawberry.mutation(description="The operations log agents write themselves.")
    def log_action(self, info: Info, input: LogInput) -> JournalEntry:  # noqa: A002  the API's word
        written = info.context.agent.log_action(
            action=input.action, tool=input.tool, detail=input.detail, reason=input.reason
        )
        return shaped(written)

    @strawberry.mutation(description="Needs the scope admin. The token is shown this once.")
    def create_api_key(self, info: Info, input: ApiKeyInput) -> NewApiKey:  # noqa: A002  the API's word
        made = info.context.agent.create_key(
            scopes=[scope.value for scope in input.scopes],
            agent_id=input.agent_id,
            domain=input.domain,
            name=input.name,
            expires_at=aware(input.expires_at, field="expiresAt"),
            user_id=input.user_id,
        )
        return shaped(made)

    @strawberry.mutation(description="Needs the scope admin. The old key stops working at once.")
    def rotate_api_key(self, info: Info, id: strawberry.ID) -> NewApiKey:  # noqa: A002  the API's word
        return shaped(info.context.agent.rotate_key(uuid_of(id, field="id")))

    @strawberry.mutation(description="Needs the scope admin.")
    def revoke_api_key(self, info: Info, id: strawberry.ID) -> ApiKey:  # noqa: A002  the API's word
        return shaped(info.context.agent.revoke_key(uuid_of(id, field="id")))
