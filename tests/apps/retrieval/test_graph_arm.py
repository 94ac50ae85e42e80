"""The graph arm: what it proposes, that it obeys filters and audiences, and that recall does without it."""

import time
from dataclasses import replace

import pytest

from apps.core.scope import Reach, Scope, enter, tenant_scope
from apps.graph import stores
from apps.graph.store_sql import SqlGraph
from apps.retrieval.requests import Filter, RecallRequest
from apps.retrieval.results import RecallResult
from apps.retrieval.services import graph_arm, recall
from apps.tenants import services as tenants
from apps.tenants.models import Policy
from memory_platform.errors import ProviderRetryable
from memory_platform.model import Intent, Profile, Visibility

EMPLOYER = "Mara Lopez works at Northwind Ferries."
SEAT = "The head office of Northwind Ferries moved to Lisbon."


@pytest.fixture
def ferries(say, run_jobs):
    """Two messages that share a name, and one that shares none."""
    say(EMPLOYER, session="one")
    say(SEAT, session="two")
    say("The weather is grey today.", session="three")
    run_jobs()


def ask(within: Scope, query: str = "Where does Mara Lopez work?", **options: object) -> RecallResult:
    return recall(RecallRequest(query=query, explain=True, **options), within=within)


def arms(answer: RecallResult) -> dict[str, int]:
    return {arm.name: arm.candidates for arm in answer.explanation.arms}


def test_four_arms_are_asked(ferries, within: Scope):
    answer = ask(within)

    assert list(arms(answer)) == ["keyword", "vector", "graph", "time"]
    assert arms(answer)["graph"] > 0
    assert answer.hits[0].scores.graph is not None
    assert answer.degraded == ()


def test_what_shares_a_name_with_what_was_named_is_proposed(ferries, within: Scope):
    answer = ask(within, limit=10)

    shown = {hit.text: hit.scores.graph for hit in (*answer.hits, *answer.explanation.below_floor)}
    assert shown[SEAT] is not None
    assert [graph for text, graph in shown.items() if text.startswith("The weather is grey today")] == [None]


def test_a_name_written_small_is_found_too(ferries, within: Scope):
    assert arms(ask(within, "where does mara lopez work?"))["graph"] > 0


@pytest.mark.parametrize("query", ["Tell me about Mara Lopez.", "Where does Zora Quist work?"])
def test_nothing_in_particular_and_nobody_known_walk_nowhere(ferries, within: Scope, query: str):
    assert arms(ask(within, query))["graph"] == 0


def test_without_a_graph_recall_answers_as_ever(say, within: Scope):
    say(EMPLOYER)

    answer = ask(within)

    assert [hit.text for hit in answer.hits] == [EMPLOYER]
    assert (arms(answer)["graph"], answer.degraded) == (0, ())


class Broken(SqlGraph):
    """Another server that is down, or slow."""

    name = "other"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def neighbourhood(self, *_args: object, **_named: object):
        time.sleep(self._seconds)
        raise ProviderRetryable("down")


@pytest.mark.parametrize("seconds", [0.0, 1.0], ids=["down", "slow"])
def test_another_server_that_fails_is_replaced_by_sql_and_named(ferries, within: Scope, monkeypatch, seconds: float):
    expected = ask(within)
    monkeypatch.setattr(stores, "chosen", lambda _depth: stores.Choice(Broken(seconds)))
    monkeypatch.setattr(graph_arm, "SECONDS", 0.1)

    began = time.monotonic()
    answer = ask(within)

    assert answer.degraded == ("graph",)
    assert [hit.id for hit in answer.hits] == [hit.id for hit in expected.hits]
    assert arms(answer) == arms(expected)
    assert time.monotonic() - began < 1


def test_sql_standing_in_for_another_server_is_named(ferries, within: Scope, monkeypatch):
    monkeypatch.setattr(stores, "chosen", lambda _depth: stores.Choice(stores.SQL, degraded=True))

    answer = ask(within)

    assert answer.degraded == ("graph",)
    assert arms(answer)["graph"] > 0


def test_the_filter_by_entity_knows_every_name_of_it(ferries, know, run_jobs, within: Scope):
    know("Northwind Ferries sells tickets on Sundays.")
    know("The bakery sells bread on Sundays.")
    run_jobs()

    def found(**wanted: object) -> set[str]:
        request = RecallRequest("Who moved, works or sells on Sundays?", filter=Filter(**wanted), profile=Profile.DEEP)
        answer = recall(replace(request, explain=True), within=within)
        return {hit.text for hit in (*answer.hits, *answer.explanation.below_floor)}

    named = found(entity="northwind ferries")
    assert "Northwind Ferries sells tickets on Sundays." in named
    assert any("head office" in text for text in named)
    assert not any("bakery" in text or "weather" in text for text in named)
    assert found(entity="Zora Quist") == set()


def test_filters_bind_what_the_graph_proposes(ferries, within: Scope):
    shown = ask(within, filter=Filter(session_id="two"), limit=10)

    texts = {source.external_id for hit in shown.hits for source in hit.sources}
    assert all("Mara" not in hit.text for hit in (*shown.hits, *shown.explanation.below_floor)), texts


def test_the_graph_of_private_memories_proposes_nothing_to_another_agent(ferries, know, run_jobs, within: Scope):
    know("Mara Lopez chairs the harbour council.", visibility=Visibility.SHARED)
    run_jobs()
    with tenant_scope(within.tenant_id):
        other = tenants.create_agent(slug="other")

    answer = ask(Scope(within.tenant_id, other.id, Reach.SHARED), limit=10)

    shown = {hit.text for hit in (*answer.hits, *answer.explanation.below_floor)}
    assert shown == {"Mara Lopez chairs the harbour council."}
    assert arms(answer)["graph"] == 1
    assert arms(ask(Scope(within.tenant_id, other.id, Reach.OWN)))["graph"] == 0


def test_the_dual_form_adds_half_of_each(ferries, within: Scope):
    with enter(replace(within, agent_id=None, reach=Reach.TENANT)):
        tenants.change(Policy.objects.get(tenant_id=within.tenant_id), {"fusion": "dual"})

    hit = ask(within, limit=10).hits[0]

    assert hit.text == EMPLOYER
    assert hit.scores.graph > 0
    assert hit.scores.keyword == 0
    assert hit.score == pytest.approx((hit.scores.graph + hit.scores.vector) * hit.scores.decay, abs=0.05)


def test_intents_are_told(ferries, within: Scope):
    assert ask(within, "Why did the head office move?").intent is Intent.WHY
    assert ask(within, "When did the head office move?").intent is Intent.WHEN
