"""Retrieval's jobs."""

from collections.abc import Mapping

from apps.core.scope import tenant_scope
from apps.jobs.registry import JobContext, handler
from apps.retrieval import services


@handler("retrieval.count_uses")
def count_uses(job: JobContext) -> Mapping[str, int | str]:
    with tenant_scope(job.tenant_id):
        return services.count_uses()


@handler("retrieval.judge_output")
def judge_output(job: JobContext) -> Mapping[str, int | str]:
    (recall_id,), (resource_id,) = job.uuids("recall"), job.uuids("resource")
    with tenant_scope(job.tenant_id):
        return services.judge_captured(recall_id=recall_id, resource_id=resource_id)
