"""What the verbs of sessions do, once the gateway has let the caller in."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from apps.api import limits, verbs
from apps.api.admission import admitted
from apps.api.contract import found
from apps.api.flows import capturing, observing, replaying
from apps.api.flows import sessions as flows
from apps.api.gateway import Gateway
from apps.api.limits import Bucket
from apps.api.sessions import contract, ingesting
from apps.api.sessions.contract import (
    USUAL_WAIT_SECONDS,
    BranchInput,
    Capture,
    Checkpoint,
    Heartbeat,
    Ingest,
    ObservedText,
    ObserveInput,
    Recovered,
    Session,
    SessionEnd,
    SessionFilter,
    SessionInput,
    SessionStart,
    SessionTrace,
    TurnInput,
)
from apps.api.verbs import READ
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.memory import services as memory_services
from apps.memory.results import EndedClaims
from apps.resources import selectors as resources
from apps.resources import services as resource_services
from apps.resources.services import IngestLine, LineResult, LineStatus
from apps.tenants import selectors as tenants
from memory_platform.errors import Invalid

LINES_AT_ONCE: Final = 500


def capture_turn(gateway: Gateway, given: TurnInput) -> Capture:
    whose = gateway.written_for(given.user_id)
    turn = replace(given.as_turn(), user_id=whose.user_id)
    with gateway.open(verbs.CAPTURE_TURN, visibility=given.visibility, whose=whose):
        return gateway.answer(Capture, capturing.capture(turn, recall_id=given.recall_id))


def start_session(gateway: Gateway, given: SessionInput) -> SessionStart:
    whose = gateway.written_for(given.user_id)
    gateway.require(READ)
    with gateway.admit(verbs.START_SESSION, whose=whose) as within:
        beginning = replace(given.as_beginning(), user_id=whose.user_id)
        return gateway.answer(SessionStart, flows.start(beginning, within=within))


def heartbeat(gateway: Gateway, session_id: str) -> Heartbeat:
    with gateway.admit(verbs.HEARTBEAT) as within:
        return gateway.answer(Heartbeat, flows.heartbeat(admitted(session_id, "session_id"), within=within))


def end_session(gateway: Gateway, session_id: str, *, wait_seconds: float = USUAL_WAIT_SECONDS) -> SessionEnd:
    with gateway.admit(verbs.END_SESSION) as within:
        name = admitted(session_id, "session_id")
        return gateway.answer(SessionEnd, flows.end(name, within=within, seconds=wait_seconds))


def branch_session(gateway: Gateway, session_id: str, given: BranchInput) -> Session:
    """It makes a row: without a user it is of no user's session, like a turn that is captured without one."""
    whose = gateway.written_for(given.user_id)
    with gateway.admit(verbs.BRANCH_SESSION, whose=whose) as within:
        made = flows.branch(
            admitted(session_id, "session_id"),
            turn=given.turn,
            new_session_id=given.new_session_id,
            within=within,
        )
        return gateway.answer(Session, made)


def observe(gateway: Gateway, given: ObserveInput) -> ObservedText:
    whose = gateway.written_for(given.user_id)
    with gateway.admit(verbs.OBSERVE, visibility=given.visibility, whose=whose) as within:
        text = replace(given.as_text(), user_id=whose.user_id)
        parts = observing.parted(text)
        limits.require(gateway.principal, Bucket.INGEST, len(parts))
        kept = observing.keep(text, parts, within=within)
        limits.charge(gateway.principal, Bucket.INGEST, kept.accepted)
        return gateway.answer(ObservedText, observing.learn(kept, within=within, seconds=given.wait_seconds))


def ingest(gateway: Gateway, lines: Sequence[contract.IngestLine]) -> Ingest:
    """Store messages in order. Raises RateLimited only when it let none of them in, Invalid for too many."""
    if len(lines) > LINES_AT_ONCE:
        raise Invalid(f"At most {LINES_AT_ONCE} lines at once; POST /api/v1/ingest takes more.", field="lines")
    return ingest_lines(gateway, enumerate(lines, 1))


def ingest_ndjson(gateway: Gateway, lines: Iterable[bytes]) -> Ingest:
    """The same, for any number of lines of JSON."""
    return ingest_lines(gateway, ingesting.read(lines))


def ingest_lines(gateway: Gateway, lines: Iterable[tuple[int, contract.IngestLine | Invalid]]) -> Ingest:
    """The same, for lines that have their numbers already."""
    return ingesting.ingest(lines, store=lambda chunk: _store(gateway, chunk))


def _store(gateway: Gateway, lines: Sequence[IngestLine]) -> list[LineResult]:
    """Store as many of the lines, in order, as the limit admits: maybe fewer than were given, at least one.

    Commits what it stored. Raises RateLimited when nothing is admitted.
    """
    gateway.require(verbs.INGEST.scope)
    for visibility in {line.visibility for line in lines}:
        gateway.require_for(visibility)
    owned = [replace(line, user_id=gateway.written_for(line.user_id).user_id) for line in lines]
    let_in = owned[: min(limits.left(gateway.principal, Bucket.INGEST), resource_services.CHUNK_LINES)]
    with gateway.open(verbs.INGEST):
        results = resource_services.ingest(let_in, forgotten=memory_services.forgotten_messages)
        memory_services.end_claims(_ended(let_in, results))
    limits.charge(gateway.principal, Bucket.INGEST, sum(result.status is LineStatus.ACCEPTED for result in results))
    return results


def _ended(lines: Sequence[IngestLine], results: Sequence[LineResult]) -> dict[UUID, EndedClaims]:
    """What is not learnt of the lines that were stored: it is told before anything is, in the same transaction."""
    return {
        result.resource_id: EndedClaims(line.ended_claims, line.ended_at or now())
        for line, result in zip(lines, results, strict=True)
        if result.resource_id is not None and result.status is LineStatus.ACCEPTED and line.ended_claims
    }


def sessions(gateway: Gateway, wanted: SessionFilter, page: PageRequest) -> Slice[Session]:
    with gateway.open(verbs.SESSIONS, whose=gateway.content_of):
        agent_id = tenants.agent_id_of(wanted.agent_id)
        since, until = wanted.since, wanted.until
        return gateway.page(Session, resources.sessions(agent_id=agent_id, since=since, until=until, page=page))


def session_trace(gateway: Gateway, session_id: UUID, page: PageRequest) -> SessionTrace:
    """By our own id of the session. Raises NotFound, and Invalid for a cursor that is none, whatever the id."""
    resources.step(page.after)
    with gateway.open(verbs.SESSION_TRACE):
        named = found(resources.session_by_id(session_id), "session")
        return gateway.answer(SessionTrace, replaying.trace(named, page=page))


def session(gateway: Gateway, session_id: str) -> Session | None:
    with gateway.open(verbs.SESSION):
        return gateway.answer_or_none(Session, resources.session(admitted(session_id, "session_id")))


def checkpoint(gateway: Gateway, session_id: str, turn: int | None = None) -> Checkpoint | None:
    with gateway.open(verbs.CHECKPOINT):
        return gateway.answer_or_none(Checkpoint, resources.checkpoint(admitted(session_id, "session_id"), turn))


def replay(gateway: Gateway, session_id: str, turn: int | None = None) -> list[Checkpoint]:
    with gateway.open(verbs.REPLAY):
        return gateway.answers(Checkpoint, resources.replay(admitted(session_id, "session_id"), turn=turn))


def recover(gateway: Gateway, session_id: str) -> Recovered:
    with gateway.open(verbs.RECOVER):
        return gateway.answer(Recovered, resources.recover(admitted(session_id, "session_id")))
