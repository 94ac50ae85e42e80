"""The graph arm: what a question names, what lies around it, and how near each unit is to it.

Names and SQL are read on the scope's own connection; another server is asked while the connection reads postings. A
missing graph fails no recall.
"""

import heapq
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Final
from uuid import UUID

from apps.graph import selectors, stores, viewpoints
from apps.graph.results import SeedEntity
from apps.graph.stores import StoreAnswer
from apps.retrieval.requests import RecallRequest
from apps.retrieval.services.questions import Question
from memory_platform.knowledge import entities
from memory_platform.knowledge.graph import Moment, Node, NodeKind, RelationKind, Subgraph, Viewpoint
from memory_platform.knowledge.proximity import proximity
from memory_platform.ports import GraphStore
from memory_platform.retrieval.intent import RELATIONS
from memory_platform.text.terms import POSTGRESQL_ENGLISH_STOP_WORDS

SECONDS: Final = 0.5
"""Another server has a deadline of its own (MEMORY_NEO4J_TIMEOUT_SECONDS); nobody waits longer than this for it."""
WALK_SECONDS: Final = 0.5
NODES_PER_SEED: Final = 40
NODES_AT_MOST: Final = 200
PROPOSED_AT_MOST: Final = 200
"""As many as each of the other arms proposes."""
NAMED_AT_MOST: Final = 10_000
"""Units a filter by entity lets pass, the newest."""
_WORD: Final = re.compile(r"[^\W_][\w-]*")


@dataclass(frozen=True, slots=True)
class Proximity:
    """Units by their nearness (0..1) to what the question names; `degraded`: another store should have answered."""

    units: Mapping[UUID, float] = field(default_factory=dict)
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class _Walk:
    """What a store is asked; `passes` is how much goes along each kind of relation."""

    seeds: tuple[SeedEntity, ...]
    depth: int
    limit: int
    passes: Mapping[RelationKind, float]
    viewpoint: Viewpoint
    moment: Moment

    def neighbourhood(self, store: GraphStore) -> Subgraph:
        return store.neighbourhood(
            [seed.id for seed in self.seeds],
            depth=self.depth,
            limit=self.limit,
            viewpoint=self.viewpoint,
            moment=self.moment,
            kinds=frozenset(self.passes),
            timeout=WALK_SECONDS,
        )


def ask(question: Question, request: RecallRequest, *, now: datetime) -> Callable[[], Proximity]:
    """Begin to look around what the question names; calling the result waits for the answer."""
    plan = question.plan
    passes = RELATIONS[plan.intent]
    seeds = named(question.text, at_most=plan.graph_seeds) if passes else ()
    if not seeds or not plan.graph_depth:
        return Proximity
    limit = min(NODES_PER_SEED * len(seeds), NODES_AT_MOST)
    walk = _Walk(seeds, plan.graph_depth, limit, passes, viewpoints.viewpoint(), _moment(request, now))
    answer = stores.begin(walk.depth, walk.neighbourhood, seconds=SECONDS)
    return lambda: _near(answer(), walk)


def units_naming(entity: str) -> tuple[UUID, ...]:
    """The units that mention an entity of this name, under whichever of its aliases."""
    return tuple(selectors.units_naming(entity, limit=NAMED_AT_MOST))


def named(text: str, *, at_most: int) -> tuple[SeedEntity, ...]:
    """The entities a question names, the best fit first, of equals the rarest: it says more than a hub.

    Words that are written small may be names, too, but only exactly.
    """
    names = entities.entity_names(text)
    found = selectors.seeds([*names, *_phrases(text)], fuzzy=False)
    if not found and names:
        found = selectors.seeds(names, fuzzy=True)
    return tuple(sorted(found, key=lambda seed: (-seed.similarity, seed.mention_count))[:at_most])


def _phrases(text: str) -> Iterator[str]:
    """Each word that is no stop word, and each two of them side by side."""
    words = [word for word in _WORD.findall(text.lower()) if len(word) > 1]
    yield from (word for word in words if word not in POSTGRESQL_ENGLISH_STOP_WORDS)
    yield from (
        f"{first} {second}"
        for first, second in pairwise(words)
        if POSTGRESQL_ENGLISH_STOP_WORDS.isdisjoint((first, second))
    )


def _moment(request: RecallRequest, now: datetime) -> Moment:
    believed_at = request.as_of or now
    return Moment(believed_at, request.valid_at or believed_at)


def _near(around: StoreAnswer[Subgraph], walk: _Walk) -> Proximity:
    """The nearest units; an entity of several audiences is one node, so no unit counts twice."""
    seeds = {Node(NodeKind.ENTITY, seed.id): seed.similarity for seed in walk.seeds}
    nearness = proximity(around.found, seeds, depth=walk.depth, passes=walk.passes)
    units = ((node.id, near) for node, near in nearness.items() if node.kind is not NodeKind.ENTITY)
    return Proximity(dict(heapq.nlargest(PROPOSED_AT_MOST, units, key=lambda unit: unit[1])), around.degraded)
