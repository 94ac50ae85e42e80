"""What the graph tells whoever keeps a copy of it, in the change's transaction."""

from collections.abc import Iterable

from apps.jobs.services import publish
from memory_platform.knowledge.graph import Node

CHANGED = "graph.changed"
NODES_PER_JOB = 512


def changed(nodes: Iterable[Node]) -> None:
    """These nodes or edges of theirs are not what they were: one job per subscriber and 512 `nodes` (Node.key)."""
    keys = sorted({node.key for node in nodes})
    for start in range(0, len(keys), NODES_PER_JOB):
        publish(CHANGED, {"nodes": keys[start : start + NODES_PER_JOB]}, serial_key=CHANGED)
