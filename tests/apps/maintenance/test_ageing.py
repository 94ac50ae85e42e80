"""What a night and a week do to memories: each rule, what it spares, and that doing it twice is doing it once."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
import time_machine

from apps.api.flows import forgetting
from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.journal.models import Entry
from apps.memory import services as memory_services
from apps.memory.models import ForgetBatch, Item, ItemLink, ItemSource, ItemUse, ItemVersion
from apps.memory.requests import ItemUses, NewMemory
from apps.memory.services import ageing
from apps.resources import services as resources
from apps.resources.services import NewTurn
from apps.retrieval import services as retrieval
from apps.retrieval.requests import Filter, RecallRequest
from apps.tenants import selectors
from apps.tenants import services as tenants
from apps.tenants.models import Category, Policy
from memory_platform.model import Status, Visibility
from tests.apps.maintenance.conftest import NOW, STALE, ago
from tests.cast import MARA

NOTHING = {
    "revived": 0,
    "expired": 0,
    "pruned": 0,
    "decayed": 0,
    "stale": 0,
    "forgotten": 0,
    "favoured": 0,
    "read": 0,
    "compared": 0,
    "described": 0,
    "inferred": 0,
    "erased": 0,
}


def versions(memory, item_id):
    with scope.enter(memory.worker):
        rows = ItemVersion.objects.filter(item_id=item_id).order_by("id")
        return list(rows.values_list("operation", "reason", "before", "after"))


def test_what_was_never_recalled_for_ninety_days_is_stale(memory):
    unused, young = memory.hold("unused", days=91), memory.hold("young", days=89)
    used, used_long_ago = memory.hold("used", days=200, used=10), memory.hold("used long ago", days=200, used=100)
    confirmed = memory.hold("confirmed", days=200, last_confirmed_at=ago(20), reinforced_at=ago(20))

    assert memory.run() == {**NOTHING, "stale": 2}

    assert memory.status(unused, used_long_ago) == ["stale unrecalled"] * 2
    assert memory.status(young, used, confirmed) == ["active"] * 3
    before, after = {"status": "active", "status_reason": ""}, {"status": "stale", "status_reason": "unrecalled"}
    assert versions(memory, unused) == [("stale", "unrecalled", before, after)]


def test_a_second_run_changes_nothing(memory):
    for days in (0.5, 61, 91, 400):
        memory.hold(f"work of {days}", days=days, category="work")
        memory.hold(f"health of {days}", days=days)
    first = memory.run()

    assert first == {**NOTHING, "expired": 3, "stale": 1, "favoured": 2, "compared": 2}
    assert memory.run() == {**NOTHING, "compared": 2}


def test_a_dry_run_says_what_would_change_and_changes_nothing(memory):
    items = [memory.hold("unused", days=91), memory.hold("work", days=91, category="work"), memory.hold("new")]

    told = memory.run(dry_run=True)

    # Each step is counted by itself: what expires first would be pruned, too.
    assert told == {**NOTHING, "expired": 1, "pruned": 1, "stale": 2, "favoured": 1, "compared": 1}
    assert memory.status(*items) == ["active"] * 3
    with scope.enter(memory.worker):
        assert not ItemUse.objects.exists()
        told = Entry.objects.filter(operation__startswith="maintenance")
        assert list(told.values_list("operation", flat=True)) == ["maintenance.counting"]


def test_what_is_recalled_again_is_active_again(memory):
    again, still = memory.hold("again", days=300, used=1, status=STALE), memory.hold("still", days=100, status=STALE)

    assert memory.run()["revived"] == 1

    assert memory.status(again) == ["active"]
    assert memory.status(still) != ["active"]


def test_what_is_stale_for_half_a_year_is_forgotten_and_can_be_restored(memory):
    with scope.enter(memory.worker):
        tenants.change(Policy.objects.get(tenant_id=memory.tenant_id), {"prune_below": 0.0})
    old, fresh = (memory.hold(f"of {days} days", days=days, category="rare") for days in (400, 265))
    for days in (190, 170):
        with time_machine.travel(ago(days), tick=False):
            assert memory.run()["stale"] == 1

    assert memory.run() == {**NOTHING, "forgotten": 1}

    assert memory.status(old, fresh) == ["deleted forgotten", "stale unrecalled"]
    with scope.enter(memory.worker):
        memory_services.restore(ForgetBatch.objects.get().id)
    assert memory.status(old) == ["stale unrecalled"]


def test_what_was_recalled_while_its_forgetting_waited_stays(memory):
    recalled, other = (memory.hold(text, days=400, used=400, status=STALE) for text in ("recalled", "other"))
    looked = []

    def due(ages):
        """Between finding and forgetting, while it waits for the lock, somebody recalls one."""
        if looked:
            ItemUse.objects.filter(item_id=recalled).update(last_accessed_at=NOW)
        looked.append(ages)
        return ageing.FORGOTTEN.due(ages)

    with scope.enter(memory.worker):
        aged = ageing.forget_due(replace(ageing.FORGOTTEN, due=due), ageing.Ages.at(NOW))

    assert aged.items == 1
    assert memory.status(recalled, other) == ["stale", "deleted forgotten"]


def test_what_is_past_its_ttl_and_unused_leaves_the_default_read(memory):
    work, used = memory.hold("work", days=91, category="work"), memory.hold("used", days=91, used=5, category="work")
    hobby, confirmed = (
        memory.hold("hobby", days=61, category="hobbies"),
        memory.hold("confirmed", days=91, last_confirmed_at=ago(30), reinforced_at=ago(30), category="work"),
    )

    assert memory.run()["expired"] == 2

    assert memory.status(work, hobby) == ["archived expired"] * 2
    assert memory.status(used, confirmed) == ["active"] * 2


def test_what_is_archived_answers_who_asks_for_it_or_for_the_past_and_comes_back_when_it_is_confirmed(memory):
    text, agent = "Mara rows on the Elbe.", Scope(memory.tenant_id, memory.agent_id, Reach.OWN)
    turn = NewTurn(session_id="monday", user_input=text, agent_id=memory.agent_id)
    with time_machine.travel(ago(91), tick=False):
        item_id = memory_services.remember(NewMemory(text=text, category="work"), within=agent).item.id
        with scope.enter(agent):
            (resource_id, *_) = resources.capture(turn).resource_ids
            ItemSource.objects.create(
                tenant_id=memory.tenant_id, agent_id=memory.agent_id, item_id=item_id, resource_id=resource_id
            )

    def found(**options: object) -> set[UUID]:
        request = RecallRequest(query="Where does Mara row?", **options)
        return {hit.id for hit in retrieval.recall(request, within=agent).hits}

    assert item_id in found()
    with scope.enter(memory.worker):
        ItemUse.objects.filter(item_id=item_id).delete()

    assert memory.run()["expired"] == 1

    assert found() == {resource_id}, "What was said stays."
    assert found(filter=Filter(statuses=(Status.ARCHIVED,))) == {item_id}
    assert item_id in found(as_of=ago(90))
    with scope.enter(memory.worker):
        memory_services.confirm(item_id)
    assert item_id in found()


def test_what_is_archived_is_forgotten_by_a_query_that_finds_it(memory):
    agent = Scope(memory.tenant_id, memory.agent_id, Reach.OWN)
    with time_machine.travel(ago(91), tick=False):
        item_id = memory_services.remember(
            NewMemory(text="Mara rows on the Elbe.", category="work"), within=agent
        ).item.id
    memory.run()

    asked = forgetting.surely("Where does Mara row?", filter=Filter(), limit=10, within=agent, domain="")

    assert asked.item_ids == (item_id,)


def test_what_is_worth_next_to_nothing_is_pruned_once_its_time_to_live_is_over(memory):
    """Of a base of 0.9, 0.023 are left after 91 days, and 0.06 after 60."""
    faded, stronger = memory.hold("faded", days=400, used=95), memory.hold("stronger", days=400, used=50)
    promised = memory.hold("promised", days=360, used=95)
    operational = memory.hold("operational", days=60, category="timing")

    assert memory.run()["pruned"] == 1

    assert memory.status(faded) == ["archived pruned"]
    assert memory.status(stronger, promised, operational) == ["active", "stale unrecalled", "active"]


def test_what_was_imported_from_long_ago_has_its_time_first(memory):
    """A conversation of last year that came in a week ago: nobody could recall it before."""
    imported = memory.hold("imported", days=7, recorded_at=ago(400), reinforced_at=ago(400), category="work")

    assert memory.run() == NOTHING
    assert memory.status(imported) == ["active"]


def test_what_a_person_vouched_for_does_not_age(memory):
    vouched = [
        memory.hold("work", days=400, category="work", protected=True),
        memory.hold("stale", days=400, status=STALE, protected=True),
        memory.hold("timing", days=400, category="timing", protected=True),
    ]

    assert memory.run() == NOTHING
    assert memory.status(*vouched) == ["active", "stale", "active"]


def test_what_waits_for_review_waits(memory):
    held = memory.hold("held", days=400, category="work", verdict="hold")

    assert memory.run() == NOTHING
    assert memory.status(held) == ["active"]


def test_operational_memories_decay_by_the_week(memory):
    """0.7 is 0.3 after 30 days of grace and four weeks: a day later it is below."""
    decayed, not_yet = (
        memory.hold("decayed", days=59, category="timing", confidence=0.7),
        memory.hold("not yet", days=57, category="timing", confidence=0.7),
    )
    knowledge = memory.hold("knowledge", days=59, confidence=0.7)

    assert memory.run() == {**NOTHING, "decayed": 1}

    assert memory.status(decayed, not_yet, knowledge) == ["archived decayed", "active", "active"]
    assert memory.run() == NOTHING


def test_to_be_recalled_keeps_no_operational_memory_from_decaying(memory):
    asked, other = memory.hold("asked", days=40, category="timing"), memory.hold("other", days=40)
    with scope.enter(memory.worker):
        memory_services.count_uses(
            [ItemUses(each, recalled=1, accessed=1, last_accessed_at=NOW) for each in (asked, other)]
        )
        restarted = dict(Item.objects.filter(id__in=[asked, other]).values_list("id", "reinforced_at"))

    assert restarted == {asked: ago(40), other: NOW}


def test_a_decayed_memory_is_in_use_again_once_an_operator_confirms_it(memory):
    decayed = memory.hold("decayed", days=59, category="timing", confidence=0.7)
    memory.run()

    with scope.enter(memory.worker):
        memory_services.confirm(decayed)

    assert memory.status(decayed) == ["active"]
    assert memory.run()["decayed"] == 0


def test_the_numbers_are_the_tenants(memory):
    item = memory.hold("work", days=31, category="work")
    with scope.enter(memory.worker):
        tenants.edit_category(Category.objects.get(tenant_id=memory.tenant_id, slug="work"), {"ttl_days": 30})

    assert memory.run()["expired"] == 1
    assert memory.status(item) == ["archived expired"]


def test_a_number_that_another_process_changed_holds_for_the_run_begun_next(memory):
    item = memory.hold("work", days=31, category="work")
    with scope.enter(memory.worker):
        assert selectors.category_rules(memory.tenant_id)
        Category.objects.filter(tenant_id=memory.tenant_id, slug="work").update(ttl_days=30)

    assert memory.run()["expired"] == 1
    assert memory.status(item) == ["archived expired"]


def test_what_is_new_gains_priority_once(memory):
    new, recalled = memory.hold("new", days=0.5), memory.hold("recalled", days=0.5, used=0.1)
    old = memory.hold("old", days=3)

    assert memory.run()["favoured"] == 2
    assert memory.run()["favoured"] == 0

    with scope.enter(memory.worker):
        priorities = dict(ItemUse.objects.values_list("item_id", "retrieval_priority"))
    assert priorities == {new: 0.1, recalled: 0.1}
    assert old not in priorities


def test_a_night_later_what_gained_priority_does_not_gain_again(memory):
    item = memory.hold("new", days=0.5)
    memory.run()
    with time_machine.travel(NOW.replace(day=3), tick=False):
        memory.run()

    with scope.enter(memory.worker):
        assert ItemUse.objects.get(item_id=item).retrieval_priority == 0.1


def test_the_days_without_a_run_are_the_next_ones(memory):
    memory.run()
    missed = memory.hold("said after the run")
    with time_machine.travel(NOW + timedelta(days=5), tick=False):
        counted = memory.run(dry_run=True)
        assert (counted["favoured"], counted["compared"]) == (1, 1)
        assert memory.run()["favoured"] == 1
    with time_machine.travel(NOW + timedelta(days=7), tick=False):
        assert memory.run()["compared"] == 0

    with scope.enter(memory.worker):
        assert ItemUse.objects.get(item_id=missed).favoured


def test_nothing_ages_while_the_tenant_is_suspended(memory):
    work = memory.hold("work", days=91, category="work")
    with scope.enter(memory.worker):
        tenants.set_suspended(suspended=True)

    assert memory.run() == {"suspended": 1}
    assert memory.status(work) == ["active"]

    with scope.enter(memory.worker):
        assert not Entry.objects.filter(operation="maintenance.nightly").exists()
        tenants.set_suspended(suspended=False)
    assert memory.run()["expired"] == 1


@pytest.mark.parametrize("rows_at_once", [1, 2, 3])
def test_batches_leave_nothing_out(memory, rows_at_once, monkeypatch):
    monkeypatch.setattr("apps.memory.services.ageing.ITEMS_AT_ONCE", rows_at_once)
    items = [memory.hold(f"item {number}", days=91 + number, category="work") for number in range(6)]

    assert memory.run()["expired"] == 6
    assert memory.status(*items) == ["archived expired"] * 6


def test_each_audience_counts_its_own_changes(memory):
    own, users, shared = (
        memory.hold("own", days=91, category="work"),
        memory.hold("user's", days=91, category="work", user_id=MARA.user_id),
        memory.hold("shared", days=91, category="work", visibility=Visibility.SHARED.value),
    )

    assert memory.run()["expired"] == 3
    with scope.enter(memory.worker):
        numbers = dict(Item.objects.values_list("id", "change_number"))
    assert numbers == {own: 1, users: 1, shared: 1}


def test_a_run_writes_one_journal_entry_with_its_counts(memory):
    memory.hold("work", days=91, category="work")
    memory.run()

    with scope.enter(memory.worker):
        (entry,) = Entry.objects.filter(operation="maintenance.nightly")
    assert entry.data == {**NOTHING, "expired": 1, "items.archived": 1, "category.work": 1, "pairs.merged": 0}


def test_each_night_tells_the_pairs_merged_since_the_night_before(memory):
    merged(memory, days=1.5)
    with time_machine.travel(ago(1), tick=False):
        memory.run()
    today, taken_back = (merged(memory, days=days) for days in (0.5, 0.4))
    with scope.enter(memory.worker):
        ItemLink.objects.filter(id=taken_back).update(closed_at=NOW)
    memory.run()

    with scope.enter(memory.worker):
        entries = Entry.objects.filter(operation="maintenance.nightly").order_by("at")
        assert [entry.data["pairs.merged"] for entry in entries] == [1, 1]
        assert ItemLink.objects.get(id=today).closed_at is None


def merged(memory, *, days):
    """A pair that became one so many days ago; the link that says so."""
    kept, gone = (memory.hold(f"{text} {days}", days=days) for text in ("kept", "gone"))
    with scope.enter(memory.worker), time_machine.travel(ago(days), tick=False):
        return ItemLink.objects.create(
            tenant_id=memory.tenant_id,
            agent_id=memory.agent_id,
            from_item_id=gone,
            to_item_id=kept,
            kind=ItemLink.Kind.MERGED_INTO,
        ).id
