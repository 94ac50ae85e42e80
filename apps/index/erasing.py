"""Which documents go from the search index, with their postings and vectors."""
# ruff: noqa: S608  the rules are constants, every value is a parameter

from collections import Counter
from typing import Final

from apps.core import erasing
from apps.core.erasing import Doomed, Rule
from apps.index import services
from memory_platform.model import Unit

_DOCUMENTS: Final = erasing.any_of("unit_id", "units")
_OF_DOCUMENTS: Final = f"document_id IN (SELECT id FROM index_document WHERE tenant_id = %(tenant)s AND {_DOCUMENTS})"
RULES: Final = (
    Rule("index_embedding256", _OF_DOCUMENTS),
    Rule("index_embedding384", _OF_DOCUMENTS),
    Rule("index_document", _DOCUMENTS),
)


def purge(doomed: Doomed) -> Counter[str]:
    """Needs an open scope of the whole tenant; to be repeated until it deletes nothing."""
    held = erasing.count(RULES, doomed)
    for unit in Unit:
        services.drop(unit, doomed.unit_ids)
    left = erasing.count(RULES, doomed)
    return held - left
