"""What lay archived or forgotten for half a year is packed away: out of the index, and found by whoever asks for it."""

from dataclasses import replace

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from apps.api.flows import listing
from apps.core import scope
from apps.core.paging import PageRequest
from apps.core.scope import Reach, Scope
from apps.graph import units
from apps.index.models import Document
from apps.jobs import services as jobs
from apps.journal.models import Entry
from apps.memory import cold, selectors
from apps.memory import services as memory_services
from apps.memory.models import ColdItem, ForgetBatch, Item, ItemSource, ItemVersion
from apps.memory.requests import ForgetRequest, ItemFilter, ItemOrder, NewMemory
from apps.memory.results import WriteOutcome
from apps.memory.services import packing
from apps.memory.services.ageing import Ages
from apps.resources import services as resources
from apps.resources.services import NewTurn
from apps.retrieval.requests import Filter
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from memory_platform.model import Status, Verdict, Whose
from tests.apps.maintenance.conftest import NOW, ago
from tests.cast import ADAM, MARA

ARCHIVED = {"status": "archived", "status_reason": "expired"}
TEXT = "We deploy on Thursdays."


def row(memory, item_id):
    with scope.enter(memory.worker):
        return Item.objects.get(id=item_id)


def read(memory, item_id):
    with scope.enter(memory.worker):
        return selectors.item(item_id)


def die_while_packing(memory):
    """The process dies with its transaction open."""
    with scope.enter(memory.worker):
        assert packing.pack(Ages.at(NOW)).items == 2
        raise ZeroDivisionError


def pack_and_read(memory, text=TEXT, **fields):
    item_id = memory.hold(text, days=200, **{**ARCHIVED, **fields})
    assert memory.run("monthly")["packed"] == 1
    return item_id


def test_what_lay_archived_for_half_a_year_is_packed_away_and_read_as_before(memory):
    item_id = memory.hold(TEXT, days=200, lead_in="Mara", **ARCHIVED)
    before = read(memory, item_id)

    assert memory.run("monthly", dry_run=True)["packed"] == 1
    assert memory.run("monthly")["packed"] == 1

    packed = row(memory, item_id)
    assert (packed.text, packed.lead_in, packed.cold_at, packed.status) == ("", "", NOW, "archived")
    assert read(memory, item_id) == replace(before, version=before.version + 1)
    with scope.enter(memory.worker):
        (version,) = ItemVersion.objects.filter(item_id=item_id)
        (entry,) = Entry.objects.filter(operation="memory.packed")
        (unit,) = units.items(memory.tenant_id, [item_id])
    assert (version.operation, version.reason) == ("packed", "untouched")
    assert entry.data == {"items": 1}
    assert unit.text == TEXT


@pytest.mark.parametrize(
    ("days", "fields"),
    [
        (179, ARCHIVED),
        (200, {"status": "active"}),
        (200, {"status": "stale"}),
        (200, {"status": "superseded"}),
        (200, {**ARCHIVED, "status_reason": "merged"}),
        (200, {**ARCHIVED, "last_confirmed_at": ago(100)}),
        (200, {**ARCHIVED, "used": 100}),
    ],
)
def test_what_is_in_use_or_was_lately_stays(memory, days, fields):
    memory.hold(TEXT, days=days, **fields)

    assert memory.run("monthly")["packed"] == 0


def test_what_was_archived_lately_stays_however_old_it_is(memory):
    item_id = memory.hold(TEXT, days=400, category="work")
    memory.run()

    assert memory.status(item_id) == ["archived expired"]
    assert memory.run("monthly")["packed"] == 0


def test_running_it_twice_packs_once(memory):
    pack_and_read(memory)

    assert memory.run("monthly")["packed"] == 0
    with scope.enter(memory.worker):
        assert ColdItem.objects.count() == 1


def test_a_run_that_dies_goes_on_behind_what_it_packed(memory, monkeypatch):
    monkeypatch.setattr(packing, "PACKED_AT_ONCE", 2)
    items = [memory.hold(f"{TEXT} {number}", days=200 + number, **ARCHIVED) for number in range(5)]
    with scope.enter(memory.worker):
        assert packing.pack(Ages.at(NOW)).items == 2
    with pytest.raises(ZeroDivisionError):
        die_while_packing(memory)

    assert memory.run("monthly")["packed"] == 3
    assert [read(memory, each).text for each in items] == [f"{TEXT} {number}" for number in range(5)]


def test_it_leaves_the_index_and_comes_back_with_a_confirmation(memory):
    agent = Scope(memory.tenant_id, memory.agent_id, Reach.OWN)
    with time_machine.travel(ago(200), tick=False):
        item_id = memory_services.remember(NewMemory(text=TEXT), within=agent).item.id
    with scope.enter(memory.worker):
        Item.objects.filter(id=item_id).update(**ARCHIVED)
        assert Document.objects.filter(unit_id=item_id).exists()
        packing.pack(Ages.at(NOW))
        assert not Document.objects.filter(unit_id=item_id).exists()
        memory_services.confirm(item_id)
        assert Document.objects.get(unit_id=item_id).text == TEXT
        assert not ColdItem.objects.exists()

    restored = row(memory, item_id)
    assert (restored.text, restored.cold_at, restored.status) == (TEXT, None, "active")


def test_what_was_forgotten_is_packed_away_and_can_still_be_restored(memory):
    turn = NewTurn(session_id="monday", user_input=TEXT, agent_id=memory.agent_id)
    item_id = memory.hold(TEXT, days=400)
    with scope.enter(memory.worker):
        (resource_id, *_) = resources.capture(turn).resource_ids
        ItemSource.objects.create(
            tenant_id=memory.tenant_id, agent_id=memory.agent_id, item_id=item_id, resource_id=resource_id, quote=TEXT
        )
        with time_machine.travel(ago(181), tick=False):
            memory_services.forget(ForgetRequest(item_ids=(item_id,)))
    assert memory.run("monthly")["packed"] == 1
    with scope.enter(memory.worker):
        assert ItemSource.objects.get(item_id=item_id).quote == ""
        (source,) = selectors.item(item_id).sources
        assert source.quote == TEXT
        restored = memory_services.restore(ForgetBatch.objects.get().id)
        assert ItemSource.objects.get(item_id=item_id).quote == TEXT

    assert [each.text for each in restored.items] == [TEXT]
    assert (row(memory, item_id).text, row(memory, item_id).status) == (TEXT, "active")


def test_it_is_listed_and_read_as_of_a_day_when_it_held(memory):
    item_id = pack_and_read(memory)

    with scope.enter(memory.worker):
        wanted = ItemFilter(statuses=(Status.ARCHIVED,), verdicts=(Verdict.ALLOW,), as_of=ago(150))
        assert [each.text for each in selectors.items(filter=wanted, page=PageRequest(10)).rows] == [TEXT]
        before = ItemFilter(statuses=(Status.ARCHIVED,), as_of=ago(250))
        assert not selectors.items(filter=before, page=PageRequest(10)).rows
        assert selectors.explain(item_id).item.text == TEXT


def test_by_its_id_and_as_of_a_day_it_is_found_without_a_message_to_rest_on(memory):
    item_id = pack_and_read(memory)

    with scope.enter(memory.worker):
        found = listing.items(wanted=Filter(), order=ItemOrder.NEWEST, page=PageRequest(10), as_of=ago(150))
        by_id = selectors.item(item_id)

    assert [(each.id, each.text) for each in found.rows] == [(item_id, TEXT)]
    assert (by_id.text, by_id.sources) == (TEXT, ())


def test_saying_it_again_is_decided_as_if_it_were_not_packed(memory):
    agent = Scope(memory.tenant_id, memory.agent_id, Reach.OWN)
    with time_machine.travel(ago(200), tick=False):
        first = memory_services.remember(NewMemory(text=TEXT), within=agent).item
        other = memory_services.remember(NewMemory(text="The bakery opens at seven."), within=agent).item
    with scope.enter(memory.worker):
        Item.objects.filter(id__in=(first.id, other.id)).update(**ARCHIVED)
    warm = memory_services.remember(NewMemory(text=TEXT), within=agent)
    with scope.enter(memory.worker):
        assert packing.pack(Ages.at(NOW)).items >= 1

    packed = memory_services.remember(NewMemory(text=other.text), within=agent)

    # What expired is over: who says it again starts anew.
    assert [each.outcome for each in (warm, packed)] == [WriteOutcome.STORED] * 2
    assert {warm.item.id, packed.item.id}.isdisjoint({first.id, other.id})


def test_another_users_and_agents_words_stay_theirs(memory):
    item_id = pack_and_read(memory, user_id=MARA.user_id)

    for user, seen in ((MARA.user_id, 1), (ADAM.user_id, 0), (None, 0)):
        with scope.enter(Scope(memory.tenant_id, memory.agent_id, Reach.OWN, Whose(user))):
            assert len(cold.words([item_id])) == seen
            assert ColdItem.objects.count() == seen


def test_a_rebuilt_index_leaves_it_out(memory):
    item_id = pack_and_read(memory)

    memory_services.rebuild_items(within=memory.worker)

    with scope.enter(memory.worker):
        assert not Document.objects.filter(unit_id=item_id).exists()


def test_forgetting_what_is_packed_away_names_it(memory):
    item_id = pack_and_read(memory)

    with scope.enter(memory.worker):
        gone = memory_services.forget(ForgetRequest(item_ids=(item_id,)))
    jobs.drain("test", tenant_id=memory.tenant_id)

    assert [each.text for each in gone.items] == [TEXT]
    assert memory.status(item_id) == ["deleted forgotten"]


def test_the_number_is_the_tenants(memory):
    memory.hold(TEXT, days=31, **ARCHIVED)
    with scope.enter(memory.worker):
        tenant_services.change(tenants.policy(memory.tenant_id), {"cold_after_days": 30})

    assert memory.run("monthly")["packed"] == 1


@given(st.text(), st.text(), st.dictionaries(st.uuids(), st.text()))
def test_what_is_packed_is_unpacked_as_it_was(text, lead_in, quotes):
    held = cold.ItemWords(text, lead_in, quotes)

    assert cold.unpacked(cold.packed(held)) == held
