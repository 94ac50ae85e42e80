from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.memory import services as memory
from apps.memory.requests import ForgetRequest
from apps.retrieval.models import Recall, Recalled
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.services import recall
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import Invalid
from memory_platform.model import Profile, TrustTag, Unit, Visibility


def texts(answer) -> list[str]:
    return [hit.text for hit in answer.hits]


def test_an_episode_answers_with_its_source(say, within: Scope):
    resource_id = say("I adopted a dog named Pipa from the shelter.")
    say("The weather is grey today.")

    answer = recall(RecallRequest(query="Which dog was adopted from the shelter?"), within=within)

    best = answer.hits[0]
    assert (best.unit, best.id, best.text) == (
        Unit.EPISODE,
        resource_id,
        "I adopted a dog named Pipa from the shelter.",
    )
    assert [source.resource_id for source in best.sources] == [resource_id]
    assert best.scores.keyword > 0
    assert answer.degraded == ()


def test_a_marker_is_shown_without_its_head_where_only_the_message_answers(say, within: Scope):
    said = "[MEMORY:work:kennel] I adopted a dog named Pipa.\nSee [1]. [MEMORY:work] She sleeps in the shelter."
    say(said)

    (best,) = recall(RecallRequest(query="Which dog was adopted from the shelter?"), within=within).hits

    assert (best.unit, best.text) == (
        Unit.EPISODE,
        "I adopted a dog named Pipa.\nSee [1]. She sleeps in the shelter.",
    )
    assert [source.quote for source in best.sources] == [said]


def test_nothing_relevant_is_an_empty_answer(say, within: Scope):
    say("I adopted a dog named Pipa from the shelter.")

    answer = recall(
        RecallRequest(query="Which violin strings does the orchestra in Helsinki prefer?", explain=True), within=within
    )

    assert answer.hits == ()
    assert answer.explanation is not None
    assert [hit.text for hit in answer.explanation.below_floor] == ["I adopted a dog named Pipa from the shelter."]


def test_an_item_is_recalled_with_its_confidence(know, within: Scope):
    item_id = know("Mara is allergic to penicillin.")

    (hit,) = recall(RecallRequest(query="What is Mara allergic to?"), within=within).hits

    assert (hit.unit, hit.id, hit.item_id) == (Unit.ITEM, item_id, item_id)
    assert hit.confidence == pytest.approx(0.9, abs=0.01)


def test_what_was_superseded_answers_only_for_the_past(know, within: Scope):
    old = know("Harbor runs on PostgreSQL 15.")
    between = datetime.now(tz=UTC)
    memory.correct(old, "Harbor runs on PostgreSQL 17.", "upgraded", within=within)

    now = recall(RecallRequest(query="Which PostgreSQL does Harbor run on?"), within=within)
    then = recall(RecallRequest(query="Which PostgreSQL does Harbor run on?", as_of=between), within=within)

    assert texts(now) == ["Harbor runs on PostgreSQL 17."]
    assert texts(then) == ["Harbor runs on PostgreSQL 15."]


def test_what_was_forgotten_is_not_recalled_until_restored(know, within: Scope):
    item_id = know("Mara keeps a spare key under the red pot.")
    with enter(within):
        batch = memory.forget(ForgetRequest(item_ids=(item_id,)))

    assert recall(RecallRequest(query="Where is the spare key?"), within=within).hits == ()

    with enter(within):
        memory.restore(batch.batch_id)
    assert len(recall(RecallRequest(query="Where is the spare key?"), within=within).hits) == 1


def test_private_memories_stay_with_their_agent_and_shared_ones_need_the_reach(
    know, within: Scope, tenant: SimpleNamespace
):
    know("The vault code name is Albatross.")
    know("The release train is called Heron.", visibility=Visibility.SHARED)
    with tenant_scope(tenant.id):
        other = tenants.create_agent(slug="other")

    def asks(query: str, reach: Reach) -> list[str]:
        return texts(recall(RecallRequest(query=query), within=Scope(tenant.id, other.id, reach)))

    assert asks("What is the vault code name?", Reach.SHARED) == []
    assert asks("What is the release train called?", Reach.OWN) == []
    assert asks("What is the release train called?", Reach.SHARED) == ["The release train is called Heron."]


def test_another_tenant_sees_nothing(know, within: Scope, make_tenant):
    know("Mara is allergic to penicillin.")
    stranger = make_tenant()

    assert (
        recall(RecallRequest(query="What is Mara allergic to?"), within=Scope(stranger.id, None, Reach.TENANT)).hits
        == ()
    )


def test_limit_and_tokens_bound_the_answer(know, within: Scope):
    for place in ("Lisbon", "Porto", "Faro", "Braga", "Evora"):
        know(f"Northwind Ferries has a ticket office in {place}.")
    query = "Where does Northwind Ferries have a ticket office?"

    assert len(recall(RecallRequest(query=query, profile=Profile.LEAN), within=within).hits) == 3
    assert len(recall(RecallRequest(query=query, limit=5), within=within).hits) == 5
    assert len(recall(RecallRequest(query=query, limit=5, max_tokens=25), within=within).hits) == 2


def test_filters_narrow_and_unknown_names_let_nothing_pass(say, within: Scope):
    say("The invoice of the harbour office is paid.", session="billing")
    say("The invoice of the bakery is open.", session="bakery")
    query = "Which invoice is there?"

    def found(**wanted: object) -> list[str]:
        return texts(recall(RecallRequest(query=query, filter=Filter(**wanted)), within=within))

    assert found(session_id="bakery") == ["The invoice of the bakery is open."]
    assert found(session_id="no such session") == []
    assert found(agent_id="nobody") == []
    assert found(before="2026-01-01") == []
    assert len(found(after="2026-01-01")) == 2


def test_every_answer_leaves_a_trace(know, within: Scope):
    know("Mara is allergic to penicillin.")

    answer = recall(RecallRequest(query="What is Mara allergic to?"), within=within)

    with enter(within):
        row = Recall.objects.get(id=answer.id)
        (hit,) = Recalled.objects.filter(tenant_id=within.tenant_id, recall_id=answer.id)
    assert (row.query, row.returned, row.degraded, row.cost_usd) == ("What is Mara allergic to?", 1, [], 0)
    assert (hit.rank, hit.unit, hit.counted) == (1, "item", False)
    assert {"plan", "rewrite", "embed", "search", "fuse", "rank"} <= row.stage_milliseconds.keys()


def test_an_inferred_single_source_is_tagged(know, within: Scope):
    from memory_platform.model import Strength  # noqa: PLC0415

    know("Mara probably prefers trains to planes.", strength=Strength.INFERRED)

    (hit,) = recall(RecallRequest(query="Does Mara prefer trains to planes?"), within=within).hits

    assert set(hit.tags) == {TrustTag.UNCONFIRMED, TrustTag.INFERRED}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (RecallRequest(query="  "), "query"),
        (RecallRequest(query="x" * 8_001), "query"),
        (RecallRequest(query="x", limit=101), "limit"),
        (RecallRequest(query="x", filter=Filter(after="whenever")), "after"),
    ],
)
def test_bad_requests_name_the_field(request_: RecallRequest, field: str, within: Scope):
    with pytest.raises(Invalid) as refused:
        recall(request_, within=within)

    assert refused.value.field == field


def test_an_imported_past_is_as_old_as_it_is_and_found_all_the_same(say, within: Scope):
    say("We chose the red ferry for the island route.", at=datetime.now(tz=UTC) - timedelta(days=900))

    (hit,) = recall(RecallRequest(query="Which ferry was chosen for the island route?"), within=within).hits

    assert hit.scores.decay == Policy().least_recency
    assert hit.age_days == pytest.approx(900, abs=1)


def test_how_a_message_ages_is_the_tenants(say, within: Scope):
    say("We chose the red ferry for the island route.", at=datetime.now(tz=UTC) - timedelta(days=900))
    request = RecallRequest(query="Which ferry was chosen for the island route?")
    for numbers, decay in (({"least_recency": 0.6}, 0.6), ({"message_decay_lambda": 0.0}, 1.0)):
        with tenant_scope(within.tenant_id):
            tenants.change(Policy.objects.get(tenant_id=within.tenant_id), numbers)

        (hit,) = recall(request, within=within).hits

        assert hit.scores.decay == decay
