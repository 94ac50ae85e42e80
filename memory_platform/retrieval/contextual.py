"""Contextual BM25: what a unit says of the question's words, its own and those of the turns around it (RECALL.md).

Inputs are arrays over the candidate units and over the postings of the query's terms in those units' sessions, so that
500 candidates cost about a millisecond and nothing is read twice.
"""

from dataclasses import dataclass
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
    NaN where no vector is stored yet, `next_cosine` NaN at the end of a session (or unknown). `cues` are bits of Cue;
    None where nothing is known of the units' form. `foreign`: which the multilingual model read; None: none.
    """

    document: Integers
    session: Integers
    ordinal: Integers
    center: Floats
    length: Integers
    cosine: Floats
    next_cosine: Floats
    cues: Integers | None = None
    foreign: NDArray[np.bool_] | None = None


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


def term_weights(terms: int, units: Units, postings: Postings) -> tuple[Floats, Floats]:
    """Return two (units, terms) arrays: the units' own w and the best a neighbour or the session lends them."""
    own = np.zeros((len(units.document), terms))
    around = np.zeros_like(own)
    if not own.size or not len(postings.document):
        return own, around
    weight = weights(postings.tf, postings.length)
    order = np.argsort(units.document)
    place = np.minimum(np.searchsorted(units.document, postings.document, sorter=order), len(order) - 1)
    row = order[place]
    is_candidate = units.document[row] == postings.document
    own[row[is_candidate], postings.term[is_candidate]] = weight[is_candidate]
    sessions = np.unique(units.session[units.session != NO_SESSION])
    if len(sessions):
        _lend(around, sessions, units, postings, weight)
    return own, around


def _lend(around: Floats, sessions: Integers, units: Units, postings: Postings, weight: Floats) -> None:
    """Raise `around` to what units of the same session lend; items (NO_SESSION) neither lend nor borrow."""
    place = np.minimum(np.searchsorted(sessions, postings.session), len(sessions) - 1)
    lender = np.flatnonzero(sessions[place] == postings.session)
    borrower = np.flatnonzero(units.session != NO_SESSION)
    lender_session = place[lender]
    borrower_session = np.searchsorted(sessions, units.session[borrower])
    best = np.zeros((len(sessions), around.shape[1]))
    np.maximum.at(best.reshape(-1), lender_session * around.shape[1] + postings.term[lender], weight[lender])
    around[borrower] = SESSION_SHARE * best[borrower_session]
    span = int(max(units.ordinal.max(), postings.ordinal.max())) + UNITS_BEFORE + UNITS_AFTER + 1
    lender_key = lender_session * span + postings.ordinal[lender]
    borrower_key = borrower_session * span + units.ordinal[borrower]
    lender, borrower = _near(lender, lender_key, borrower, borrower_key)
    gap = units.ordinal[borrower] - postings.ordinal[lender]
    distance = np.abs(units.center[borrower] - postings.center[lender])
    decayed = weight[lender] * np.exp(distance * np.where(gap > 0, np.log(DECAY_BEFORE), np.log(DECAY_AFTER)))
    decayed[gap == 0] = 0.0
    np.maximum.at(around.reshape(-1), borrower * around.shape[1] + postings.term[lender], decayed)


def _near(
    lender: Integers, lender_key: Integers, borrower: Integers, borrower_key: Integers
) -> tuple[Integers, Integers]:
    """Return the pairs in which the lender stands at most 8 units before or 6 after the borrower."""
    order = np.argsort(borrower_key)
    low = np.searchsorted(borrower_key[order], lender_key - UNITS_AFTER, side="left")
    high = np.searchsorted(borrower_key[order], lender_key + UNITS_BEFORE, side="right")
    counts = high - low
    first = np.repeat(low - np.cumsum(counts) + counts, counts)
    return np.repeat(lender, counts), borrower[order[first + np.arange(len(first))]]


def beside_each(units: Units, step: int) -> Integers:
    """Return where each unit's neighbour in its session stands among the candidates, -1 where it is none."""
    key = units.session * (1 << 32) + units.ordinal
    order = np.argsort(key)
    wanted = key + step
    place = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(order) - 1)]
    return np.where((key[place] == wanted) & (units.session != NO_SESSION), place, -1)
