"""How near each node of a subgraph is to the nodes a question names."""

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from memory_platform.graph import MAXIMUM_DEPTH, Node, NodeKind, Subgraph

HOP_DECAY: Final = 0.5


def proximity(subgraph: Subgraph, seeds: Mapping[Node, float], *, depth: int = MAXIMUM_DEPTH) -> dict[Node, float]:
    """Nearness in 0..1 of every node within `depth` hops of the seeds (weights in 0..1), seeds included.

    A walk of n hops that never turns straight back is worth the seed's weight times, for each hop, .5 · the edge's
    weight and confidence · 1 / ln(e + degree) of the entity it leaves (units damp nothing): what is reached over
    something rarely mentioned counts more than what hangs on a hub. With S the sum over all walks to a node, the
    answer is 1 − exp(−S): more edges never lower it, however many there are it stays below 1, and what no walk
    reaches is left out. Edges are walked both ways; seeds the subgraph does not hold count only for themselves.
    """
    damping = {held.node: _damping(held.node, held.degree) for held in subgraph.nodes}
    steps = _steps(subgraph, damping)
    total = {node: weight for node, weight in seeds.items() if weight > 0}
    arriving: dict[Node, dict[Node | None, float]] = {node: {None: weight} for node, weight in total.items()}
    for _ in range(depth):
        arriving = _walk(arriving, steps)
        for node, sources in arriving.items():
            total[node] = total.get(node, 0.0) + sum(sources.values())
    return {node: -math.expm1(-amount) for node, amount in total.items() if amount > 0}


def _damping(node: Node, degree: int) -> float:
    return 1 / math.log(math.e + max(degree, 0)) if node.kind is NodeKind.ENTITY else 1.0


def _steps(subgraph: Subgraph, damping: Mapping[Node, float]) -> dict[Node, dict[Node, float]]:
    """What of a node's worth passes to each neighbour in one hop; parallel edges add up."""
    steps: dict[Node, dict[Node, float]] = defaultdict(lambda: defaultdict(float))
    for edge in subgraph.edges:
        if edge.start == edge.end:
            continue
        passes = HOP_DECAY * edge.weight * edge.confidence
        steps[edge.start][edge.end] += passes * damping.get(edge.start, 1.0)
        steps[edge.end][edge.start] += passes * damping.get(edge.end, 1.0)
    return steps


def _walk(
    arriving: Mapping[Node, Mapping[Node | None, float]], steps: Mapping[Node, Mapping[Node, float]]
) -> dict[Node, dict[Node | None, float]]:
    """One hop further: for each node what arrives there, by the node it comes from."""
    reached: dict[Node, dict[Node | None, float]] = defaultdict(dict)
    for node, sources in arriving.items():
        here = sum(sources.values())
        for neighbour, passes in steps.get(node, {}).items():
            # Without what just came from there; an unfounded remainder of the subtraction is not worth a walk.
            onward = here - sources.get(neighbour, 0.0) if len(sources) > 1 or neighbour not in sources else 0.0
            if onward > 0:
                reached[neighbour][node] = onward * passes
    return reached
