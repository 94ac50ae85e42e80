"""Small worlds of candidate units and the postings of a query in them."""

import math

import numpy as np
from hypothesis import strategies as st

from memory_platform.model import Thresholds
from memory_platform.retrieval import contextual, fusion

THRESHOLDS = Thresholds(duplicate=0.8, related=0.5, spread=0.14, centre=0.1)


def integers(values):
    return np.array(values, dtype=np.int64)


def floats(values):
    return np.array(values, dtype=np.float64)


def world(sessions, document_frequency, documents, *, candidates=None, cosines=None):
    """Sessions are lists of (length, {term: tf}); a session of one unit with a negative length is an item."""
    rows, postings, document = [], [], 0
    for session, units in enumerate(sessions):
        number = session if len(units) > 1 or units[0][0] >= 0 else contextual.NO_SESSION
        centers = contextual.centers(integers([abs(length) for length, _ in units]))
        for ordinal, (length, counts) in enumerate(units):
            rows.append((document, number, ordinal, centers[ordinal], abs(length)))
            postings += [
                (document, term, tf, abs(length), number, ordinal, centers[ordinal]) for term, tf in counts.items()
            ]
            document += 1
    cosines = [0.0] * document if cosines is None else cosines
    following = [
        cosines[i + 1] if i + 1 < document and rows[i + 1][1] == rows[i][1] != contextual.NO_SESSION else math.nan
        for i in range(document)
    ]
    kept = list(range(document)) if candidates is None else candidates
    columns = list(zip(*[rows[i] for i in kept], strict=True)) if kept else [[]] * 5
    units = contextual.Units(
        integers(columns[0]),
        integers(columns[1]),
        integers(columns[2]),
        floats(columns[3]),
        integers(columns[4]),
        floats([cosines[i] for i in kept]),
        floats([following[i] for i in kept]),
    )
    columns = list(zip(*postings, strict=True)) if postings else [[]] * 7
    found = contextual.Postings(*map(integers, columns[:6]), floats(columns[6]))
    terms = len(document_frequency)
    query = contextual.QueryTerms(np.arange(terms, dtype=np.int64), integers(document_frequency), documents)
    return query, units, found


def scored(arguments, *, statement=False, formula=fusion.DEFAULT_FORMULA, **beside):
    return fusion.score(*arguments, statement=statement, thresholds=THRESHOLDS, formula=formula, **beside)


unit = st.tuples(st.integers(1, 120), st.dictionaries(st.integers(0, 3), st.integers(1, 4), max_size=3))
item = st.tuples(st.integers(-60, -1), st.dictionaries(st.integers(0, 3), st.integers(1, 4), max_size=3)).map(
    lambda one: [one]
)
worlds = st.lists(st.lists(unit, min_size=1, max_size=24) | item, min_size=1, max_size=5)
