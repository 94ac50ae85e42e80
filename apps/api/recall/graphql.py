"""Recall and context in GraphQL."""

from functools import partial

import strawberry
from strawberry import Parent

from apps.api import verbs
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query, walk
from apps.api.memories import handlers as memories
from apps.api.memories.contract import Memory
from apps.api.recall import handlers
from apps.api.recall.contract import (
    ContextBlock,
    ContextInput,
    ContextOptions,
    Feedback,
    Hit,
    OutputInput,
    Recall,
    RecallInput,
    RecallOptions,
)


@strawberry.type
class Query:
    @query(verbs.RECALL)
    def recall(self, info: Info, query: str, options: RecallOptions | None = None) -> Recall:
        asked = RecallInput.of(query, options)
        found = handlers.recall(info.context.ask_named(info, asked.filter), asked)
        info.context.batch(info).add(hit.item_id for hit in found.hits if hit.item_id is not None)
        return found

    @query(verbs.CONTEXT)
    def context(self, info: Info, query: str | None = None, options: ContextOptions | None = None) -> ContextBlock:
        asked = ContextInput.of(query, options)
        return handlers.context(info.context.ask_named(info, asked.filter), asked)


@strawberry.type
class Mutation:
    @mutation(verbs.REPORT_OUTPUT)
    def report_output(self, info: Info, recall_id: strawberry.ID, output: str) -> Feedback:
        reported = OutputInput(output=output)
        return handlers.report_output(info.context.gateway, uuid_of(recall_id, field="recallId"), reported)


@walk(Hit, description="The memory in full; null for what is a message only.")
def memory(hit: Parent[Hit], info: Info) -> Memory | None:
    if hit.item_id is None:
        return None
    gateway = info.context.reader(info)
    read = partial(memories.memories_by_id, gateway)
    return info.context.batch(info).get("memory", hit.item_id, read, default=None)
