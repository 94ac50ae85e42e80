"""How a batch's claims relate to what lies near them, asked before the audience is locked: models take their time."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import structlog

from apps.core import providers
from apps.memory.judging import judged
from apps.memory.services.neighbourhood import CandidateNeighbours
from apps.tenants.models import Policy
from memory_platform.errors import ProviderError
from memory_platform.model import RelationThresholds
from memory_platform.ports import ClaimPair

log = structlog.get_logger(__name__)

RELATED_NEIGHBOURS = 8
"""Neighbours asked about for each claim, nearest first."""


def relate(neighbourhood: CandidateNeighbours, *, policy: Policy, required: bool) -> None:
    """Judge every claim against its nearest neighbours, the rest of the batch among them, unless their form tells or
    they were judged lately; with what the grammar says of states of one value.

    Raises ProviderError when `required`; else what is not judged is compared by a later job.
    """
    relator = providers.relator()
    neighbourhood.thresholds = _thresholds(relator.thresholds, policy)
    asked = []
    for position, other, pair in pairs(neighbourhood):
        told = neighbourhood.structural_relation(position, other)
        if told is None:
            asked.append((position, other, pair))
        else:
            neighbourhood.relations[position, other] = told
    try:
        relations = judged(relator, [pair for _, _, pair in asked], tenant_id=policy.tenant_id)
    except ProviderError as error:
        if required:
            raise
        log.warning("memory.relating_postponed", error_class=type(error).__name__, pairs=len(asked))
        return
    for (position, other, _), relation in zip(asked, relations, strict=True):
        neighbourhood.relations[position, other] = neighbourhood.with_states(position, other, relation)


def pairs(neighbourhood: CandidateNeighbours) -> Iterator[tuple[int, UUID | int, ClaimPair]]:
    """Each claim with each of its nearest neighbours: stored items by id, claims before it in the batch by position."""
    for position, candidate in enumerate(neighbourhood.embedded.candidates):
        claim = candidate.claim
        for other in neighbourhood.nearest(position, RELATED_NEIGHBOURS):
            text, said_at = neighbourhood.said(other)
            if claim.said_at >= said_at:
                yield position, other, ClaimPair(text, claim.in_context, claim.said_at - said_at)
            else:
                yield position, other, ClaimPair(claim.in_context, text, said_at - claim.said_at)


def _thresholds(own: RelationThresholds, policy: Policy) -> RelationThresholds:
    """The model's calibrated thresholds, unless the tenant set its own."""
    chosen = {"merge": policy.merge_from, "close": policy.close_from, "doubt": policy.doubt_from}
    return replace(own, **{name: value for name, value in chosen.items() if value is not None})
