"""Fusion: one absolute score from the keyword and the vector arm, by the formula of RECALL.md.

Inputs are arrays over the candidate units and over the postings of the query's terms in those units' sessions, so that
500 candidates cost about a millisecond and nothing is read twice.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NO_SESSION: Final = -1
PIVOT: Final = 25.0
K1: Final = 1.2
UNITS_BEFORE: Final = 8
UNITS_AFTER: Final = 6
DECAY_BEFORE: Final = 0.8
DECAY_AFTER: Final = 0.6
SESSION_SHARE: Final = 0.1
NEXT_SHARE: Final = 0.25
MINILM_SPREAD: Final = 0.116
RRF_K: Final = 60.0


class Form(StrEnum):
    """How the two arms become one score."""

    CONTEXTUAL = "contextual"
    RECIPROCAL_RANK = "reciprocal_rank"
    DUAL = "dual"


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The distinct kept terms of a query, each counted once; arrays of shape (terms,).

    `document_frequency` and `documents` (df and N) range over the searched scope; an unknown term has df 0 and must be
    listed all the same, because it belongs in the divisor.
    """

    hashes: Integers
    document_frequency: Integers
    documents: int


@dataclass(frozen=True, slots=True)
class Units:
    """The candidate units; arrays of shape (units,), in any order, each document once.

    `session` is any integer per session, NO_SESSION for units without neighbours (items); `ordinal` counts units
    within the session; `center` is the running sum of max(length, 25)/25 at the unit's middle (`centers`); `cosine` is
    NaN where no vector is stored yet, `next_cosine` NaN at the end of a session (or unknown).
    """

    document: Integers
    session: Integers
    ordinal: Integers
    center: Floats
    length: Integers
    cosine: Floats
    next_cosine: Floats


@dataclass(frozen=True, slots=True)
class Postings:
    """Every posting of a query term in a candidate or in a session of a candidate; arrays of shape (postings,).

    Sorted or not; `term` is the index into QueryTerms. Postings of units that are no candidates are wanted too: they
    lend their words to their neighbours. The other columns are as in Units.
    """

    document: Integers
    term: Integers
    tf: Integers
    length: Integers
    session: Integers
    ordinal: Integers
    center: Floats


@dataclass(frozen=True, slots=True)
class Scores:
    """The answer per candidate unit, arrays of shape (units,) in the order of Units, and the query's gate.

    `keyword` + `vector` = `score`: what each arm contributed. `contextual` is X, `lexical` is L (not normalised),
    `semantic` is D.
    """

    contextual: Floats
    lexical: Floats
    semantic: Floats
    gate: float
    keyword: Floats
    vector: Floats
    score: Floats


def centers(lengths: Integers, *, start: float = 0.0) -> Floats:
    """Return the centers of consecutive units of one session, `start` being the sum of all units before them."""
    widths = np.maximum(lengths, PIVOT) / PIVOT
    return np.asarray(start + np.cumsum(widths) - widths / 2)


def next_center(previous_center: float, previous_length: int, length: int) -> float:
    """Return the center of the unit that follows one with these numbers, for appending to a session."""
    return previous_center + (max(previous_length, PIVOT) + max(length, PIVOT)) / (2 * PIVOT)


def inverse_document_frequency(query: QueryTerms) -> Floats:
    """Return idf(t) = ln(1 + (N - df + .5) / (df + .5))."""
    df = query.document_frequency
    return np.asarray(np.log1p((np.maximum(query.documents - df, 0) + 0.5) / (df + 0.5)))


def weights(tf: Integers, length: Integers) -> Floats:
    """Return w(t, i) = 2.2 tf / (tf + K(i)), K(i) = 1.2 max(len_i, 25) / 25: BM25 with an absolute pivot."""
    return np.asarray((K1 + 1) * tf / (tf + K1 * np.maximum(length, PIVOT) / PIVOT))


def cosine_weight(spread: float = MINILM_SPREAD) -> float:
    """Return the weight of D, .07 / spread (Thresholds.spread); .6 for MiniLM."""
    return 0.07 / spread


def score(
    query: QueryTerms,
    units: Units,
    postings: Postings,
    *,
    statement: bool,
    spread: float = MINILM_SPREAD,
    form: Form = Form.CONTEXTUAL,
) -> Scores:
    """Score every candidate.

    `statement` is Plan.statement. With no cosine at all the vector arm contributes 0; a single unknown one counts as
    the median of the known, so that a turn captured a second ago is neither favoured nor buried.
    """
    idf = inverse_document_frequency(query)
    own, around = _term_weights(len(idf), units, postings)
    lexical = own @ idf
    contextual = np.maximum(own, around) @ idf / (idf.sum() or 1.0)
    semantic = _semantic(units, statement=statement)
    gate = _gate(contextual, statement=statement)
    keyword, vector = _combine(form, contextual, semantic, gate=gate, weight=cosine_weight(spread))
    return Scores(contextual, lexical, semantic, gate, keyword, vector, keyword + vector)


def _term_weights(terms: int, units: Units, postings: Postings) -> tuple[Floats, Floats]:
    """Return two (units, terms) arrays: the units' own w and the best a neighbour or the session lends them."""
    own = np.zeros((len(units.document), terms))
    around = np.zeros_like(own)
    if not own.size or not len(postings.document):
        return own, around
    weight = weights(postings.tf, postings.length)
    by_document = np.argsort(units.document)
    place = np.minimum(np.searchsorted(units.document, postings.document, sorter=by_document), len(by_document) - 1)
    row = by_document[place]
    is_candidate = units.document[row] == postings.document
    own[row[is_candidate], postings.term[is_candidate]] = weight[is_candidate]
    _lend_nearby(around, units, postings, weight)
    _lend_session(around, units, postings, weight)
    return own, around


def _lend_nearby(around: Floats, units: Units, postings: Postings, weight: Floats) -> None:
    """Raise `around` to the decayed weights of the 8 units before and the 6 after, same session only."""
    _, dense = np.unique(np.concatenate([units.session, postings.session]), return_inverse=True)
    span = int(max(units.ordinal.max(), postings.ordinal.max())) + UNITS_BEFORE + UNITS_AFTER + 2
    unit_key = dense[: len(units.session)] * span + units.ordinal
    posting_key = dense[len(units.session) :] * span + postings.ordinal
    order = np.argsort(unit_key)
    unit_key = unit_key[order]
    low = np.searchsorted(unit_key, posting_key - UNITS_AFTER, side="left")
    high = np.searchsorted(unit_key, posting_key + UNITS_BEFORE, side="right")
    counts = np.where(postings.session == NO_SESSION, 0, high - low)
    lender = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(low - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    borrower = order[first + np.arange(len(lender))]
    distance = units.center[borrower] - postings.center[lender]
    decay = np.exp(np.where(distance > 0, np.log(DECAY_BEFORE) * distance, -np.log(DECAY_AFTER) * distance))
    lent = np.where(units.ordinal[borrower] == postings.ordinal[lender], 0.0, weight[lender] * decay)
    np.maximum.at(around.reshape(-1), borrower * around.shape[1] + postings.term[lender], lent)


def _lend_session(around: Floats, units: Units, postings: Postings, weight: Floats) -> None:
    """Raise `around` to a tenth of the session's best weight per term."""
    sessions, dense = np.unique(postings.session, return_inverse=True)
    best = np.zeros((len(sessions), around.shape[1]))
    np.maximum.at(best.reshape(-1), dense * around.shape[1] + postings.term, weight)
    place = np.minimum(np.searchsorted(sessions, units.session), len(sessions) - 1)
    shares = (sessions[place] == units.session) & (units.session != NO_SESSION)
    np.maximum(around, SESSION_SHARE * best[place] * shares[:, None], out=around)


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


def _combine(form: Form, contextual: Floats, semantic: Floats, *, gate: float, weight: float) -> tuple[Floats, Floats]:
    """Return what the keyword and the vector arm contribute to each score."""
    match form:
        case Form.CONTEXTUAL:
            return gate * contextual, weight * semantic
        case Form.RECIPROCAL_RANK:
            return _reciprocal_rank(contextual), _reciprocal_rank(semantic)
        case Form.DUAL:
            return 0.5 * contextual, 0.5 * semantic


def _reciprocal_rank(values: Floats) -> Floats:
    """Return 1 / (60 + rank), best first, 0 for a value of 0: an arm that did not find a unit does not vote."""
    rank = np.empty(len(values))
    rank[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return np.where(values > 0, 1.0 / (RRF_K + rank), 0.0)
