"""An erasure takes a user out of a real Neo4j, too, and is not done before."""

from uuid import UUID

import pytest

from apps import environment
from apps.core import providers, scope
from apps.graph import services as graph_services
from apps.graph import stores, topics
from apps.graph.services import exporting
from apps.jobs import registry
from memory_platform.knowledge.graph import Traces
from tests.apps.erasure.conftest import ADAM, EVE, MARKS
from tests.apps.erasure.test_erasing import found, rows
from tests.conftest import neo4j_graph

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def copy(neo4j_server, monkeypatch):
    """The platform copies its graph to a real server."""
    graph = neo4j_graph(neo4j_server)
    settings = environment.environment().model_copy(update={"neo4j_from_depth": 1})
    monkeypatch.setattr(stores, "environment", lambda: settings)
    monkeypatch.setattr(providers, "graph_server", lambda: graph)
    monkeypatch.setattr(registry, "_subscribers", {**registry._subscribers, topics.CHANGED: {exporting.EXPORT_JOB}})
    yield graph
    graph.close()


def traces(copy, world, user):
    """How many rows of the copy are the user's, or say what they said."""
    return copy.traces(world.tenant_id, Traces(user_id=user, words=MARKS[user], users=(user, ""), before=LATEST))


LATEST = UUID(int=2**128 - 1)


def test_a_user_is_erased_from_the_copy_and_another_stays(world, copy):
    with scope.enter(world.within):
        graph_services.rebuild_projection()
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    world.work()
    kept, before = rows(world, ADAM), traces(copy, world, ADAM)
    assert traces(copy, world, EVE) > 0

    done = world.erase(user_id=EVE)

    assert (done["state"], done["residue"]) == ("done", [])
    assert done["receipt"]["scanned"]["stores"] == ["git", "neo4j", "postgresql", "valkey"]
    assert traces(copy, world, EVE) == 0
    assert (traces(copy, world, ADAM), rows(world, ADAM)) == (before, kept)
    assert before > 0
    assert found(world, MARKS[EVE], EVE) == ()
