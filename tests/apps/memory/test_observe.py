import math
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core import clock, providers, scope
from apps.journal.models import Entry
from apps.memory import selectors, services
from apps.memory.models import Extraction, Item, ItemLink, ItemSource, ItemVersion, Rejection
from apps.memory.services import extracting
from memory_platform.adapters.scripted import ScriptedExtractor
from memory_platform.errors import ProviderRefused, ProviderRetryable
from memory_platform.model import Strength, Verdict
from tests.apps.memory.conftest import SAME, START, UPDATE, fact, held, use_embedder
from tests.cast import ADAM, MARA

GREEN, BLUE, RED = (f"Anna's favourite colour is {colour}." for colour in ("green", "blue", "red"))
COLOURS = [BLUE, RED, *(f"Anna's favourite colour is {colour}." for colour in ("grey", "pink", "white"))]
ENGINEER, FRESHER = "Anna works at Siemens as an engineer.", "Anna works as an engineer at Siemens now."


def test_a_message_becomes_an_item_with_its_source_and_a_searchable_document(world):
    resource_id = world.hear("I moved to Berlin in March.", fact("Caroline moved to Berlin in March.", quote="I moved"))

    observed = world.observe(resource_id)

    item = world.item("Caroline moved to Berlin in March.")
    assert (observed.resources, observed.extracted, observed.allowed, observed.merged) == (1, 1, 1, 0)
    assert (item.status, item.verdict, item.base_confidence, item.said_at) == ("active", "allow", 0.9, START)
    assert [(source.resource_id, source.quote) for source in item.sources] == [(resource_id, "I moved")]
    assert world.searchable() == {"Caroline moved to Berlin in March."}


def test_each_run_is_one_journal_entry_with_counts(world):
    world.learn("A long day.", fact("Anna works at Siemens."), held("Anna may like tea."), fact("ok"))

    (entry,) = world.query(lambda: list(Entry.objects.filter(tenant_id=world.tenant_id, operation="memory.observed")))
    counts = {key: entry.data[key] for key in ("extracted", "allowed", "held", "discarded", "success")}
    assert counts == {"extracted": 3, "allowed": 1, "held": 1, "discarded": 1, "success": True}
    assert entry.agent_id == world.agent_id


def test_held_facts_are_kept_but_not_found_and_discarded_ones_leave_a_rejection(world):
    world.learn("A long day.", held("Anna may like green tea."), fact("ok"))

    assert [item.verdict for item in world.items()] == ["hold"]
    assert world.searchable() == set()
    (rejection,) = world.query(lambda: list(Rejection.objects.filter(tenant_id=world.tenant_id)))
    assert (rejection.stage, rejection.verdict, rejection.reason, rejection.text) == (
        "gate", "discard", "too_short", "ok",
    )  # fmt: skip


def test_running_the_same_job_twice_changes_nothing(world):
    resource_id = world.learn("Anna works at Siemens.")
    before = world.items()[0]

    again = world.observe(resource_id)

    (after,) = world.items()
    assert again.resources == again.allowed == again.merged == 0
    assert (after.confidence, after.merged_count, after.change_number) == (
        before.confidence, before.merged_count, before.change_number,
    )  # fmt: skip


def test_a_crash_between_extraction_and_store_loses_nothing_and_extracts_once(world, monkeypatch):
    resource_id = world.hear("Anna works at Siemens.")
    unread = extracting.load([resource_id], within=world.worker)
    extracting.extract(unread, within=world.worker, fall_back=False, seconds=1.0)
    assert world.items() == []

    world.observe(resource_id)

    assert world.texts() == ["Anna works at Siemens."]
    assert len(providers.extractor().calls) == 1
    assert world.query(lambda: Extraction.objects.filter(tenant_id=world.tenant_id, stored_at=None).count()) == 0


def test_a_resource_extracted_by_two_versions_is_stored_once(world, monkeypatch):
    resource_id = world.learn("Anna works at Siemens.")
    with scope.enter(world.worker):
        Extraction.objects.create(
            tenant_id=world.tenant_id,
            agent_id=world.agent_id,
            resource_id=resource_id,
            extractor="scripted:2",
            observation={"narrative": "", "facts": [], "dropped": []},
        )

    assert world.observe(resource_id).resources == 0
    assert world.texts() == ["Anna works at Siemens."]


def test_a_late_model_is_asked_again_and_at_last_replaced_by_rules(world, monkeypatch):
    resource_id = world.hear("Anna works at Siemens in Munich.")
    failing = ScriptedExtractor(failures=[ProviderRetryable("late"), ProviderRetryable("late")])
    monkeypatch.setattr(providers, "extractor", lambda: failing)
    monkeypatch.setattr(providers, "fallback_extractor", lambda: ScriptedExtractor(world.script, version="rules:1"))
    with pytest.raises(ProviderRetryable):
        world.observe(resource_id)

    observed = world.observe(resource_id, fall_back=True)

    assert (observed.extractor, observed.degraded) == ("rules:1", "ProviderRetryable")
    assert world.texts() == ["Anna works at Siemens in Munich."]
    row = world.query(lambda: Extraction.objects.get(tenant_id=world.tenant_id, resource_id=resource_id))
    assert (row.extractor, row.degraded) == ("rules:1", "ProviderRetryable")


def test_a_refusing_model_is_replaced_by_rules_at_once_and_the_journal_says_so(world, monkeypatch):
    resource_id = world.hear("Anna works at Siemens in Munich.")
    monkeypatch.setattr(providers, "extractor", lambda: ScriptedExtractor(failures=[ProviderRefused("garbage")]))
    monkeypatch.setattr(providers, "fallback_extractor", lambda: ScriptedExtractor(world.script, version="rules:1"))

    assert world.observe(resource_id).degraded == "ProviderRefused"

    (entry,) = world.query(
        lambda: list(Entry.objects.filter(tenant_id=world.tenant_id, operation="memory.extraction_degraded"))
    )
    assert entry.data == {"reason": "ProviderRefused", "extractor": "rules:1", "resources": 1}


def test_who_says_the_same_again_in_another_session_confirms_nothing(world):
    world.learn("Anna works at Siemens.", session="monday")
    world.learn("As I said: Siemens.", fact("Anna works at Siemens."), session="tuesday", day=1)

    item = world.item("Anna works at Siemens.")
    assert (round(item.base_confidence, 3), item.merged_count, len(item.sources)) == (0.9, 1, 2)
    assert item.said_at == START + timedelta(days=1)
    assert world.texts(status_reason="merged") == ["Anna works at Siemens."]
    assert len(world.searchable()) == 1


def test_another_person_who_says_the_same_confirms_the_item(world):
    world.learn("a", fact("Anna works at Siemens.", said_by="Ben"), session="monday")
    world.learn("b", fact("Anna works at Siemens.", said_by="Carla"), session="tuesday", day=1)

    item = world.item("Anna works at Siemens.")
    assert (round(item.base_confidence, 3), item.merged_count, len(item.sources)) == (0.914, 1, 2)


def test_an_assistant_that_says_it_back_confirms_nothing(world):
    world.learn("a", fact("Anna works at Siemens.", said_by="Ben"), session="monday")
    world.answer("b", fact("Anna works at Siemens."), session="tuesday", day=1)

    item = world.item("Anna works at Siemens.")
    assert (round(item.base_confidence, 3), item.merged_count, item.last_confirmed_at) == (0.9, 0, None)


def test_fresher_words_of_the_same_session_take_the_place_of_the_old_ones(world):
    world.judged(SAME, ENGINEER, FRESHER)
    world.learn("a", fact(ENGINEER))
    world.learn("b", fact(FRESHER), day=0.1)

    assert world.searchable() == {FRESHER}
    new, old = world.item(FRESHER), world.item(ENGINEER)
    assert (round(new.base_confidence, 3), new.merged_count, len(new.sources)) == (0.936, 1, 2)
    assert (old.status, old.status_reason) == ("superseded", "fresher_wording")


def test_facts_of_one_batch_are_compared_with_each_other(world):
    first = world.hear("x", fact("Anna works at Siemens."), session="monday")
    second = world.hear("y", fact("Anna works at Siemens."), session="tuesday", day=1)

    observed = world.observe(first, second)

    assert (observed.allowed, observed.merged) == (2, 1)
    assert len(world.item("Anna works at Siemens.").sources) == 2


def test_two_equal_facts_of_one_message_are_one_item_with_one_source(world):
    world.learn("x", fact("Anna works at Siemens."), fact("Anna works at Siemens."))

    assert [len(world.item("Anna works at Siemens.").sources), len(world.items())] == [1, 1]


def test_a_newer_contradiction_supersedes_and_the_past_stays(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE), day=2)

    old, new = world.item(GREEN), world.item(BLUE)
    assert (old.status, old.valid_until, old.retracted_at) == ("superseded", START + timedelta(days=2), None)
    assert round(old.base_confidence, 3) == round(0.9 * math.exp(-0.1 * 2**0.8) - 0.2, 3)
    assert (new.status, new.valid_until) == ("active", None)
    assert world.searchable() == {BLUE}
    explained = world.query(lambda: selectors.explain(new.id))
    assert [link.id for link in explained.supersedes] == [old.id]


def test_in_one_batch_the_last_word_holds_whatever_the_order_of_arrival(world):
    world.judged(UPDATE, GREEN, BLUE)
    late = world.hear("b", fact(BLUE), day=2)
    early = world.hear("a", fact(GREEN), day=0)

    world.observe(late, early)

    assert world.searchable() == {BLUE}


def test_an_older_turn_after_a_newer_correction_is_stored_already_closed(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("b", fact(BLUE), day=2)
    observed = world.observe(world.hear("a", fact(GREEN), day=0))

    old = world.item(GREEN)
    assert observed.closed == 1
    assert (old.status, old.valid_until) == ("superseded", START + timedelta(days=2))
    assert world.searchable() == {BLUE}


def test_an_older_turn_ends_with_what_replaced_it_though_that_was_replaced_since(world):
    world.judged(UPDATE, GREEN, BLUE, RED)
    world.learn("b", fact(BLUE), day=2)
    world.learn("c", fact(RED), day=4)

    observed = world.observe(world.hear("a", fact(GREEN), day=0))

    first, second = world.item(GREEN), world.item(BLUE)
    assert observed.closed == 1
    assert (first.status, first.valid_until) == ("superseded", START + timedelta(days=2))
    assert (second.valid_from, second.valid_until) == (START + timedelta(days=2), START + timedelta(days=4))
    explained = world.query(lambda: selectors.explain(second.id))
    assert [link.id for link in explained.supersedes] == [first.id]
    assert world.searchable() == {RED}


def test_an_older_turn_does_not_end_with_what_a_link_that_was_undone_leads_to(world):
    world.judged(UPDATE, GREEN, BLUE, RED)
    world.learn("b", fact(BLUE), day=2)
    world.learn("c", fact(RED), day=4)
    blue = world.item(BLUE).id
    world.query(lambda: ItemLink.objects.filter(to_item_id=blue).update(closed_at=clock.now()))

    world.observe(world.hear("a", fact(GREEN), day=0))

    assert world.item(GREEN).valid_until == START + timedelta(days=4)


def test_what_a_long_chain_of_facts_replaced_is_read_at_once(world):
    world.judged(UPDATE, GREEN, *COLOURS)
    lengths = {"short": 2, "long": len(COLOURS)}
    for user, length in lengths.items():
        for day, colour in enumerate(COLOURS[:length], start=2):
            world.learn(f"{user} {day}", fact(colour), day=day, user=user)
    late = {user: world.hear(f"{user} late", fact(GREEN), user=user) for user in lengths}

    taken = {}
    for user in lengths:
        with CaptureQueriesContext(connection) as captured:
            world.observe(late[user])
        taken[user] = len(captured)

    assert taken["long"] == taken["short"]
    assert [item.valid_until for item in world.items(text=GREEN)] == [START + timedelta(days=2)] * 2


def test_a_weaker_contradiction_is_rejected_and_leaves_an_open_link(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE, strength=Strength.INFERRED), day=2)

    item = world.item(GREEN)
    (rejection,) = world.query(lambda: list(Rejection.objects.filter(tenant_id=world.tenant_id)))
    assert (rejection.stage, rejection.reason) == ("conflict", "weaker")
    assert item.contradicted_by == (rejection.id,)
    assert world.searchable() == {GREEN}


def test_a_held_fact_supersedes_nothing(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(GREEN))
    world.learn("b", held(BLUE), day=2)

    assert world.item(GREEN).status == "active"
    assert world.item(BLUE).verdict is Verdict.HOLD


def test_an_allowed_fact_takes_the_place_of_the_same_one_that_was_held(world):
    world.learn("a", held("Anna works at Siemens."))
    world.learn("b", fact("Anna works at Siemens."), session="tuesday", day=1)

    active = world.items(status="active")
    assert [(item.verdict, item.text) for item in active] == [("allow", "Anna works at Siemens.")]
    assert world.searchable() == {"Anna works at Siemens."}


def test_users_are_never_compared(world):
    world.learn("a", fact("The user's favourite colour is green."), user=MARA.user_id, session="a")
    world.learn("b", fact("The user's favourite colour is blue."), user=ADAM.user_id, session="b", day=1)

    assert [item.status for item in world.items()] == ["active", "active"]


def test_when_the_embedder_stays_away_facts_are_stored_and_compared_later(world, monkeypatch, run_jobs):
    world.judged(SAME, ENGINEER, FRESHER)
    world.learn("a", fact(ENGINEER), session="monday")
    second = world.hear("b", fact(FRESHER), session="tuesday", day=1)
    use_embedder(monkeypatch, failures=[ProviderRetryable("down")])
    with pytest.raises(ProviderRetryable):
        world.observe(second)
    use_embedder(monkeypatch, failures=[ProviderRetryable("down")])

    world.observe(second, fall_back=True)

    assert len(world.items(status="active")) == 2
    assert [item.dedup_pending for item in world.items(status="active")] == [False, True]
    run_jobs()
    (left,) = world.items(status="active")
    assert (left.text, left.merged_count) == (ENGINEER, 1)
    assert len(world.item(left.text).sources) == 2


def test_each_change_of_an_item_has_a_version_and_a_journal_entry(world):
    world.judged(UPDATE, GREEN, BLUE)
    world.learn("a", fact(GREEN))
    world.learn("b", fact(BLUE), day=2)
    old = world.item(GREEN)

    versions = world.query(lambda: list(ItemVersion.objects.filter(item_id=old.id).order_by("id")))
    entries = world.query(lambda: list(Entry.objects.filter(tenant_id=world.tenant_id, subject_id=old.id)))

    assert [version.operation for version in versions] == ["stored", "superseded"]
    assert versions[1].before["status"] == "active"
    assert versions[1].after["status"] == "superseded"
    assert [entry.operation for entry in entries] == ["memory.superseded"]


def test_sources_of_an_audience_stay_in_it(world, other_agent):
    world.learn("Anna works at Siemens.")

    with scope.tenant_scope(world.tenant_id, agent_id=other_agent.id):
        seen = [model.objects.count() for model in (Item, ItemSource, ItemVersion, ItemLink, Extraction, Rejection)]
    assert seen == [0, 0, 0, 0, 0, 0]


def test_the_queue_observes_what_was_captured(world, run_jobs):
    world.hear("Anna works at Siemens.")
    world.hear("Anna plays the cello.", day=1)

    run_jobs()

    assert sorted(world.searchable()) == ["Anna plays the cello.", "Anna works at Siemens."]


def test_observing_nothing_is_no_run(world):
    assert services.observe([], within=world.worker).resources == 0


def test_what_could_not_be_read_in_time_is_left_for_another_run(world):
    long = [f"{name} plays the cello. {'x' * 30_000}" for name in ("Anna", "Ben", "Cleo")]
    resources = [world.hear(text, fact(text[:25])) for text in long]

    runs = [services.observe(resources, within=world.worker, seconds=0.0) for _ in range(4)]

    assert [(run.resources, run.left) for run in runs] == [(1, 2), (1, 1), (1, 0), (0, 0)]
    assert len(world.items()) == 3


def test_short_messages_are_read_together(world):
    resources = [world.hear(f"Anna has {number} cellos.") for number in range(2, 40)]

    runs = [services.observe(resources, within=world.worker, seconds=0.0) for _ in range(2)]

    assert [(run.resources, run.left) for run in runs] == [(32, 6), (6, 0)]
