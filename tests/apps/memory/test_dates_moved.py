"""A thing whose date is moved, and moved again, as the reader and the judge that ship find: its newest date stays."""

import pytest

from apps.core import providers
from memory_platform.adapters.claim_judge import ClaimJudge
from memory_platform.adapters.clause_extractor import ClauseExtractor
from tests.apps.memory.conftest import World
from tests.core.reading import reader


@pytest.fixture
def told(world: World, monkeypatch):
    """Each text is said twenty days after the one before; returns the open dates after each."""
    judge = ClaimJudge(intra_op_threads=1)
    extractor = ClauseExtractor(reader(), judge)
    monkeypatch.setattr(providers, "extractor", lambda: extractor)
    monkeypatch.setattr(providers, "relator", lambda: judge)

    def tell(*texts: str) -> list[set[str]]:
        opened = []
        for number, text in enumerate(texts):
            world.observe(world.hear(text, session=f"s{number}", day=20 * number))
            opened.append({item.value for item in world.items(status="active")})
        return opened

    return tell


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("The launch is on 3 May.", "We moved the launch to 29 June.", "We moved the launch to 6 July."),
        ("The launch is on 3 May.", "The launch was moved to 29 June.", "The launch has been moved to 6 July."),
        (
            "The launch takes place on 3 May.",
            "The launch got pushed back to 29 June.",
            "We've moved the launch to 6 July.",
        ),
        (
            "The launch is scheduled for 3 May.",
            "We moved the launch from 3 May to 29 June.",
            "The launch slipped to 6 July.",
        ),
        (
            "The launch is due on 3 May.",
            "They postponed the launch until 29 June.",
            "The launch was rescheduled for 6 July.",
        ),
    ],
)
def test_what_is_moved_again_and_again_has_its_newest_date_only(world: World, told, first, second, third):
    assert told(first, second, third) == [{"3 May"}, {"29 June"}, {"6 July"}]
    assert [item.value for item in world.items(status="superseded")] == ["3 May", "29 June"]


def test_what_is_moved_of_one_ticket_or_town_is_not_moved_of_another(told):
    assert told(
        "The launch of PAY-1 is on 3 May.",
        "We moved the launch of PAY-10 to 29 June.",
        "The launch in Oslo was moved to 6 July.",
        "The launch in Rome was moved to 9 August.",
    )[-1] == {"3 May", "29 June", "6 July", "9 August"}


def test_a_suggestion_moves_nothing(told):
    assert "3 May" in told("The launch is on 3 May.", "Let's move the launch to 29 June.")[-1]


def test_a_date_that_lay_behind_was_another_time(world: World, told):
    told("The review is on 10 March.", "The review was moved to 29 June.")

    past = next(item for item in world.items() if item.value == "10 March")
    assert past.status == "active"
