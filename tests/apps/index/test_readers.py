from uuid import uuid4

import pytest

from apps.core import providers, scope
from apps.core.scope import Reach, Scope
from apps.index import embeddings, readers, rebuilding, services
from apps.index.models import Embedding256, Embedding384
from memory_platform.adapters.scripted import ScriptedEmbedder

GERMAN = "Das Backup läuft jede Nacht um halb drei."
ENGLISH = "The backup runs every night at half past two."


@pytest.fixture
def both(monkeypatch):
    own, other = ScriptedEmbedder(dimension=256), ScriptedEmbedder(dimension=384)
    monkeypatch.setattr(providers, "embedder", lambda: own)
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: other)
    return own, other


@pytest.fixture
def within(tenant):
    return Scope(tenant.id, None, Reach.TENANT)


@pytest.fixture
def put(within, new_document):
    """Index texts as the turns of a session, without their vectors."""

    def index(*texts, session=None, first=0):
        session = session or uuid4()
        documents = [new_document(text, session=session, ordinal=first + n) for n, text in enumerate(texts)]
        with scope.enter(within):
            return services.put(documents)

    return index


def read_by(within):
    """The documents that each model has read."""
    with scope.enter(within):
        return tuple(
            sorted(table.objects.filter(tenant_id=within.tenant_id).values_list("document_id", flat=True))
            for table in (Embedding256, Embedding384)
        )


def test_a_document_gets_one_vector_of_the_model_that_reads_its_language(both, put, within):
    english, german = put(ENGLISH, GERMAN)

    assert services.embed([english, german], within=within) == 2
    assert read_by(within) == ([english], [german])
    assert services.embed([english, german], within=within) == 0


def test_a_turn_too_short_to_tell_is_in_the_language_of_the_nearest_that_can(both, put, within):
    ids = put(ENGLISH, "yes, 14 h", *["ok"] * 3, "joa, gestern", GERMAN)

    services.embed(ids, within=within)

    assert read_by(within) == (ids[:4], ids[4:])


def test_what_was_read_before_tells_the_language_of_the_talk_too(both, put, within):
    session = uuid4()
    (told,) = put(GERMAN, session=session)
    services.embed([told], within=within)
    (short,) = put("joa, gestern", session=session, first=1)
    (alone,) = put("joa, gestern")

    services.embed([short, alone], within=within)

    assert read_by(within) == ([alone], [told, short])


def test_rebuilding_asks_the_multilingual_model_for_what_only_the_other_has_read(both, put, within, run_jobs):
    own, other = both
    german, english, mine = put(GERMAN, ENGLISH, ENGLISH)
    with scope.enter(within):
        services.store_embeddings([german, english], own.embed(["a", "b"])[0], own.model)
        services.store_embeddings([mine], other.embed(["c"])[0], other.model)

    assert rebuilding.rebuild(within=within).embedding == 1

    run_jobs()
    assert read_by(within) == ([german, english], [german, mine])


@pytest.fixture
def changed(monkeypatch):
    """What reads now, and what did before the model was changed."""
    own, former = ScriptedEmbedder(dimension=384), ScriptedEmbedder(dimension=256)
    monkeypatch.setattr(providers, "embedder", lambda: former)
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: None)
    yield (
        own,
        former,
        lambda: [
            monkeypatch.setattr(providers, "embedder", lambda: own),
            monkeypatch.setattr(providers, "former_embedder", lambda: former),
        ],
    )
    readers._behind.clear()


def test_the_former_model_answers_until_the_new_one_has_read_everything(changed, put, within):
    own, former, change = changed
    old = put(ENGLISH, GERMAN)
    services.embed(old, within=within)
    assert readers.answering(within=within) is former

    change()
    (new,) = put("The backup now runs at four.")
    services.embed([new], within=within)
    assert readers.answering(within=within) is former
    assert read_by(within) == ([*old, new], [new])

    assert rebuilding.rebuild(within=within).embedding == 2
    services.embed(old, within=within)
    assert readers.answering(within=within) is own
    (last,) = put("At five.")
    services.embed([last], within=within)
    assert read_by(within) == ([*old, new], [*old, new, last])


def test_what_the_former_model_read_goes_once_nobody_asks_it(changed, put, within):
    _, _, change = changed
    old = put(ENGLISH, GERMAN)
    services.embed(old, within=within)
    change()
    with scope.enter(within):
        assert (services.count_retirable(), services.retire_former()) == (0, 0)

    services.embed(old, within=within)

    with scope.enter(within):
        assert (services.count_retirable(), services.retire_former(), services.retire_former()) == (2, 2, 0)
    assert read_by(within) == ([], old)


def test_without_a_multilingual_model_one_reads_everything(both, put, within, monkeypatch):
    monkeypatch.setattr(providers, "multilingual_embedder", lambda: None)
    ids = put(GERMAN, ENGLISH)

    services.embed(ids, within=within)

    assert read_by(within) == (ids, [])
    assert readers.multilingual(within=within) is None


def test_a_question_is_for_the_multilingual_model_where_a_tenant_has_its_vectors(both, put, within, make_tenant):
    english, german = put(ENGLISH, GERMAN)
    services.embed([english], within=within)
    assert readers.multilingual(within=within) is None

    services.embed([german], within=within)

    assert readers.multilingual(within=within) is both[1]
    assert readers.multilingual(within=Scope(make_tenant().id, None, Reach.TENANT)) is None


def test_a_process_asks_once_whether_a_tenant_has_multilingual_vectors(both, within, django_assert_num_queries):
    readers.multilingual(within=within)

    with django_assert_num_queries(0):
        readers.multilingual(within=within)


def test_the_look_for_multilingual_vectors_reads_an_index_of_theirs_only(database, in_scope):
    from django.db import connection  # noqa: PLC0415

    other = providers.multilingual_embedder()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute(
            "EXPLAIN SELECT EXISTS (SELECT FROM index_embedding384 WHERE tenant_id = %s AND model = %s)",
            [in_scope.tenant_id, other.model],
        )
        plan = "\n".join(row[0] for row in cursor.fetchall())

    assert "tenant_id_document_id" in plan, plan
    assert not embeddings.holds(other.model, other.dimension)
