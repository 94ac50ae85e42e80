"""Fusion: one absolute score from the keyword and the vector arm, by the formula of RECALL.md; then one hit a fact.

Inputs are arrays over the candidate units and over the postings of the query's terms in those units' sessions, so that
500 candidates cost about a millisecond and nothing is read twice.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory_platform.model import Unit
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue
from memory_platform.retrieval.query import NOTHING_SOUGHT, Sought

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

EVIDENCE_KEYWORD_SHARE: Final = 0.4
RELEVANCE_FLOOR: Final = 0.5
HIT_SHARE_OF_FLOOR: Final = 0.8
HIT_SHARE_OF_BEST: Final = 0.5
OWN_COSINE: Final = 0.3
KEYWORD_ONLY_EVIDENCE: Final = 1.8
"""Calibrated by `python -m bench offline`: questions asked of their own and of another conversation.

LoCoMo: 0.9 % of the answerable questions get an empty answer, 20 % of the unanswerable ones get some; BEAM's core
3 % and 15 % (all abilities 10 %). The score itself, cut where it costs LoCoMo the same, costs BEAM half as much again.
"""

JOINED_PROXIMITY: Final = 0.03
"""Two hops over something rarely mentioned; what hangs on a hub is further away."""
JOINED_AT_MOST: Final = 3

BRIEF: Final = 60
"""Kept terms up to which a message is one turn of a talk, about 100 words; a longer one stands for itself."""
ANSWER_SHARE: Final = 0.3
OWN_OF_ASKED: Final = 2.0
ECHO_SHARE: Final = 0.15
NAME_WEIGHT: Final = 0.15
TIMES_WEIGHT: Final = 0.02
OWN_WEIGHT: Final = 0.1
SPEAKER_WEIGHT: Final = 0.08
"""What the form of a turn adds (retrieval.cues), by gain in recall @5/@10 on LoCoMo's 997 development questions,
all others on, with the 95 % interval of the paired bootstrap; docs/benchmarks.md has all of it.

A brief turn that answers a question: .3 of that question's X, but of no more than twice what the question says
itself, for one that merely stands beside the query's words asks something else (+4.0 [2.7, 5.5] / +1.5 [.4, 2.6]);
one whose words the next turn takes up: .15 of the next L (+1.2 [.2, 2.2] / +.1 [−.5, .6]); one that names something,
where a name is asked for: .15 (+.7 [.3, 1.2] / +.2 [−.1, .6]); one that says when: .02 (multi-hop +.7 [−.5, 2.1] /
+1.0 [.1, 2.2]); one by the only speaker named, where several answers are asked for: .08 (multi-hop +1.8 [.2, 3.4] /
+1.4 [.1, 3.3]); a message of the user's own, where he asks about himself: .1 (BEAM +.5 [−.3, 1.6] / +.6 [−.2, 1.5]).
The optima are flat.
"""

LIFT_SHARE: Final = 1.0
REPEATED_SHARE: Final = 0.7
"""What an item adds to its episode, and what is left of a second item of the same episode.

What an item adds is all it has more if the episode is brief, else BRIEF / length of that: a long message has many
items, one of which agrees with anything. Recall @5/@10, LoCoMo, its multi-hop questions, and BEAM (200): this
78.4/84.7, 42.3/54.2, 74.0/81.3; half of it whatever the length 78.2/84.5, 40.5/51.7, 74.0/81.0; episodes alone
77.0/83.4, 39.6/51.1, 73.9/80.1.
"""
LEAD_SHARE: Final = 0.5
DUAL_SHARE: Final = 0.5


class Form(StrEnum):
    """How the two arms become one score; KEYWORD and VECTOR are each arm alone, to compare with."""

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

    form: Form = Form.CONTEXTUAL
    rrf_k: float = 60.0
    rrf_keyword_weight: float = 1.0
    rrf_vector_weight: float = 1.0
    graph_weight: float = 0.0
    time_weight: float = 0.0


DEFAULT_FORMULA: Final = Formula()


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
    None where nothing is known of the units' form.
    """

    document: Integers
    session: Integers
    ordinal: Integers
    center: Floats
    length: Integers
    cosine: Floats
    next_cosine: Floats
    cues: Integers | None = None


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

    `keyword` + `vector` + `graph` + `time` = `score`: what each arm contributed. `contextual` is X, `lexical` is L
    (not normalised), `semantic` is D. `evidence` = D + .4 X is what the relevance floor tests: it tells an answerable
    question from another's better than the score does (area under the curve .991 and .95 against .984 and .93),
    because g, which serves the order, takes the keyword arm away exactly where little matches. `form` is what of
    `keyword` the form of the unit brought. `own`, of shape (units, terms), is what each term adds to L. `proximity` and
    `window` are as given.
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
    evidence: Floats
    form: Floats
    own: Floats
    proximity: Floats | None = None
    window: Floats | None = None


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


def score(  # noqa: PLR0913  each is an input of the formula
    query: QueryTerms,
    units: Units,
    postings: Postings,
    *,
    statement: bool,
    spread: float = MINILM_SPREAD,
    formula: Formula = DEFAULT_FORMULA,
    proximity: Floats | None = None,
    window: Floats | None = None,
    sought: Sought = NOTHING_SOUGHT,
) -> Scores:
    """Score every candidate.

    `statement` is Plan.statement. With no cosine at all the vector arm contributes 0; a single unknown one counts as
    the median of the known, so that a turn captured a second ago is neither favoured nor buried. `proximity`
    (from the graph arm) and `window` (from the time arm) are 0..1, of shape (units,); without a graph arm nearness in
    the conversation, X, stands in for it in the dual form. `sought` is `query.sought(message)`; what the form of a turn
    adds counts as the keyword arm's, for it is about words.
    """
    idf = inverse_document_frequency(query)
    own, around = _term_weights(len(idf), units, postings)
    lexical = own @ idf
    contextual = np.maximum(own, around) @ idf / (idf.sum() or 1.0)
    semantic = _semantic(units, statement=statement)
    gate = _gate(contextual, statement=statement)
    keyword, vector = _contributions(
        formula, contextual, semantic, gate=gate, weight=cosine_weight(spread), has_graph=proximity is not None
    )
    graph, time = _beside(formula, proximity, window, units=len(semantic))
    form = np.zeros(len(semantic))
    if formula.form is Form.CONTEXTUAL and not statement and units.cues is not None:
        form = _form(units, units.cues, contextual, lexical / (idf.sum() or 1.0), sought)
    keyword = keyword + form
    total = keyword + vector + graph + time
    return Scores(
        contextual,
        lexical,
        semantic,
        gate,
        keyword,
        vector,
        graph,
        time,
        total,
        evidence=_evidence(contextual, semantic),
        form=form,
        own=own * idf,
        proximity=proximity,
        window=window,
    )


def relevant(evidence: Floats, *, floor: float = RELEVANCE_FLOOR) -> NDArray[np.bool_]:
    """Say which candidates may be answered with: none when even the best lies below `floor`, else those near it.

    The floor decides whether there is an answer at all; a hit beside a good one may be a fifth weaker than the floor,
    and half as convincing as the best.
    """
    best = evidence.max(initial=0.0)
    if best < floor:
        return np.zeros(len(evidence), dtype=np.bool_)
    return np.asarray(evidence >= max(HIT_SHARE_OF_FLOOR * floor, HIT_SHARE_OF_BEST * best))


def joined(scores: Scores, passes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which candidates complete the answer that `passes` gives: below the floor themselves, but near in the graph
    to what the question names, and holding a word of it that no hit holds.

    "In which city is the company based that Wanda worked at?" finds where she worked; where that company is based lies
    two hops from Wanda and shares one word with the question. At most JOINED_AT_MOST, the nearest with the most to add.
    """
    if scores.proximity is None or not passes.any():
        return np.zeros(len(passes), dtype=np.bool_)
    missing = ~(scores.own[passes] > 0).any(axis=0)
    adds = scores.own[:, missing].sum(axis=1) * scores.proximity
    adds[passes | (scores.proximity < JOINED_PROXIMITY)] = 0.0
    best = np.argsort(-adds, kind="stable")[:JOINED_AT_MOST]
    chosen = np.zeros(len(passes), dtype=np.bool_)
    chosen[best[adds[best] > 0]] = True
    return chosen


def speaks_for_itself(lexical: Floats, cosine: Floats) -> NDArray[np.bool_]:
    """Say which candidates hold a word of the query themselves, or come near it in meaning.

    A turn borrows the words of the turns around it, which finds answers to questions; "Noted." beside one is no answer.
    """
    return np.asarray((lexical > 0) | (np.nan_to_num(cosine, nan=-1.0) >= OWN_COSINE))


def _term_weights(terms: int, units: Units, postings: Postings) -> tuple[Floats, Floats]:
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
        case Form.CONTEXTUAL:
            return gate * contextual, weight * semantic
        case Form.RECIPROCAL_RANK:
            keyword = formula.rrf_keyword_weight * _reciprocal_rank(contextual, formula.rrf_k)
            return keyword, formula.rrf_vector_weight * _reciprocal_rank(semantic, formula.rrf_k)
        case Form.DUAL:
            return (np.zeros_like(contextual) if has_graph else DUAL_SHARE * contextual), DUAL_SHARE * semantic
        case Form.KEYWORD:
            return contextual, np.zeros_like(semantic)
        case Form.VECTOR:
            return np.zeros_like(contextual), weight * semantic


def _beside(formula: Formula, proximity: Floats | None, window: Floats | None, *, units: int) -> tuple[Floats, Floats]:
    """Return what the graph and the time arm add to each score."""
    nothing = np.zeros(units)
    near = nothing if proximity is None else proximity
    match formula.form:
        case Form.CONTEXTUAL:
            return formula.graph_weight * near, formula.time_weight * (nothing if window is None else window)
        case Form.DUAL:
            return DUAL_SHARE * near, nothing
        case _:
            return nothing, nothing


def _form(units: Units, cues: Integers, contextual: Floats, lexical: Floats, sought: Sought) -> Floats:
    """Return what the form of each unit adds: see ANSWER_SHARE. `lexical` is L over the sum of idf."""
    is_brief = (units.length <= BRIEF) & (units.session != NO_SESSION)
    asks = (cues & Cue.ASKS) > 0
    before, after = _beside_each(units, -1), _beside_each(units, 1)
    answers = is_brief & ~asks & (before >= 0) & (is_brief & asks)[before]
    asked = np.minimum(contextual, OWN_OF_ASKED * lexical)
    added = ANSWER_SHARE * np.where(answers, asked[before], 0.0)
    added += ECHO_SHARE * np.where(is_brief & (after >= 0), lexical[after], 0.0)
    added += TIMES_WEIGHT * (is_brief & ((cues & Cue.TIMES) > 0))
    if sought.names:
        added += NAME_WEIGHT * (is_brief & ((cues & Cue.NAMES) > 0))
    if sought.own:
        added += OWN_WEIGHT * ((cues & Cue.OWN) > 0)
    if sought.several:
        added += SPEAKER_WEIGHT * _said_by_the_one(cues >> SPEAKER_SHIFT, sought.speakers)
    return np.asarray(added, dtype=np.float64)


def _said_by_the_one(speakers: Integers, named: Collection[int]) -> NDArray[np.bool_]:
    """Say which units the only speaker said whom the question names; none where it names several of them."""
    said = np.isin(speakers, list(named))
    return said if len(np.unique(speakers[said])) == 1 else np.zeros_like(said)


def _beside_each(units: Units, step: int) -> Integers:
    """Return where each unit's neighbour in its session stands among the candidates, -1 where it is none."""
    key = units.session * (1 << 32) + units.ordinal
    order = np.argsort(key)
    wanted = key + step
    place = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(order) - 1)]
    return np.where((key[place] == wanted) & (units.session != NO_SESSION), place, -1)


def _evidence(contextual: Floats, semantic: Floats) -> Floats:
    """Return D + .4 X; without any vector X alone, scaled so that the same floor serves."""
    if not semantic.any():
        return KEYWORD_ONLY_EVIDENCE * contextual
    return semantic + EVIDENCE_KEYWORD_SHARE * contextual


def _reciprocal_rank(values: Floats, k: float) -> Floats:
    """Return 1 / (k + rank), best first, 0 for a value of 0: an arm that did not find a unit does not vote."""
    rank = np.empty(len(values))
    rank[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return np.where(values > 0, 1.0 / (k + rank), 0.0)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate that passed the floor; `row` is its place in Units and Scores, `length` its kept terms.

    `form` is what of its score its form brought (Scores.form).
    """

    unit: Unit
    id: UUID
    score: float
    row: int = 0
    length: int = BRIEF
    form: float = 0.0


@dataclass(frozen=True, slots=True)
class Fused:
    """One hit: an item with the episodes it answers for, or a unit that stands alone.

    `lead` is whose text is shown; `episodes` are the folded ones, best first. `relevance` is the hit's score before
    any modifier.
    """

    lead: Scored
    relevance: float
    item: Scored | None = None
    episodes: tuple[Scored, ...] = ()


def fold(
    scored: Sequence[Scored], *, sources: Mapping[UUID, Collection[UUID]], gone: Collection[UUID] = ()
) -> list[Fused]:
    """Return hits by falling relevance, in which no item stands beside an episode it came from.

    `sources` maps an item to all the episodes it came from. `gone` are units that may not be returned: forgotten or
    superseded items, and episodes of which nothing current is left; leave it empty for an `asOf` read. An episode is
    folded into its best item; that item leads unless it is less than half as relevant, for then the episode was found
    for something else it says. A hit is as relevant as its episode, and as the item where that says it better and the
    episode is brief; the longer the episode, the less of what the item has more. What the form of the episode brought
    comes on top: the item says the same, only without the talk around it. Further items of an episode count 0.7 of
    that, so that one long message does not fill the answer. An episode that was not even a candidate counts as the
    lowest of them, and as twice as long as a brief one.
    """
    barred = frozenset(gone)
    ranked = sorted((unit for unit in scored if unit.id not in barred), key=lambda unit: -unit.score)
    episodes = {unit.id: unit for unit in ranked if unit.unit is Unit.EPISODE}
    free = dict(episodes)
    lowest = min((unit.score for unit in scored), default=0.0)
    hits = []
    for unit in ranked:
        if unit.unit is Unit.ITEM:
            came_from = sources.get(unit.id, ())
            own = [episodes[source] for source in came_from if source in episodes]
            if came_from and not own:
                unseen = Scored(Unit.EPISODE, unit.id, lowest, length=2 * BRIEF)
                hits.append(Fused(unit, _lifted(unseen, unit), unit))
                continue
            hits.append(_hit(unit, own, [free.pop(episode.id) for episode in own if episode.id in free]))
        elif unit.unit is not Unit.EPISODE:
            hits.append(Fused(unit, unit.score))
    hits.extend(Fused(episode, episode.score, episodes=(episode,)) for episode in free.values())
    return sorted(hits, key=lambda hit: -hit.relevance)


def _lifted(episode: Scored, item: Scored) -> float:
    """Return how relevant an episode is together with its item."""
    more = max(0.0, item.score - (episode.score - episode.form))
    return episode.score + LIFT_SHARE * min(1.0, BRIEF / max(episode.length, 1)) * more


def _hit(item: Scored, own: list[Scored], folded: list[Scored]) -> Fused:
    """A hit for an item; `own` are its episodes among the candidates, `folded` those no better item has taken."""
    if not own:
        return Fused(item, item.score, item)
    best = max(own, key=lambda episode: episode.score)
    relevance = _lifted(best, item)
    if not folded:
        return Fused(item, REPEATED_SHARE * relevance, item)
    folded.sort(key=lambda episode: -episode.score)
    lead = item if item.score >= LEAD_SHARE * best.score else folded[0]
    return Fused(lead, relevance, item, tuple(folded))
