"""Who is asking, and how full the memory is."""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.core import scope
from apps.jobs import selectors as jobs
from apps.memory import selectors as memory
from apps.resources.models import Resource
from apps.tenants.keys import Principal
from apps.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class Limit:
    name: str
    per_minute: int


@dataclass(frozen=True, slots=True)
class Viewer:
    """The caller: `tenant` is the slug, `agent_id` the agent's own name."""

    tenant: str
    agent_id: str
    domain: str | None
    user_id: str | None
    scopes: tuple[str, ...]
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Counts over what the caller may read; `jobs_queued` waits or runs in the whole tenant."""

    items: int
    by_status: Mapping[str, int]
    by_verdict: Mapping[str, int]
    by_category: Mapping[str, int]
    episodes: int
    rejections: int
    open_contradictions: int
    jobs_queued: int


def viewer(principal: Principal) -> Viewer:
    limits = principal.limits
    return Viewer(
        tenant=Tenant.objects.get(id=principal.tenant_id).slug,
        agent_id=principal.agent_slug,
        domain=principal.domain or None,
        user_id=principal.user_id,
        scopes=tuple(sorted(principal.scopes)),
        limits=(
            Limit("requests", limits.requests),
            Limit("writes", limits.writes),
            Limit("captures", limits.captures),
            Limit("ingest_lines", limits.ingest_lines),
        ),
    )


def stats() -> Standing:
    held = memory.stats()
    return Standing(
        items=held.items,
        by_status=held.by_status,
        by_verdict=held.by_verdict,
        by_category=held.by_category,
        episodes=Resource.objects.filter(tenant_id=scope.current().tenant_id).count(),
        rejections=held.rejections,
        open_contradictions=held.open_contradictions,
        jobs_queued=jobs.waiting(),
    )
