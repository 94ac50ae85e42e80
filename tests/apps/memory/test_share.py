"""Sharing: what becomes of a private memory that is made known to all agents, and of agents that disagree."""

from dataclasses import replace
from uuid import uuid4

import pytest

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.index.models import Document
from apps.journal.models import Entry
from apps.memory import selectors, services
from apps.memory.models import Item, ItemLink, ItemSource
from apps.memory.requests import ForgetRequest, NewMemory
from apps.memory.results import WriteOutcome
from memory_platform.errors import Conflict, Forbidden, Invalid, NotFound
from memory_platform.model import Status, Visibility
from tests.apps.memory.conftest import UPDATE, fact, held
from tests.cast import MARA

LOKI, ELASTIC, SPLUNK = (f"The release log store is {store}." for store in ("Loki", "Elasticsearch", "Splunk"))


@pytest.fixture(autouse=True)
def one_store(world):
    world.judged(UPDATE, LOKI, ELASTIC, SPLUNK)


@pytest.fixture
def us(world):
    return replace(world.agent, reach=Reach.SHARED)


@pytest.fixture
def them(world, other_agent):
    return Scope(world.tenant_id, other_agent.id, Reach.SHARED)


def say(text, within, **fields):
    return services.remember(NewMemory(text=text, visibility=Visibility.SHARED, **fields), within=within)


def read(within, item_id):
    with scope.enter(within):
        return selectors.item(item_id)


def explained(within, item_id):
    with scope.enter(within):
        return selectors.explain(item_id)


def private(world, text=LOKI, **fields):
    return services.remember(NewMemory(text=text, **fields), within=world.agent).item


def test_a_shared_memory_is_a_new_one_and_the_private_original_stays(world, us, them):
    original = private(world, user_id=MARA.user_id, category="health")

    shared = services.share(original.id, within=us)

    assert (shared.visibility, shared.text, shared.user_id) == (Visibility.SHARED, LOKI, "mara")
    assert (shared.category, shared.agent_id, shared.said_at) == ("health", world.agent_id, original.said_at)
    assert shared.confidence == pytest.approx(original.confidence, abs=1e-3)
    assert read(us, original.id).visibility is Visibility.PRIVATE
    assert read(them, shared.id).text == LOKI
    assert read(them, original.id) is None


def test_sharing_brings_the_claim_and_nothing_of_the_conversation(world, us, them):
    world.learn("Between us, the release log store is Loki.", fact(LOKI, quote="Between us, it is Loki"))
    original = world.item(LOKI)

    shared = services.share(original.id, within=us)

    assert len(original.sources) == 1
    told = explained(them, shared.id)
    assert (told.item.sources, told.item.session_id, told.shared_from) == ((), None, None)
    with scope.enter(them):
        assert not ItemSource.objects.filter(tenant_id=world.tenant_id).exists()
        assert not ItemLink.objects.filter(tenant_id=world.tenant_id, kind="shared_from").exists()
    own = explained(us, shared.id)
    assert own.shared_from.id == original.id
    assert [link.id for link in explained(us, original.id).shared_as] == [shared.id]


def test_a_shared_memory_has_a_document_versions_and_a_journal_entry(world, us):
    shared = services.share(private(world).id, within=us)

    with scope.enter(world.worker):
        documents = Document.objects.filter(tenant_id=world.tenant_id, unit_id=shared.id)
        assert [(row.visibility, row.hidden) for row in documents] == [("shared", False)]
        (entry,) = Entry.objects.filter(tenant_id=world.tenant_id, operation="memory.share")
        assert (entry.subject_id, entry.agent_id, entry.data["outcome"]) == (shared.id, world.agent_id, "stored")
    assert [version.operation for version in explained(us, shared.id).versions] == ["stored"]


def test_sharing_twice_and_sharing_what_is_shared_change_nothing(world, us):
    original = private(world)
    first = services.share(original.id, within=us)
    before = len(world.items())

    assert services.share(original.id, within=us).id == first.id
    assert services.share(first.id, within=us).id == first.id
    assert (len(world.items()), read(us, first.id).confidence) == (before, pytest.approx(first.confidence, abs=1e-3))


def test_what_was_forgotten_can_be_shared_again(world, us):
    original = private(world)
    first = services.share(original.id, within=us)
    with scope.enter(us):
        services.forget(ForgetRequest(item_ids=(first.id,)))

    again = services.share(original.id, within=us)

    assert again.id != first.id
    assert (again.status, read(us, original.id).status) == (Status.ACTIVE, Status.ACTIVE)


def test_it_is_merged_with_what_another_agent_shared(world, us, them):
    known = say(LOKI, them).item
    original = private(world)

    shared = services.share(original.id, within=us)

    assert (shared.id, shared.merged_count) == (known.id, 1)
    assert shared.confidence > known.confidence
    assert services.share(original.id, within=us).id == known.id
    assert read(us, original.id).status is Status.ACTIVE
    (wording,) = explained(us, original.id).shared_as
    assert explained(us, wording.id).merged_into.id == known.id


def test_the_domain_names_its_category(world, us):
    shared = services.share(private(world, category="work").id, domain="operations", within=us)

    assert shared.category == "operations"
    with pytest.raises(Invalid, match="no domain"):
        services.share(private(world, ELASTIC, external_id="other").id, domain="gardening", within=us)


def test_only_ones_own_current_and_allowed_memories_are_shared(world, us, them):
    original = private(world)
    with pytest.raises(NotFound):
        services.share(original.id, within=them)
    with pytest.raises(NotFound):
        services.share(uuid4(), within=us)
    shared = services.share(original.id, within=us)
    with pytest.raises(Forbidden):
        services.share(shared.id, within=them)
    services.correct(original.id, ELASTIC, within=world.agent)
    world.learn("Perhaps the depot closes at noon.", held("Perhaps the depot closes at noon."))
    before = len(world.items())

    with pytest.raises(Conflict, match="waits for review"):
        services.share(world.item("Perhaps the depot closes at noon.").id, within=us)

    assert len(world.items()) == before


def test_past_memories_are_not_shared(world, us):
    original = private(world)
    services.correct(original.id, ELASTIC, within=world.agent)

    with pytest.raises(Conflict, match="Only current"):
        services.share(original.id, within=us)

    assert world.items(visibility="shared") == []


def test_shared_later_a_newer_private_memory_takes_the_place_of_the_older_one(world, us):
    first = services.share(private(world).id, within=us)
    second = services.share(private(world, ELASTIC).id, within=us)

    assert read(us, first.id).status is Status.SUPERSEDED
    assert [link.id for link in explained(us, first.id).superseded_by] == [second.id]


def test_contradicting_facts_of_two_agents_both_stay(world, us, them):
    first = say(LOKI, us).item
    second = say(ELASTIC, them)

    assert second.outcome is WriteOutcome.STORED
    assert second.reason.startswith("Stored: another agent says otherwise")
    mine, theirs = read(us, first.id), read(us, second.item.id)
    assert (mine.status, theirs.status) == (Status.ACTIVE, Status.ACTIVE)
    assert (mine.contradicted_by, theirs.contradicted_by) == ((theirs.id,), (mine.id,))
    assert mine.base_confidence == first.base_confidence
    assert world.searchable() == {LOKI, ELASTIC}


def test_the_explanation_names_who_said_what_when(world, us, them, other_agent):
    first = say(LOKI, us).item
    second = say(ELASTIC, them).item

    (other,) = explained(us, first.id).contradicts

    assert (other.id, other.text, other.agent_id) == (second.id, ELASTIC, other_agent.id)
    assert (other.said_at, other.open) == (second.said_at, True)
    assert other.confidence == pytest.approx(second.confidence, abs=1e-3)


def test_a_weaker_claim_of_another_agent_is_kept_beside_the_stronger(world, us, them):
    say(LOKI, us)
    weaker = say(ELASTIC, them, confidence=0.4)

    assert weaker.outcome is WriteOutcome.STORED
    assert world.texts(visibility="shared", status="active") == [LOKI, ELASTIC]


def test_ones_own_newer_statement_replaces_ones_own_and_disputes_the_others(world, us, them):
    theirs = say(LOKI, them).item
    mine = say(ELASTIC, us).item
    newest = say(SPLUNK, us)

    assert (newest.outcome, newest.supersedes.id) == (WriteOutcome.SUPERSEDED, mine.id)
    assert read(us, theirs.id).contradicted_by == (newest.item.id,)
    assert read(us, newest.item.id).contradicted_by == (theirs.id,)
    assert read(us, theirs.id).status is Status.ACTIVE


def test_who_comes_round_to_the_others_view_drops_its_own(world, us, them):
    mine = say(LOKI, us).item
    theirs = say(ELASTIC, them).item

    round_ = say(ELASTIC, us)

    assert (round_.outcome, round_.item.id) == (WriteOutcome.MERGED, theirs.id)
    assert read(us, mine.id).status is Status.SUPERSEDED
    assert read(us, theirs.id).contradicted_by == ()
    with scope.enter(us):
        assert selectors.stats().open_contradictions == 0


def test_observed_facts_of_two_agents_both_stay(world, us, other_agent):
    world.learn("We put Loki in.", fact(LOKI), visibility=Visibility.SHARED)
    own, world.agent_id = world.agent_id, other_agent.id
    world.learn("It is Elasticsearch now.", fact(ELASTIC), visibility=Visibility.SHARED, day=1, session="theirs")
    world.agent_id = own

    assert world.texts(visibility="shared", status="active") == [LOKI, ELASTIC]
    assert len(read(us, world.item(LOKI).id).contradicted_by) == 1


def test_without_the_reach_the_other_side_is_neither_named_nor_counted(world, us, them):
    mine = say(LOKI, us).item
    say(ELASTIC, them)

    assert read(world.agent, mine.id).contradicted_by == ()
    assert explained(world.agent, mine.id).contradicts == ()


def test_shared_domains_count_current_shared_memories_with_their_agents(world, us, them, other_agent):
    say(LOKI, us, category="operations")
    say("The night shift starts at ten.", them, category="operations")
    say("Mara is allergic to peanuts.", them, category="health")
    private(world, "The vault code is on the wall.", category="work")

    with scope.enter(us):
        operations, health = selectors.shared_domains()
    with scope.enter(world.agent):
        (own,) = selectors.shared_domains()

    assert (operations.domain, operations.memories) == ("operations", 2)
    assert set(operations.agent_ids) == {world.agent_id, other_agent.id}
    assert (health.domain, health.memories, health.agent_ids) == ("health", 1, (other_agent.id,))
    assert operations.last_write_at == max(item.recorded_at for item in world.items(category="operations"))
    assert (own.domain, own.memories) == ("operations", 1)


def test_private_items_of_others_are_in_no_list(world, them):
    private(world)

    with scope.enter(them):
        assert not Item.objects.filter(tenant_id=world.tenant_id).exists()
        assert selectors.shared_domains() == []
