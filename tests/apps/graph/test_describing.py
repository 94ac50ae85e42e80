"""Each night the entities whose facts have changed get a summary, of their own audience's facts."""

import json

import pytest

from apps.core import clock, providers, scope
from apps.core.erasing import Doomed
from apps.core.scope import Reach, Scope
from apps.graph import selectors
from apps.graph import services as graph
from apps.graph.models import Entity
from apps.graph.services.erasing import purge
from apps.journal.models import Entry
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from memory_platform.adapters.openai_endpoint import Endpoint
from memory_platform.adapters.openai_summaries import OpenAiSummariser
from memory_platform.consolidation.summarising import WRITER, current
from memory_platform.model import ModelUsage, Slot, SummaryFact, SummaryLine, SummarySection, Whose
from tests import fake_openai
from tests.apps.graph.conftest import day
from tests.cast import ADAM, MARA
from tests.fake_openai import Reply

SAID = ("Anna Berg joined Brightwave.", "Anna Berg likes tea.", "Anna Berg moved to Oslo.")
HEAD = "Anna Berg (person), mentioned 3 times since 1 March 2025."


@pytest.fixture
def anna(world):
    return [world.learn(text, at=place) for place, text in enumerate(SAID)]


def row(world, name="Anna Berg"):
    with scope.enter(world.worker):
        return Entity.objects.get(canonical_name=name)


def read(world, **reader):
    with scope.enter(world.reader(**reader)):
        return selectors.entity(name="Anna Berg")


def counted(world):
    with scope.enter(world.worker):
        return graph.count_undescribed()


def test_who_is_mentioned_three_times_gets_a_summary_once(world, anna):
    before = read(world).summary
    assert counted(world) == 1

    assert sum(graph.describe(within=world.worker)) == 1
    assert sum(graph.describe(within=world.worker)) == 0

    assert (row(world).summary_writer, row(world, "Brightwave").summary) == (WRITER, "")
    assert f"{HEAD} {row(world).summary}" == before == read(world).summary
    with scope.enter(world.worker):
        (entry,) = Entry.objects.filter(operation="graph.described")
    assert entry.data == {"entities": 1}


def test_only_those_whose_facts_changed_are_written_again(world, anna):
    sum(graph.describe(within=world.worker))
    world.learn("Ben lives in Rome.", at=5)
    assert counted(world) == 0

    world.learn("Anna Berg plays chess.", at=6)

    assert "chess" in read(world).summary
    assert sum(graph.describe(within=world.worker)) == 1
    assert "chess" in row(world).summary


def test_what_was_forgotten_is_not_read_in_a_summary_of_before(world, anna):
    sum(graph.describe(within=world.worker))
    world.forget(items=(world.item_id(SAID[1]),))

    assert "tea" in row(world).summary
    assert "tea" not in read(world).summary
    sum(graph.describe(within=world.worker))
    assert "tea" not in row(world).summary


def test_nobody_reads_what_another_audience_said(world, anna):
    for place, text in enumerate(("Anna Berg is ill.", "Anna Berg sold the boat.", "Anna Berg sings.")):
        world.learn(text, at=place, user=MARA.user_id, session="secret")

    assert sum(graph.describe(within=world.worker)) == 2

    with scope.enter(world.worker):
        texts = dict(Entity.objects.filter(canonical_name="Anna Berg").values_list("user_id", "summary"))
    assert "ill" in texts[MARA.user_id]
    assert "ill" not in texts[None]
    with scope.enter(Scope(world.tenant_id, world.agent_id, Reach.OWN, Whose(ADAM.user_id))):
        assert "ill" not in selectors.entity(name="Anna Berg").summary


def test_as_of_an_earlier_day_it_is_told_from_the_facts_of_then(world, anna):
    sum(graph.describe(within=world.worker))

    with scope.enter(world.reader()):
        assert "Oslo" not in selectors.entity(name="Anna Berg", as_of=day(1.5)).summary


def test_of_one_state_only_the_latest_is_told():
    def fact(value, said, attribute):
        return SummaryFact(value, day(said).date(), Slot("Anna", attribute, value))

    assert current([fact("Rome", 1, "home"), fact("tea", 2, ""), fact("Oslo", 3, "Home")]) == (1, 2)


@pytest.fixture
def model(monkeypatch):
    with fake_openai.running() as fake:
        summariser = OpenAiSummariser(Endpoint(fake.base_url, "k", "gpt-4o-mini", backoff_seconds=0.01))
        monkeypatch.setattr(providers, "summariser", lambda: summariser)
        yield fake


def answer(text):
    lines = [{"text": text, "memories": [1, 2, 3]}]
    return Reply(content=json.dumps({"sections": [{"heading": "", "lines": lines}]}))


@pytest.mark.parametrize(
    ("says", "stands"),
    [("Anna Berg of Brightwave moved to Oslo and likes tea.", True), ("Anna Berg moved to Madrid.", False)],
)
def test_a_model_writes_where_the_facts_say_it(world, anna, model, says, stands):
    model.script(answer(says))

    sum(graph.describe(within=world.worker))

    assert (read(world).summary == f"{HEAD} {says}") is stands
    assert row(world).summary_writer.startswith("openai" if stands else "rules")


class Meanwhile:
    """A summariser that does something while it is asked."""

    version = "meanwhile:1"

    def __init__(self, does):
        self._does = does

    def summarise(self, *_, **__):
        self._does()
        return (SummarySection("", (SummaryLine("Anna Berg likes tea.", (1,)),)),), ModelUsage(model="meanwhile")


def test_what_is_forgotten_while_a_model_writes_is_not_written(world, anna, monkeypatch):
    tea = world.item_id(SAID[1])
    summariser = Meanwhile(lambda: world.forget(items=(tea,)))
    monkeypatch.setattr(providers, "summariser", lambda: summariser)

    assert sum(graph.describe(within=world.worker)) == 0

    assert row(world).summary == ""


def test_an_entity_whose_summary_was_erased_gets_another(world, anna):
    sum(graph.describe(within=world.worker))
    with scope.enter(world.worker):
        purge(Doomed(before=clock.now(), entity_ids=(row(world).id,)))
    assert (row(world).summary, row(world).summary_writer) == ("", "")

    assert sum(graph.describe(within=world.worker)) == 1

    assert "tea" in row(world).summary


def test_days_are_the_tenants_own(world, anna):
    with scope.enter(world.worker):
        tenant_services.change(tenants.policy(world.tenant_id), {"time_zone": "Pacific/Kiritimati"})

    sum(graph.describe(within=world.worker))

    # 9:00 UTC on the first is 23:00 there; an hour later each is said on the next day.
    assert "(1 March 2025)" in row(world).summary
    world.learn("Anna Berg sails.", at=5.1)
    sum(graph.describe(within=world.worker))
    assert "Anna Berg sails (7 March 2025)." in row(world).summary
