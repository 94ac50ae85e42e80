import json
from datetime import UTC
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from apps.memory import observations
from memory_platform.model import Dropped, Fact, Observation, Slot, Standing

facts = st.builds(
    Fact,
    event_time=st.none() | st.datetimes(timezones=st.just(UTC)),
    entities=st.lists(st.text()).map(tuple),
    confidence=st.none() | st.floats(0, 1),
)


@given(facts=st.lists(facts).map(tuple), narrative=st.text(), dropped=st.lists(st.builds(Dropped)).map(tuple))
def test_an_observation_survives_its_row(facts, narrative, dropped):
    observation = Observation(UUID(int=7), facts, dropped, narrative)

    stored = json.loads(json.dumps(observations.dump(observation)))

    assert observations.load(UUID(int=7), stored) == observation


def test_how_a_value_stands_is_kept_and_was_unknown_to_those_who_wrote_earlier():
    slot = Slot("Our store", "be", "Loki", standing=Standing.CHANGED)
    stored = json.loads(json.dumps(observations.dump(Observation(UUID(int=7), (Fact("a", "a", slot=slot),)))))

    assert observations.load(UUID(int=7), stored).facts[0].slot.standing is Standing.CHANGED
    del stored["facts"][0]["slot"]["standing"]
    assert observations.load(UUID(int=7), stored).facts[0].slot.standing is Standing.UNKNOWN
