"""Fusion: one score a candidate from what the arms found.

The learned form is the default; RECALL.md's formula and the forms in common use stay selectable. Whatever the form, the
learned probability is what the relevance floor tests.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_platform.model import Thresholds
from memory_platform.retrieval import relevance
from memory_platform.retrieval.contextual import (
    Floats,
    Postings,
    QueryTerms,
    Units,
    inverse_document_frequency,
    term_weights,
)
from memory_platform.retrieval.query import NOTHING_SOUGHT, AnswerForm
from memory_platform.retrieval.turn_form import form as form_of

NEXT_SHARE: Final = 0.25
DUAL_SHARE: Final = 0.5
BRIDGE_PROXIMITY: Final = 0.03
"""Two hops over something rarely mentioned; what hangs on a hub is further away."""
MOST_BRIDGES: Final = 3
HIT_SHARE_OF_FLOOR: Final = 0.5
HIT_SHARE_OF_BEST: Final = 0.05


class FusionForm(StrEnum):
    """How the two arms become one score; KEYWORD and VECTOR are each arm alone, to compare with."""

    LEARNED = "learned"
    CONTEXTUAL = "contextual"
    KEYWORD = "keyword"
    VECTOR = "vector"
    RECIPROCAL_RANK = "reciprocal_rank"
    DUAL = "dual"


@dataclass(frozen=True, slots=True)
class Formula:
    """Which form, and its knobs, as in Policy.

    RECALL.md's best rank fusion is k 10 with weights 1 : 0.35; k 60 with equal weights is the form in common use.
    `graph_weight` and `time_weight` are what nearness in the graph and lying in the asked-for time add to the
    contextual score.
    """

    form: FusionForm = FusionForm.LEARNED
    rrf_k: float = 60.0
    rrf_keyword_weight: float = 1.0
    rrf_vector_weight: float = 1.0
    graph_weight: float = 0.0
    time_weight: float = 0.0


DEFAULT_FORMULA: Final = Formula()


@dataclass(frozen=True, slots=True)
class Scores:
    """The answer per candidate unit, arrays of shape (units,) in the order of Units, and the query's gate.

    `score` orders, `probability` (that a unit answers) is what the relevance floor tests; in the learned form they are
    the same. `first` tells the very best of the best ones: log odds, NaN where unknown; None in the other forms.
    `keyword`, `vector`, `graph` and `time` say what each arm contributed: to the log odds in the learned
    form, to the score in the others. `contextual` is X, `lexical` is L (not normalised), `semantic` is D. `own`, of
    shape (units, terms), is what each term adds to L, `features` what the head saw. `proximity` and `window` are as
    given.
    """

    contextual: Floats
    lexical: Floats
    semantic: Floats
    gate: float
    keyword: Floats
    vector: Floats
    graph: Floats
    time: Floats
    score: Floats
    probability: Floats
    own: Floats
    features: Floats
    first: Floats | None = None
    proximity: Floats | None = None
    window: Floats | None = None


def cosine_weight(spread: float) -> float:
    """Return the weight of D in RECALL.md's formula, .07 / spread (Thresholds.spread)."""
    return 0.07 / spread


def score(  # noqa: PLR0913  each is an input of the formula
    query: QueryTerms,
    units: Units,
    postings: Postings,
    *,
    statement: bool,
    thresholds: Thresholds,
    formula: Formula = DEFAULT_FORMULA,
    proximity: Floats | None = None,
    window: Floats | None = None,
    sought: AnswerForm = NOTHING_SOUGHT,
) -> Scores:
    """Score every candidate.

    `statement` is Plan.statement, `thresholds` the embedder's. With no cosine at all the vector arm contributes 0; in
    the forms that are not learned a single unknown one counts as the median of the known. `proximity` (from the graph
    arm) and `window` (from the time arm) are 0..1, of shape (units,); without a graph arm nearness in the conversation,
    X, stands in for it in the dual form. `sought` is `query.sought(message)`.
    """
    words = _words(query, units, postings)
    semantic = _semantic(units, statement=statement)
    gate = _gate(words.contextual, statement=statement)
    form = _form(units, words, sought) if not statement else np.zeros(len(words.lexical))
    features = relevance.features(
        units, contextual=words.contextual, lexical=words.share, form=form, thresholds=thresholds
    )
    parts, odds = relevance.odds(features, units)
    graph, time = _beside(formula, proximity, window, units=len(semantic))
    is_learned = formula.form is FusionForm.LEARNED
    if is_learned:
        keyword, vector = parts[:, relevance.WORDS].sum(axis=1), parts[:, relevance.VECTOR].sum(axis=1)
        total = relevance.probability(odds + graph + time)
    else:
        keyword, vector = _contributions(
            formula, words.contextual, semantic, gate=gate, weight=cosine_weight(thresholds.spread),
            has_graph=proximity is not None,
        )  # fmt: skip
        keyword = keyword + (form if formula.form is FusionForm.CONTEXTUAL else 0.0)
        total = keyword + vector + graph + time
    return Scores(
        words.contextual, words.lexical, semantic, gate, keyword, vector, graph, time, score=total,
        probability=relevance.probability(odds), own=words.own, features=features,
        first=relevance.first_odds(features, units) if is_learned else None, proximity=proximity, window=window,
    )  # fmt: skip


def relevant(probability: Floats, *, floor: float) -> NDArray[np.bool_]:
    """Say which candidates may be answered with: none when even the best lies below `floor`, else those near it."""
    return np.asarray(probability >= least(probability, floor=floor))


def least(probability: Floats, *, floor: float) -> float:
    """How likely a candidate must be to be answered with.

    The floor decides whether there is an answer at all; a hit beside a good one may be half as likely as the floor
    asks, and a twentieth as likely as the best.
    """
    best = float(probability.max(initial=0.0))
    return floor if best < floor else max(HIT_SHARE_OF_FLOOR * floor, HIT_SHARE_OF_BEST * best)


def bridging(scores: Scores, passes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which candidates complete the answer that `passes` gives: below the floor themselves, but near in the graph
    to what the question names, and holding a word of it that no hit holds.

    "In which city is the company based that Wanda worked at?" finds where she worked; where that company is based lies
    two hops from Wanda and shares one word with the question. At most MOST_BRIDGES, the nearest with the most to add.
    """
    if scores.proximity is None or not passes.any():
        return np.zeros(len(passes), dtype=np.bool_)
    missing = ~(scores.own[passes] > 0).any(axis=0)
    adds = scores.own[:, missing].sum(axis=1) * scores.proximity
    adds[passes | (scores.proximity < BRIDGE_PROXIMITY)] = 0.0
    best = np.argsort(-adds, kind="stable")[:MOST_BRIDGES]
    chosen = np.zeros(len(passes), dtype=np.bool_)
    chosen[best[adds[best] > 0]] = True
    return chosen


@dataclass(frozen=True, slots=True)
class _Words:
    """What the query's words say of each unit: X, L, L's share of all that the query weighs, and L by term."""

    contextual: Floats
    lexical: Floats
    share: Floats
    own: Floats


def _words(query: QueryTerms, units: Units, postings: Postings) -> _Words:
    idf = inverse_document_frequency(query)
    own, around = term_weights(len(idf), units, postings)
    total = idf.sum() or 1.0
    lexical = own @ idf
    return _Words(np.maximum(own, around) @ idf / total, lexical, lexical / total, own * idf)


def _form(units: Units, words: _Words, sought: AnswerForm) -> Floats:
    """What the form of a turn says of its being an answer; nothing where forms were not read."""
    if units.cues is None:
        return np.zeros(len(words.lexical))
    return form_of(units, units.cues, words.contextual, words.share, sought)


def _semantic(units: Units, *, statement: bool) -> Floats:
    """Return D: the cosine, with a fifth of the next unit's for a question; unknown ones as the median of the known."""
    known = ~np.isnan(units.cosine)
    if not known.any():
        return np.zeros(len(units.cosine))
    cosine = np.where(known, units.cosine, np.median(units.cosine[known]))
    if statement:
        return cosine
    blended = (cosine + NEXT_SHARE * units.next_cosine) / (1 + NEXT_SHARE)
    return np.where(np.isnan(units.next_cosine), cosine, blended)


def _gate(contextual: Floats, *, statement: bool) -> float:
    """Return g: how far the keyword arm is to be believed, from the best contextual score."""
    best = float(contextual.max(initial=0.0))
    low, width = (0.35, 0.40) if statement else (0.15, 0.35)
    return min(max((best - low) / width, 0.0), 1.0)


def _contributions(
    formula: Formula, contextual: Floats, semantic: Floats, *, gate: float, weight: float, has_graph: bool
) -> tuple[Floats, Floats]:
    """Return what the keyword and the vector arm add to each score."""
    match formula.form:
        case FusionForm.LEARNED | FusionForm.CONTEXTUAL:
            return gate * contextual, weight * semantic
        case FusionForm.RECIPROCAL_RANK:
            keyword = formula.rrf_keyword_weight * _reciprocal_rank(contextual, formula.rrf_k)
            return keyword, formula.rrf_vector_weight * _reciprocal_rank(semantic, formula.rrf_k)
        case FusionForm.DUAL:
            return (np.zeros_like(contextual) if has_graph else DUAL_SHARE * contextual), DUAL_SHARE * semantic
        case FusionForm.KEYWORD:
            return contextual, np.zeros_like(semantic)
        case FusionForm.VECTOR:
            return np.zeros_like(contextual), weight * semantic


def _beside(formula: Formula, proximity: Floats | None, window: Floats | None, *, units: int) -> tuple[Floats, Floats]:
    """Return what the graph and the time arm add to each score."""
    nothing = np.zeros(units)
    near = nothing if proximity is None else proximity
    match formula.form:
        case FusionForm.LEARNED | FusionForm.CONTEXTUAL:
            return formula.graph_weight * near, formula.time_weight * (nothing if window is None else window)
        case FusionForm.DUAL:
            return DUAL_SHARE * near, nothing
        case _:
            return nothing, nothing


def _reciprocal_rank(values: Floats, k: float) -> Floats:
    """Return 1 / (k + rank), best first, 0 for a value of 0: an arm that did not find a unit does not vote."""
    rank = np.empty(len(values))
    rank[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return np.where(values > 0, 1.0 / (k + rank), 0.0)
