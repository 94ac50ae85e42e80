"""What a text says caused what, and what it takes up of the one before."""

import pytest

from memory_platform.knowledge import causes
from tests.core.reading import parsed


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The deploy failed because the disk was full.", "the disk was full", "The deploy failed"),
        ("Because the disk was full, the deploy failed.", "the disk was full", "the deploy failed"),
        ("The outage was due to an expired certificate.", "an expired certificate", "The outage was"),
        ("The expired certificate led to an outage.", "The expired certificate", "an outage"),
        ("The disk was full, so we rolled back the release.", "The disk was full", "we rolled back the release"),
        ("The disk was full; therefore the job stopped.", "The disk was full", "the job stopped"),
        ("We added an index so that the search is fast.", "We added an index", "the search is fast"),
    ],
)
def test_a_stated_cause_is_split_from_its_effect(text, cause, effect):
    (found,) = causes.causes(parsed(text))

    assert (found.cause, found.effect) == (cause, effect)


@pytest.mark.parametrize(
    "text",
    [
        "Was it because of the disk?",
        "I am so happy about it.",
        "So far, so good.",
        "Since we last spoke, some big things have happened.",
        "The deploy might lead to an outage.",
    ],
)
def test_what_only_looks_like_a_cause_is_none(text):
    assert causes.causes(parsed(text)) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Therefore we rolled back.", ("therefore", True)),
        ("That's why we rolled back.", ("that's why", True)),
        ("That's because the disk was full.", ("that's because", False)),
        ("So we rolled back.", ("so", True)),
        ("So far nothing happened.", None),
        ("We rolled back.", None),
    ],
)
def test_a_message_may_take_up_the_one_before(text, expected):
    assert causes.points_back(text) == expected
