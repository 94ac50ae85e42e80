"""Models that say what a test tells them to. No test needs to patch the product to make a provider fail."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from typing_extensions import override

from memory_platform.adapters.vectors import NamedEmbedder, unit_rows
from memory_platform.errors import ProviderError
from memory_platform.model import (
    Appraisal,
    CategoryRule,
    ClaimRelation,
    Dropped,
    Extracted,
    Fact,
    Message,
    ModelUsage,
    Observation,
    RelationThresholds,
    Thresholds,
    Utterance,
)
from memory_platform.ports import (
    Appraiser,
    ClaimPair,
    ClauseInContext,
    Extractor,
    Relator,
    Rewriter,
    Vectors,
)


class ScriptedExtractor(Extractor):
    """Answers each utterance with the facts written down for its text; raises the `failures` first, one a call."""

    def __init__(
        self,
        facts: Mapping[str, Sequence[Fact]] | None = None,
        *,
        failures: Sequence[ProviderError] = (),
        version: str = "scripted:1",
    ) -> None:
        self._facts = facts or {}
        self._failures = list(failures)
        self._version = version
        self.calls: list[tuple[str, ...]] = []

    @property
    @override
    def version(self) -> str:
        return self._version

    @override
    def extract(
        self,
        utterances: Sequence[Utterance],
        *,
        context: Sequence[Utterance] = (),
        categories: Sequence[CategoryRule] = (),
        now: datetime,
        day_first: bool = True,
    ) -> Extracted:
        self.calls.append(tuple(said.text for said in utterances))
        if self._failures:
            raise self._failures.pop(0)
        observations = tuple(self._observation(said) for said in utterances)
        return Extracted(observations, self.version, ModelUsage("scripted", llm_calls=1 if utterances else 0))

    def _observation(self, said: Utterance) -> Observation:
        facts = tuple(self._facts.get(said.text, ()))
        return Observation(said.resource_id, facts, () if facts else (Dropped(said.text, "unscripted"),))


class ScriptedJudge(Appraiser, Relator):
    """Holds every clause worth `worth` but those appraised here; relates the same words as same, else as written down.

    `relations` are asked by (older, newer) text; a pair that is not among them is distinct. Both may grow later on:
    with other relations it is another version.
    """

    def __init__(
        self,
        relations: Mapping[tuple[str, str], ClaimRelation] | None = None,
        *,
        appraisals: Mapping[str, Appraisal] | None = None,
        worth: float = 0.9,
    ) -> None:
        self.relations = dict(relations or {})
        self.appraisals = dict(appraisals or {})
        self._worth = worth
        self.pairs: list[ClaimPair] = []

    @property
    @override
    def version(self) -> str:
        return f"scripted:{hash(frozenset(self.relations.items()))}"

    @property
    @override
    def thresholds(self) -> RelationThresholds:
        return RelationThresholds(merge=0.9, close=0.9, doubt=0.5, conflict=0.5)

    @override
    def appraise(self, clauses: Sequence[ClauseInContext]) -> tuple[Appraisal, ...]:
        return tuple(self.appraisals.get(clause.text, Appraisal(self._worth)) for clause in clauses)

    @override
    def relate(self, pairs: Sequence[ClaimPair]) -> tuple[ClaimRelation, ...]:
        self.pairs.extend(pairs)
        return tuple(self._relation(pair) for pair in pairs)

    def _relation(self, pair: ClaimPair) -> ClaimRelation:
        if (pair.older, pair.newer) in self.relations:
            return self.relations[pair.older, pair.newer]
        if _words(pair.older) == _words(pair.newer):
            return ClaimRelation(same=1.0, distinct=0.0)
        return ClaimRelation()


class ScriptedEmbedder(NamedEmbedder):
    """Vectors written down for a text, or else a bag of hashed words: the same words give cosine 1."""

    def __init__(
        self,
        vectors: Mapping[str, Sequence[float]] | None = None,
        *,
        dimension: int = 64,
        failures: Sequence[ProviderError] = (),
        thresholds: Thresholds | None = None,
    ) -> None:
        own = Thresholds(duplicate=0.8, related=0.4, spread=0.1)
        super().__init__(model=f"scripted-{dimension}", dimension=dimension, thresholds=thresholds or own)
        self._vectors = vectors or {}
        self._failures = list(failures)
        self.calls: list[tuple[str, ...]] = []

    @override
    def embed(
        self, texts: Sequence[str], *, as_questions: bool = False, timeout: float | None = None
    ) -> tuple[Vectors, ModelUsage]:
        self.calls.append(tuple(texts))
        if self._failures:
            raise self._failures.pop(0)
        matrix = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._vectors[text] if text in self._vectors else self._hashed(text)
        return unit_rows(matrix), ModelUsage("scripted", embedding_calls=1 if texts else 0)

    def _hashed(self, text: str) -> Vectors:
        row = np.zeros(self._dimension, dtype=np.float32)
        for word in _words(text) or [""]:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            row[int.from_bytes(digest[:4], "big") % self._dimension] += 1
        return row


class ScriptedRewriter(Rewriter):
    """Answers with the query written down for a message, or with the message; raises the `failures` first."""

    def __init__(self, queries: Mapping[str, str] | None = None, *, failures: Sequence[ProviderError] = ()) -> None:
        self._queries = queries or {}
        self._failures = list(failures)
        self.calls: list[str] = []

    @override
    def rewrite(
        self, message: str, *, history: Sequence[Message], now: datetime, timeout: float
    ) -> tuple[str, ModelUsage]:
        self.calls.append(message)
        if self._failures:
            raise self._failures.pop(0)
        return self._queries.get(message, message), ModelUsage("scripted", llm_calls=1)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
