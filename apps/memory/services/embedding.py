"""Candidates and their vectors. No transaction is open while the model works."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from apps.core import providers
from apps.memory.services.candidates import Candidate
from apps.tenants.models import Policy
from memory_platform.errors import ProviderError
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Vectors

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Candidates in the order they are to be decided on, with a vector each; None: the embedder did not answer."""

    candidates: tuple[Candidate, ...]
    vectors: Vectors | None
    model: str
    thresholds: Thresholds
    usage: ModelUsage | None = None

    @property
    def hashes(self) -> list[str]:
        return [candidate.claim_hash for candidate in self.candidates]


def embed(candidates: Sequence[Candidate], policy: Policy, *, required: bool, timeout: float | None = None) -> Embedded:
    """Embed all texts in one call, those said first first.

    Raises ProviderError when `required`; else what has no vector is marked as still to be compared.
    """
    embedder = providers.embedder()
    ordered = tuple(sorted(candidates, key=lambda one: (one.origin.said_at, one.origin.ordinal)))
    thresholds = _thresholds(embedder.thresholds, policy)
    if not ordered:
        return Embedded((), None, embedder.model, thresholds)
    try:
        vectors, usage = embedder.embed([one.fact.text for one in ordered], timeout=timeout)
    except ProviderError as error:
        if required:
            raise
        log.warning("memory.embedding_postponed", error_class=type(error).__name__, texts=len(ordered))
        return Embedded(tuple(replace(one, pending=True) for one in ordered), None, embedder.model, thresholds)
    return Embedded(ordered, vectors, embedder.model, thresholds, usage)


def _thresholds(own: Thresholds, policy: Policy) -> Thresholds:
    """The model's calibrated thresholds, unless the tenant set its own."""
    duplicate = own.duplicate if policy.dedup_duplicate is None else policy.dedup_duplicate
    related = own.related if policy.dedup_related is None else policy.dedup_related
    return replace(own, duplicate=duplicate, related=related)
