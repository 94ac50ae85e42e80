"""Causes between messages that no word names: a configured model is asked once a session and batch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.graph import topics, units
from apps.graph.models import Relation
from apps.graph.services import audiences
from apps.graph.services.audiences import Owner
from apps.graph.services.statements import Said, Statements
from apps.resources import selectors as resources
from memory_platform.knowledge.causes import FOLLOWING_CAUSE
from memory_platform.knowledge.graph import Node, NodeKind, RelationKind
from memory_platform.model import Audience, InferredCause, Utterance

CAUSES = "causes"


@dataclass(frozen=True, slots=True)
class Inferred:
    """How many causes were added, and which model was asked; none when none is configured."""

    causes: int = 0
    model: str = ""


def infer(resource_ids: Sequence[UUID], *, within: Scope) -> Inferred:
    """Ask which of the episodes brought later ones about, and add what is new.

    Called without an open scope, so that no transaction waits for the model; without a model nothing happens, rules
    have read what words say. Raises ProviderRetryable or ProviderRefused.
    """
    inferrer = providers.cause_inferrer()
    if inferrer is None:
        return Inferred()
    added = 0
    for audience, talk in _talks(resource_ids, within):
        with spending(operation="infer_causes", within=within, agent_id=audience.agent_id) as asked:
            causes, usage = inferrer.infer(talk, now=clock.now())
            asked.usages.append(usage)
            with scope.enter(within):
                meter(operation="infer_causes", usages=(usage,), agent_id=audience.agent_id)
                added += _add(within.tenant_id, audience, [_nodes(talk, cause) for cause in causes])
    return Inferred(added, inferrer.version)


def _talks(resource_ids: Sequence[UUID], within: Scope) -> list[tuple[Audience, list[Utterance]]]:
    """The episodes that are not forgotten, by session and audience, in order."""
    with scope.enter(within):
        present = {unit.node.id: unit for unit in units.episodes(within.tenant_id, resource_ids)}
        said = resources.as_utterances(list(present))
        sessions = {one: source.session_id for one, source in resources.sources(list(present)).items()}

    def key(one: Utterance) -> tuple[str, str]:
        return str(sessions[one.resource_id]), str(present[one.resource_id].audience)

    # Utterances come by session and ordinal; sorting keeps that order within each key.
    groups = (list(group) for _, group in groupby(sorted(said, key=key), key=key))
    return [(present[group[0].resource_id].audience, group) for group in groups if len(group) > 1]


def _nodes(talk: Sequence[Utterance], cause: InferredCause) -> tuple[Node, Node]:
    first, second = talk[cause.cause].resource_id, talk[cause.effect].resource_id
    return Node(NodeKind.EPISODE, first), Node(NodeKind.EPISODE, second)


def _add(tenant_id: UUID, audience: Audience, pairs: Sequence[tuple[Node, Node]]) -> int:
    """Store the pairs that no relation joins yet, in the audience's transaction."""
    audiences.lock([Owner.of(tenant_id, audience)])
    known = _known(tenant_id, [cause.id for cause, _ in pairs])
    present = {unit.node: unit for unit in units.episodes(tenant_id, [node.id for pair in pairs for node in pair])}
    new = [
        (cause, effect)
        for cause, effect in pairs
        if (cause.id, effect.id) not in known and cause in present and effect in present
    ]
    statements = Statements(tenant_id, origin=Relation.Origin.MODEL)
    for cause, effect in new:
        statements.add(present[effect], _said(cause, effect))
    statements.insert()
    topics.changed(node for pair in new for node in pair)
    return len(new)


def _said(cause: Node, effect: Node) -> Said:
    return Said(RelationKind.CAUSAL, CAUSES, confidence=FOLLOWING_CAUSE, cause=cause, effect=effect)


def _known(tenant_id: UUID, cause_ids: Iterable[UUID]) -> set[tuple[UUID | None, UUID | None]]:
    rows = Relation.objects.filter(
        tenant_id=tenant_id, kind=RelationKind.CAUSAL.value, from_unit_id__in=list(cause_ids)
    )
    return set(rows.values_list("from_unit_id", "to_unit_id"))
