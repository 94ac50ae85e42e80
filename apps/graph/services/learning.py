"""Projecting what is remembered into entities, mentions and relations: a batch of units in a few statements."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from uuid import UUID

from apps.core import scope
from apps.core.scope import Scope
from apps.graph import topics, units
from apps.graph.results import Projected
from apps.graph.services import audiences, naming
from apps.graph.services.annotating import UnitAnnotations, annotate, parsed
from apps.graph.services.audiences import Owner
from apps.graph.services.mentions import Mentions
from apps.graph.services.naming import Register
from apps.graph.services.roles import hold_roles, learn_roles
from apps.graph.services.statements import Said, Statements, forget_inferred
from apps.graph.units import RecallableUnit
from apps.memory import selectors as memory
from apps.resources import selectors as resources
from apps.tenants import selectors as tenants
from memory_platform.knowledge.graph import Node, NodeKind, RelationKind
from memory_platform.knowledge.resolution import name_key
from memory_platform.model import Audience
from memory_platform.text.parse import Parse

UNITS_AT_ONCE = 256


def project(*, item_ids: Sequence[UUID] = (), resource_ids: Sequence[UUID] = (), within: Scope) -> Projected:
    """Bring the graph's rows of these units in line with their present state. Called without an open scope.

    In which order and how often units are projected does not matter; audiences are locked one transaction a batch.
    Texts are parsed before that, so that no lock waits for it.
    """
    started = time.perf_counter()
    nodes = [
        *(Node(NodeKind.ITEM, one) for one in dict.fromkeys(item_ids)),
        *(Node(NodeKind.EPISODE, one) for one in dict.fromkeys(resource_ids)),
    ]
    total: Counter[str] = Counter()
    for start in range(0, len(nodes), UNITS_AT_ONCE):
        batch = nodes[start : start + UNITS_AT_ONCE]
        with scope.enter(within):
            texts = _present(within.tenant_id, batch)
        parses = parsed(texts)
        with scope.enter(within):
            total.update(_project(within.tenant_id, batch, parses))
    return Projected(**total, milliseconds=round((time.perf_counter() - started) * 1000))


def _present(tenant_id: UUID, nodes: Sequence[Node]) -> list[RecallableUnit]:
    items, episodes = (_of_kind(kind, nodes) for kind in (NodeKind.ITEM, NodeKind.EPISODE))
    return [*units.items(tenant_id, items), *units.episodes(tenant_id, episodes)]


def _project(tenant_id: UUID, nodes: Sequence[Node], parses: Mapping[str, Parse]) -> Counter[str]:
    """Lock first, then read: what another worker changed before is seen, what it changes later brings its own job."""
    owners = {Owner.of(tenant_id, one) for one in _audiences(nodes)}
    audiences.lock(owners)
    present = _present(tenant_id, nodes)
    mentions, statements = Mentions(tenant_id), Statements(tenant_id)
    touched: set[UUID] = set()
    for owner, own in _by_owner(tenant_id, present):
        touched |= _learn(owner, own, parses, mentions, statements)
    ids = [node.id for node in nodes]
    touched |= mentions.write(ids)
    touched |= statements.write(ids)
    forget_inferred(tenant_id, set(ids) - {unit.node.id for unit in present})
    naming.rename(tenant_id, touched)
    hold_roles(tenant_id, touched)
    topics.changed([*nodes, *(Node(NodeKind.ENTITY, one) for one in touched)])
    by_kind = Counter(unit.node.kind for unit in present)
    return Counter(
        items=by_kind[NodeKind.ITEM],
        episodes=by_kind[NodeKind.EPISODE],
        gone=len(nodes) - len(present),
        entities=len(touched),
        mentions=mentions.count,
        relations=statements.count,
    )


def _audiences(nodes: Sequence[Node]) -> set[Audience]:
    """Whose the units are, forgotten ones included: what to lock before they are read."""
    return memory.audiences(_of_kind(NodeKind.ITEM, nodes)) | resources.audiences(_of_kind(NodeKind.EPISODE, nodes))


def _of_kind(kind: NodeKind, nodes: Sequence[Node]) -> list[UUID]:
    return [node.id for node in nodes if node.kind is kind]


def _by_owner(tenant_id: UUID, present: Sequence[RecallableUnit]) -> Iterable[tuple[Owner, list[RecallableUnit]]]:
    ordered = sorted(present, key=lambda unit: (Owner.of(tenant_id, unit.audience).key, unit.recorded_at, unit.node))
    for owner, own in groupby(ordered, key=lambda unit: Owner.of(tenant_id, unit.audience)):
        yield owner, list(own)


def _learn(
    owner: Owner, own: Sequence[RecallableUnit], parses: Mapping[str, Parse], mentions: Mentions, statements: Statements
) -> set[UUID]:
    """Name everything the units speak of, then note who mentions and states what."""
    people = {unit.speaker for unit in own if unit.speaker}
    annotated = [annotate(unit, parses, known=people) for unit in own]
    register = Register(owner)
    register.learn(name for annotations in annotated for name in annotations.names.values())
    for annotations in annotated:
        for one in annotations.other_names:
            register.join(name_key(one.name), name_key(one.other))
    roles = [learn_roles(register, annotations) for annotations in annotated]
    changed = register.write()
    for annotations, held in zip(annotated, roles, strict=True):
        for name in annotations.names.values():
            mentions.add(annotations.unit, register.named(name.key), is_speaker=_is_speaker(annotations, name.key))
        for alias, entity_id in held:
            mentions.add(annotations.unit, alias, entity_id=entity_id)
        for said in _said(annotations, register):
            statements.add(annotations.unit, said)
    return changed


def _is_speaker(annotations: UnitAnnotations, key: str) -> bool:
    return annotations.unit.node.kind is NodeKind.EPISODE and key == annotations.speaker_key


def _said(annotations: UnitAnnotations, register: Register) -> Iterable[Said]:
    unit = annotations.unit
    for one in annotations.statements:
        subject_key, object_key = name_key(one.subject), name_key(one.object) if one.object_is_name else ""
        if subject_key not in annotations.names or (one.object_is_name and object_key not in annotations.names):
            continue
        yield Said(
            kind=one.kind,
            predicate=one.predicate,
            subject=register.named(subject_key),
            subject_key=subject_key,
            object=register.named(object_key) if object_key else None,
            object_key=object_key,
            object_text="" if object_key else one.object,
            negated=one.negated,
            confidence=min(one.confidence, unit.confidence),
            quote=one.quote,
        )
    yield from _stated_causes(annotations, register)
    if annotations.takes_up and unit.previous:
        connective, is_effect = annotations.takes_up
        ends = (Node(NodeKind.EPISODE, unit.previous), unit.node)
        cause, effect = ends if is_effect else ends[::-1]
        yield Said(
            RelationKind.CAUSAL,
            "causes",
            object_text=connective,
            confidence=tenants.policy(register.owner.tenant_id).cause_confidence,
            cause=cause,
            effect=effect,
        )


def _stated_causes(annotations: UnitAnnotations, register: Register) -> Iterable[Said]:
    """A cause in a sentence: its effect's words, and an edge where both halves name something."""
    stated = tenants.policy(register.owner.tenant_id).stated_cause_confidence
    for one in annotations.causes:
        cause, effect = _first_named(one.cause, annotations), _first_named(one.effect, annotations)
        is_edge = cause is not None and effect is not None and cause != effect
        yield Said(
            kind=RelationKind.CAUSAL,
            predicate="causes",
            subject=register.named(cause) if is_edge and cause else None,
            subject_key=cause or "" if is_edge else "",
            object=register.named(effect) if is_edge and effect else None,
            object_key=effect or "" if is_edge else "",
            object_text=one.effect,
            confidence=min(stated, annotations.unit.confidence),
            quote=one.cause,
            cause=annotations.unit.node,
        )


def _first_named(words: str, annotations: UnitAnnotations) -> str | None:
    folded = words.casefold()
    places = ((folded.find(name.name.casefold()), key) for key, name in annotations.names.items())
    return min(((at, key) for at, key in places if at >= 0), default=(0, None))[1]
