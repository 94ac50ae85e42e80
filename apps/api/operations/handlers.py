"""What the verbs of operations do, once the gateway has let the caller in."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from uuid import UUID

from apps.api import verbs
from apps.api.gateway import Gateway
from apps.api.operations.contract import (
    JOBS_AT_ONCE,
    Job,
    JournalEntry,
    JournalFilter,
    Limit,
    LogInput,
    Stats,
    Tier,
    Viewer,
)
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.jobs import selectors as job_selectors
from apps.jobs import services as job_services
from apps.journal import selectors as journal_selectors
from apps.journal import services as journal_services
from apps.memory import selectors as memory
from apps.memory import services as memory_services
from apps.resources import selectors as resources
from apps.resources import services as sessions
from apps.retrieval import selectors as retrieval
from apps.tenants import selectors as tenants
from apps.tenants.models import ApiKey
from memory_platform.errors import Forbidden, Invalid


def viewer(gateway: Gateway) -> Viewer:
    principal = gateway.principal
    with gateway.open(verbs.VIEWER):
        tenant = tenants.tenant_slug(principal.tenant_id)
    return Viewer(
        tenant=tenant,
        agent_id=principal.agent_slug,
        domain=principal.domain or None,
        user_id=principal.user_id,
        scopes=sorted(map(ApiKey.Scope, principal.scopes)),
        limits=[
            Limit(name="requests", per_minute=principal.limits.requests),
            Limit(name="writes", per_minute=principal.limits.writes),
            Limit(name="captures", per_minute=principal.limits.captures),
            Limit(name="ingest_lines", per_minute=principal.limits.ingest_lines),
        ],
    )


def stats(gateway: Gateway) -> Stats:
    with gateway.open(verbs.STATS) as within:
        since = tenants.reported_since(within.tenant_id, now())
        held = {
            **asdict(memory.stats()),
            "episodes": resources.episodes(),
            "jobs_queued": job_selectors.waiting(),
            "tiers": gateway.answers(Tier, retrieval.by_tier(since)),
        }
        return gateway.answer(Stats, held)


def jobs(gateway: Gateway, ids: Sequence[UUID]) -> list[Job]:
    if len(ids) > JOBS_AT_ONCE:
        raise Invalid(f"At most {JOBS_AT_ONCE} jobs at once.", field="ids")
    with gateway.open(verbs.JOBS):
        return gateway.answers(Job, job_selectors.jobs(ids))


def retry_job(gateway: Gateway, job_id: UUID) -> Job:
    """Raises NotFound, and Conflict for a job that runs or is done."""
    with gateway.open(verbs.RETRY_JOB):
        retried = job_services.retry(job_id)
        return gateway.answers(Job, job_selectors.jobs([retried]))[0]


def journal(gateway: Gateway, wanted: JournalFilter, page: PageRequest) -> Slice[JournalEntry]:
    """The agent's own entries; with the scope review or admin the whole tenant's, or those of `wanted.agent_id`."""
    with gateway.open(verbs.JOURNAL, of_all_agents=gateway.curates):
        named = tenants.agent_id_of(wanted.agent_id)
        if not gateway.curates:
            if named not in (None, gateway.principal.agent_id):
                raise Forbidden("Reading other agents' entries needs the scope review.", field="agentId")
            named = gateway.principal.agent_id
        found = journal_selectors.entries(filter=replace(wanted.as_filter(), agent_id=named), page=page)
        return gateway.page(JournalEntry, found)


def log_action(gateway: Gateway, given: LogInput) -> JournalEntry:
    whose = None if given.session_id is None else gateway.written_for(given.user_id)
    with gateway.of(given.user_id).open(verbs.LOG_ACTION, whose=whose):
        words = given.model_dump(include={"action", "tool", "detail", "reason"})
        name = given.session_id
        session_id = None if name is None or whose is None else _session(name, whose.user_id)
        entry = journal_services.log_action(**words, session_id=session_id)
        return gateway.answer(JournalEntry, journal_selectors.view_of(entry, **words))


def _session(name: str, user_id: str | None) -> UUID:
    """The session it happened in; the one the user was in before is learnt from when that begins it."""
    opened = sessions.open_session(name, user_id=user_id)
    if opened.predecessor is not None:
        memory_services.flush(opened.predecessor)
    return opened.place.session_id
