"""What a statement is about, what sort of knowledge it is, and how much it would hurt to forget."""

import pytest

from memory_platform.classify import category_of, kind_of, known_category, priority_of
from memory_platform.model import CategoryRule, Kind, Priority

CATEGORIES = (
    CategoryRule("work", ("job", "meeting")),
    CategoryRule("hobbies", ("guitar", "hiking", "board game")),
    CategoryRule("relationships", ("sister", "wedding", "meeting")),
    CategoryRule("other"),
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("She plays guitars and likes hikes", "hobbies"),
        ("We bought a board game", "hobbies"),
        ("my sister found a job before the wedding", "relationships"),
        ("The meeting is on Monday", "work"),
        ("Nothing in particular", "other"),
        ("", "other"),
    ],
)
def test_the_category_with_the_most_keywords_by_stem(text, category):
    assert category_of(text, CATEGORIES) == category


def test_a_shared_keyword_counts_less_than_an_own_one():
    assert category_of("a meeting about the wedding", CATEGORIES) == "relationships"


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Work", "work"),
        ("people-relationships", "relationships"),
        ("people_relationships", "relationships"),
        ("health", None),
    ],
)
def test_a_named_category_is_one_the_tenant_has(name, slug):
    assert known_category(name, CATEGORIES) == slug


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer tea to coffee.", Kind.PREFERENCE),
        ("Never commit to main.", Kind.RULE),
        ("All services must log in JSON.", Kind.RULE),
        ("To deploy, run make release.", Kind.PROCEDURE),
        ("We learned the hard way that caches lie.", Kind.LESSON),
        ("The trip made me realize how much I miss home.", Kind.REFLECTION),
        ("The root cause was a full disk.", Kind.INSIGHT),
        ("I think tabs are overrated.", Kind.OPINION),
        ("I moved to Berlin in 2020.", Kind.FACT),
    ],
)
def test_the_kind_of_a_statement(text, kind):
    assert kind_of(text) is kind


@pytest.mark.parametrize(
    ("text", "informativeness", "priority"),
    [
        ("I'm allergic to peanuts", 0.4, Priority.HIGH),
        ("The deadline is on Friday", 0.6, Priority.HIGH),
        ("I bought a lamp", 0.95, Priority.HIGH),
        ("I bought a lamp", 0.6, Priority.MEDIUM),
        ("I bought a lamp", 0.4, Priority.LOW),
    ],
)
def test_the_priority_of_a_statement(text, informativeness, priority):
    assert priority_of(text, informativeness=informativeness) is priority
