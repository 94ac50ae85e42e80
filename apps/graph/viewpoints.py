"""Who reads the graph, and as of when."""

from datetime import datetime

from apps.core import clock, scope
from memory_platform.knowledge.graph import Moment, Viewpoint


def viewpoint() -> Viewpoint:
    """The open scope's reader."""
    opened = scope.current()
    return Viewpoint(opened.tenant_id, opened.agent_id, opened.reach.value, opened.whose)


def moment(as_of: datetime | None = None) -> Moment:
    """What was believed at that time to be true then; None: now."""
    return Moment.at(as_of or clock.now())
