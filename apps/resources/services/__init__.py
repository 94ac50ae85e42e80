"""Writing what happened: a turn at a time, in bulk, and the end of a session."""

from apps.resources.services.capturing import Captured, NewTurn, capture
from apps.resources.services.ending import end
from apps.resources.services.ingesting import CHUNK_LINES, IngestLine, LineResult, LineStatus, ingest
from apps.resources.services.tool_results import LONGEST_RESULT, MOST_RESULTS

__all__ = [
    "CHUNK_LINES",
    "LONGEST_RESULT",
    "MOST_RESULTS",
    "Captured",
    "IngestLine",
    "LineResult",
    "LineStatus",
    "NewTurn",
    "capture",
    "end",
    "ingest",
]
