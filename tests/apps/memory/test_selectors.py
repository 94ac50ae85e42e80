import math
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core import paging, scope
from apps.core.clock import now
from apps.core.paging import PageRequest, Slice
from apps.memory import selectors, services
from apps.memory.models import Item
from apps.memory.requests import ForgetRequest, ItemFilter, ItemOrder, ItemUses
from apps.memory.results import ItemView
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.model import Kind, Priority, Status, Strength, Verdict
from tests.apps.memory.conftest import SAME, START, UPDATE, fact, held
from tests.cast import ADAM, MARA

SIEMENS, CELLO, TEA = "Anna works at Siemens.", "Anna plays the cello.", "Anna may like green tea."
GREEN, BLUE, RED = (f"Anna's favourite colour is {colour}." for colour in ("green", "blue", "red"))
ENGINEER, REWORDED = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens."


def listed(world, page=None, order=ItemOrder.NEWEST, **filters) -> list[str]:
    with scope.enter(world.agent):
        found = selectors.items(filter=ItemFilter(**filters), order=order, page=page or PageRequest())
    return [item.text for item in found.rows]


def age(world, text: str, days: float, **fields: object) -> None:
    with scope.enter(world.worker):
        rows = Item.objects.filter(tenant_id=world.tenant_id, text=text)
        rows.update(reinforced_at=now() - timedelta(days=days), **fields)


def weak(world, page: PageRequest) -> Slice[ItemView]:
    with scope.enter(world.agent):
        return selectors.weak(page=page)


def test_items_are_filtered_by_everything_the_filter_names(world):
    world.learn(
        "a", fact(SIEMENS, category="work", service="hr", entities=("Siemens",)), user=MARA.user_id, session="s1"
    )
    world.learn("b", fact(CELLO, kind=Kind.PREFERENCE, category="hobbies"), user=ADAM.user_id, session="s2", day=3)
    world.learn("c", held(TEA), user=ADAM.user_id, session="s2", day=4)

    assert listed(world) == [CELLO, SIEMENS]
    assert listed(world, order=ItemOrder.OLDEST) == [SIEMENS, CELLO]
    assert listed(world, categories=("work",)) == [SIEMENS]
    assert listed(world, categories=()) == []
    assert listed(world, kinds=(Kind.PREFERENCE,)) == [CELLO]
    assert listed(world, services=("hr",)) == [SIEMENS]
    assert listed(world, session_id="s1") == [SIEMENS]
    assert listed(world, entity="Siemens") == [SIEMENS]
    assert listed(world, verdicts=(Verdict.HOLD,)) == [TEA]
    assert listed(world, after=START + timedelta(days=1)) == [CELLO]
    assert listed(world, before=START + timedelta(days=1)) == [SIEMENS]
    assert listed(world, statuses=(Status.DELETED,)) == []


def test_what_was_surely_worth_keeping_weighs_more_but_rules_come_first(world):
    world.learn("a", fact(SIEMENS, priority=Priority.HIGH))
    world.learn("b", fact(CELLO, priority=Priority.LOW), day=3)
    world.learn("c", fact(GREEN, priority=Priority.MEDIUM), day=3)
    world.learn("d", fact("Never ring Anna before ten.", kind=Kind.RULE, priority=Priority.LOW))

    assert listed(world, order=ItemOrder.WEIGHTIEST) == ["Never ring Anna before ten.", SIEMENS, GREEN, CELLO]


def test_pages_neither_skip_nor_repeat(world):
    told = [
        "Anna plays the cello.",
        "Bob works at Siemens.",
        "Carol lives in Oslo.",
        "Dave reads Homer.",
        "Erin keeps bees.",
    ]
    for text in told:
        world.learn(text)

    with scope.enter(world.agent):
        first = selectors.items(filter=ItemFilter(), page=PageRequest(first=2))
        second = selectors.items(filter=ItemFilter(), page=PageRequest(first=4, after=first.end_cursor))
    texts = [item.text for item in (*first.rows, *second.rows)]
    assert texts == told[::-1]
    assert (first.has_next, second.has_next) == (True, False)


@pytest.mark.parametrize("order", [ItemOrder.WEIGHTIEST, ItemOrder.MOST_USED])
def test_pages_begin_with_what_leads_and_go_on_with_the_others(world, order):
    leading = [f"Never ring {name} before ten." for name in ("Anna", "Bob", "Carol")]
    others = ["Dave reads Homer.", "Erin keeps bees."]
    for text in leading:
        world.learn(text, fact(text, kind=Kind.RULE))
    for text in others:
        world.learn(text)
    used = [ItemUses(item.id, recalled=1, accessed=1) for item in world.items() if item.text in leading]
    with scope.enter(world.worker):
        services.count_uses(used)

    pages, after = [], None
    with scope.enter(world.agent):
        while not pages or pages[-1].has_next:
            pages.append(selectors.items(filter=ItemFilter(), order=order, page=PageRequest(2, after)))
            after = pages[-1].end_cursor

    told = [item.text for page in pages for item in page.rows]
    assert [len(page.rows) for page in pages] == [2, 2, 1]
    assert (set(told[:3]), set(told[3:])) == (set(leading), set(others))


def test_where_what_leads_fills_the_page_nothing_else_is_weighed_and_no_words_are_sorted(world):
    for number in range(3):
        world.learn(f"{number}", fact(f"Never ring bell {number} before ten.", kind=Kind.RULE))

    with scope.enter(world.agent), CaptureQueriesContext(connection) as queries:
        selectors.items(filter=ItemFilter(), order=ItemOrder.WEIGHTIEST, page=PageRequest(2))

    (weighed,) = [each["sql"] for each in queries if "ORDER BY" in each["sql"] and "LIMIT" in each["sql"]]
    assert '"text"' not in weighed


def test_hydrate_takes_two_statements_whatever_the_number(world):
    for number in range(4):
        world.learn(f"{number}", fact(f"Anna owns bicycle number {number}."))
    ids = [item.id for item in world.items()]

    with scope.enter(world.agent):
        selectors.hydrate(ids[:1])
        with CaptureQueriesContext(connection) as queries:
            views = selectors.hydrate([*ids, world.tenant_id])
    assert len(queries) == 2
    assert set(views) == set(ids)


def test_confidence_fades_with_time_and_is_not_written_back(world):
    world.learn("a", fact(SIEMENS))
    age(world, SIEMENS, 10)

    item = world.item(SIEMENS)

    assert item.base_confidence == 0.9
    assert item.confidence == pytest.approx(0.9 * math.exp(-0.1 * 10**0.8), abs=1e-5)


def test_weak_lists_what_is_or_soon_will_be_below_the_line(world):
    world.learn("a", fact(SIEMENS))
    world.learn("b", fact(CELLO))
    world.learn("c", fact("The deploy of billing needs a restart.", category="operations"))
    age(world, SIEMENS, 40)
    age(world, CELLO, 0)
    age(world, "The deploy of billing needs a restart.", 0)

    assert [item.text for item in weak(world, PageRequest()).rows] == [SIEMENS]
    with scope.enter(world.worker):
        tenants.change(Policy.objects.get(tenant_id=world.tenant_id), {"weak_soon_days": 60})
    assert {item.text for item in weak(world, PageRequest()).rows} == {SIEMENS, CELLO}


def test_weak_lists_what_fades_next_first_whatever_passes_between_two_pages(world):
    """By the next page all that follows is worth less than the operational one was, which loses nothing for 30 days."""
    faded = {GREEN: (0.9, 80), BLUE: (0.9, 60), RED: (0.5, 20), SIEMENS: (0.25, 30), TEA: (0.3, 1), CELLO: (0.4, 1)}
    for text, (base, days) in faded.items():
        world.learn(text, fact(text, category="operations" if text == SIEMENS else "work"))
        age(world, text, days, confidence=base)
    asked = now()

    with time_machine.travel(asked, tick=False):
        first = weak(world, PageRequest(first=4))
    with time_machine.travel(asked + timedelta(days=6), tick=False):
        rest = weak(world, PageRequest(first=10, after=first.end_cursor))

    assert [item.text for item in first.rows] == [GREEN, BLUE, RED, SIEMENS]
    assert [item.text for item in rest.rows] == [TEA, CELLO]
    assert [item.confidence for item in first.rows] == sorted(item.confidence for item in first.rows)


@pytest.mark.parametrize("asked", ["yesterday", "2020-01-01T00:00:00+00:00", "9999-12-31T23:59:59", 7])
def test_a_cursor_of_no_moment_of_late_is_refused(world, asked):
    cursor = paging.encode([asked, 0.3, str(world.tenant_id)], order=("asked", "effective", "id"))

    with pytest.raises(Invalid):
        weak(world, PageRequest(after=cursor))


@pytest.mark.parametrize("category", ["work", "operations"])
@pytest.mark.parametrize("days", [0, 3, 29, 31, 45, 90, 400])
def test_sql_and_core_agree_on_effective_confidence(world, category, days):
    world.learn("a", fact(SIEMENS, category=category))
    age(world, SIEMENS, days)
    exact = world.item(SIEMENS).confidence

    assert listed(world, minimum_confidence=max(0.0, exact - 1e-4)) == [SIEMENS]
    assert listed(world, minimum_confidence=exact + 1e-4) == []


def test_an_episode_is_spent_when_all_its_items_are_gone(world):
    world.judged(UPDATE, GREEN, BLUE)
    green = world.learn("a", fact(GREEN))
    both = world.learn("b", fact("Anna's favourite pet is a cat."), fact(CELLO))
    blue = world.learn("c", fact(BLUE), day=2)
    silent = world.learn("d", fact("no"))
    with scope.enter(world.agent):
        services.forget(ForgetRequest(item_ids=(world.item(CELLO).id,)))

    states = world.query(lambda: selectors.episode_states([green, both, blue, silent]))

    current = world.item(BLUE).id
    assert (states[green].all_gone, states[green].superseded_by) == (True, (current,))
    assert (states[both].all_gone, states[both].superseded_by) == (False, ())
    assert (states[blue].all_gone, states[blue].superseded_by) == (False, ())
    assert silent not in states


def test_the_current_fact_is_found_at_the_end_of_a_chain(world):
    world.judged(UPDATE, GREEN, BLUE, RED)
    green = world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE), day=2)
    world.learn("c", fact(RED), day=4)

    states = world.query(lambda: selectors.episode_states([green]))

    assert states[green].superseded_by == (world.item(RED).id,)


@pytest.mark.parametrize(("day", "expected"), [(1, None), (3, BLUE), (5, RED)])
def test_as_of_a_moment_an_episode_stands_as_it_stood_then(world, day, expected):
    world.judged(UPDATE, GREEN, BLUE, RED)
    green = world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE), day=2)
    world.learn("c", fact(RED), day=4)

    states = world.query(lambda: selectors.episode_states([green], as_of=START + timedelta(days=day)))

    assert states[green].superseded_by == ((world.item(expected).id,) if expected else ())
    assert states[green].all_gone is (expected is not None)


def test_an_episode_whose_fact_was_reworded_or_merged_is_not_spent(world):
    world.judged(SAME, ENGINEER, REWORDED)
    first = world.learn("a", fact(ENGINEER))
    second = world.learn("b", fact(REWORDED), day=0.1)
    third = world.learn("c", fact(REWORDED), day=2, session="tuesday")

    states = world.query(lambda: selectors.episode_states([first, second, third]))

    assert [states[one].all_gone for one in (first, second, third)] == [False, False, False]


def test_stats_count_items_once(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(SIEMENS, category="work"))
    world.learn("b", fact(SIEMENS, category="work"), session="tuesday")
    world.learn("c", held(TEA), fact("no"))
    world.learn("d", fact(GREEN), fact(CELLO))
    world.learn("e", fact(BLUE, strength=Strength.INFERRED), day=2)

    stats = world.query(selectors.stats)

    assert (stats.items, stats.rejections, stats.open_contradictions) == (4, 2, 1)
    assert (dict(stats.by_verdict), dict(stats.by_status)) == ({"allow": 3, "hold": 1}, {"active": 4})
    assert dict(stats.by_category) == {"other": 3, "work": 1}


def test_rejections_are_listed_newest_first(world):
    first = world.learn("a", fact("no"))
    world.learn("b", fact("ah"))

    with scope.enter(world.agent):
        found = selectors.rejections(page=PageRequest())
        of_one = selectors.rejections(page=PageRequest(), resource_ids=[first])
    assert [row.text for row in found.rows] == ["ah", "no"]
    assert [(row.text, row.verdict, row.resource_id) for row in of_one.rows] == [("no", Verdict.DISCARD, first)]


def test_uses_are_added_up_and_accesses_raise_confidence_by_the_logarithm(world):
    world.learn("a", fact(SIEMENS, confidence=0.5))
    item_id = world.item(SIEMENS).id

    with scope.enter(world.worker):
        for _ in range(4):
            services.count_uses([ItemUses(item_id, recalled=3, accessed=5)])
            services.learn({item_id: 0.05})

    item = world.item(SIEMENS)
    assert (item.recall_count, item.access_count, round(item.retrieval_priority, 6)) == (12, 20, 0.2)
    assert item.base_confidence == pytest.approx(0.5 + 0.05 * math.log(2))
    assert item.last_accessed_at is not None


def test_being_recalled_alone_changes_no_confidence(world):
    world.learn("a", fact(SIEMENS))
    before = world.items()[0]

    with scope.enter(world.worker):
        services.count_uses([ItemUses(before.id, recalled=3), ItemUses(world.tenant_id, recalled=1)])

    after = world.items()[0]
    assert (after.confidence, after.reinforced_at) == (before.confidence, before.reinforced_at)


def test_a_fresher_wording_keeps_what_was_learnt_about_its_use(world):
    world.judged(SAME, ENGINEER, REWORDED)
    world.learn("a", fact(ENGINEER))
    with scope.enter(world.worker):
        services.count_uses([ItemUses(world.items()[0].id, recalled=3, accessed=1)])
        services.learn({world.items()[0].id: 0.2})
    world.learn("b", fact(REWORDED), day=0.1)

    item = world.item(REWORDED)
    assert (item.recall_count, item.access_count, round(item.retrieval_priority, 6)) == (3, 1, 0.2)
