"""Each week what archived memories have in common becomes an insight, once, for whom they were."""

import json

import numpy as np
import pytest
import time_machine

from apps.core import providers, scope
from apps.core.paging import PageRequest
from apps.core.scope import Reach, Scope
from apps.index.models import Document
from apps.jobs import services as jobs
from apps.journal.models import Entry
from apps.memory import selectors
from apps.memory import services as memory_services
from apps.memory.documents import CONDENSED
from apps.memory.models import Item, ItemLink, ItemSource, ItemVersion
from apps.memory.requests import ForgetRequest, ItemFilter
from apps.memory.services import condensing
from apps.resources import services as resources
from apps.resources.services import NewTurn
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_summaries import OpenAiSummariser
from memory_platform.model import Kind, Visibility, Whose
from tests import fake_openai
from tests.apps.maintenance.conftest import NOW, ago
from tests.cast import ADAM, EVE, MARA
from tests.fake_openai import Reply

ARCHIVED = {"status": "archived", "status_reason": "expired"}
DEPLOY = {"subject": "we", "attribute": "deploy day", "category": "work", **ARCHIVED}
TOLD = "3 times from 2031-04-03 to 2031-05-03: we: deploy day Friday; Thursday"


def hold_three(memory, **fields):
    return [
        memory.hold(f"We deploy on {value}s.", days=days, value=value, **{**DEPLOY, **fields})
        for days, value in ((60, "Thursday"), (45, "Thursday"), (30, "Friday"))
    ]


def insights(memory):
    with scope.enter(memory.worker):
        return list(Item.objects.filter(kind="insight").order_by("id"))


def test_archived_memories_of_one_state_become_one_insight(memory):
    items = hold_three(memory)

    assert memory.run("weekly", dry_run=True)["condensed"] == 1
    assert memory.run("weekly")["condensed"] == 1

    (insight,) = insights(memory)
    assert (insight.text, insight.category, insight.strength, insight.status) == (TOLD, "work", "inferred", "active")
    assert (insight.recorded_at, insight.valid_from) == (NOW, ago(60))
    with scope.enter(memory.worker):
        assert condensing.condensed_by([insight.id]) == items
        (version,) = ItemVersion.objects.filter(item_id=insight.id)
        (entry,) = Entry.objects.filter(operation="memory.condensed")
    assert (version.operation, version.reason) == (CONDENSED, "rules:1")
    assert entry.data == {"memories": 3, "writer": "rules:1"}
    assert memory.status(*items) == ["archived expired"] * 3


def test_running_it_twice_writes_none_twice(memory):
    hold_three(memory)
    memory.run("weekly")

    assert memory.run("weekly")["condensed"] == 0
    assert len(insights(memory)) == 1


def test_what_is_archived_later_is_told_by_an_insight_of_its_own(memory):
    hold_three(memory)
    memory.run("weekly")
    hold_three(memory)

    assert memory.run("weekly")["condensed"] == 1
    assert len(insights(memory)) == 2


def test_a_run_that_dies_between_two_insights_writes_the_other_one(memory, monkeypatch):
    hold_three(memory)
    hold_three(memory, attribute="release day")
    store, stored = condensing._store, []

    def dying(cluster, draft):
        if stored:
            raise MemoryError
        stored.append(cluster)
        return store(cluster, draft)

    monkeypatch.setattr(condensing, "_store", dying)
    with pytest.raises(MemoryError):
        sum(memory_services.condense(within=memory.worker))
    assert len(insights(memory)) == 1
    monkeypatch.undo()

    with time_machine.travel(NOW, tick=False):
        assert sum(memory_services.condense(within=memory.worker)) == 1
    assert len({each.text for each in insights(memory)}) == 2


def test_nobody_is_told_what_others_said(memory):
    hold_three(memory, user_id=MARA.user_id)
    hold_three(memory, user_id=ADAM.user_id)
    hold_three(memory, visibility=Visibility.SHARED.value)
    two = hold_three(memory)[:2]
    with scope.enter(memory.worker):
        Item.objects.filter(id=two[0]).update(user_id=EVE.user_id)

    assert memory.run("weekly")["condensed"] == 3

    assert {(each.user_id, each.visibility) for each in insights(memory)} == {
        (MARA.user_id, "private"),
        (ADAM.user_id, "private"),
        (None, "shared"),
    }
    with scope.enter(Scope(memory.tenant_id, memory.agent_id, Reach.OWN, Whose(MARA.user_id))):
        assert {each.user_id for each in Item.objects.filter(kind="insight", visibility="private")} == {MARA.user_id}


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "active", "status_reason": ""},
        {"status_reason": "merged"},
        {"verdict": "hold"},
        {"mood": "question"},
        {"retracted_at": NOW},
        {"verdict_reason": CONDENSED},
    ],
)
def test_only_what_was_held_and_archived_is_told_of(memory, fields):
    hold_three(memory, **fields)

    assert memory.run("weekly")["condensed"] == 0


def test_what_was_denied_is_told_with_its_not(memory, monkeypatch):
    near = np.array([1.0, 0.0], dtype=np.float32)
    monkeypatch.setattr(condensing.embeddings, "vectors_of", lambda _, ids, **__: dict.fromkeys(ids, near))
    for days in (60, 45, 30):
        memory.hold("We do not deploy on Friday.", days=days, value="Friday", is_negated=True, **DEPLOY)

    memory.run("weekly")

    (insight,) = insights(memory)
    assert insight.text == "3 times from 2031-04-03 to 2031-05-03: We do not deploy on Friday"


def test_an_insight_has_the_sources_of_what_it_tells_and_is_found(memory):
    turn = NewTurn(session_id="monday", user_input="We deploy on Thursdays.", agent_id=memory.agent_id)
    with scope.enter(memory.worker):
        (resource_id, *_) = resources.capture(turn).resource_ids
    items = hold_three(memory)
    with scope.enter(memory.worker):
        for item_id in items:
            ItemSource.objects.create(
                tenant_id=memory.tenant_id,
                agent_id=memory.agent_id,
                item_id=item_id,
                resource_id=resource_id,
                quote="We deploy on Thursdays.",
            )

    memory.run("weekly")

    (insight,) = insights(memory)
    with scope.enter(memory.worker):
        view = selectors.item(insight.id)
        listed = selectors.items(filter=ItemFilter(kinds=(Kind.INSIGHT,)), page=PageRequest(10)).rows
        assert not Document.objects.get(unit_id=insight.id).hidden
    assert [(source.resource_id, source.quote) for source in view.sources] == [(resource_id, "We deploy on Thursdays.")]
    assert [each.id for each in listed] == [insight.id]


def test_forgetting_one_of_the_memories_forgets_what_tells_of_it_and_restoring_gives_both_back(memory):
    items = hold_three(memory)
    memory.run("weekly")
    (insight,) = insights(memory)

    with scope.enter(memory.worker):
        gone = memory_services.forget(ForgetRequest(item_ids=(items[0],)))
    assert {each.id for each in gone.items} == {items[0], insight.id}
    assert memory.status(insight.id, *items) == ["deleted forgotten", "deleted forgotten", *["archived expired"] * 2]
    assert memory.run("weekly")["condensed"] == 0

    with scope.enter(memory.worker):
        memory_services.restore(gone.batch_id)
    assert memory.status(insight.id, items[0]) == ["active", "archived expired"]


def test_forgetting_an_insight_leaves_its_memories_unless_its_subject_is_to_go(memory):
    items = hold_three(memory)
    memory.run("weekly")
    (insight,) = insights(memory)
    with scope.enter(memory.worker):
        gone = memory_services.forget(ForgetRequest(item_ids=(insight.id,)))
        memory_services.restore(gone.batch_id)
    assert [each.id for each in gone.items] == [insight.id]

    with scope.enter(memory.worker):
        gone = memory_services.forget(ForgetRequest(item_ids=(insight.id,), by_query=True))
    assert {each.id for each in gone.items} == {insight.id, *items}


def test_no_claim_is_merged_with_an_insight(memory):
    hold_three(memory)
    memory.run("weekly")
    with scope.enter(memory.worker):
        (job_id,) = [
            jobs.enqueue("memory.dedup", {"items": [str(each.id) for each in insights(memory)]}),
        ]
    jobs.drain("test", tenant_id=memory.tenant_id)

    assert memory.outcome(job_id) == {"compared": 0}
    with scope.enter(memory.worker):
        assert not ItemLink.objects.exclude(kind=ItemLink.Kind.CONDENSES).exists()


def test_an_insight_can_be_corrected(memory):
    hold_three(memory)
    memory.run("weekly")
    (insight,) = insights(memory)

    written = memory_services.correct(
        insight.id, "We deploy whenever we like.", within=Scope(memory.tenant_id, memory.agent_id, Reach.OWN)
    )

    assert (written.supersedes.id, written.item.text) == (insight.id, "We deploy whenever we like.")


def test_the_numbers_are_the_tenants(memory):
    hold_three(memory)
    with scope.enter(memory.worker):
        tenant_services.change(tenants.policy(memory.tenant_id), {"insight_least": 4})

    assert memory.run("weekly")["condensed"] == 0


@pytest.fixture
def model(monkeypatch):
    with fake_openai.running() as fake:
        summariser = OpenAiSummariser(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))
        monkeypatch.setattr(providers, "summariser", lambda: summariser)
        yield fake


def answer(text):
    lines = [{"text": text, "memories": [1, 2, 3]}]
    return Reply(content=json.dumps({"sections": [{"heading": "", "lines": lines}]}))


def test_a_models_words_stand_when_the_memories_say_them(memory, model):
    hold_three(memory)
    model.script(answer("We deploy on Thursdays or Fridays."))

    memory.run("weekly")

    assert [each.text for each in insights(memory)] == ["We deploy on Thursdays or Fridays."]


def test_a_model_that_adds_a_name_is_not_believed(memory, model):
    hold_three(memory)
    model.script(answer("Mara deploys on Thursdays."))

    memory.run("weekly")

    (insight,) = insights(memory)
    with scope.enter(memory.worker):
        assert ItemVersion.objects.get(item_id=insight.id).reason == "rules:1 unsupported"
    assert insight.text == TOLD
