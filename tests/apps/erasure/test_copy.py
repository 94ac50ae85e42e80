"""An erasure takes what goes out of the graph's copy, too, and is not done before, wherever a run breaks off."""

from uuid import UUID

import pytest

from apps import environment
from apps.core import providers, scope
from apps.curation import projecting
from apps.erasure import residue
from apps.erasure.services import running
from apps.graph import services as graph_services
from apps.graph import stores, topics
from apps.graph.services import exporting
from apps.jobs import registry
from memory_platform.adapters.graph_memory import MemoryGraph
from memory_platform.knowledge.graph import Traces
from tests.apps.erasure.conftest import ADAM, EVE, MARKS
from tests.apps.erasure.test_erasing import found, rows
from tests.conftest import neo4j_graph

pytestmark = pytest.mark.timeout(300)
REAL = pytest.param("neo4j", marks=[pytest.mark.neo4j, pytest.mark.slow])


@pytest.fixture(params=["memory", REAL])
def copy(request, monkeypatch):
    """The platform copies its graph to another store, a real server where there is one."""
    is_real = request.param == "neo4j"
    graph = neo4j_graph(request.getfixturevalue("neo4j_server")) if is_real else MemoryGraph()
    settings = environment.environment().model_copy(update={"neo4j_from_depth": 1})
    monkeypatch.setattr(stores, "environment", lambda: settings)
    monkeypatch.setattr(providers, "graph_server", lambda: graph)
    monkeypatch.setattr(registry, "_subscribers", {**registry._subscribers, topics.CHANGED: {exporting.EXPORT_JOB}})
    yield graph
    graph.close()


@pytest.fixture
def copied(world, copy):
    """A tenant in which two users have talked, and all of it is copied."""
    with scope.enter(world.within):
        graph_services.rebuild_projection()
    for user in (EVE, ADAM):
        world.fill(user, f"chat-of-{user}")
    world.work()
    return world


def traces(copy, world, user):
    """How many rows of the copy are the user's, or say what they said."""
    return copy.traces(world.tenant_id, Traces(user_id=user, words=MARKS[user], users=(user, ""), before=LATEST))


LATEST = UUID(int=2**128 - 1)


def test_a_user_is_erased_from_the_copy_and_another_stays(copied, copy):
    kept, before = rows(copied, ADAM), traces(copy, copied, ADAM)
    assert traces(copy, copied, EVE) > 0

    done = copied.erase(user_id=EVE)

    assert (done["state"], done["residue"]) == ("done", [])
    assert done["receipt"]["scanned"]["stores"] == ["git", "neo4j", "postgresql", "valkey"]
    targets = done["receipt"]["targets"]
    units = targets["item"] + targets["resource"]
    assert units <= done["receipt"]["removed"]["neo4j"] <= units + targets["entity"]
    assert traces(copy, copied, EVE) == 0
    assert (traces(copy, copied, ADAM), rows(copied, ADAM)) == (before, kept)
    assert before > 0
    assert found(copied, MARKS[EVE], EVE) == ()


class Crash(BaseException):
    """As if the process had ended there."""


def crashing(action, *, behind):
    """The action, the first time of which breaks off: before it began, or once it was done."""
    crashes = iter([True])

    def do(*given, **named):
        breaks = next(crashes, False)
        if breaks and not behind:
            raise Crash
        done = action(*given, **named)
        if breaks:
            raise Crash
        return done

    return do


LAST_STEP = list(running.STEPS)[-1]
# Where a run breaks off, in which of a module's names or of the steps, and whether behind what is done there.
BREAKS = {
    "before the last step": (running.STEPS, LAST_STEP, False),
    "behind the last step": (running.STEPS, LAST_STEP, True),
    "before other stores are scanned": (vars(running), "_scanned_elsewhere", False),
    "before tables are scanned": (vars(residue), "scan", False),
    "before the receipt": (vars(running), "_finish", False),
    "behind the receipt, before it is committed": (vars(running), "_finish", True),
}


@pytest.mark.parametrize(("step", "store"), [("copy", "neo4j"), ("file", "git")])
def test_what_went_from_another_store_is_counted_once_also_when_its_step_breaks_off(copied, monkeypatch, step, store):
    projecting.project(within=copied.within)
    monkeypatch.setitem(running.STEPS, step, crashing(running.STEPS[step], behind=True))
    asked = copied.ask(user_id=EVE)
    with pytest.raises(Crash):
        running.run(UUID(asked["id"]), tenant_id=copied.tenant_id)
    broken = copied.get(f"erasures/{asked['id']}")["removed"]
    copied.work()

    (counted,) = (each["count"] for each in broken if each["name"] == store)
    assert copied.get(f"erasures/{asked['id']}")["receipt"]["removed"][store] == counted
    assert counted > 0


@pytest.mark.parametrize("erased", [{"user_id": EVE}, {"entity": f"Anna {MARKS[EVE]}"}], ids=["user", "name"])
@pytest.mark.parametrize("place", BREAKS)
def test_what_breaks_off_at_its_end_is_ended_by_the_next_run(copied, copy, monkeypatch, place, erased):
    held, name, behind = BREAKS[place]
    monkeypatch.setitem(held, name, crashing(held[name], behind=behind))
    before = rows(copied, ADAM)
    words = f"Anna {MARKS[EVE]}"

    asked = copied.ask(**erased)
    with pytest.raises(Crash):
        running.run(UUID(asked["id"]), tenant_id=copied.tenant_id)
    broken = copied.get(f"erasures/{asked['id']}")
    recalled = copied.recalled("Who works at the bakery in Lund?", EVE)
    copied.work()
    done = copied.get(f"erasures/{asked['id']}")

    assert (broken["state"], broken["receipt"], broken["residue"]) == ("running", None, [])
    assert list(running.STEPS)[len(broken["steps"]) :] == ([LAST_STEP] if name == LAST_STEP else [])
    assert not any(words in text for text in recalled)
    assert (done["state"], done["residue"]) == ("done", [])
    assert copied.post("erasures/verify", receipt=done["receipt"])["valid"] is True
    assert "neo4j" in done["receipt"]["scanned"]["stores"]
    assert named(copy, copied, words) == 0
    assert found(copied, words) == ()
    assert rows(copied, ADAM) == before


def named(copy, world, words):
    """How many rows of the copy say so."""
    return copy.traces(world.tenant_id, Traces(words=words, users=(EVE, ADAM, ""), before=LATEST))
