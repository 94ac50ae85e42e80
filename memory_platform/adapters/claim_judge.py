"""What is worth keeping, and how two claims relate: a cross-encoder of our own (heads/MODELS.md), int8. No network."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import numpy as np
from typing_extensions import override

from memory_platform.adapters.onnx_model import HEADS, Encoding, Floats, OnnxModel, Tokens
from memory_platform.adapters.vectors import readable
from memory_platform.model import Appraisal, ClaimRelation, Kind, RelationThresholds, Role, Strength
from memory_platform.ports import Appraiser, ClaimPair, ClauseInContext, Relator

VERSION: Final = "claim-judge-6"
GRAPH: Final = HEADS / "claims.onnx"
KINDS: Final = (Kind.FACT, Kind.PREFERENCE, Kind.RULE, Kind.PROCEDURE, Kind.EVENT, Kind.PLAN, Kind.OPINION)
STRENGTHS: Final = (Strength.EXPLICIT, Strength.IMPLIED, Strength.INFERRED, Strength.INFERRED, Strength.INFERRED)
"""Of the labels' certainties: explicit, implied, inferred, hearsay, hypothetical."""
DROPPED: Final = (
    "chitchat", "momentary", "question", "boilerplate", "noise", "injection", "fiction", "acknowledgement",
)  # fmt: skip
INJECTION: Final = DROPPED.index("injection")
PLANNED: Final = [KINDS.index(Kind.PLAN), KINDS.index(Kind.EVENT)]
"""Where the kinds of what happens once stand."""

THRESHOLDS: Final = RelationThresholds(merge=0.98, close=0.985, doubt=0.75, conflict=0.75)
"""`python -m training judge` prints what follows from held-out rows."""

ASKED_AGAIN_BELOW: Final = 0.5
ALONE_LESS: Final = 0.5
"""docs/benchmarks.md has what follows from these two."""

BEFORE_CHARACTERS: Final = 200
MESSAGE_CHARACTERS: Final = 240
CLAUSE_CHARACTERS: Final = 300
CONTEXT_TOKENS: Final = (64, 56)
PAIR_TOKENS: Final = (48, 64)
"""How much is looked at; training reads these, so that it sees what will be asked."""


class ClaimJudge(Appraiser, Relator):
    """Both judgements by one graph. Loaded at the first question."""

    def __init__(self, *, intra_op_threads: int = 1) -> None:
        self._threads = intra_op_threads

    @property
    @override
    def version(self) -> str:
        return VERSION

    @property
    @override
    def thresholds(self) -> RelationThresholds:
        return THRESHOLDS

    @override
    def appraise(self, clauses: Sequence[ClauseInContext]) -> tuple[Appraisal, ...]:
        model = OnnxModel(GRAPH, threads=self._threads)
        found = [_appraisal(outputs) for outputs in model.run(map(appraisal_encoding, clauses))]
        again = [place for place, one in enumerate(found) if _may_be_misled(clauses[place], one)]
        alone = model.run(appraisal_encoding(replace(clauses[place], before="")) for place in again)
        for place, outputs in zip(again, alone, strict=True):
            found[place] = _surer(found[place], _appraisal(outputs))
        return tuple(found)

    @override
    def relate(self, pairs: Sequence[ClaimPair]) -> tuple[ClaimRelation, ...]:
        model = OnnxModel(GRAPH, threads=self._threads)
        answers = model.run(map(relation_encoding, pairs))
        return tuple(ClaimRelation(*shares(outputs["relation"]).tolist()) for outputs in answers)


def appraisal_encoding(clause: ClauseInContext) -> Encoding:
    """What an appraisal rests on: the talk up to the clause, its end where it is long, and the clause."""
    before = (
        f"{(clause.before_role or Role.USER).value}: {clause.before[-BEFORE_CHARACTERS:]} " if clause.before else ""
    )
    context = f"{before}{clause.role.value}: {clause.message[:MESSAGE_CHARACTERS]}"
    first, second = readable([context, clause.text[:CLAUSE_CHARACTERS]])
    return Tokens().pair(first, second, limits=CONTEXT_TOKENS, from_end=True)


def relation_encoding(pair: ClaimPair) -> Encoding:
    """What a relation rests on: the older claim, and the newer one behind how much later it was said."""
    first, second = readable([pair.older, f"{_apart(pair.apart)}: {pair.newer}"])
    return Tokens().pair(first, second, limits=PAIR_TOKENS)


def _apart(apart: timedelta) -> str:
    if apart < timedelta(days=1):
        return "same day"
    if apart < timedelta(days=14):
        return "days later"
    return "weeks later" if apart < timedelta(days=60) else "months later"


def _may_be_misled(clause: ClauseInContext, appraisal: Appraisal) -> bool:
    """Whether a message that has nothing to do with what a user says behind it may have made that worthless."""
    return bool(clause.before) and clause.role is Role.USER and appraisal.worth < ASKED_AGAIN_BELOW


def _surer(in_context: Appraisal, alone: Appraisal) -> Appraisal:
    """The appraisal in its context, or, where the mean of both, as log odds and less ALONE_LESS, finds the clause worth
    more, the one without. What was taken for an order inside content stays that.
    """
    odds = (_log_odds(in_context.worth) + _log_odds(alone.worth)) / 2 - ALONE_LESS
    worth = 1 / (1 + math.exp(-odds))
    return replace(alone, worth=worth, injection=in_context.injection) if worth > in_context.worth else in_context


def _log_odds(probability: float) -> float:
    held = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(held / (1 - held))


def _appraisal(outputs: Mapping[str, Floats]) -> Appraisal:
    worth, kind, certainty, dropped = (shares(outputs[name]) for name in ("worth", "kind", "certainty", "drop"))
    return Appraisal(
        worth=float(worth[1]),
        kind=KINDS[int(kind.argmax())],
        strength=STRENGTHS[int(certainty.argmax())],
        dropped_as=DROPPED[int(dropped.argmax())],
        injection=float(dropped[INJECTION]) * (1 - float(worth[1])),
        planned=float(kind[PLANNED].sum()),
    )


def shares(logits: Floats) -> Floats:
    """Softmax of each row."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)
