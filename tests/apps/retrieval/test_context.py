"""Contexts: what a block holds, what it says it holds, and what counts as used by it."""

import math
from datetime import UTC, datetime

import pytest

from apps.core.scope import Scope, enter, tenant_scope
from apps.memory import selectors as memory
from apps.memory.models import ItemVersion
from apps.retrieval.models import Recall, Recalled
from apps.retrieval.requests import ContextRequest, RecallRequest
from apps.retrieval.services import context, count_uses, recall
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.model import ContextStyle, Unit
from memory_platform.text.tokens import count as count_tokens

OFFICES = ("Lisbon", "Porto", "Faro", "Braga", "Evora")


@pytest.fixture
def offices(know):
    return [know(f"Northwind Ferries has a ticket office in {place}.") for place in OFFICES]


def ask(query: str, within: Scope, **options: object):
    return context(ContextRequest(query=query, **options), within=within)


def test_a_block_names_the_hits_it_holds(offices, within: Scope):
    block = ask("Where does Northwind Ferries have a ticket office?", within)

    assert {hit.id for hit in block.included_hits} == set(offices)
    assert block.included == len(block.text.splitlines()) == 5
    assert block.tokens == count_tokens(block.text)
    assert all(hit.text in block.text for hit in block.included_hits)


def test_only_what_is_in_the_block_was_recalled_and_is_reinforced(offices, within: Scope):
    block = ask("Where does Northwind Ferries have a ticket office?", within, max_tokens=60)

    with enter(within):
        rows = Recalled.objects.filter(tenant_id=within.tenant_id, recall_id=block.recall_id)
        assert {row.item_id for row in rows} == {hit.id for hit in block.included_hits}
        assert Recall.objects.get(id=block.recall_id).returned == len(block.included_hits) < 5


def test_what_was_returned_gains_confidence_by_the_logarithm_without_a_version(know, within: Scope):
    item_id = know("Mara is allergic to penicillin.")
    with enter(within):
        before = memory.item(item_id)
        versions = ItemVersion.objects.filter(tenant_id=within.tenant_id, item_id=item_id).count()
    for _ in range(2):
        recall(RecallRequest(query="What is Mara allergic to?"), within=within)
        ask("What is Mara allergic to?", within)
        with enter(within):
            count_uses()

    with enter(within):
        after = memory.item(item_id)
        assert ItemVersion.objects.filter(tenant_id=within.tenant_id, item_id=item_id).count() == versions
    assert (after.recall_count, after.access_count) == (4, 4)
    assert after.base_confidence == pytest.approx(before.base_confidence + 0.05 * math.log1p(4 / 20))
    assert after.reinforced_at > before.reinforced_at


def test_a_long_message_is_cut_to_the_sentences_asked_for(say, within: Scope):
    filler = "The ferry was late. "
    say(f"{filler * 6}We chose the red ferry for the island route. {filler * 6}")

    block = ask("Which ferry was chosen for the island route?", within, max_tokens=400)

    assert "We chose the red ferry for the island route. The ferry was late. …" in block.text
    assert block.tokens < count_tokens(filler * 13)


def test_a_brief_answer_stands_behind_its_question(know, within: Scope):
    brief = know("Only on Sundays.", lead_in="Do you eat meat?")
    know("I live in Porto with my two sisters.", lead_in="Where do you live?")

    asked, opening = ask("Do you eat meat?", within), context(ContextRequest(), within=within)

    assert "~ Do you eat meat? Only on Sundays. (confidence" in asked.text
    assert [hit.text for hit in asked.included_hits if hit.id == brief] == ["Only on Sundays."]
    assert "~ Do you eat meat? Only on Sundays. (" in opening.text
    assert "~ I live in Porto with my two sisters. (" in opening.text


def test_without_a_budget_ten_memories_with_one_as_many_as_it_pays_for(know, within: Scope):
    for place in (*OFFICES, "Sines", "Lagos", "Aveiro", "Tavira", "Olhão", "Viana", "Peniche"):
        know(f"Northwind Ferries has a ticket office in {place}.")
    query = "Where does Northwind Ferries have a ticket office?"

    assert ask(query, within).included == 10
    assert ask(query, within, max_tokens=2_000).included == 12


def test_sections_hold_facts_with_the_words_they_rest_on_once(say, run_jobs, within: Scope):
    told = "I moved to Lisbon because of the light, and my sister stayed in Porto with both dogs."
    say(told, at=datetime(2026, 3, 2, 9, tzinfo=UTC))
    run_jobs()

    block = ask("Where did I move to?", within, style=ContextStyle.SECTIONS, max_tokens=500)

    assert block.text.count("because of the light") == 2
    assert block.text.partition("## Evidence\n")[2].startswith(f"~ user: {told}")
    assert len({line for line in block.text.splitlines() if line.startswith("~")}) == block.included


@pytest.mark.parametrize("head", ["", "[MEMORY:home:letters] "])
def test_a_fact_in_the_words_it_was_said_in_needs_no_evidence(say, run_jobs, head, within: Scope):
    say(f"{head}I moved to Lisbon because of the light.")
    run_jobs()

    block = ask("Where did I move to?", within, style=ContextStyle.SECTIONS, max_tokens=500)

    assert block.text.count("because of the light") == 1
    assert "## Evidence" not in block.text


def test_a_question_about_time_is_answered_by_a_timeline(say, within: Scope):
    say("The ferry office opened its doors.", at=datetime(2026, 3, 9, tzinfo=UTC))
    say("The ferry office hired a cook.", session="later", at=datetime(2026, 3, 2, tzinfo=UTC))

    block = ask("When did the ferry office open its doors and hire a cook?", within, style=ContextStyle.SECTIONS)

    lines = block.text.splitlines()
    assert lines[0] == "## Timeline"
    assert [line[:12] for line in lines[1:3]] == ["~ 2026-03-02", "~ 2026-03-09"]
    assert {hit.unit for hit in block.included_hits} == {Unit.EPISODE}


def test_a_remembered_fact_is_on_the_timeline_only_with_a_time_of_its_own(know, within: Scope):
    """It has no message that says when it was said."""
    know("Northwind Ferries paints its boats blue.")
    know("Northwind Ferries opens an office on 3 May 2031.")

    block = ask("What does Northwind Ferries do?", within, style=ContextStyle.SECTIONS)

    facts, _, timeline = block.text.partition("\n\n")
    assert facts.startswith("## Facts\n~ Northwind Ferries paints its boats blue.")
    assert timeline.startswith("## Timeline\n~ 2031-05-03: Northwind Ferries opens an office on 3 May 2031.")


def test_a_budget_too_small_for_a_line_is_refused(within: Scope):
    with pytest.raises(Invalid) as refused:
        ask("anything?", within, max_tokens=3)

    assert refused.value.field == "maxTokens"


def test_who_is_asked_about_comes_with_a_profile(say, run_jobs, within: Scope):
    say("Mara Lopez works at Northwind Ferries.", session="one")
    say("Mara Lopez lives in Lisbon.", session="two")
    run_jobs()

    block = ask("What does Mara Lopez do at Northwind Ferries?", within, style=ContextStyle.SECTIONS, max_tokens=600)

    profiles = block.text.partition("## Profiles\n")[2].partition("\n\n")[0].splitlines()
    assert any("Mara Lopez" in line for line in profiles)
    assert block.tokens <= 600
    assert block.text.count("Mara Lopez lives in Lisbon") <= 2


@pytest.mark.parametrize(("number", "lines"), [(1, 1), (3, 2)])
def test_how_many_profiles_a_block_has_is_the_tenants(say, run_jobs, within: Scope, number: int, lines: int):
    say("Mara Lopez works at Northwind Ferries.", session="one")
    say("Adam Berg works at Brightwave.", session="two")
    run_jobs()
    with tenant_scope(within.tenant_id):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"section_profiles": number})

    block = ask("Where do Mara Lopez and Adam Berg work?", within, style=ContextStyle.SECTIONS, max_tokens=900)

    assert len(block.text.partition("## Profiles\n")[2].partition("\n\n")[0].splitlines()) == lines


def test_how_much_of_a_block_one_message_may_take_is_the_tenants(say, within: Scope):
    say("The harbour log says: " + " ".join(f"berth {number} is taken by a ferry," for number in range(90)))
    tokens = []
    for share in (0.1, 0.8):
        with tenant_scope(within.tenant_id):
            tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"excerpt_share": share})
        tokens.append(ask("Which berth is taken by a ferry in the harbour log?", within, max_tokens=1_000).tokens)

    assert tokens[0] < 200 < tokens[1]
