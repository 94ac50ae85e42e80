"""How near each node of a subgraph is to the nodes a question names."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.knowledge.graph import MAXIMUM_DEPTH, Edge, Node, NodeKind, RelationKind, Subgraph

HOP_DECAY: Final = 0.5

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def proximity(
    subgraph: Subgraph,
    seeds: Mapping[Node, float],
    *,
    depth: int = MAXIMUM_DEPTH,
    passes: Mapping[RelationKind, float] | None = None,
) -> dict[Node, float]:
    """Nearness in 0..1 of every node within `depth` hops of the seeds (weights in 0..1), seeds included.

    A walk of n hops that never turns straight back is worth the seed's weight times, for each hop, .5 · the edge's
    weight and confidence · 1 / ln(e + degree) of the entity it leaves (units damp nothing): what is reached over
    something rarely mentioned counts more than what hangs on a hub. With S the sum over all walks to a node, the
    answer is 1 − exp(−S): more edges never lower it, however many there are it stays below 1, and what no walk
    reaches is left out. Edges are walked both ways; seeds the subgraph does not hold count only for themselves.
    `passes` (0..1) says how much goes along each kind of relation, nothing along kinds it leaves out; None: all.
    """
    place: dict[Node, int] = {node: number for number, node in enumerate(seeds)}
    steps = _steps(subgraph.edges, place, passes)
    nodes = list(place)
    steps = steps.damped(_damping(subgraph, place))
    seeded = np.zeros(len(nodes))
    seeded[: len(seeds)] = np.maximum(list(seeds.values()), 0.0)
    total = seeded + _walks(steps, seeded, depth)
    return {nodes[number]: -math.expm1(-total[number]) for number in np.flatnonzero(total > 0).tolist()}


@dataclass(frozen=True, slots=True)
class _Steps:
    """Every way to go in one hop, each once: from `start` to `end` (places of nodes), how much passes, and back."""

    start: Integers
    end: Integers
    passes: Floats
    back: Integers

    def damped(self, damping: Floats) -> "_Steps":
        return _Steps(self.start, self.end, self.passes * damping[self.start], self.back)


def _steps(edges: Sequence[Edge], place: dict[Node, int], passes: Mapping[RelationKind, float] | None) -> _Steps:
    """Both directions of every pair of neighbours, what passes along parallel edges added up; new nodes get a place."""
    between: dict[tuple[int, int], float] = {}
    for edge in edges:
        share = 1.0 if passes is None else passes.get(edge.kind, 0.0)
        start = place.setdefault(edge.start, len(place))
        end = place.setdefault(edge.end, len(place))
        if start != end and share > 0:
            pair = (start, end) if start < end else (end, start)
            between[pair] = between.get(pair, 0.0) + share * edge.weight * edge.confidence
    pairs = np.array(list(between), dtype=np.int64).reshape(-1, 2)
    passing = HOP_DECAY * np.array(list(between.values()), dtype=np.float64)
    there, count = np.arange(len(pairs)), len(pairs)
    return _Steps(
        start=np.concatenate([pairs[:, 0], pairs[:, 1]]),
        end=np.concatenate([pairs[:, 1], pairs[:, 0]]),
        passes=np.concatenate([passing, passing]),
        back=np.concatenate([there + count, there]),
    )


def _damping(subgraph: Subgraph, place: Mapping[Node, int]) -> Floats:
    damping = np.ones(len(place))
    for held in subgraph.nodes:
        if held.node.kind is NodeKind.ENTITY and (number := place.get(held.node)) is not None:
            damping[number] = 1 / math.log(math.e + max(held.degree, 0))
    return damping


def _walks(steps: _Steps, seeded: Floats, depth: int) -> Floats:
    """What arrives at each node over walks of 1 to `depth` hops."""
    total = np.zeros(len(seeded))
    flow = np.zeros(len(steps.start))
    here, sources = seeded, (seeded > 0).astype(np.int64)
    for _ in range(depth):
        returning = flow[steps.back]
        # Without what just came from there; an unfounded remainder of the subtraction is not worth a walk.
        onward = sources[steps.start] > (returning > 0)
        flow = np.where(onward, np.maximum(here[steps.start] - returning, 0.0) * steps.passes, 0.0)
        here = np.bincount(steps.end, weights=flow, minlength=len(seeded)).astype(np.float64)
        sources = np.bincount(steps.end[flow > 0], minlength=len(seeded))
        total += here
    return total
