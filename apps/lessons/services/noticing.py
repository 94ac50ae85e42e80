"""A request that comes again and again: the same user asks for the same in several sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import QuerySet

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.graph import units
from apps.graph.units import RecallableUnit as Episode
from apps.index import nearest as index
from apps.journal.services import record
from apps.lessons.models import Lesson, LessonStatus
from apps.lessons.results import Taught
from apps.lessons.services import versions
from apps.memory import selectors as memory
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from memory_platform.errors import ProviderError
from memory_platform.extraction import observing
from memory_platform.extraction.observing import DropReason, Passage
from memory_platform.lifecycle import lessons
from memory_platform.lifecycle.lessons import Pattern
from memory_platform.model import Audience, JournalLine, Observation, Role, Unit, Utterance
from memory_platform.ports import ClaimPair
from memory_platform.text.languages import language_of
from memory_platform.text.parse import Parse

NOTICE_JOB: Final = "lessons.notice"
NEIGHBOURS: Final = 16
"""Earlier messages compared with a request, the nearest in meaning."""
MOST_MESSAGES: Final = 50
"""Messages a lesson names, the latest."""
_OPERATION: Final = "lessons.notice"


@dataclass(frozen=True, slots=True)
class _Request:
    """What a message asks for, and the earlier messages that ask the same."""

    message: Episode
    text: str


def notice(resource_ids: Sequence[UUID], *, within: Scope) -> Taught:
    """Make lessons of what the messages ask for again; end those whose messages are forgotten.

    Called without an open scope. Where an embedder does not answer nothing is noticed: the next time will be.
    """
    with scope.enter(within):
        episodes = units.episodes(scope.current().tenant_id, resource_ids)
        changed = _forget(set(resource_ids) - {one.node.id for one in episodes})
        observations = memory.observations_of([one.node.id for one in episodes])
    asked = _requests([one for one in episodes if not _gives_orders(observations.get(one.node.id))])
    made = sum(_notice(one, within=within) for one in asked)
    return Taught(made, changed)


def _gives_orders(observation: Observation | None) -> bool:
    """Whether the content of a message was found to give orders."""
    return observation is not None and any(one.reason == DropReason.INJECTION for one in observation.dropped)


def _requests(messages: Sequence[Episode]) -> list[_Request]:
    """The first request of each message of a user that has one."""
    heard = [one for one in messages if one.role is Role.USER]
    passages = [
        observing.passage(Utterance(one.node.id, one.role, one.speaker, one.text, one.event_time)) for one in heard
    ]
    parses = providers.reader().read([passage.prose for passage in passages])
    asked = map(_first_request, passages, parses)
    return [_Request(message, text) for message, text in zip(heard, asked, strict=True) if text is not None]


def _first_request(passage: Passage, parse: Parse) -> str | None:
    return next((one.text for one in observing.read(passage, parse).clauses if lessons.is_request(one)), None)


def _notice(request: _Request, *, within: Scope) -> bool:
    """Whether it made a lesson."""
    alike = [request.message, *_alike(request, within=within)]
    with scope.enter(within):
        sessions = {one.id: one.session_id for one in resources.resources([one.node.id for one in alike])}
        policy = tenants.policy(scope.current().tenant_id)
        if len(set(sessions.values())) < policy.lesson_request_sessions:
            return False
        return _settle(request, sorted(alike, key=lambda one: (one.event_time, one.node.id)))


def _alike(request: _Request, *, within: Scope) -> list[Episode]:
    """Other messages of the user's that ask for the same."""
    embedder = providers.embedder_of(language_of(request.text))
    audience = request.message.audience
    try:
        with spending(operation=_OPERATION, within=within, agent_id=audience.agent_id) as asked:
            vectors, usage = embedder.embed([request.text])
            asked.usages.append(usage)
            with scope.enter(within):
                meter(operation=_OPERATION, usages=(usage,), agent_id=audience.agent_id)
                (near,) = index.nearest(
                    vectors, audience=audience, model=embedder.model, now=clock.now(), k=NEIGHBOURS, unit=Unit.EPISODE
                )
                others = [one.unit_id for one in near if one.cosine >= embedder.thresholds.related]
                episodes = units.episodes(scope.current().tenant_id, others)
        return _the_same(request, [one for one in episodes if one != request.message])
    except ProviderError:
        return []


def _the_same(request: _Request, others: Sequence[Episode]) -> list[Episode]:
    """In the same words, or by the judge of claims."""
    relator, said_at = providers.relator(), request.message.event_time
    asked = _requests(others)
    found = [one.message for one in asked if lessons.asks_the_same(one.text, request.text)]
    reworded = [one for one in asked if one.message not in found]
    pairs = [ClaimPair(one.text, request.text, abs(said_at - one.message.event_time)) for one in reworded]
    relations = relator.relate(pairs) if pairs else ()
    same = relator.thresholds.merge
    return [*found, *(one.message for one, told in zip(reworded, relations, strict=True) if told.same >= same)]


def _settle(request: _Request, alike: Sequence[Episode]) -> bool:
    """Add the messages to the lesson that has some of them, or make one."""
    ids = [one.node.id for one in alike]
    row = _of_audience(request.message.audience).filter(resources__overlap=ids).order_by("id").first()
    if row is None:
        kept = ids[-MOST_MESSAGES:]
        made = versions.make(request.message.audience, Pattern.REQUEST, text=request.text, resources=kept)
        record(JournalLine("lesson.noticed", "lesson", made.id, data={"messages": len(ids)}))
        return True
    if set(ids) - set(row.resources):
        row.resources = list(dict.fromkeys([*row.resources, *ids]))[-MOST_MESSAGES:]
        row.text = request.text
        status = LessonStatus.ACTIVE if row.status == LessonStatus.ENDED else LessonStatus(row.status)
        versions.change(row, status, "heard again")
    return False


def _of_audience(audience: Audience) -> "QuerySet[Lesson]":
    return Lesson.objects.filter(
        tenant_id=scope.current().tenant_id,
        agent_id=audience.agent_id,
        user_id=audience.user_id,
        visibility=audience.visibility.value,
        pattern=Pattern.REQUEST.value,
    )


def _forget(resource_ids: set[UUID]) -> int:
    """Take forgotten messages out of lessons; one that too few sessions are left of ends, and its words go."""
    if not resource_ids:
        return 0
    tenant_id = scope.current().tenant_id
    least = tenants.policy(tenant_id).lesson_request_sessions
    rows = Lesson.objects.filter(tenant_id=tenant_id, resources__overlap=list(resource_ids))
    for row in rows:
        row.resources = [one for one in row.resources if one not in resource_ids]
        left = {one.session_id for one in resources.resources(row.resources)}
        is_over = len(left) < least
        row.text = "" if is_over else row.text
        versions.change(row, LessonStatus.ENDED if is_over else LessonStatus(row.status), "forgotten")
    return len(rows)
