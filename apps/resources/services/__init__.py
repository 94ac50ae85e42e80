"""Writing what happened: a turn at a time, in bulk, and the beginning and the end of a session."""

from apps.resources.services.branching import branch
from apps.resources.services.capturing import Captured, NewTurn, capture
from apps.resources.services.cleaning import MOST_TURNS
from apps.resources.services.ending import end, end_silent
from apps.resources.services.episodes import observing_jobs
from apps.resources.services.ingesting import CHUNK_LINES, ForgottenMessage, IngestLine, LineResult, LineStatus, ingest
from apps.resources.services.opening import Opened, open_session, start, touch
from apps.resources.services.tool_results import LONGEST_RESULT, MOST_RESULTS

__all__ = [
    "CHUNK_LINES",
    "LONGEST_RESULT",
    "MOST_RESULTS",
    "MOST_TURNS",
    "Captured",
    "ForgottenMessage",
    "IngestLine",
    "LineResult",
    "LineStatus",
    "NewTurn",
    "Opened",
    "branch",
    "capture",
    "end",
    "end_silent",
    "ingest",
    "observing_jobs",
    "open_session",
    "start",
    "touch",
]
