"""A second opinion where the relator is not sure: a configured LLM is asked once a batch, about the doubtful pairs."""

from typing import Final

import structlog

from apps.budgets.services import meter, spending
from apps.core import providers, scope
from apps.core.scope import Scope
from apps.memory.services.neighbourhood import CandidateNeighbours
from apps.memory.services.relating import pairs
from memory_platform.consolidation.doubt import agreed, is_doubtful
from memory_platform.errors import ProviderError

OPERATION: Final = "relate"
MOST_PAIRS: Final = 40
"""Pairs of one call; the rest of a batch keeps the relator's opinion."""

log = structlog.get_logger(__name__)


def arbitrate(neighbourhood: CandidateNeighbours, *, within: Scope) -> None:
    """Have the doubtful among the judged pairs judged again. Called without an open scope; never raises ProviderError.

    What the two opinions come to goes through the same thresholds; where there is no second one the first stands.
    """
    arbiter = providers.arbiter()
    if arbiter is None:
        return
    doubtful = [
        (position, other, pair)
        for position, other, pair in pairs(neighbourhood)
        if (held := neighbourhood.relations.get((position, other))) and is_doubtful(held, neighbourhood.thresholds)
    ][:MOST_PAIRS]
    if not doubtful:
        return
    agent_id = neighbourhood.embedded.candidates[0].origin.audience.agent_id
    try:
        with spending(operation=OPERATION, within=within, agent_id=agent_id):
            relations, usage = arbiter.arbitrate([pair for _, _, pair in doubtful])
    except ProviderError as error:
        log.warning("memory.arbitration_failed", error_class=type(error).__name__, pairs=len(doubtful))
        return
    with scope.enter(within):
        meter(operation=OPERATION, usages=(usage,), agent_id=agent_id)
    for (position, other, _), relation in zip(doubtful, relations, strict=True):
        neighbourhood.relations[position, other] = agreed(neighbourhood.relations[position, other], relation)
