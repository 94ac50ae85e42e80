"""Jobs of the graph: project what changed in memory and what was observed."""

from dataclasses import asdict

from apps.core.scope import Reach, Scope
from apps.graph import services
from apps.jobs.registry import JobContext, handler, subscribe
from apps.memory import topics

subscribe(topics.ITEMS_CHANGED, job="graph.project_items")
subscribe(topics.EPISODES_CHANGED, job="graph.project_episodes")


@handler("graph.project_items", merge="items", merge_items=512)
def project_items(job: JobContext) -> dict[str, int | str]:
    """Bring what the graph holds of the `items` in line with them."""
    return asdict(services.project(item_ids=job.uuids("items"), within=Scope(job.tenant_id, None, Reach.TENANT)))


@handler("graph.project_episodes", merge="resources", merge_items=512)
def project_episodes(job: JobContext) -> dict[str, int | str]:
    """Bring what the graph holds of the `resources` in line with them."""
    return asdict(
        services.project(resource_ids=job.uuids("resources"), within=Scope(job.tenant_id, None, Reach.TENANT))
    )
