from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest

from apps.core import scope
from apps.core.scope import Reach
from apps.index import search, services, statistics
from apps.index.search import CandidateRequest, Filters, Probe, candidates, nearest
from memory_platform.model import Audience, Thresholds, TimeRange, Unit, Visibility, Whose
from memory_platform.retrieval import contextual, fusion
from memory_platform.text import terms
from tests.apps.index.conftest import SAID_AT, unit_vectors
from tests.cast import ADAM, MARA

MODEL = "all-minilm-l6-v2-int8"
OTHER_MODEL = "wordllama-l2-supercat-256"
NOW = SAID_AT + timedelta(days=30)
THRESHOLDS = Thresholds(duplicate=0.9, related=0.4, spread=0.1)


def request(words="", vector=None, *, model=MODEL, **filters):
    hashes = tuple(terms.lexeme_hash(term) for term in terms.terms(words))
    return CandidateRequest(hashes, vector, model, NOW, Filters(**filters))


def found(words="", vector=None, **options):
    answer = candidates(request(words, vector, **options))
    return {answer.unit_id(index) for index in range(len(answer.unit))}


def ids(*documents):
    return {document.unit_id for document in documents}


@pytest.fixture
def corpus(in_scope, new_document):
    """Sessions of 30, 25 and 5 turns and 20 items, over 40 words; the statistics not yet folded."""
    chance = np.random.default_rng(7)
    words = [f"word{n}" for n in range(40)]
    weights = 1 / (np.arange(40) + 1.0)

    def text():
        return " ".join(chance.choice(words, size=chance.integers(3, 60), p=weights / weights.sum()))

    sessions = [uuid4() for _ in range(3)]
    documents = [
        new_document(text(), session=session, ordinal=n, cues=n % 8)
        for session, turns in zip(sessions, (30, 25, 5), strict=True)
        for n in range(turns)
    ]
    documents += [new_document(text()) for _ in range(20)]
    document_ids = services.put(documents)
    vectors = unit_vectors(len(documents))
    services.store_embeddings(document_ids, vectors, MODEL)
    return documents, document_ids, vectors


def brute_force(corpus, query, query_vector):
    """The formula's inputs over every document, computed from the texts."""
    documents, document_ids, vectors = corpus
    hashes = [terms.lexeme_hash(term) for term in terms.terms(query)]
    counts = [{terms.lexeme_hash(t): n for t, n in terms.terms(d.text).items()} for d in documents]
    length = np.array([sum(count.values()) for count in counts])
    sessions = [document.session_id for document in documents]
    session = np.array([contextual.NO_SESSION if s is None else sessions.index(s) for s in sessions])
    center = np.zeros(len(documents))
    for number in set(session) - {contextual.NO_SESSION}:
        center[session == number] = contextual.centers(length[session == number])
    ordinal = np.array([document.ordinal or 0 for document in documents])
    cosine = vectors.astype(np.float16).astype(np.float64) @ query_vector.astype(np.float16).astype(np.float64)
    follows = np.append((session[1:] == session[:-1]) & (session[1:] != contextual.NO_SESSION), False)
    units = contextual.Units(np.array(document_ids), session, ordinal, center, length, cosine,
                         np.where(follows, np.roll(cosine, -1), np.nan),
                         np.array([document.cues for document in documents]))  # fmt: skip
    pairs = [(i, t) for i, count in enumerate(counts) for t, h in enumerate(hashes) if h in count]
    owner = np.array([i for i, _ in pairs])
    postings = contextual.Postings(units.document[owner], np.array([t for _, t in pairs]),
                               np.array([counts[i][hashes[t]] for i, t in pairs]), length[owner], session[owner],
                               ordinal[owner], center[owner])  # fmt: skip
    frequency = np.array([sum(h in count for count in counts) for h in hashes])
    return contextual.QueryTerms(np.array(hashes), frequency, len(documents)), units, postings


def assert_same_inputs(answer, expected):
    query, units, postings = expected
    assert answer.query.documents == query.documents
    assert answer.query.document_frequency.tolist() == query.document_frequency.tolist()
    order, wanted = np.argsort(answer.units.document), np.argsort(units.document)
    for name in ("document", "ordinal", "length", "cues"):
        assert getattr(answer.units, name)[order].tolist() == getattr(units, name)[wanted].tolist()
    for name in ("center", "cosine", "next_cosine"):
        np.testing.assert_allclose(getattr(answer.units, name)[order], getattr(units, name)[wanted], atol=2e-3)
    assert sorted(zip(answer.postings.document, answer.postings.term, answer.postings.tf, answer.postings.length,
                      strict=True)) == sorted(zip(postings.document, postings.term, postings.tf, postings.length,
                                                  strict=True))  # fmt: skip


def test_candidates_are_the_formulas_inputs(corpus):
    query, vector = "word0 word3 word11 word30 unheard", unit_vectors(1, seed=9)[0]

    answer = candidates(request(query, vector))

    expected = brute_force(corpus, query, vector)
    assert_same_inputs(answer, expected)
    scores = fusion.score(answer.query, answer.units, answer.postings, statement=False, thresholds=THRESHOLDS).score
    wanted = fusion.score(*expected, statement=False, thresholds=THRESHOLDS).score
    np.testing.assert_allclose(np.sort(scores), np.sort(wanted), atol=2e-3)


def test_folding_changes_no_input(corpus):
    vector = unit_vectors(1, seed=9)[0]
    before = candidates(request("word0 word3 word11", vector))

    statistics.fold()

    after = candidates(request("word0 word3 word11", vector))
    assert after.query.documents == before.query.documents == 80
    assert after.query.document_frequency.tolist() == before.query.document_frequency.tolist()


def test_terms_that_choose_no_candidates_are_weighed_on_them(corpus, monkeypatch):
    query, vector = "word0 word1 word30", unit_vectors(1, seed=9)[0]
    whole = candidates(request(query, vector))
    monkeypatch.setattr(search, "ALWAYS_READ", 0)
    monkeypatch.setattr(search, "POSTINGS_READ", 1)

    answer = candidates(request(query, vector))

    assert answer.units.document.tolist() == whole.units.document.tolist()
    assert sorted(zip(answer.postings.document, answer.postings.term, answer.postings.tf, strict=True)) == sorted(
        zip(whole.postings.document, whole.postings.term, whole.postings.tf, strict=True)
    )


def test_the_approximate_index_finds_what_the_exact_scan_finds(corpus, monkeypatch):
    vector = unit_vectors(1, seed=9)[0]
    exact = candidates(replace(request("", vector), vector_limit=10))
    monkeypatch.setattr(search, "EXACT_UP_TO", -1)

    approximate = candidates(replace(request("", vector), vector_limit=10))

    assert approximate.vector_hits == exact.vector_hits == 10
    assert approximate.units.document.tolist() == exact.units.document.tolist()


@pytest.mark.parametrize("query", ["word0 word3 word11", "word2 word30", "word17"])
def test_a_large_tenant_is_answered_as_if_every_document_were_scored(corpus, monkeypatch, query):
    """Through the approximate index, with terms too common to choose candidates: the same units in the same order."""
    monkeypatch.setattr(search, "EXACT_UP_TO", -1)
    monkeypatch.setattr(search, "ALWAYS_READ", 0)
    vector = unit_vectors(1, seed=9)[0]

    answer = candidates(request(query, vector))

    fast = fusion.score(answer.query, answer.units, answer.postings, statement=False, thresholds=THRESHOLDS).score
    expected, units, postings = brute_force(corpus, query, vector)
    exact = fusion.score(expected, units, postings, statement=False, thresholds=THRESHOLDS).score
    assert answer.units.document[np.argsort(-fast)[:10]].tolist() == units.document[np.argsort(-exact)[:10]].tolist()


def test_without_a_vector_the_words_answer_alone(corpus):
    documents, _, _ = corpus

    answer = candidates(request("word30"))

    having = {document.unit_id for document in documents if "word30" in document.text.split()}
    assert {answer.unit_id(n) for n in range(len(answer.unit))} >= having
    assert answer.keyword_hits == len(having)
    assert answer.vector_hits == 0
    assert np.isnan(answer.units.cosine).all()


def test_units_beside_a_hit_are_candidates(in_scope, new_document):
    session = uuid4()
    talk = [new_document("needle" if n == 4 else "hay", session=session, ordinal=n) for n in range(9)]
    services.put([*talk, new_document("hay", session=uuid4(), ordinal=0)])

    assert found("needle") == ids(*talk[2:7])


def test_a_common_word_finds_everything_in_a_small_tenant(in_scope, new_document):
    documents = [new_document(f"apple number{n}") for n in range(150)]
    services.put(documents)

    assert found("apple") == ids(*documents)


def test_an_empty_query_finds_nothing(in_scope, new_document):
    services.put([new_document("apple")])

    assert found("") == set()
    assert found("pear") == set()


def test_rare_matches_behind_many_better_ones_pass_a_filter(in_scope, new_document):
    wanted = [new_document("apple " + "noise " * 50, category="work") for _ in range(5)]
    services.put([*wanted, *(new_document("apple", category="other") for _ in range(700))])

    assert found("apple", categories=("work",)) == ids(*wanted)


def test_filters_choose(in_scope, new_document):
    session = uuid4()
    one = new_document("apple", kind="fact", category="work", service="billing", user_id=MARA.user_id, session=session)
    two = new_document("apple", kind="rule", category="hobbies", service="shop", event_time=SAID_AT + timedelta(days=9))
    three = new_document("apple", session=session, ordinal=0)
    services.put([one, two, three])

    assert found("apple", kinds=("fact",)) == ids(one)
    assert found("apple", categories=("work", "hobbies")) == ids(one, two)
    assert found("apple", services=("shop",)) == ids(two)
    assert found("apple", units=(Unit.EPISODE,)) == ids(three)
    assert found("apple", session_id=session) == ids(one, three)
    assert found("apple", after=SAID_AT + timedelta(days=9)) == ids(two)
    assert found("apple", before=SAID_AT + timedelta(days=9)) == ids(one, three)
    assert found("apple", visibility=Visibility.SHARED) == set()
    assert found("apple", kinds=()) == set()


def test_hidden_documents_are_found_by_nobody_and_lend_no_words(in_scope, new_document):
    session = uuid4()
    secret = new_document("needle", session=session, ordinal=0)
    beside = new_document("hay", session=session, ordinal=1)
    services.put([secret, beside])
    services.store_embeddings(services_ids(secret, beside), unit_vectors(2), MODEL)

    services.hide(Unit.EPISODE, [secret.unit_id])

    answer = candidates(request("needle hay", unit_vectors(1)[0]))
    assert [answer.unit_id(n) for n in range(len(answer.unit))] == [beside.unit_id]
    assert answer.postings.term.tolist() == [1]
    services.hide(Unit.EPISODE, [secret.unit_id], hidden=False)
    assert found("needle") == ids(secret, beside)


def services_ids(*documents):
    from apps.index.models import Document  # noqa: PLC0415

    by_unit = dict(
        Document.objects.filter(
            tenant_id=scope.current().tenant_id, unit_id__in=[document.unit_id for document in documents]
        ).values_list("unit_id", "id")
    )
    return [by_unit[document.unit_id] for document in documents]


def test_reads_default_to_what_is_true_and_believed_now(in_scope, new_document):
    now = new_document("apple")
    ended = new_document("apple", valid_until=NOW - timedelta(days=1))
    future = new_document("apple", valid_from=NOW + timedelta(days=1))
    retracted = new_document("apple")
    services.put([now, ended, future, retracted])
    believed(retracted, until=NOW - timedelta(days=2))

    assert found("apple") == ids(now)
    assert found("apple", include_superseded=True) == ids(now, ended, future, retracted)
    assert found("apple", valid_at=NOW - timedelta(days=2)) == ids(now, ended)
    assert found("apple", as_of=NOW - timedelta(days=3)) == ids(now, ended, retracted)
    assert found("apple", as_of=SAID_AT - timedelta(days=1)) == set()

    believed(retracted, until=None)
    assert found("apple") == ids(now, retracted)


def believed(document, *, until):
    services.set_periods(Unit.ITEM, [services.Period(document.unit_id, None, None, SAID_AT, until)])


def test_later_turns_lend_no_words_to_the_past(in_scope, new_document):
    session = uuid4()
    early = new_document("apple", session=session, ordinal=0)
    late = new_document("apple needle", session=session, ordinal=1, recorded_at=SAID_AT + timedelta(days=1))
    services.put([early, late])

    answer = candidates(request("apple needle", as_of=SAID_AT + timedelta(hours=1)))

    assert [answer.unit_id(n) for n in range(len(answer.unit))] == [early.unit_id]
    assert answer.postings.term.tolist() == [0]


def test_an_agent_finds_its_own_and_with_share_what_is_shared(tenant, agent, other_agent, new_document):
    session = uuid4()
    private = new_document("needle apple", session=session, ordinal=0, agent_id=other_agent.id)
    shared = new_document("apple", session=session, ordinal=1, agent_id=other_agent.id, visibility=Visibility.SHARED)
    own = new_document("apple")
    with scope.tenant_scope(tenant.id):
        services.put([private, shared, own])
        services.store_embeddings(services_ids(private, shared, own), unit_vectors(3), MODEL)
    vector = unit_vectors(1)[0]

    with scope.tenant_scope(tenant.id, agent_id=agent.id):
        assert found("needle apple", vector) == ids(own)
    with scope.tenant_scope(tenant.id, agent_id=agent.id, reach=Reach.SHARED):
        answer = candidates(request("needle apple", vector))
        assert {answer.unit_id(n) for n in range(len(answer.unit))} == ids(own, shared)
        assert set(answer.postings.term.tolist()) == {1}
    with scope.tenant_scope(tenant.id):
        assert found("needle apple", vector) == ids(private, shared, own)


def test_statistics_range_over_all_documents_whoever_may_read_them(tenant, agent, other_agent, new_document):
    with scope.tenant_scope(tenant.id):
        services.put([new_document("apple"), new_document("apple", agent_id=other_agent.id)])

    with scope.tenant_scope(tenant.id, agent_id=agent.id):
        answer = candidates(request("apple"))

    assert answer.query.documents == 2
    assert answer.query.document_frequency.tolist() == [2]
    assert len(answer.unit) == 1


def test_other_tenants_documents_never_appear(make_tenant, new_document):
    ours, theirs = make_tenant(), make_tenant()
    session, vector = uuid4(), unit_vectors(1)
    mine, foreign = (new_document("apple", session=session, ordinal=0) for _ in range(2))
    for tenant, document in ((ours, mine), (theirs, foreign)):
        with scope.tenant_scope(tenant.id):
            services.store_embeddings(services.put([document]), vector, MODEL)

    with scope.tenant_scope(ours.id):
        assert found("apple", vector[0]) == ids(mine)
        neighbours = nearest(vector, audience=mine.audience, model=MODEL, now=NOW, unit=Unit.EPISODE)
        assert [[neighbour.unit_id for neighbour in row] for row in neighbours] == [[mine.unit_id]]
        assert candidates(request("apple")).query.documents == 1


def test_two_models_lie_side_by_side(in_scope, new_document):
    documents = [new_document("apple"), new_document("pear")]
    document_ids = services.put(documents)
    services.store_embeddings(document_ids, unit_vectors(2), MODEL)
    services.store_embeddings(document_ids[1:], unit_vectors(1, 256), OTHER_MODEL)

    assert found("", unit_vectors(1)[0]) == ids(*documents)
    assert found("", unit_vectors(1, 256)[0], model=OTHER_MODEL) == ids(documents[1])
    assert found("", unit_vectors(1)[0], model="a third") == set()


def test_nearest_compares_exactly_the_same_audience(tenant, agent, other_agent, new_document):
    vector = unit_vectors(1)
    same = new_document("apple", user_id=MARA.user_id)
    others = [
        new_document("apple"),
        new_document("apple", user_id=ADAM.user_id),
        new_document("apple", user_id=MARA.user_id, agent_id=other_agent.id),
        new_document("apple", user_id=MARA.user_id, visibility=Visibility.SHARED),
        new_document("apple", user_id=MARA.user_id, unit=Unit.NOTE),
        new_document("apple", user_id=MARA.user_id, valid_until=NOW),
    ]
    with scope.tenant_scope(tenant.id):
        document_ids = services.put([same, *others])
        services.store_embeddings(document_ids, np.repeat(vector, len(document_ids), axis=0), MODEL)

        answer = nearest(vector, audience=Audience(agent.id, MARA.user_id), model=MODEL, now=NOW)

    assert [[neighbour.unit_id for neighbour in row] for row in answer] == [[same.unit_id]]
    assert answer[0][0].cosine == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("exact_up_to", [5_000, -1])
def test_nearest_come_in_order_for_each_vector(in_scope, agent, new_document, monkeypatch, exact_up_to):
    monkeypatch.setattr("apps.index.nearest.EXACT_UP_TO", exact_up_to)
    monkeypatch.setattr("apps.index.nearest.READ_UP_TO", exact_up_to)
    document_ids = services.put([new_document(f"item {n}") for n in range(40)])
    vectors = unit_vectors(40)
    services.store_embeddings(document_ids, vectors, MODEL)

    answer = nearest(vectors[:3], audience=Audience(agent.id, None), model=MODEL, now=NOW, k=5)

    similarity = vectors[:3] @ vectors.T
    for row, cosines in zip(answer, similarity, strict=True):
        best = np.argsort(-cosines)[:5]
        assert [neighbour.document_id for neighbour in row] == [document_ids[n] for n in best]
        np.testing.assert_allclose([neighbour.cosine for neighbour in row], cosines[best], atol=2e-3)


def test_candidates_take_two_statements(corpus, django_assert_num_queries):
    with django_assert_num_queries(2):
        candidates(request("word0 word30", unit_vectors(1)[0]))


def window(start, end):
    return TimeRange(start, end, "then")


def test_what_others_propose_joins_and_is_scored_as_any_other(in_scope, new_document):
    wanted, other = new_document("a red kayak"), new_document("the harbour office")
    document_ids = services.put([wanted, other])
    services.store_embeddings(document_ids, unit_vectors(2), MODEL)
    begun = search.begin(replace(request("nothing"), vector=unit_vectors(1, seed=5)[0], vector_limit=0))

    answer = search.complete(begun, units=[other.unit_id, uuid4()])

    assert [answer.unit_id(row) for row in range(len(answer.unit))] == [other.unit_id]
    assert (answer.proposed_hits, answer.keyword_hits, answer.vector_hits) == (1, 0, 0)
    assert not np.isnan(answer.units.cosine).any()


def test_a_proposed_unit_passes_the_same_filters_as_any_other(in_scope, new_document, agent):
    stranger = Audience(uuid4(), None, Visibility.PRIVATE)
    hidden = new_document("gone")
    documents = [
        new_document("another user's", user_id=ADAM.user_id),
        new_document("another kind", kind="rule", user_id=MARA.user_id),
        new_document("not ours", audience=stranger, user_id=MARA.user_id),
        new_document("wanted", kind="fact", user_id=MARA.user_id),
        hidden,
    ]
    services.put(documents)
    services.hide(Unit.ITEM, [hidden.unit_id])
    units = tuple(document.unit_id for document in documents)

    asked = replace(request(kinds=("fact",)), units=units)
    with scope.tenant_scope(in_scope.tenant_id, agent_id=agent.id, reach=Reach.OWN, whose=Whose(MARA.user_id)):
        answer = candidates(asked)

    assert [answer.unit_id(row) for row in range(len(answer.unit))] == [documents[3].unit_id]


def test_units_of_the_asked_time_join_the_nearest_first(in_scope, new_document):
    day = timedelta(days=1)
    documents = [new_document(f"day {n}", event_time=SAID_AT + n * day) for n in range(6)]
    document_ids = services.put(documents)
    vectors = unit_vectors(6)
    services.store_embeddings(document_ids, vectors, MODEL)
    asked = CandidateRequest(
        (), vectors[3], MODEL, NOW, vector_limit=0, window=window(SAID_AT + day, SAID_AT + 4 * day), window_limit=1
    )

    one = candidates(asked)
    every = candidates(replace(asked, window_limit=100))
    without_vector = candidates(replace(asked, vector=None, window_limit=100))

    assert [one.unit_id(row) for row in range(len(one.unit))] == [documents[3].unit_id]
    assert {every.unit_id(row) for row in range(len(every.unit))} == ids(*documents[1:4])
    assert every.window_hits == without_vector.window_hits == 3


def test_only_the_units_named_may_answer(in_scope, new_document):
    documents = [new_document("a red kayak") for _ in range(3)]
    services.put(documents)

    assert found("kayak", among=(documents[1].unit_id,)) == ids(documents[1])
    assert found("kayak", among=()) == set()


@pytest.fixture
def two_models(in_scope, new_document):
    """Ten items, every other one read by another model, with the vectors in the order of the items."""
    documents = [new_document(f"fact number {n}") for n in range(10)]
    document_ids = services.put(documents)
    own, other = unit_vectors(10), unit_vectors(10, 256, seed=1)
    services.store_embeddings(document_ids[::2], own[::2], MODEL)
    services.store_embeddings(document_ids[1::2], other[1::2], OTHER_MODEL)
    return documents, own, other


def test_each_document_has_the_cosine_of_its_own_model_in_one_scale(two_models):
    documents, own, other = two_models
    vector, second = unit_vectors(1, seed=9)[0], unit_vectors(1, 256, seed=9)[0]

    answer = candidates(replace(request("", vector), other=Probe(second, OTHER_MODEL, slope=2.0, shift=-0.5)))

    got = {answer.unit_id(row): cosine for row, cosine in enumerate(answer.units.cosine)}
    wanted = [own[n] @ vector if n % 2 == 0 else 2.0 * (other[n] @ second) - 0.5 for n in range(10)]
    assert [got[document.unit_id] for document in documents] == pytest.approx(wanted, abs=4e-3)


def test_what_another_model_read_is_told_from_the_rest(two_models):
    documents, own, other = two_models
    asked = request("", own[0])

    answer = candidates(replace(asked, other=Probe(other[1], OTHER_MODEL, slope=1.0, shift=0.0)))
    alone = candidates(asked)

    foreign = {answer.unit_id(row) for row in np.flatnonzero(answer.units.foreign)}
    assert foreign == ids(*documents[1::2])
    assert not alone.units.foreign.any()


def test_the_nearest_are_chosen_from_both_models_by_what_their_cosines_say(two_models):
    documents, own, other = two_models
    vector, second = own[0], other[1]
    asked = replace(request("", vector), vector_limit=2)

    far = candidates(replace(asked, other=Probe(second, OTHER_MODEL, slope=1.0, shift=-3.0)))
    near = candidates(replace(asked, other=Probe(second, OTHER_MODEL, slope=1.0, shift=0.0)))

    assert far.vector_hits == near.vector_hits == 2
    assert {far.unit_id(row) for row in range(2)} <= ids(*documents[::2])
    assert {near.unit_id(row) for row in range(2)} == ids(documents[0], documents[1])


def test_the_units_of_a_time_are_chosen_from_both_models(two_models):
    documents, own, other = two_models
    day = TimeRange(SAID_AT - timedelta(hours=1), SAID_AT + timedelta(hours=1), "that day")
    asked = replace(request("", own[0]), vector_limit=0, window=day, window_limit=2)

    answer = candidates(replace(asked, other=Probe(other[1], OTHER_MODEL, slope=1.0, shift=0.0)))

    assert {answer.unit_id(row) for row in range(len(answer.unit))} == ids(documents[0], documents[1])
