"""Operations over REST."""

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router

from apps.api import verbs
from apps.api.contract import Items, Page, page_of
from apps.api.operations import handlers
from apps.api.operations.contract import (
    CountedUser,
    Job,
    JobsInput,
    JournalEntry,
    JournalInput,
    LogInput,
    Stats,
    Viewer,
)
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "GET", "/viewer", verbs.VIEWER)
def viewer(request: HttpRequest) -> Viewer:
    return handlers.viewer(gateway_of(request))


@serve(router, "GET", "/stats", verbs.STATS)
def stats(request: HttpRequest, user_id: CountedUser = None) -> Stats:
    return handlers.stats(gateway_of(request).of(user_id))


@serve(router, "GET", "/jobs", verbs.JOBS)
def jobs(request: HttpRequest, query: Query[JobsInput]) -> Items[Job]:
    return Items(items=handlers.jobs(gateway_of(request), query.ids))


@serve(router, "POST", "/jobs/{job_id}/retry", verbs.RETRY_JOB)
def retry_job(request: HttpRequest, job_id: UUID) -> Job:
    return handlers.retry_job(gateway_of(request), job_id)


@serve(router, "GET", "/journal", verbs.JOURNAL)
def journal(request: HttpRequest, query: Query[JournalInput]) -> Page[JournalEntry]:
    gateway = gateway_of(request).of(query.user_id)
    return page_of(handlers.journal(gateway, query, query.as_page()))


@serve(router, "POST", "/journal", verbs.LOG_ACTION)
def log_action(request: HttpRequest, body: LogInput) -> JournalEntry:
    return handlers.log_action(gateway_of(request), body)
