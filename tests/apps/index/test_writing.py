from itertools import pairwise
from uuid import uuid4

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction

from apps.core import scope
from apps.index import services, statistics
from apps.index.models import Document, Embedding384, Posting, TermStat
from apps.index.statistics import IndexDrift
from memory_platform.errors import Invalid
from memory_platform.model import Unit
from memory_platform.retrieval import contextual
from memory_platform.text import terms
from tests.apps.index.conftest import unit_vectors

MODEL = "all-minilm-l6-v2-int8"
CLEAN = IndexDrift(documents=0, lexemes=0, postings_missing=0, postings_orphaned=0)


def df(tenant, word):
    lexeme = terms.lexeme_hash(word)
    return TermStat.objects.filter(tenant_id=tenant.id, lexeme=lexeme).values_list("documents", flat=True).first() or 0


def test_units_of_a_session_stand_side_by_side(tenant, in_scope, new_document):
    session, other = uuid4(), uuid4()
    texts = ["one two three", "four " * 60, "five", "six seven"]

    first = services.put(
        [
            new_document(texts[1], session=session, ordinal=1),
            new_document("x", session=other, ordinal=0),
            new_document(texts[0], session=session, ordinal=0),
        ]
    )
    second = services.put([new_document(texts[n], session=session, ordinal=n) for n in (2, 3)])

    ids = [first[2], first[0], *second]
    assert [b - a for a, b in pairwise(ids)] == [1, 1, 1]
    assert first[1] >> 24 != ids[0] >> 24
    rows = Document.objects.filter(tenant_id=tenant.id, id__in=ids).order_by("id")
    assert [row.length for row in rows] == [3, 60, 1, 2]
    np.testing.assert_allclose([row.center for row in rows], contextual.centers(np.array([3, 60, 1, 2])))


def test_what_has_no_neighbours_is_numbered_below_zero(in_scope, new_document):
    session = uuid4()

    ids = services.put([new_document("an item"), new_document("another", session=session)])

    assert all(document_id < 0 for document_id in ids)
    assert len(set(ids)) == 2


def test_a_unit_put_back_in_its_place_has_the_same_center(tenant, in_scope, new_document):
    session = uuid4()
    middle = new_document("beta " * 40, session=session, ordinal=1)
    ids = services.put([new_document("alpha", session=session, ordinal=0), middle,
                        new_document("gamma", session=session, ordinal=2)])  # fmt: skip
    before = Document.objects.get(tenant_id=tenant.id, id=ids[1]).center

    services.drop(Unit.EPISODE, [middle.unit_id])
    again = services.put([middle])

    assert again == [ids[1]]
    assert Document.objects.get(tenant_id=tenant.id, id=ids[1]).center == before


def test_an_ordinal_that_is_taken_is_refused(in_scope, new_document):
    session = uuid4()
    services.put([new_document("alpha", session=session, ordinal=0)])

    with pytest.raises(IntegrityError), transaction.atomic():
        services.put([new_document("beta", session=session, ordinal=0)])


def test_an_ordinal_beyond_a_session_is_invalid(in_scope, new_document):
    with pytest.raises(Invalid):
        services.put([new_document("alpha", session=uuid4(), ordinal=1 << 24)])


def test_statistics_follow_what_is_put_hidden_shown_and_dropped(tenant, in_scope, new_document):
    documents = [new_document("apple pear"), new_document("apple apple"), new_document("plum", hidden=True)]
    services.put(documents)
    statistics.fold()
    assert (statistics.state().documents, df(tenant, "appl"), df(tenant, "pear"), df(tenant, "plum")) == (2, 2, 1, 0)

    services.hide(Unit.ITEM, [documents[0].unit_id])
    assert services.hide(Unit.ITEM, [documents[0].unit_id]) == 0
    statistics.fold()
    assert (statistics.state().documents, df(tenant, "appl"), df(tenant, "pear")) == (1, 1, 0)
    assert statistics.drift() == CLEAN

    services.hide(Unit.ITEM, [document.unit_id for document in documents], hidden=False)
    statistics.fold()
    assert (statistics.state().documents, df(tenant, "appl"), df(tenant, "plum")) == (3, 2, 1)

    services.drop(Unit.ITEM, [documents[1].unit_id])
    statistics.fold()
    assert (statistics.state().documents, df(tenant, "appl")) == (2, 1)
    assert statistics.drift() == CLEAN


def test_statistics_count_superseded_documents(tenant, in_scope, new_document):
    document = new_document("apple")
    services.put([document])

    ended = document.recorded_at
    assert services.set_periods(Unit.ITEM, [services.Period(document.unit_id, None, ended, ended, ended)]) == 1
    statistics.fold()

    assert (statistics.state().documents, df(tenant, "appl")) == (1, 1)
    assert statistics.drift() == CLEAN


def test_dropping_a_hidden_document_counts_nothing(in_scope, new_document):
    document = new_document("apple", hidden=True)
    services.put([document])

    services.drop(Unit.ITEM, [document.unit_id])
    statistics.fold()

    assert statistics.state().documents == 0
    assert statistics.drift() == CLEAN


def test_drift_is_seen_and_recounting_repairs_it(tenant, in_scope, new_document):
    services.put([new_document("apple pear"), new_document("apple")])
    statistics.fold()
    TermStat.objects.filter(tenant_id=tenant.id, lexeme=terms.lexeme_hash("pear")).update(documents=7)
    Posting.objects.filter(tenant_id=tenant.id, lexeme=terms.lexeme_hash("appl")).delete()

    found = statistics.drift()

    assert found == IndexDrift(documents=0, lexemes=1, postings_missing=2, postings_orphaned=0)
    assert statistics.recount() == 2
    assert statistics.drift().lexemes == 0


def test_an_agents_scope_does_not_recount(tenant, agent):
    with scope.tenant_scope(tenant.id, agent_id=agent.id), pytest.raises(scope.NoScope):
        statistics.recount()


def test_dropping_leaves_neither_postings_nor_vectors(tenant, in_scope, new_document):
    document = new_document("apple pear")
    ids = services.put([document])
    services.store_embeddings(ids, unit_vectors(1), MODEL)

    assert services.drop(Unit.ITEM, [document.unit_id]) == 1

    assert not Posting.objects.filter(tenant_id=tenant.id).exists()
    assert not Embedding384.objects.filter(tenant_id=tenant.id).exists()


def test_vectors_of_dropped_documents_are_not_stored(tenant, in_scope, new_document):
    documents = [new_document("apple"), new_document("pear")]
    ids = services.put(documents)
    services.drop(Unit.ITEM, [documents[0].unit_id])

    assert services.store_embeddings(ids, unit_vectors(2), MODEL) == 1

    assert Embedding384.objects.get(tenant_id=tenant.id).document_id == ids[1]


def test_a_dimension_without_a_table_is_invalid(in_scope, new_document):
    ids = services.put([new_document("apple")])

    with pytest.raises(Invalid):
        services.store_embeddings(ids, unit_vectors(1, 1536), MODEL)


def test_replacing_keeps_ids_and_the_vectors_of_unchanged_texts(tenant, in_scope, new_document):
    session = uuid4()
    documents = [
        new_document("apple pie", session=session, ordinal=0),
        new_document("pear", session=session, ordinal=1),
        new_document("plum"),
    ]
    ids = services.put(documents)
    services.store_embeddings(ids, unit_vectors(3), MODEL)
    changed = new_document("cherry", session=session, ordinal=1, unit_id=documents[1].unit_id)

    again = services.replace([documents[0], changed, documents[2]])
    statistics.fold()

    assert again == ids
    assert set(Embedding384.objects.filter(tenant_id=tenant.id).values_list("document_id", flat=True)) == {
        ids[0],
        ids[2],
    }
    assert (df(tenant, "pear"), df(tenant, "cherri"), df(tenant, "plum")) == (0, 1, 1)
    assert statistics.drift() == CLEAN


def test_jobs_embed_and_fold(tenant, new_document, run_jobs):
    with scope.tenant_scope(tenant.id):
        ids = services.put([new_document("apple pie"), new_document("a dog barked")])
        services.enqueue_embedding(ids)

    run_jobs()

    with scope.tenant_scope(tenant.id):
        assert statistics.state().waiting == 0
        assert df(tenant, "appl") == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM index_embedding256 WHERE tenant_id = %s", [tenant.id])
            assert cursor.fetchone() == (2,)


def test_putting_takes_two_statements_whatever_the_number(in_scope, new_document, django_assert_num_queries):
    session = uuid4()
    documents = [new_document(f"turn {n} of a talk", session=session, ordinal=n) for n in range(20)]

    with django_assert_num_queries(2):
        services.put(documents)
