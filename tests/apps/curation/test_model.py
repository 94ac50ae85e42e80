"""A configured model proposes and reviews, is held to the memories, and is done without where it cannot be reached."""

import json

import pytest

from apps.core import providers, scope
from apps.journal.models import Entry
from apps.memory.models import Item
from memory_platform.adapters.openai_curation import OpenAiCurator
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.model import Kind
from tests import fake_openai
from tests.fake_openai import Reply

HARBOUR, CRANE = "The harbour office opens at nine.", "The crane in the yard lifts forty tons."
ORDER = "Always ring the bell twice before lifting."


@pytest.fixture
def fake(monkeypatch):
    with fake_openai.running() as made:
        curator = OpenAiCurator(Endpoint(made.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))
        monkeypatch.setattr(providers, "curator", lambda: curator)
        yield made


def changes(*given) -> Reply:
    told = [
        {"change": change, "text": text, "line": line, "memories": memories} for change, text, line, memories in given
    ]
    return Reply(content=json.dumps({"changes": told}))


def verdicts(*given) -> Reply:
    return Reply(content=json.dumps({"decisions": [{"verdict": verdict, "line": line} for verdict, line in given]}))


def test_its_words_stand_where_the_memories_say_them_and_else_the_memories_own_do(world, fake):
    world.share(HARBOUR)
    world.share(CRANE)
    fake.script(changes(("add", "Harbour office: opens at nine.", 0, [1]), ("add", "The crane lifts 50 tons.", 0, [2])))

    done = world.reflect()

    assert (done.proposed, done.refused, done.by) == (2, 1, "openai:gpt-4o-mini:reflection.v1")
    worded = len("Harbour office: opens at nine.") + len(CRANE)
    assert (done.letters_read, done.letters_worded) == (len(HARBOUR) + len(CRANE), worded)
    assert {one.text for one in world.proposals()} == {"Harbour office: opens at nine.", CRANE}
    asked = fake.received[0].body["messages"][1]["content"]
    assert [line[:3] for line in asked.splitlines()[-2:]] == ["[1]", "[2]"]


def test_facts_that_are_in_no_proposal_are_counted_by_why(world, fake):
    known = world.share(HARBOUR)
    world.share(CRANE)
    asked = world.share("The quay is lit at night.")
    with scope.enter(world.worker):
        Item.objects.filter(tenant_id=world.tenant_id, id=asked).update(mood="question")
    fake.script(changes(("add", HARBOUR, 0, [1])))

    done = world.reflect()

    assert (done.facts, done.proposed, done.unasserted, done.passed_over) == (3, 1, 1, 1)
    with scope.enter(world.worker):
        told = Entry.objects.get(tenant_id=world.tenant_id, operation="curation.reflected").data
    assert (told["unasserted"], told["passed_over"]) == (1, 1)
    assert [one.item_ids for one in world.proposals()] == [(known,)]


def test_numbers_that_name_nothing_are_asked_for_again(world, fake):
    world.share(HARBOUR)
    fake.script(changes(("replace", HARBOUR, 3, [1])), changes(("add", HARBOUR, 0, [1])))

    assert world.reflect().proposed == 1
    assert len(fake.received) == 2


def test_it_sorts_a_batch_but_promotes_no_order_that_no_user_gave(world, fake):
    world.share(HARBOUR)
    world.share(CRANE)
    world.share(ORDER, kind=Kind.RULE)
    fake.script(changes(*(("add", text, 0, [place]) for place, text in enumerate((HARBOUR, CRANE, ORDER), 1))))
    world.reflect()
    waiting = [one.text for one in world.proposals("waiting")]
    told = {HARBOUR: ("promote", 0), CRANE: ("reject", 0), ORDER: ("promote", 0)}
    fake.script(verdicts(*(told[text] for text in waiting)))

    done = world.sort()

    assert (done.promoted, done.rejected, done.queued) == (1, 1, 1)
    assert world.texts() == [HARBOUR]
    assert [(one.text, one.reason) for one in world.proposals("queued")] == [(ORDER, "unheard_order")]


def test_without_an_answer_rules_and_heads_do(world, fake):
    world.share(HARBOUR)
    fake.script(*[Reply(status=500)] * 12)

    assert (world.reflect().degraded, world.sort().degraded) == ("ProviderRetryable", "ProviderRetryable")
    assert [one.state for one in world.proposals()] == ["queued"]
