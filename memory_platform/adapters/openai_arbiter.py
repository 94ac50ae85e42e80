"""An Arbiter over any OpenAI-compatible server: one structured call for all doubtful pairs of a batch."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from typing_extensions import override

from memory_platform.adapters.openai_prompted import IndexedAnswer, PromptedModel, StrictAnswer, index_problem
from memory_platform.model import ClaimRelation, ModelUsage
from memory_platform.ports import Arbiter, ClaimPair


class _Label(StrEnum):
    SAME = "same"
    REFINES = "refines"
    UPDATE = "update"
    CORRECTION = "correction"
    CONFLICT = "conflict"
    DISTINCT = "distinct"


class _Certainty(StrEnum):
    SURE = "sure"
    LIKELY = "likely"
    GUESS = "guess"


PROBABILITY: Final[Mapping[_Certainty, float]] = MappingProxyType(
    {_Certainty.SURE: 0.9, _Certainty.LIKELY: 0.7, _Certainty.GUESS: 0.4}
)
"""What a model's word counts, chosen low: models are surer than right, and the relator's own opinion counts beside."""


class _PairAnswer(IndexedAnswer):
    relation: _Label
    certainty: _Certainty


class _RelationsAnswer(StrictAnswer):
    pairs: list[_PairAnswer]


class OpenAiArbiter(PromptedModel, Arbiter):
    """The model names a relation and how sure it is; the other relations share what is left."""

    PROMPT = "relations"

    @override
    def arbitrate(self, pairs: Sequence[ClaimPair]) -> tuple[tuple[ClaimRelation, ...], ModelUsage]:
        """See the port. `timeout_seconds` of the constructor bound the whole of it."""
        if not pairs:
            return (), self._nothing_asked()
        lines = "\n".join(f"[{number}] {_line(pair)}" for number, pair in enumerate(pairs, start=1))
        answer, usage = self._ask(
            self._prompt.fill(),
            f"Pairs:\n{lines}",
            _RelationsAnswer,
            problem=lambda found: index_problem(found.pairs, len(pairs)),
        )
        ordered = sorted(answer.pairs, key=lambda one: one.index)
        return tuple(_relation(one) for one in ordered), usage


def _line(pair: ClaimPair) -> str:
    """One pair as JSON, so that no text can pose as another one."""
    fields = {"older": pair.older, "newer": pair.newer, "days": pair.apart // timedelta(days=1)}
    return json.dumps(fields, ensure_ascii=False)


def _relation(given: _PairAnswer) -> ClaimRelation:
    share = PROBABILITY[given.certainty]
    rest = (1 - share) / (len(_Label) - 1)
    return ClaimRelation(**{label.value: share if label is given.relation else rest for label in _Label})
