"""Category by stemmed keywords."""

import pytest

from memory_platform.extraction.classify import category_of, known_category
from memory_platform.model import CategoryRule

RULES = (
    CategoryRule("work", ("meeting", "job")),
    CategoryRule("hobbies", ("hiking", "board game")),
    CategoryRule("relationships"),
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


def test_a_keyword_that_two_categories_share_tells_less():
    rules = (CategoryRule("work", ("deadline", "team")), CategoryRule("hobbies", ("team", "football")))

    assert category_of("The football team", rules) == "hobbies"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Work", "work"),
        (" people relationships ", "relationships"),
        ("people_relationships", "relationships"),
        ("x", None),
    ],
)
def test_a_category_is_known_by_its_slug_or_alias(name, slug):
    assert known_category(name, RULES) == slug
