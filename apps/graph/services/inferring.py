"""Causes between messages that no word names: a configured model is asked once a session and batch, and each night
about the messages that it was not asked about.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from uuid import UUID

import structlog
from django.db import connection

from apps.budgets.services import meter, spending
from apps.core import clock, providers, scope
from apps.core.scope import Scope
from apps.core.sql import statement
from apps.graph import topics, units
from apps.graph.models import AskedEpisode, Relation
from apps.graph.services import audiences
from apps.graph.services.audiences import Owner
from apps.graph.services.statements import Said, Statements
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from memory_platform.errors import BudgetSpent, ProviderError, ProviderRetryable
from memory_platform.knowledge.graph import Node, NodeKind, RelationKind
from memory_platform.model import Audience, InferredCause, Utterance
from memory_platform.ports import CauseInferrer

CAUSES = "causes"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _TalkOfEpisodes:
    """Episodes of a session and audience in order; `followers` are those whose predecessor is among them."""

    audience: Audience
    said: tuple[Utterance, ...]
    followers: tuple[UUID, ...]


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
    added = sum(_asked(inferrer, talk, within) for talk in _talks(resource_ids, within))
    return Inferred(added, inferrer.version)


def count_unasked() -> int:
    """How many pairs a night would ask about: none without a model. Needs an open scope."""
    return 0 if providers.cause_inferrer() is None else len(_unasked())


def infer_unasked(*, within: Scope) -> Iterator[int]:
    """Ask about consecutive episodes that no model was asked about; yields of how many, a session at a time.

    Called without an open scope. A talk that the model refuses, or whose agent's budget is spent, is left to another
    night, and all when it is away.
    """
    inferrer = providers.cause_inferrer()
    if inferrer is None:
        return
    with scope.enter(within):
        pairs = _unasked()
    for talk in _talks(list(dict.fromkeys(chain.from_iterable(pairs))), within):
        try:
            _asked(inferrer, talk, within)
        except ProviderError as error:
            log.warning("graph.causes_not_inferred", error_class=type(error).__name__)
            if isinstance(error, ProviderRetryable) and not isinstance(error, BudgetSpent):
                return
        else:
            yield len(talk.followers)


def _unasked() -> list[tuple[UUID, UUID]]:
    with connection.cursor() as cursor:
        tenant_id = scope.current().tenant_id
        given: dict[str, UUID | int] = {"tenant": tenant_id, "most": tenants.policy(tenant_id).cause_pairs}
        cursor.execute(statement("graph", "unasked_episodes"), given)
        return [(before, after) for before, after in cursor.fetchall()]


def _asked(inferrer: CauseInferrer, talk: _TalkOfEpisodes, within: Scope) -> int:
    """Ask about one talk; how many causes it added."""
    agent_id = talk.audience.agent_id
    with spending(operation="infer_causes", within=within, agent_id=agent_id) as asked:
        causes, usage = inferrer.infer(talk.said, now=clock.now())
        asked.usages.append(usage)
        with scope.enter(within):
            meter(operation="infer_causes", usages=(usage,), agent_id=agent_id)
            _note_asked(within.tenant_id, talk.followers)
            return _add(within.tenant_id, talk.audience, [_nodes(talk.said, cause) for cause in causes])


def _note_asked(tenant_id: UUID, followers: Sequence[UUID]) -> None:
    """Those of them that were not erased while the model answered."""
    rows = [
        AskedEpisode(tenant_id=tenant_id, resource_id=unit.node.id) for unit in units.episodes(tenant_id, followers)
    ]
    AskedEpisode.objects.bulk_create(rows, ignore_conflicts=True)


def _talks(resource_ids: Sequence[UUID], within: Scope) -> list[_TalkOfEpisodes]:
    """The episodes that are not forgotten, by session and audience."""
    with scope.enter(within):
        present = {unit.node.id: unit for unit in units.episodes(within.tenant_id, resource_ids)}
        said = resources.as_utterances(list(present))
        sessions = {one: source.session_id for one, source in resources.sources(list(present)).items()}

    def key(one: Utterance) -> tuple[str, str]:
        return str(sessions[one.resource_id]), str(present[one.resource_id].audience)

    # Utterances come by session and ordinal; sorting keeps that order within each key.
    groups = (tuple(group) for _, group in groupby(sorted(said, key=key), key=key))
    return [
        _TalkOfEpisodes(
            present[group[0].resource_id].audience,
            group,
            tuple(one.resource_id for one in group if present[one.resource_id].previous in present),
        )
        for group in groups
        if len(group) > 1
    ]


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
    confidence = tenants.policy(tenant_id).cause_confidence
    for cause, effect in new:
        statements.add(
            present[effect],
            Said(RelationKind.CAUSAL, CAUSES, confidence=confidence, cause=cause, effect=effect),
        )
    statements.insert()
    topics.changed(node for pair in new for node in pair)
    return len(new)


def _known(tenant_id: UUID, cause_ids: Iterable[UUID]) -> set[tuple[UUID | None, UUID | None]]:
    rows = Relation.objects.filter(
        tenant_id=tenant_id, kind=RelationKind.CAUSAL.value, from_unit_id__in=list(cause_ids)
    )
    return set(rows.values_list("from_unit_id", "to_unit_id"))
