"""Shared memory in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.api.memories.contract import Memory, WriteResult
from apps.api.recall.contract import Recall, RecallInput, RecallOptions
from apps.api.sharing import handlers
from apps.api.sharing.contract import SharedDomain, SharedMemoryInput, ShareInput


@strawberry.type
class Query:
    @query(verbs.RECALL_SHARED)
    def recall_shared(self, info: Info, query: str, options: RecallOptions | None = None) -> Recall:
        asked = RecallInput.of(query, options)
        found = handlers.recall_shared(info.context.ask_named(info, asked.filter), asked)
        info.context.batch(info).add(hit.item_id for hit in found.hits if hit.item_id is not None)
        return found

    @query(verbs.SHARED_DOMAINS)
    def shared_domains(self, info: Info, user_id: str | None = None) -> list[SharedDomain]:
        return handlers.shared_domains(info.context.ask(info, user_id))


@strawberry.type
class Mutation:
    @mutation(verbs.SHARE_MEMORY)
    def share(self, info: Info, id: strawberry.ID, domain: str | None = None) -> Memory:  # noqa: A002  the API's word
        shared = handlers.share(info.context.ask(info), uuid_of(id, field="id"), ShareInput(domain=domain))
        info.context.follow(info, shared.user_id)
        return shared

    @mutation(verbs.REMEMBER_SHARED)
    def remember_shared(self, info: Info, input: SharedMemoryInput) -> WriteResult:  # noqa: A002  the API's word
        return handlers.remember_shared(info.context.ask(info), input)
