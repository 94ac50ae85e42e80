"""Finding what a line names, by what it is called wherever it is imported."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from apps.api import verbs
from apps.api.exports.contract import FollowingLine, MemoryLine, MemoryName, MessageName
from apps.api.gateway import Gateway
from apps.memory import selectors as memories
from apps.memory.results import ItemName, NamedItem
from apps.resources import selectors as resources
from memory_platform.errors import Forbidden, RateLimited
from memory_platform.model import Audience, Whose

LEARNING_SECONDS: Final = 20.0
"""Until a line comes again that is about what is not learnt yet."""


@contextmanager
def opened(gateway: Gateway, line: FollowingLine | MemoryLine) -> Iterator[Audience]:
    """Whose it becomes, in their scope. Raises Forbidden."""
    if gateway.principal.agent_id is None:
        raise Forbidden("Only an agent is told; use an agent's key.")
    whose = gateway.written_for(line.user_id)
    with gateway.open(verbs.IMPORT_LINES, visibility=line.visibility, whose=Whose(whose.user_id)):
        yield Audience(gateway.principal.agent_id, whose.user_id, line.visibility)


def memory(name: MemoryName, owner: Audience) -> NamedItem | None:
    """None: there is no such memory. Needs an open scope. Raises RateLimited while its messages are not learnt from."""
    found = memories.named(ItemName(name.memory_id, name.claim or ""), audience=owner)
    if found is None:
        _require_learnt(messages(name.messages, owner))
    return found


def messages(names: Iterable[MessageName], owner: Audience) -> list[UUID]:
    """Those of the messages that are here. Needs an open scope."""
    return resources.named([(one.session_id, one.external_id) for one in names], audience=owner)


def _require_learnt(resource_ids: Sequence[UUID]) -> None:
    if memories.count_observed(resource_ids) < len(resource_ids):
        raise RateLimited("What it is about is not learnt yet; send it again.", retry_after=LEARNING_SECONDS)
