"""Writing the graph. All need an open scope: `project`, `infer` and `rebuild` a worker's, the others the caller's.

`describe` and `infer_unasked` open their own, for a model may be asked.
"""

from apps.graph.services.curating import merge_entities, split_entity
from apps.graph.services.describing import count_undescribed, describe
from apps.graph.services.drift import check, repair
from apps.graph.services.exporting import rebuild_projection
from apps.graph.services.inferring import count_unasked, infer, infer_unasked
from apps.graph.services.learning import project
from apps.graph.services.rebuilding import rebuild

__all__ = [
    "check",
    "count_unasked",
    "count_undescribed",
    "describe",
    "infer",
    "infer_unasked",
    "merge_entities",
    "project",
    "rebuild",
    "rebuild_projection",
    "repair",
    "split_entity",
]
