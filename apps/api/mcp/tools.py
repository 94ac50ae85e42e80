"""The tools: verbs by the names a model knows, and the handlers that answer in the contract's shapes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar, get_type_hints

from mcp import types

from apps.api import verbs
from apps.api.contract import Answer, Page, PageOf, found, page_of
from apps.api.gateway import Gateway
from apps.api.graph import handlers as graph
from apps.api.graph.contract import EntityInput, EntityProfile
from apps.api.memories import contract, handlers
from apps.api.operations import handlers as operations
from apps.api.operations.contract import Stats, StatsInput
from apps.api.recall import handlers as recall
from apps.api.recall.contract import ContextBlock, ContextInput, Recall, RecallInput
from apps.api.sessions import handlers as sessions
from apps.api.sessions.contract import (
    BranchByIdInput,
    Heartbeat,
    Recovered,
    Session,
    SessionByIdInput,
    SessionEnd,
    SessionEndByIdInput,
)
from apps.api.triggers import handlers as triggers
from apps.api.triggers.contract import Trigger, TriggerByIdInput, TriggersInput
from apps.api.verbs import Verb

Handler = TypeVar("Handler", bound=Callable[[Gateway, Any], Answer])


@dataclass(frozen=True)
class Tool:
    """A verb as a model calls it; `handler` takes the caller's gateway and the input its annotation names."""

    name: str
    verb: Verb
    handler: Callable[[Gateway, Any], Answer]

    def is_open_to(self, gateway: Gateway) -> bool:
        return self.verb.scope is None or self.verb.scope in gateway.principal.scopes

    def answer(self, gateway: Gateway, arguments: Mapping[str, Any]) -> Answer:
        """Raises ValidationError for what is no input, and what the handler raises."""
        return self.handler(gateway, self._shapes["given"].model_validate(arguments))

    @cached_property
    def description(self) -> types.Tool:
        return types.Tool(
            name=self.name,
            description=self.verb.summary,
            input_schema=self._shapes["given"].model_json_schema(),
            output_schema=self._shapes["return"].model_json_schema(mode="serialization"),
            annotations=types.ToolAnnotations(
                read_only_hint=not self.verb.writes,
                destructive_hint=self.verb.destructive,
                idempotent_hint=self.verb.repeatable and self.verb.repeat_key is None,
                open_world_hint=False,
            ),
        )

    @cached_property
    def _shapes(self) -> dict[str, Any]:
        return get_type_hints(self.handler)


TOOLS: Final[dict[str, Tool]] = {}


def offer(name: str, handler: Handler) -> Handler:
    """Offer a handler as the verb that has this name among the tools."""
    TOOLS[name] = Tool(name, verbs.TOOLS[name], handler)
    return handler


def tool(handler: Handler) -> Handler:
    """Offer a handler under its own name."""
    return offer(handler.__name__, handler)


offer("remember_fact", handlers.remember)
offer("start_session", sessions.start_session)
offer("capture_turn", sessions.capture_turn)
offer("observe_text", sessions.observe)
offer("create_trigger", triggers.create_trigger)


@tool
def search_memory(gateway: Gateway, given: RecallInput) -> Recall:
    return recall.recall(gateway.of_named(given.filter), given)


@tool
def context(gateway: Gateway, given: ContextInput) -> ContextBlock:
    return recall.context(gateway.of_named(given.filter), given)


@tool
def correct_fact(gateway: Gateway, given: contract.CorrectByIdInput) -> contract.WriteResult:
    return handlers.correct(gateway, given.id, given)


@tool
def confirm_fact(gateway: Gateway, given: contract.ConfirmByIdInput) -> contract.Memory:
    return handlers.confirm(gateway, given.id, given)


@tool
def give_feedback(gateway: Gateway, given: contract.FeedbackByIdInput) -> contract.MemoryFeedback:
    return handlers.give_feedback(gateway, given.memory_id, given)


@tool
def withdraw_feedback(gateway: Gateway, given: contract.WithdrawFeedbackInput) -> contract.Memory:
    return handlers.withdraw_feedback(gateway, given.memory_id)


@tool
def forget(gateway: Gateway, given: contract.CautiousForgetInput) -> contract.Forgotten:
    return handlers.forget(gateway.of_named(given.filter), given)


@tool
def explain_fact(gateway: Gateway, given: contract.ExplainInput) -> contract.Explanation:
    return found(handlers.explain_memory(gateway.of(given.user_id), given.id), "memory")


@tool
def weak_facts(gateway: Gateway, given: PageOf) -> Page[contract.Memory]:
    return page_of(handlers.weak_memories(gateway.of_named(given), given.as_page()))


@tool
def get_entity_info(gateway: Gateway, given: EntityInput) -> EntityProfile:
    asked = gateway.of_named(given)
    return found(graph.entity(asked, entity_id=given.id, name=given.name, as_of=given.as_of), "entity")


@tool
def memory_stats(gateway: Gateway, given: StatsInput) -> Stats:
    return operations.stats(gateway.of(given.user_id))


@tool
def heartbeat(gateway: Gateway, given: SessionByIdInput) -> Heartbeat:
    return sessions.heartbeat(gateway.of(given.user_id), given.session_id)


@tool
def end_session(gateway: Gateway, given: SessionEndByIdInput) -> SessionEnd:
    return sessions.end_session(gateway.of(given.user_id), given.session_id, wait_seconds=given.wait_seconds)


@tool
def branch_session(gateway: Gateway, given: BranchByIdInput) -> Session:
    return sessions.branch_session(gateway.of(given.user_id), given.session_id, given)


@tool
def recover_session(gateway: Gateway, given: SessionByIdInput) -> Recovered:
    return sessions.recover(gateway.of(given.user_id), given.session_id)


@tool
def list_triggers(gateway: Gateway, given: TriggersInput) -> Page[Trigger]:
    return page_of(triggers.triggers(gateway.of_named(given), given.as_filter(), given.as_page()))


@tool
def complete_trigger(gateway: Gateway, given: TriggerByIdInput) -> Trigger:
    return triggers.complete_trigger(gateway, given.id)
