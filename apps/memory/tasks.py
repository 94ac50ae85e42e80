"""Jobs of memory: observe what was captured, compare late, rebuild the index."""

from dataclasses import asdict

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.index import rebuilding
from apps.jobs.registry import JobContext, Unfinished, handler
from apps.journal.services import prune_events
from apps.memory import services
from apps.tenants import selectors as tenants
from memory_platform.model import Unit

rebuilding.register(Unit.ITEM, services.rebuild_items)
rebuilding.register(Unit.EPISODE, services.rebuild_episodes)

# Attempts the configured models get before rules extract and comparing is put off; the rest is for the database.
MODEL_ATTEMPTS = 4


@handler("memory.observe", merge="resources", merge_items=256)
def observe(job: JobContext) -> dict[str, int | str]:
    """Distil the `resources` into items; who makes rejections and events drops the old ones."""
    observed = services.observe(job.uuids("resources"), within=_whole(job), fall_back=job.attempt >= MODEL_ATTEMPTS)
    outcome = asdict(observed)
    if outcome.pop("left"):
        raise Unfinished(outcome)
    with scope.enter(_whole(job)):
        prune_events(tenants.policy(job.tenant_id).event_retention_days)
        return {**outcome, "pruned": services.prune_rejections()}


@handler("memory.end_silent_session")
def end_silent_session(job: JobContext) -> dict[str, int | str]:
    """End the `session` if nothing was heard of it for as long as the policy says."""
    (session_id,) = job.uuids("session")
    with scope.enter(_whole(job)):
        ended = services.end_silent_session(session_id)
    return {"ended": 0} if ended is None else {"ended": 1, "pending": ended.pending}


@handler("memory.dedup", max_attempts=20, merge="items", merge_items=128)
def dedup(job: JobContext) -> dict[str, int | str]:
    """Compare the `items` that were stored while the embedder was away."""
    return {"compared": services.compare(job.uuids("items"), within=_whole(job))}


@handler("memory.rebuild_documents", timeout_seconds=3_600)
def rebuild_documents(job: JobContext) -> dict[str, int | str]:
    """Build the tenant's index anew from items and episodes; what is forgotten stays hidden."""
    rebuilt = rebuilding.rebuild(within=_whole(job))
    return {"documents": rebuilt.documents, "embedding": rebuilt.embedding}


def _whole(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
