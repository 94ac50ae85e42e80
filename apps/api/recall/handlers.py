"""What recall's verbs do, once the gateway has let the caller in."""

from uuid import UUID

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.recall.contract import ContextBlock, ContextInput, Feedback, OutputInput, Recall, RecallInput
from apps.retrieval import services as retrieval


def recall(gateway: Gateway, asked: RecallInput) -> Recall:
    with gateway.admit(verbs.RECALL, whose=gateway.content_of) as within:
        found = retrieval.recall(asked.as_request(), within=within, domain=gateway.principal.domain)
    return gateway.answer(Recall, found)


def context(gateway: Gateway, asked: ContextInput) -> ContextBlock:
    with gateway.admit(verbs.CONTEXT, whose=gateway.content_of) as within:
        found = retrieval.context(asked.as_request(), within=within, domain=gateway.principal.domain)
    return gateway.answer(ContextBlock, found)


def report_output(gateway: Gateway, recall_id: UUID, given: OutputInput) -> Feedback:
    with gateway.open(verbs.REPORT_OUTPUT):
        return gateway.answer(Feedback, retrieval.report_output(recall_id=recall_id, output=given.output))
