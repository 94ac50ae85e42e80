"""Capturing a turn: it may end the session before; what its answer used of a recall is learnt by a job."""

from dataclasses import replace
from uuid import UUID

from apps.memory import services as memory
from apps.resources import services as resources
from apps.resources.services import Captured, NewTurn
from apps.retrieval import services as retrieval


def capture(turn: NewTurn, *, recall_id: UUID | None) -> Captured:
    """Store a turn; `recall_id` names what it answers with. Needs an open scope. Raises Conflict, Invalid."""
    captured = resources.capture(turn)
    if captured.predecessor is not None:
        memory.flush(captured.predecessor)
    if recall_id is None or captured.duplicate or not (turn.llm_output or "").strip():
        return captured
    # The answer is the last message of a turn.
    job_id = retrieval.expect_output(recall_id=recall_id, resource_id=captured.resource_ids[-1])
    return captured if job_id is None else replace(captured, job_ids=(*captured.job_ids, job_id))
