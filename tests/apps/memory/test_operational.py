"""What is known of how a service runs: one state at a time, surer when it is observed again, gone when it is not."""

from datetime import timedelta

import pytest
import time_machine

from apps.core import scope
from apps.jobs import services as jobs
from apps.maintenance import services as maintenance
from apps.memory import services
from apps.memory.models import ItemVersion
from apps.memory.requests import NewMemory
from apps.memory.results import WriteOutcome
from apps.retrieval import services as retrieval
from apps.retrieval.requests import ContextRequest
from memory_platform.model import ContextStyle, Slot, Status
from tests.apps.memory.conftest import SAME, START, fact

SLOW, SLOWER = "startup: 3 s", "startup: 5 s"


def observed(text: str, value: str, **fields):
    return fact(
        text, **{"category": "timing", "service": "api", "slot": Slot("", text.partition(":")[0], value), **fields}
    )


def learn(world, text: str, *facts, day: float = 0, **where):
    """Hear and observe on that day."""
    with time_machine.travel(START + timedelta(days=day), tick=False):
        return world.learn(text, *facts, day=day, **where)


def active(world) -> list[str]:
    return world.texts(status=Status.ACTIVE.value)


def night(world, day: float) -> None:
    """The nightly run of that day."""
    with time_machine.travel(START + timedelta(days=day), tick=False):
        with scope.enter(world.worker):
            maintenance.start("nightly", dry_run=False)
        jobs.drain("test", tenant_id=world.tenant_id)


def block(world, day: float) -> str:
    with time_machine.travel(START + timedelta(days=day), tick=False):
        return retrieval.context(ContextRequest(style=ContextStyle.OPERATIONAL), within=world.agent).text


def test_one_state_of_a_service_is_active_at_a_time(world):
    learn(world, SLOW, observed(SLOW, "3 s"))
    learn(world, SLOWER, observed(SLOWER, "5 s"), day=1)

    assert active(world) == [SLOWER]
    assert (world.item(SLOW).status, world.item(SLOW).valid_until) == (Status.SUPERSEDED, START + timedelta(days=1))


def test_what_arrives_late_is_history(world):
    learn(world, SLOWER, observed(SLOWER, "5 s"), day=1)
    learn(world, SLOW, observed(SLOW, "3 s"))

    assert active(world) == [SLOWER]


@pytest.mark.parametrize(
    "other",
    [{"service": "worker"}, {"category": "operations"}, {"slot": Slot("", "shutdown", "5 s"), "text": "shutdown: 5 s"}],
)
def test_another_service_category_or_slot_stands_beside_it(world, other):
    learn(world, SLOW, observed(SLOW, "3 s"))
    told = {"text": SLOWER, **other}
    learn(
        world,
        "another",
        fact(**{"category": "timing", "service": "api", "slot": Slot("", "startup", "5 s"), **told}),
        day=1,
    )

    assert len(active(world)) == 2


def test_in_other_categories_a_judge_decides(world):
    learn(world, SLOW, observed(SLOW, "3 s", category="work"))
    learn(world, SLOWER, observed(SLOWER, "5 s", category="work"), day=1)

    assert active(world) == [SLOW, SLOWER]


def test_another_value_that_is_no_number_only_puts_it_in_doubt(world):
    redis, postgres = "dependency: redis", "dependency: postgres"
    learn(world, redis, observed(redis, "redis"))
    learn(world, postgres, observed(postgres, "postgres"), day=1)

    assert active(world) == [redis, postgres]
    assert world.item(redis).doubted_by == (world.item(postgres).id,)


def test_what_one_message_says_side_by_side_is_two_things(world):
    learn(world, "both", observed(SLOW, "3 s"), observed(SLOWER, "5 s"))

    assert active(world) == [SLOW, SLOWER]


def test_a_repeated_observation_makes_it_surer_by_a_tenth(world):
    learn(world, SLOW, observed(SLOW, "3 s", confidence=0.5))
    learn(world, "again", observed(SLOW, "3 s", confidence=0.5), day=1, session="tuesday")

    assert world.item(SLOW).base_confidence == pytest.approx(0.6)
    assert world.item(SLOW).merged_count == 1


def test_repeating_it_without_end_makes_it_no_surer_than_certain(world):
    for day in range(8):
        learn(world, f"on day {day}", observed(SLOW, "3 s", confidence=0.7), day=day, session=f"day {day}")

    assert world.item(SLOW).base_confidence == 1.0


def test_what_an_assistant_says_back_makes_nothing_surer(world):
    learn(world, SLOW, observed(SLOW, "3 s", confidence=0.5))
    world.answer("It is so.", observed(SLOW, "3 s"), day=1, session="tuesday")

    assert world.item(SLOW).base_confidence == 0.5


def test_an_assistant_may_not_end_what_a_user_observed(world):
    learn(world, SLOW, observed(SLOW, "3 s"))
    world.answer("The api restarted.", observed(SLOWER, "5 s", confidence=1.0), day=1, session="tuesday")

    assert SLOW in active(world)


def operations(world, text: str) -> list[str]:
    """What has become of an item, in order."""
    with scope.enter(world.worker):
        rows = ItemVersion.objects.filter(tenant_id=world.tenant_id, item__text=text).order_by("id")
        return list(rows.values_list("operation", flat=True))


def test_what_is_not_observed_again_fades_out_of_the_block_and_a_second_night_changes_nothing(world):
    """0.7 is 0.3 after 30 days of grace and four weeks: a day later it is below."""
    learn(world, SLOW, observed(SLOW, "3 s", confidence=0.7))
    night(world, 57)
    assert "startup" in block(world, 57)

    night(world, 59)
    night(world, 59)
    assert world.item(SLOW).status is Status.ARCHIVED
    assert operations(world, SLOW).count("decayed") == 1
    assert block(world, 59) == ""


def test_observing_it_again_brings_back_what_faded(world):
    learn(world, SLOW, observed(SLOW, "3 s", confidence=0.7))
    night(world, 59)
    learn(world, "again", observed(SLOW, "3 s", confidence=0.7), day=60, session="later")

    assert active(world) == [SLOW]
    assert world.item(SLOW).base_confidence == pytest.approx(0.7)
    assert "1 of 1 memories" in block(world, 60)


def test_in_other_words_too(world):
    words = "The api needs three seconds until it answers."
    world.judged(SAME, words, "It takes three seconds until the api answers.")
    learn(world, words, fact(words, category="timing", service="api", confidence=0.7))
    night(world, 59)
    text = "It takes three seconds until the api answers."
    learn(world, text, fact(text, category="timing", service="api"), day=60, session="later")

    assert active(world) == [words]


def test_another_value_takes_the_place_of_what_faded(world):
    learn(world, SLOW, observed(SLOW, "3 s", confidence=0.7))
    night(world, 59)
    learn(world, SLOWER, observed(SLOWER, "5 s"), day=60)

    assert active(world) == [SLOWER]
    assert world.item(SLOW).status is Status.SUPERSEDED


def test_what_a_caller_files_is_one_state_too(world):
    def remember(text: str):
        new = NewMemory(text=text, category="timing", service="api", occurred_at=START)
        return services.remember(new, within=world.agent)

    first, second = remember("The timeout of the api is 30 seconds."), remember("The timeout of the api is 60 seconds.")

    assert (first.outcome, second.outcome) == (WriteOutcome.STORED, WriteOutcome.SUPERSEDED)
    assert active(world) == ["The timeout of the api is 60 seconds."]


def test_so_is_what_markers_say(world):
    for seconds in (30, 60):
        new = NewMemory(text=f"[MEMORY:timing:api] The timeout of the api is {seconds} seconds.", occurred_at=START)
        services.remember(new, within=world.agent)

    assert active(world) == ["The timeout of the api is 60 seconds."]


def test_the_block_of_the_guide_is_what_it_prints(world):
    def remember(text: str, **filed: str) -> None:
        services.remember(NewMemory(text=text, **filed), within=world.agent)

    remember("The timeout of the api is 30 seconds.", category="timing", service="api")
    remember("The timeout of the api is 60 seconds.", category="timing", service="api")
    remember("[MEMORY:dependency:api] The api depends on redis.")

    text = retrieval.context(ContextRequest(style=ContextStyle.OPERATIONAL), within=world.agent).text
    header, _, *lines = text.splitlines()
    assert header.startswith("# 2 of 2 memories, ~")
    assert lines == [
        "## api",
        "~ [timing] The timeout of the api is 60 seconds. (confidence: 0.9; age: 0d)",
        "~ [dependency] The api depends on redis. (confidence: 0.7; age: 0d)",
    ]
