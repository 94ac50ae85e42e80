"""Sessions in GraphQL."""

import strawberry

from apps.api import verbs
from apps.api.graphql.connections import Connection, connection
from apps.api.graphql.context import Info
from apps.api.graphql.scalars import uuid_of
from apps.api.graphql.shapes import mutation, query
from apps.api.sessions import handlers
from apps.api.sessions.contract import (
    BranchInput,
    Capture,
    Checkpoint,
    Heartbeat,
    Ingest,
    IngestLine,
    ObservedText,
    ObserveInput,
    Recovered,
    Session,
    SessionEnd,
    SessionEndInput,
    SessionInput,
    SessionsOf,
    SessionStart,
    SessionTrace,
    TurnInput,
    TurnOf,
)
from apps.core.paging import page


@strawberry.type
class Query:
    @query(verbs.SESSIONS)
    def sessions(
        self,
        info: Info,
        filter: SessionsOf | None = None,  # noqa: A002  the API's word
        first: int | None = None,
        after: str | None = None,
    ) -> Connection[Session]:
        wanted = filter or SessionsOf()
        gateway = info.context.ask_named(info, wanted)
        return connection(handlers.sessions(gateway, wanted, page(first, after)), after=after)

    @query(verbs.SESSION_TRACE)
    def session_trace(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002
        user_id: str | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> SessionTrace:
        return handlers.session_trace(info.context.ask(info, user_id), uuid_of(id, field="id"), page(first, after))

    @query(verbs.SESSION)
    def session(self, info: Info, session_id: str, user_id: str | None = None) -> Session | None:
        return handlers.session(info.context.ask(info, user_id), session_id)

    @query(verbs.CHECKPOINT)
    def checkpoint(
        self, info: Info, session_id: str, turn: int | None = None, user_id: str | None = None
    ) -> Checkpoint | None:
        asked = TurnOf(turn=turn)
        return handlers.checkpoint(info.context.ask(info, user_id), session_id, asked.turn)

    @query(verbs.REPLAY)
    def replay(
        self, info: Info, session_id: str, turn: int | None = None, user_id: str | None = None
    ) -> list[Checkpoint]:
        asked = TurnOf(turn=turn)
        return handlers.replay(info.context.ask(info, user_id), session_id, asked.turn)

    @query(verbs.RECOVER)
    def recover(self, info: Info, session_id: str, user_id: str | None = None) -> Recovered:
        return handlers.recover(info.context.ask(info, user_id), session_id)


@strawberry.type
class Mutation:
    @mutation(verbs.BRANCH_SESSION)
    def branch_session(self, info: Info, session_id: str, input: BranchInput) -> Session:  # noqa: A002  the API's word
        return handlers.branch_session(info.context.ask(info, input.user_id), session_id, input)

    @mutation(verbs.OBSERVE)
    def observe(self, info: Info, input: ObserveInput) -> ObservedText:  # noqa: A002  the API's word
        return handlers.observe(info.context.ask(info, input.user_id), input)

    @mutation(verbs.START_SESSION)
    def start_session(self, info: Info, input: SessionInput) -> SessionStart:  # noqa: A002  the API's word
        return handlers.start_session(info.context.ask(info, input.user_id), input)

    @mutation(verbs.HEARTBEAT)
    def heartbeat(self, info: Info, session_id: str, user_id: str | None = None) -> Heartbeat:
        return handlers.heartbeat(info.context.ask(info, user_id), session_id)

    @mutation(verbs.END_SESSION)
    def end_session(self, info: Info, session_id: str, options: SessionEndInput | None = None) -> SessionEnd:
        asked = options or SessionEndInput()
        gateway = info.context.ask(info, asked.user_id)
        return handlers.end_session(gateway, session_id, wait_seconds=asked.wait_seconds)

    @mutation(verbs.CAPTURE_TURN)
    def capture_turn(self, info: Info, input: TurnInput) -> Capture:  # noqa: A002  the API's word
        return handlers.capture_turn(info.context.gateway, input)

    @mutation(verbs.INGEST)
    def ingest(self, info: Info, lines: list[IngestLine]) -> Ingest:
        return handlers.ingest(info.context.gateway, lines)
