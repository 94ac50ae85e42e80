import math
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.model import Unit
from memory_platform.retrieval import fusion
from memory_platform.retrieval.cues import SPEAKER_SHIFT, Cue, speaker_key
from memory_platform.retrieval.fusion import Form, Formula, Fused, Scored
from memory_platform.retrieval.query import NOTHING_SOUGHT, Sought

ITEM = UUID(int=1)
OTHER_ITEM = UUID(int=2)
EPISODE = UUID(int=11)
OTHER_EPISODE = UUID(int=12)


def integers(values):
    return np.array(values, dtype=np.int64)


def floats(values):
    return np.array(values, dtype=np.float64)


def world(sessions, document_frequency, documents, *, candidates=None, cosines=None):
    """Sessions are lists of (length, {term: tf}); a session given as None-keyed tuple is an item."""
    rows, postings, document = [], [], 0
    for session, units in enumerate(sessions):
        number = session if len(units) > 1 or units[0][0] >= 0 else fusion.NO_SESSION
        centers = fusion.centers(integers([abs(length) for length, _ in units]))
        for ordinal, (length, counts) in enumerate(units):
            rows.append((document, number, ordinal, centers[ordinal], abs(length)))
            postings += [
                (document, term, tf, abs(length), number, ordinal, centers[ordinal]) for term, tf in counts.items()
            ]
            document += 1
    cosines = [0.0] * document if cosines is None else cosines
    following = [
        cosines[i + 1] if i + 1 < document and rows[i + 1][1] == rows[i][1] != fusion.NO_SESSION else math.nan
        for i in range(document)
    ]
    kept = list(range(document)) if candidates is None else candidates
    columns = list(zip(*[rows[i] for i in kept], strict=True)) if kept else [[]] * 5
    units = fusion.Units(
        integers(columns[0]),
        integers(columns[1]),
        integers(columns[2]),
        floats(columns[3]),
        integers(columns[4]),
        floats([cosines[i] for i in kept]),
        floats([following[i] for i in kept]),
    )
    columns = list(zip(*postings, strict=True)) if postings else [[]] * 7
    found = fusion.Postings(*map(integers, columns[:6]), floats(columns[6]))
    terms = len(document_frequency)
    query = fusion.QueryTerms(np.arange(terms, dtype=np.int64), integers(document_frequency), documents)
    return query, units, found


def contextual_by_the_book(query, units, postings):
    """RECALL.md's X, term by term and pair by pair."""
    idf = [math.log(1 + (query.documents - df + 0.5) / (df + 0.5)) for df in query.document_frequency.tolist()]
    found = list(zip(*(getattr(postings, name).tolist() for name in postings.__slots__), strict=True))
    result = []
    for document, session, ordinal, center in zip(
        units.document.tolist(), units.session.tolist(), units.ordinal.tolist(), units.center.tolist(), strict=True
    ):
        best = [0.0] * len(idf)
        for other, term, tf, length, its_session, its_ordinal, its_center in found:
            weight = 2.2 * tf / (tf + 1.2 * max(length, 25) / 25)
            distance = abs(center - its_center)
            if other == document:
                lent = weight
            elif its_session != session or session == fusion.NO_SESSION:
                lent = 0.0
            elif 0 < ordinal - its_ordinal <= 8:
                lent = max(0.8**distance * weight, 0.1 * weight)
            elif 0 < its_ordinal - ordinal <= 6:
                lent = max(0.6**distance * weight, 0.1 * weight)
            else:
                lent = 0.1 * weight
            best[term] = max(best[term], lent)
        result.append(sum(i * b for i, b in zip(idf, best, strict=True)) / (sum(idf) or 1.0))
    return result


unit = st.tuples(st.integers(1, 120), st.dictionaries(st.integers(0, 3), st.integers(1, 4), max_size=3))
item = st.tuples(st.integers(-60, -1), st.dictionaries(st.integers(0, 3), st.integers(1, 4), max_size=3)).map(
    lambda one: [one]
)
worlds = st.lists(st.lists(unit, min_size=1, max_size=24) | item, min_size=1, max_size=5)


@given(worlds, st.lists(st.integers(0, 40), min_size=4, max_size=4), st.randoms(use_true_random=False))
def test_contextual_score_is_the_formula_for_any_candidates_in_any_order(sessions, frequencies, random):
    documents = list(range(sum(map(len, sessions))))
    candidates = random.sample(documents, random.randint(1, len(documents)))
    query, units, postings = world(sessions, frequencies, 50, candidates=candidates)

    scores = fusion.score(query, units, postings, statement=False)

    assert scores.contextual.tolist() == pytest.approx(contextual_by_the_book(query, units, postings))


@given(worlds, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_postings(sessions, random):
    query, units, postings = world(sessions, [1, 2, 3, 4], 50)
    order = integers(random.sample(range(len(postings.document)), len(postings.document)))
    shuffled = fusion.Postings(*(getattr(postings, name)[order] for name in postings.__slots__))

    assert np.array_equal(
        fusion.score(query, units, postings, statement=False).score,
        fusion.score(query, units, shuffled, statement=False).score,
    )


def test_centers_are_half_widths_apart_and_continue_a_session():
    assert fusion.centers(integers([10, 50, 25])).tolist() == [0.5, 2.0, 3.5]
    assert fusion.next_center(2.0, 50, 25) == 3.5


def test_lexical_score_of_one_term():
    query, units, postings = world([[(50, {0: 2}), (10, {})]], [1], 10)

    scores = fusion.score(query, units, postings, statement=False)

    idf = math.log(1 + 9.5 / 1.5)
    assert scores.lexical.tolist() == pytest.approx([idf * 4.4 / (2 + 2.4), 0.0])
    assert scores.contextual.tolist() == pytest.approx([1.0, 0.8**1.5])


def test_an_unknown_term_stays_in_the_divisor():
    known, units, postings = world([[(20, {0: 1})]], [1], 10)
    with_unknown, *_ = world([[(20, {0: 1})]], [1, 0], 10)

    alone = fusion.score(known, units, postings, statement=False).contextual[0]
    diluted = fusion.score(with_unknown, units, postings, statement=False).contextual[0]

    idf_known, idf_unknown = math.log(1 + 9.5 / 1.5), math.log(1 + 10.5 / 0.5)
    assert diluted == pytest.approx(alone * idf_known / (idf_known + idf_unknown))


def test_items_neither_lend_nor_borrow():
    query, units, postings = world([[(-10, {0: 1})], [(-10, {})], [(20, {}), (20, {})]], [1], 10)

    scores = fusion.score(query, units, postings, statement=False)

    assert scores.contextual.tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [(False, [(0.4 + 0.25 * 0.8) / 1.25, 0.8]), (True, [0.4, 0.8])],
)
def test_semantic_score_looks_ahead_for_questions_only(statement, expected):
    query, units, postings = world([[(20, {}), (20, {})]], [1], 10, cosines=[0.4, 0.8])

    assert fusion.score(query, units, postings, statement=statement).semantic.tolist() == pytest.approx(expected)


def test_a_unit_without_a_vector_counts_as_the_median_of_the_others():
    query, units, postings = world([[(-9, {})] for _ in range(4)], [1], 10, cosines=[0.2, math.nan, 0.6, 0.5])

    assert fusion.score(query, units, postings, statement=False).semantic.tolist() == [0.2, 0.5, 0.6, 0.5]


def test_without_any_vector_keywords_alone_decide_and_can_pass_the_floor():
    query, units, postings = world([[(-9, {0: 1})], [(-9, {})]], [1], 10, cosines=[math.nan, math.nan])

    scores = fusion.score(query, units, postings, statement=False)

    assert scores.vector.tolist() == [0.0, 0.0]
    assert scores.score.tolist() == [1.0, 0.0]
    assert fusion.relevant(scores.evidence).tolist() == [True, False]


@pytest.mark.parametrize(
    ("statement", "best", "gate"),
    [
        (False, 0.15, 0.0),
        (False, 0.325, 0.5),
        (False, 0.9, 1.0),
        (True, 0.35, 0.0),
        (True, 0.55, 0.5),
        (True, 0.8, 1.0),
    ],
)
def test_gate_opens_with_the_best_contextual_score(statement, best, gate):
    assert fusion._gate(floats([0.0, best]), statement=statement) == pytest.approx(gate)


def test_score_is_gated_keywords_plus_weighted_cosine():
    query, units, postings = world([[(20, {0: 1})], [(20, {})]], [1, 0], 10, cosines=[0.3, 0.5])

    scores = fusion.score(query, units, postings, statement=False, spread=0.14)

    assert 0 < scores.gate < 1
    assert scores.score.tolist() == pytest.approx(
        [scores.gate * scores.contextual[0] + 0.5 * 0.3, scores.gate * scores.contextual[1] + 0.5 * 0.5]
    )


def test_no_candidates_and_no_terms_give_empty_and_zero_scores():
    query, units, postings = world([[(20, {0: 1})]], [1], 10, candidates=[])
    assert fusion.score(query, units, postings, statement=False).score.tolist() == []
    assert fusion.relevant(floats([])).tolist() == []

    query, units, postings = world([[(20, {})]], [], 10, cosines=[0.5])
    assert fusion.score(query, units, postings, statement=False).score.tolist() == pytest.approx([0.5 * 0.07 / 0.116])


def test_reciprocal_rank_counts_places_and_silent_arms_do_not_vote():
    query, units, postings = world([[(-9, {0: 1})], [(-30, {0: 1})], [(-9, {})]], [1], 10, cosines=[0.1, 0.9, 0.5])
    formula = Formula(Form.RECIPROCAL_RANK, rrf_k=60, rrf_keyword_weight=1, rrf_vector_weight=0.5)

    scores = fusion.score(query, units, postings, statement=False, formula=formula)

    assert scores.keyword.tolist() == pytest.approx([1 / 61, 1 / 62, 0])
    assert scores.vector.tolist() == pytest.approx([0.5 / 63, 0.5 / 61, 0.5 / 62])


def test_dual_score_halves_proximity_and_cosine():
    query, units, postings = world([[(-9, {0: 1})]], [1], 10, cosines=[0.4])
    formula = Formula(Form.DUAL)

    near = fusion.score(query, units, postings, statement=False, formula=formula, proximity=floats([0.6]))
    without_graph = fusion.score(query, units, postings, statement=False, formula=formula)

    assert near.score.tolist() == pytest.approx([0.5])
    assert without_graph.score.tolist() == pytest.approx([0.7])


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [([0.49, 0.2], [False, False]), ([0.5, 0.41, 0.39], [True, True, False]), ([], [])],
)
def test_below_the_floor_nothing_is_relevant(evidence, expected):
    assert fusion.relevant(floats(evidence), floor=0.5).tolist() == expected


def scored(unit, identity, score):
    return Scored(unit, identity, score)


def test_an_item_and_its_episode_are_one_hit_that_names_both():
    item, episode = scored(Unit.ITEM, ITEM, 0.8), scored(Unit.EPISODE, EPISODE, 0.5)

    assert fusion.fold([episode, item], sources={ITEM: [EPISODE]}) == [
        Fused(item, pytest.approx(0.8), item, (episode,))
    ]


@pytest.mark.parametrize(("length", "expected"), [(1, 0.8), (60, 0.8), (120, 0.65), (600, 0.53)])
def test_an_item_lifts_a_long_episode_less(length, expected):
    item, episode = scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, EPISODE, 0.5, length=length)

    [hit] = fusion.fold([item, episode], sources={ITEM: [EPISODE]})

    assert hit.relevance == pytest.approx(expected)


def test_what_the_form_of_an_episode_brought_comes_on_top_of_its_item():
    item, episode = scored(Unit.ITEM, ITEM, 0.8), Scored(Unit.EPISODE, EPISODE, 0.7, form=0.2)

    [hit] = fusion.fold([item, episode], sources={ITEM: [EPISODE]})

    assert hit.relevance == pytest.approx(0.8 + 0.2)


def test_the_episode_leads_where_its_item_is_about_something_else():
    item, episode = scored(Unit.ITEM, ITEM, 0.3), scored(Unit.EPISODE, EPISODE, 0.9)

    [hit] = fusion.fold([item, episode], sources={ITEM: [EPISODE]})

    assert hit.lead == episode
    assert hit.item == item


def test_an_episode_folds_into_its_best_item_only():
    good, weak = scored(Unit.ITEM, ITEM, 0.8), scored(Unit.ITEM, OTHER_ITEM, 0.4)
    episode = scored(Unit.EPISODE, EPISODE, 0.7)

    hits = fusion.fold([weak, episode, good], sources={ITEM: [EPISODE], OTHER_ITEM: [EPISODE]})

    assert [(hit.lead, hit.episodes) for hit in hits] == [(good, (episode,)), (weak, ())]
    assert [hit.relevance for hit in hits] == pytest.approx([0.8, 0.7 * 0.7])


def test_an_item_weaker_than_its_episode_takes_nothing_from_it():
    item, episode = scored(Unit.ITEM, ITEM, 0.6), scored(Unit.EPISODE, EPISODE, 0.7)

    [hit] = fusion.fold([item, episode], sources={ITEM: [EPISODE]})

    assert (hit.lead, hit.relevance) == (item, 0.7)


def test_an_item_whose_episode_was_no_candidate_is_weighed_by_the_lowest_one():
    item, other = scored(Unit.ITEM, ITEM, 0.8), scored(Unit.EPISODE, OTHER_EPISODE, 0.2)

    hits = fusion.fold([item, other], sources={ITEM: [EPISODE]})

    assert [(hit.lead, hit.relevance) for hit in hits] == [(item, pytest.approx(0.5)), (other, 0.2)]


def test_a_merged_item_answers_for_all_its_episodes_best_first():
    item = scored(Unit.ITEM, ITEM, 0.8)
    first, second = scored(Unit.EPISODE, EPISODE, 0.2), scored(Unit.EPISODE, OTHER_EPISODE, 0.6)

    [hit] = fusion.fold([item, first, second], sources={ITEM: [EPISODE, OTHER_EPISODE]})

    assert hit.episodes == (second, first)


def test_gone_units_are_not_returned():
    superseded, episode = scored(Unit.ITEM, ITEM, 0.8), scored(Unit.EPISODE, EPISODE, 0.7)
    dead = scored(Unit.EPISODE, OTHER_EPISODE, 0.9)

    hits = fusion.fold([superseded, episode, dead], sources={ITEM: [EPISODE]}, gone={ITEM, OTHER_EPISODE})

    assert [hit.lead for hit in hits] == [episode]


ids = st.integers(0, 9)


@given(
    st.dictionaries(ids, st.floats(0, 2), max_size=8),
    st.dictionaries(ids, st.floats(0, 2), max_size=8),
    st.dictionaries(ids, st.sets(ids, max_size=4)),
)
def test_folding_keeps_every_unit_in_exactly_one_hit_and_no_pair_apart(items, episodes, sources):
    units = [scored(Unit.ITEM, UUID(int=100 + i), s) for i, s in items.items()]
    units += [scored(Unit.EPISODE, UUID(int=200 + i), s) for i, s in episodes.items()]
    mapping = {UUID(int=100 + i): {UUID(int=200 + e) for e in of} for i, of in sources.items()}

    hits = fusion.fold(units, sources=mapping)

    named = [one.id for hit in hits for one in ([hit.item] if hit.item else []) + list(hit.episodes)]
    assert sorted(named) == sorted(unit.id for unit in units)
    standing_alone = {hit.lead.id for hit in hits if hit.item is None}
    assert not any(standing_alone & mapping.get(UUID(int=100 + i), set()) for i in items)
    assert [hit.relevance for hit in hits] == sorted((hit.relevance for hit in hits), reverse=True)


@pytest.mark.parametrize(("form", "expected"), [(Form.KEYWORD, [1.0, 0.0]), (Form.VECTOR, [0.1, 0.2])])
def test_one_arm_alone(form, expected):
    query, units, postings = world([[(-9, {0: 1})], [(-9, {})]], [1], 10, cosines=[0.2, 0.4])

    scores = fusion.score(query, units, postings, statement=False, spread=0.14, formula=Formula(form))

    assert scores.score.tolist() == pytest.approx(expected)


def test_graph_and_time_add_by_their_weights_and_nothing_by_default():
    query, units, postings = world([[(-9, {0: 1})]], [1], 10, cosines=[0.4])
    near, inside = floats([0.6]), floats([1.0])

    plain = fusion.score(query, units, postings, statement=False)
    by_default = fusion.score(query, units, postings, statement=False, proximity=near, window=inside)
    weighed = fusion.score(
        query,
        units,
        postings,
        statement=False,
        formula=Formula(graph_weight=0.5, time_weight=0.25),
        proximity=near,
        window=inside,
    )

    assert by_default.score[0] == plain.score[0]
    assert (weighed.graph[0], weighed.time[0]) == pytest.approx((0.3, 0.25))
    assert weighed.score[0] == pytest.approx(plain.score[0] + 0.55)


def talk(*units, cues, lengths=None):
    """One session of units {term: tf}, each with its cues, of 9 kept terms unless told."""
    lengths = [9] * len(units) if lengths is None else lengths
    query, found, postings = world([list(zip(lengths, units, strict=True))], [1, 1], 100)
    return query, replace(found, cues=integers(cues)), postings


def form_of(arguments, sought=NOTHING_SOUGHT, *, statement=False, formula=fusion.DEFAULT_FORMULA):
    scores = fusion.score(*arguments, statement=statement, sought=sought, formula=formula)
    return scores, scores.form.tolist()


def test_a_turn_that_answers_a_question_is_given_three_tenths_of_its_words():
    scores, form = form_of(talk({0: 1}, {}, {}, cues=[Cue.ASKS, 0, 0]))

    assert form == pytest.approx([0.0, 0.3 * scores.contextual[0], 0.0])
    assert scores.score[1] == pytest.approx(scores.gate * scores.contextual[1] + form[1])


def test_a_question_that_only_borrows_the_words_asks_something_else():
    assert form_of(talk({0: 1}, {}, {}, cues=[0, Cue.ASKS, 0]))[1] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("cues", "lengths"),
    [([0, 0], [9, 9]), ([Cue.ASKS, Cue.ASKS], [9, 9]), ([Cue.ASKS, 0], [9, 61]), ([Cue.ASKS, 0], [61, 9])],
    ids=["no question", "a question back", "a long answer", "a long question"],
)
def test_only_a_brief_turn_answers_and_only_a_brief_question(cues, lengths):
    assert form_of(talk({0: 1}, {}, cues=cues, lengths=lengths))[1] == [0.0, 0.0]


def test_a_turn_whose_words_are_taken_up_gets_a_share_of_the_next_one():
    scores, form = form_of(talk({}, {0: 1}, cues=[0, 0]))

    share = scores.lexical[1] / (2 * scores.lexical[1])  # two query terms of one idf, one of them with w = 1
    assert form == pytest.approx([0.15 * share * fusion.weights(integers([1]), integers([9]))[0], 0.0])


@pytest.mark.parametrize(
    ("sought", "expected"),
    [(Sought(names=True), [0.15, 0.0]), (Sought(own=True), [0.0, 0.1]), (NOTHING_SOUGHT, [0.0, 0.0])],
)
def test_what_is_sought_counts_where_it_is(sought, expected):
    assert form_of(talk({}, {}, cues=[Cue.NAMES, Cue.OWN]), sought)[1] == pytest.approx(expected)


def test_a_turn_that_says_when_is_given_a_little():
    assert form_of(talk({}, {}, cues=[Cue.TIMES, 0]))[1] == pytest.approx([0.02, 0.0])


@pytest.mark.parametrize(
    ("named", "several", "expected"),
    [
        (["Anna"], True, [0.08, 0.0]),
        (["Anna"], False, [0.0, 0.0]),
        (["Anna", "Ben"], True, [0.0, 0.0]),
        ([], True, [0, 0]),
    ],
)
def test_the_only_speaker_named_says_most_of_several_answers(named, several, expected):
    sought = Sought(several=several, speakers=frozenset(map(speaker_key, named)))
    said = [speaker_key("Anna") << SPEAKER_SHIFT, speaker_key("Ben") << SPEAKER_SHIFT]

    assert form_of(talk({}, {}, cues=said), sought)[1] == pytest.approx(expected)


def test_a_session_ends_where_another_begins():
    query, units, postings = world([[(9, {}), (9, {0: 1})], [(9, {}), (9, {})]], [1], 100)

    scores = fusion.score(query, replace(units, cues=integers([0, Cue.ASKS, 0, 0])), postings, statement=False)

    assert scores.form[2] == 0.0


def test_form_is_for_questions_and_for_all_arms_together():
    arguments = talk({0: 1}, {}, cues=[Cue.ASKS, 0])

    assert form_of(arguments, statement=True)[1] == [0.0, 0.0]
    assert form_of(arguments, formula=Formula(Form.KEYWORD))[1] == [0.0, 0.0]
