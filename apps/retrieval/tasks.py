"""Retrieval's jobs."""

from collections.abc import Mapping

from apps.core.scope import tenant_scope
from apps.jobs.registry import JobContext, handler
from apps.retrieval import services


@handler("retrieval.count_uses")
def count_uses(job: JobContext) -> Mapping[str, int | str]:
    with tenant_scope(job.tenant_id):
        return services.count_uses()
