"""Jobs of the graph: project what changed in memory and what was observed, and copy it to another server."""

from dataclasses import asdict

from apps.core.scope import Reach, Scope
from apps.environment import environment
from apps.graph import services
from apps.graph import topics as graph_topics
from apps.graph.services import drift, exporting
from apps.jobs.registry import JobContext, handler, subscribe
from apps.memory import topics
from memory_platform.errors import ProviderError, ProviderRetryable
from memory_platform.knowledge.graph import Node

subscribe(topics.ITEMS_CHANGED, job="graph.project_items")
subscribe(topics.EPISODES_CHANGED, job="graph.project_episodes")
if environment().llm_base_url is not None:
    subscribe(topics.EPISODES_CHANGED, job="graph.infer_causes")
if environment().neo4j_url is not None:
    subscribe(graph_topics.CHANGED, job=exporting.EXPORT_JOB)

# Attempts a model gets before rules are all there is.
MODEL_ATTEMPTS = 4
# A server may be away for days: trying costs nothing while it is left alone, and this is enough for ten days.
COPIES_AT_MOST = 30_000
LONGEST_BACKOFF_SECONDS = 30.0


@handler("graph.project_items", merge="items", merge_items=512)
def project_items(job: JobContext) -> dict[str, int | str]:
    """Bring what the graph holds of the `items` in line with them."""
    return asdict(services.project(item_ids=job.uuids("items"), within=_worker(job)))


@handler("graph.project_episodes", merge="resources", merge_items=512)
def project_episodes(job: JobContext) -> dict[str, int | str]:
    """Bring what the graph holds of the `resources` in line with them."""
    return asdict(services.project(resource_ids=job.uuids("resources"), within=_worker(job)))


@handler("graph.infer_causes", max_attempts=MODEL_ATTEMPTS, merge="resources", merge_items=64)
def infer_causes(job: JobContext) -> dict[str, int | str]:
    """Ask the configured model what brought what about among the `resources`; without it, what rules read stands."""
    try:
        return asdict(services.infer(job.uuids("resources"), within=_worker(job)))
    except ProviderError as error:
        if isinstance(error, ProviderRetryable) and job.attempt < MODEL_ATTEMPTS:
            raise
        return {"causes": 0, "degraded": type(error).__name__}


@handler(
    exporting.EXPORT_JOB,
    max_attempts=COPIES_AT_MOST,
    longest_backoff_seconds=LONGEST_BACKOFF_SECONDS,
    merge="nodes",
    merge_items=2_000,
)
def export(job: JobContext) -> dict[str, int | str]:
    """Bring the copy of the `nodes` (Node.key) in line with them."""
    nodes = [Node.parse(key) for key in job.arguments["nodes"]]
    return asdict(exporting.export(nodes, within=_worker(job)))


@handler(exporting.COPY_JOB, max_attempts=COPIES_AT_MOST, longest_backoff_seconds=LONGEST_BACKOFF_SECONDS)
def copy_on(job: JobContext) -> dict[str, int | str]:
    """A step of the rebuild `rebuild`, after the node `position`."""
    (rebuild_id,) = job.uuids("rebuild")
    return asdict(exporting.copy_on(rebuild_id, str(job.arguments["position"]), within=_worker(job)))


@handler(drift.CHECK_JOB)
def check(job: JobContext) -> dict[str, int | str]:
    """Compare the copy with the truth."""
    return drift.find(within=_worker(job)).outcome


@handler(drift.REPAIR_JOB)
def repair(job: JobContext) -> dict[str, int | str]:
    """Compare, and have copied again what differs."""
    found, jobs = drift.mend(within=_worker(job))
    return {**found.outcome, "jobs": jobs}


def _worker(job: JobContext) -> Scope:
    return Scope(job.tenant_id, None, Reach.TENANT)
