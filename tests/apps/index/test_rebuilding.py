from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.index import rebuilding, services, statistics
from apps.index.models import Document, Embedding256, Posting
from tests.apps.index.conftest import unit_vectors

MODEL = "wordllama-l2-supercat-256"


@pytest.fixture
def damaged(tenant, new_document):
    """Two turns and an item, embedded but for the item; a posting too few, and a center that is off."""
    session = uuid4()
    documents = [
        new_document("apple pie", session=session, ordinal=0),
        new_document("pear tart", session=session, ordinal=1, hidden=True),
        new_document("plum"),
    ]
    with scope.tenant_scope(tenant.id):
        ids = services.put(documents)
        services.store_embeddings(ids[:2], unit_vectors(2, 256), MODEL)
        Posting.objects.filter(tenant_id=tenant.id, document_id=ids[2]).delete()
        Document.objects.filter(tenant_id=tenant.id, id=ids[0]).update(center=99.0)
    return ids


def test_rebuilding_restores_postings_and_statistics_under_the_same_ids(tenant, damaged):
    rebuilt = rebuilding.rebuild(within=Scope(tenant.id, None, Reach.TENANT))

    assert rebuilt.documents == 3
    assert rebuilt.drift.postings_missing == 1
    assert rebuilt.embedding == 1
    with scope.tenant_scope(tenant.id):
        assert statistics.drift().is_zero
        assert statistics.state().documents == 2
        rows = Document.objects.filter(tenant_id=tenant.id).order_by("id")
        assert [(row.id, row.center, row.hidden) for row in rows] == [
            (damaged[2], 0.0, False),
            (damaged[0], 0.5, False),
            (damaged[1], 1.5, True),
        ]
        assert Embedding256.objects.filter(tenant_id=tenant.id).count() == 2


def test_the_command_tells_drift_and_rebuilds(tenant, damaged):
    said = StringIO()
    with pytest.raises(CommandError):
        call_command("rebuild_index", tenant=tenant.slug, check=True, stdout=said)
    assert "postings_missing=1" in said.getvalue()

    call_command("rebuild_index", tenant=tenant.slug, stdout=said)

    call_command("rebuild_index", tenant=tenant.slug, check=True, stdout=said)


def test_an_unknown_tenant_is_an_error(database):
    with pytest.raises(CommandError):
        call_command("rebuild_index", tenant="nobody")
