"""Category by stemmed keywords, kind and priority by wording."""

import pytest

from memory_platform.extraction.classify import category_of, kind_of, priority_of
from memory_platform.model import CategoryRule, Kind, Priority

RULES = (
    CategoryRule("work", ("meeting", "job")),
    CategoryRule("hobbies", ("hiking", "board game")),
    CategoryRule("other"),
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Two meetings on Monday", "work"),
        ("She hikes a lot", "hobbies"),
        ("A board game and one job", "hobbies"),
        ("Nothing of the kind", "other"),
    ],
)
def test_the_category_with_the_most_keywords_wins(text, category):
    assert category_of(text, RULES) == category


def test_a_tie_goes_to_the_earlier_category():
    assert category_of("hiking to the meeting", RULES) == "work"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer tea.", Kind.PREFERENCE),
        ("Migrations must be reversible.", Kind.RULE),
        ("I moved to Lisbon.", Kind.FACT),
        ("We learned the hard way to back up.", Kind.LESSON),
        ("I think it is risky.", Kind.OPINION),
    ],
)
def test_the_kind_follows_the_wording(text, kind):
    assert kind_of(text) is kind


def test_what_would_hurt_to_forget_has_high_priority():
    assert priority_of("I am allergic to nuts.", informativeness=0.1) is Priority.HIGH
    assert priority_of("I am making a cake.", informativeness=0.4) is Priority.LOW
    assert priority_of("I am making a cake.", informativeness=0.6) is Priority.MEDIUM
