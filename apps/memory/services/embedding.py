"""Candidates and their vectors. No transaction is open while a model works."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from uuid import UUID

import numpy as np
import structlog

from apps.core import providers
from apps.memory.services.candidates import Candidate
from apps.tenants.models import Policy
from memory_platform.errors import ProviderError
from memory_platform.model import ModelUsage, Thresholds
from memory_platform.ports import Embedder, Vectors
from memory_platform.text.languages import language_of, tells

log = structlog.get_logger(__name__)

Held = Mapping[tuple[str, UUID | None], Vectors]
"""By model and item, the vectors that are stored."""


@dataclass(frozen=True, slots=True)
class Part:
    """The candidates, by position, that one model reads, and their vectors: nothing of two models is compared."""

    model: str
    positions: tuple[int, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class Embedded:
    """Candidates in the order they are to be decided on, each in one of `parts`; no parts: an embedder did not answer.

    `thresholds` are those of each candidate's model, `usages` what was spent, in vain or not.
    """

    candidates: tuple[Candidate, ...]
    thresholds: tuple[Thresholds, ...]
    parts: tuple[Part, ...] = ()
    usages: tuple[ModelUsage, ...] = ()

    @property
    def hashes(self) -> list[str]:
        return [candidate.claim_hash for candidate in self.candidates]

    def vector(self, position: int) -> tuple[str, Vectors] | None:
        """The model that reads a candidate, and its vector."""
        for part in self.parts:
            if position in part.positions:
                return part.model, part.vectors[part.positions.index(position)]
        return None

    def cosines(self, model: str, vector: Vectors) -> Vectors:
        """The cosine of every candidate with a vector of a model, -1 for what another model reads."""
        found = np.full(len(self.candidates), -1.0, dtype=np.float32)
        for part in self.parts:
            if part.model == model:
                found[list(part.positions)] = part.vectors @ vector
        return found


def embed(
    candidates: Sequence[Candidate],
    policy: Policy,
    *,
    required: bool,
    timeout: float | None = None,
    held: Held = MappingProxyType({}),
) -> Embedded:
    """Embed all texts, those said first first, in one call for each model; what is `held` of it is not asked for again.

    Raises ProviderError when `required`; else what has no vector is marked as still to be compared.
    """
    ordered = tuple(sorted(candidates, key=lambda one: (one.origin.said_at, one.origin.ordinal)))
    embedders = [providers.embedder_of(language) for language in _languages(ordered)]
    thresholds = tuple(_thresholds(embedder, policy) for embedder in embedders)
    try:
        done = [_part(embedder, positions, ordered, timeout, held) for embedder, positions in _grouped(embedders)]
    except ProviderError as error:
        if required:
            raise
        log.warning("memory.embedding_postponed", error_class=type(error).__name__, texts=len(ordered))
        pending = tuple(replace(one, pending=True) for one in ordered)
        return Embedded(pending, thresholds, usages=(error.usage,) if error.usage else ())
    return Embedded(ordered, thresholds, tuple(part for part, _ in done), tuple(usage for _, usage in done if usage))


def _languages(ordered: Sequence[Candidate]) -> list[str]:
    """Each candidate's language; what is too short to tell is in that of the nearest of its session that can."""
    told = {
        place: language_of(one.fact.in_context, otherwise=one.fact.language)
        for place, one in enumerate(ordered)
        if tells(one.fact.in_context)
    }
    return [told.get(place) or _around(place, ordered, told) for place in range(len(ordered))]


def _around(place: int, ordered: Sequence[Candidate], told: Mapping[int, str]) -> str:
    session = ordered[place].origin.session_id
    near = [other for other in told if session is not None and ordered[other].origin.session_id == session]
    nearest = min(near, key=lambda other: abs(other - place), default=None)
    return ordered[place].fact.language if nearest is None else told[nearest]


def _grouped(embedders: Sequence[Embedder]) -> Iterator[tuple[Embedder, tuple[int, ...]]]:
    places = sorted(range(len(embedders)), key=lambda place: embedders[place].model)
    for _, group in groupby(places, key=lambda place: embedders[place].model):
        positions = tuple(group)
        yield embedders[positions[0]], positions


def _part(
    embedder: Embedder,
    positions: tuple[int, ...],
    ordered: Sequence[Candidate],
    timeout: float | None,
    held: Held,
) -> tuple[Part, ModelUsage | None]:
    """What was spent is None where nothing was asked."""
    known = [held.get((embedder.model, ordered[position].existing)) for position in positions]
    texts = [
        ordered[position].fact.in_context for position, vector in zip(positions, known, strict=True) if vector is None
    ]
    new, usage = embedder.embed(texts, timeout=timeout) if texts else ((), None)
    asked = iter(new)
    vectors = np.stack([next(asked) if vector is None else vector for vector in known])
    return Part(embedder.model, positions, vectors), usage


def _thresholds(embedder: Embedder, policy: Policy) -> Thresholds:
    """The model's calibrated thresholds, unless the tenant set its own, which are cosines of the first model."""
    own = embedder.thresholds
    if policy.dedup_related is None or embedder is not providers.embedder():
        return own
    return replace(own, related=policy.dedup_related)
