"""When two observations of a service speak of one state of it, and what becomes of the older one."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.consolidation.operational import ServiceObservation
from memory_platform.extraction.clauses import clauses
from memory_platform.extraction.slots import slot_of, slot_of_entry
from memory_platform.model import ClaimRelation, RelationThresholds, Slot

SAME = ClaimRelation(same=1.0, distinct=0.0)
REPLACED = ClaimRelation(update=1.0, distinct=0.0)
LIMITS = RelationThresholds(merge=0.9, close=0.75, doubt=0.25, conflict=0.9)
PROBABLY = ClaimRelation(update=0.5, distinct=0.5)


@cache
def observed(text: str, service: str = "api", category: str = "timing") -> ServiceObservation:
    (parse,) = SpacyReader().read([text])
    (clause,) = clauses(parse)
    return ServiceObservation(service, category, text, slot_of_entry(text) or slot_of(clause, parse))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The api takes 3 seconds to start.", "The api takes 5 seconds to start."),
        ("The timeout of the api is 30 seconds.", "The timeout of the api is 60 seconds."),
        ("Backups run at 02:00.", "Backups run at 03:00."),
        ("The queue holds 500 jobs at most.", "The queue holds 800 jobs at most."),
        ("startup: 3 s", "startup: 5 s"),
    ],
)
def test_another_number_of_the_same_state_has_replaced_it(older, newer):
    assert observed(newer).relation_to(observed(older), LIMITS) == REPLACED


def test_another_value_is_only_probable_for_a_service_may_have_several():
    assert (
        observed("The api depends on redis.").relation_to(observed("The api depends on postgres."), LIMITS) == PROBABLY
    )


def test_the_same_value_says_it_again():
    assert observed("startup: 3 s").relation_to(observed("startup: 3 S."), LIMITS) == SAME


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The api takes 3 seconds to start.", "The api takes 10 minutes to deploy."),
        ("The api runs on port 8080.", "The worker runs on port 9090."),
        ("Backups run at 02:00.", "Backups run on the replica."),
        ("PAY-1 takes 3 days.", "PAY-10 takes 5 days."),
        ("startup: 3 s", "shutdown: 5 s"),
        ("The api is slow.", "startup: 3 s"),
    ],
)
def test_two_states_have_nothing_to_do_with_each_other(older, newer):
    assert observed(newer).relation_to(observed(older), LIMITS) is None


@pytest.mark.parametrize("other", [("worker", "timing"), ("api", "operations")])
def test_another_service_or_category_is_another_pair(other):
    assert observed("startup: 5 s").relation_to(observed("startup: 3 s", *other), LIMITS) is None


def test_what_gives_no_value_is_left_to_a_judge():
    bare = ServiceObservation("api", "timing", "The api restarts.", Slot("The api", "restart"))

    assert bare.relation_to(bare, LIMITS) is None


_WORDS = st.sampled_from(["3 s", "5 s", "redis", "", "on port 80"])
_STATES = st.builds(
    lambda key, value, service: ServiceObservation(service, "timing", f"{key}: {value}", Slot("", key, value)),
    st.sampled_from(["startup", "timeout", ""]),
    _WORDS,
    st.sampled_from(["api", "worker"]),
)


@given(_STATES, _STATES)
def test_it_is_the_same_either_way(one, other):
    assert one.relation_to(other, LIMITS) == other.relation_to(one, LIMITS)
