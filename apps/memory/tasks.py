"""Jobs of memory: observe what was captured, compare late, rebuild the index."""

from dataclasses import asdict

from apps.core.scope import Reach, Scope
from apps.jobs.registry import JobContext, handler
from apps.memory import services

# Attempts the configured models get before rules extract and comparing is put off; the rest is for the database.
MODEL_ATTEMPTS = 4


@handler("memory.observe", merge="resources", merge_items=256)
def observe(job: JobContext) -> dict[str, int | str]:
    """Distil the `resources` into items."""
    observed = services.observe(job.uuids("resources"), within=_whole(job), fall_back=job.attempt >= MODEL_ATTEMPTS)
    return asdict(observed)


@handler("memory.dedup", max_attempts=20, merge="items", merge_items=128)
def dedup(job: JobContext) -> dict[str, int | str]:
    """Compare the `items` that were stored while the embedder was away."""
    return {"compared": services.compare(job.uuids("items"), within=_whole(job))}


@handler("memory.rebuild_documents", timeout_seconds=3_600)
def rebuild_documents(job: JobContext) -> dict[str, int | str]:
    """Index items and episodes again."""
    within = _whole(job)
    items = services.rebuild_items(within=within)
    return {"items": items, "episodes": services.rebuild_episodes(within=within)}


def _whole(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
