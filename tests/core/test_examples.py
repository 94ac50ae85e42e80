"""Categories taught by example: nearness decides, the talk around breaks ties, and nothing taught decides nothing."""

import numpy as np
import pytest

from memory_platform.extraction.examples import taught, texts
from memory_platform.model import CategoryRule

RULES = (
    CategoryRule("health", examples=("pills", "doctor")),
    CategoryRule("work", examples=("office", "boss")),
    CategoryRule("other"),
)
VECTORS = np.array([[1.0, 0.1, 0.0], [1.0, -0.1, 0.0], [0.0, 0.1, 1.0], [0.0, -0.1, 1.0]], dtype=np.float32)
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)


def unit(*values):
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_examples_are_embedded_category_by_category():
    assert texts(RULES) == ["pills", "doctor", "office", "boss"]


@pytest.mark.parametrize(("vector", "slug"), [((0.9, 0.0, 0.1), "health"), ((0.1, 0.0, 0.9), "work")])
def test_a_statement_belongs_where_the_nearest_examples_are(vector, slug):
    assert taught(RULES, VECTORS).category_of(unit(*vector)) == slug


def test_what_lies_between_belongs_where_its_talk_does():
    known = taught(RULES, VECTORS)
    between = unit(0.5, 0.0, 0.5)

    assert known.category_of(between, before=["work"] * 5) == "work"
    assert known.category_of(between, before=["health"] * 5) == "health"


def test_what_lies_between_belongs_where_its_message_does():
    known = taught(RULES, VECTORS)
    between = unit(0.5, 0.0, 0.5)

    assert known.category_of(between, message=unit(0.1, 0.0, 0.9)) == "work"
    assert known.category_of(between, message=unit(0.9, 0.0, 0.1)) == "health"
    assert known.category_of(unit(1.0, 0.0, 0.0), message=unit(0.0, 0.0, 1.0)) == "health"


def test_a_keyword_weighs_but_does_not_decide_alone():
    known = taught(RULES, VECTORS)

    assert known.category_of(unit(0.5, 0.0, 0.5), worded="work") == "work"
    assert known.category_of(unit(0.5, 0.0, 0.5), worded="health") == "health"
    assert known.category_of(unit(1.0, 0.0, 0.0), worded="work") == "health"


def test_a_keyword_of_a_category_without_examples_stands():
    assert taught(RULES, VECTORS).category_of(unit(1.0, 0.0, 0.0), worded="garden") == "garden"


def test_only_the_last_of_a_long_talk_count_and_other_says_nothing():
    known = taught(RULES, VECTORS)
    between = unit(0.5, 0.0, 0.5)

    assert known.category_of(between, before=["health"] * 50 + ["work"] * 20) == "work"
    assert known.category_of(between, before=["work", *["other"] * 19]) == "work"
    assert known.category_of(unit(0.9, 0.0, 0.1), before=["other"] * 20) == "health"


@pytest.mark.parametrize("rules", [(CategoryRule("other"),), (CategoryRule("work", examples=("office", "boss")),)])
def test_examples_of_less_than_two_categories_teach_nothing(rules):
    assert taught(rules, VECTORS[: len(texts(rules))]) is None


def test_examples_that_all_read_the_same_decide_without_failing():
    same = np.ones((4, 3), dtype=np.float32) / np.sqrt(3)

    assert taught(RULES, same).category_of(unit(1, 2, 3)) in {"health", "work"}
