"""The tools: verbs by the names a model knows, each with the handler that answers it and the input that asks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, Final, get_type_hints
from uuid import UUID

from mcp import types

from apps.api import verbs
from apps.api.contract import Answer, Input, Page, PageOf, found, page_of
from apps.api.gateway import Gateway, NamesUsers
from apps.api.graph import contract as entities
from apps.api.graph import handlers as graph
from apps.api.memories import contract as facts
from apps.api.memories import handlers as memories
from apps.api.operations import handlers as operations
from apps.api.operations.contract import StatsInput
from apps.api.recall import contract as questions
from apps.api.recall import handlers as recall
from apps.api.sessions import contract as talks
from apps.api.sessions import handlers as sessions
from apps.api.triggers import contract as times
from apps.api.triggers import handlers as triggers


@dataclass(frozen=True)
class Tool:
    """A verb as a model calls it.

    `handler` takes the caller's gateway, and each of its other parameters from the field of that name of the `given`
    input, or the input itself where it has none.
    """

    name: str
    verb: verbs.Verb
    handler: Callable[..., Answer]
    given: type[Input]

    def is_open_to(self, gateway: Gateway) -> bool:
        return self.verb.scope is None or self.verb.scope in gateway.principal.scopes

    def answer(self, gateway: Gateway, arguments: Mapping[str, Any]) -> Answer:
        """Raises ValidationError for what is no input, and what the handler raises."""
        given = self.given.model_validate(arguments)
        named = getattr(given, "filter", given)
        asked = gateway.of_named(named) if isinstance(named, NamesUsers) else gateway
        _, *parameters = signature(self.handler).parameters
        return self.handler(asked, **{name: getattr(given, name, given) for name in parameters})

    @cached_property
    def description(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            description=self.verb.summary,
            input_schema=self.given.model_json_schema(),
            output_schema=get_type_hints(self.handler)["return"].model_json_schema(mode="serialization"),
            annotations=types.ToolAnnotations(
                read_only_hint=not self.verb.writes,
                destructive_hint=self.verb.destructive,
                idempotent_hint=self.verb.repeatable and self.verb.repeat_key is None,
                open_world_hint=False,
            ),
        )


def _explain(gateway: Gateway, memory_id: UUID) -> facts.Explanation:
    return found(memories.explain_memory(gateway, memory_id), "memory")


def _weak(gateway: Gateway, given: PageOf) -> Page[facts.Memory]:
    return page_of(memories.weak_memories(gateway, given.as_page()))


def _entity(gateway: Gateway, given: entities.EntityInput) -> entities.EntityProfile:
    return found(graph.entity(gateway, entity_id=given.id, name=given.name, as_of=given.as_of), "entity")


def _triggers(gateway: Gateway, given: times.TriggersInput) -> Page[times.Trigger]:
    return page_of(triggers.triggers(gateway, given.as_filter(), given.as_page()))


_ANSWERED: Final[Mapping[verbs.Verb, tuple[Callable[..., Answer], type[Input]]]] = {
    verbs.RECALL: (recall.recall, questions.RecallInput),
    verbs.CONTEXT: (recall.context, questions.ContextInput),
    verbs.REMEMBER: (memories.remember, facts.RememberInput),
    verbs.CORRECT: (memories.correct, facts.CorrectByIdInput),
    verbs.CONFIRM: (memories.confirm, facts.ConfirmByIdInput),
    verbs.GIVE_FEEDBACK: (memories.give_feedback, facts.FeedbackByIdInput),
    verbs.WITHDRAW_FEEDBACK: (memories.withdraw_feedback, facts.WithdrawFeedbackInput),
    verbs.FORGET: (memories.forget, facts.CautiousForgetInput),
    verbs.EXPLAIN_MEMORY: (_explain, facts.ExplainInput),
    verbs.WEAK_MEMORIES: (_weak, PageOf),
    verbs.ENTITY: (_entity, entities.EntityInput),
    verbs.STATS: (operations.stats, StatsInput),
    verbs.START_SESSION: (sessions.start_session, talks.SessionInput),
    verbs.CAPTURE_TURN: (sessions.capture_turn, talks.TurnInput),
    verbs.HEARTBEAT: (sessions.heartbeat, talks.SessionByIdInput),
    verbs.END_SESSION: (sessions.end_session, talks.SessionEndByIdInput),
    verbs.BRANCH_SESSION: (sessions.branch_session, talks.BranchByIdInput),
    verbs.RECOVER: (sessions.recover, talks.SessionByIdInput),
    verbs.OBSERVE: (sessions.observe, talks.ObserveInput),
    verbs.TRIGGERS: (_triggers, times.TriggersInput),
    verbs.CREATE_TRIGGER: (triggers.create_trigger, times.TriggerInput),
    verbs.COMPLETE_TRIGGER: (triggers.complete_trigger, times.TriggerByIdInput),
}

TOOLS: Final = {name: Tool(name, verb, *_ANSWERED[verb]) for name, verb in verbs.TOOLS.items()}
