"""Recall and context over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.recall import handlers
from apps.api.recall.contract import ContextBlock, ContextInput, Feedback, OutputInput, Recall, RecallInput
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "POST", "/recall", verbs.RECALL)
def recall(request: HttpRequest, body: RecallInput) -> Recall:
    return handlers.recall(gateway_of(request).of_named(body.filter), body)


@serve(router, "POST", "/context", verbs.CONTEXT)
def context(request: HttpRequest, body: ContextInput) -> ContextBlock:
    return handlers.context(gateway_of(request).of_named(body.filter), body)


@serve(router, "POST", "/recalls/{recall_id}/output", verbs.REPORT_OUTPUT)
def report_output(request: HttpRequest, recall_id: UUID, body: OutputInput) -> Feedback:
    return handlers.report_output(gateway_of(request), recall_id, body)
