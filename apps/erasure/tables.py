"""Every table from which erasing takes rows, and which an export tells of."""

from typing import Final

from apps.curation.services import erasing as curation
from apps.graph.services import erasing as graph
from apps.index import erasing as index
from apps.journal import erasing as journal
from apps.lessons.services import erasing as lessons
from apps.memory.services import erasing as memory
from apps.resources.services import erasing as resources
from apps.retrieval.services import erasing as retrieval
from apps.summaries.services import erasing as summaries
from apps.tenants import erasing as tenants
from apps.triggers.services import erasing as triggers

RULES: Final = (
    *index.RULES, *graph.RULES, *lessons.RULES, *triggers.RULES, *summaries.RULES, *curation.RULES, *retrieval.RULES,
    *memory.RULES, *memory.LAST, *resources.RULES, *journal.RULES, *tenants.RULES,
)  # fmt: skip
