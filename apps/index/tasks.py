"""Jobs of the index: embed what was captured, fold the statistics."""

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.index import services, statistics
from apps.jobs.registry import JobContext, handler


@handler(services.EMBED, merge="documents", merge_items=256)
def embed(job: JobContext) -> dict[str, int]:
    """Embed the documents among `documents` that have no vector yet."""
    within = Scope(job.tenant_id, None, Reach.TENANT)
    return {"embedded": services.embed(job.numbers("documents"), within=within)}


@handler(statistics.FOLD)
def fold(job: JobContext) -> dict[str, int]:
    """Fold until no delta waits, one transaction a batch."""
    folded = 0
    while True:
        with scope.tenant_scope(job.tenant_id):
            batch = statistics.fold()
        folded += batch
        if batch < statistics.DELTAS_AT_ONCE:
            return {"folded": folded}
