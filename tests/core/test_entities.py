"""The names a text holds, and what looks like one and is none."""

import pytest

from memory_platform.knowledge.entities import entity_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Anna Berg and Ben in Porto.", ("Anna Berg", "Ben", "Porto")),
        ("See docs/timetable.md and ADR-007.", ("docs/timetable.md", "ADR-007")),
        ("Ask @mara about #harbor at https://a.example/x.", ("@mara", "#harbor", "https://a.example/x")),
        ("Running late on Monday in May.", ()),
        ("It uses PostgreSQL 17.", ("PostgreSQL 17",)),
    ],
)
def test_names_are_found_as_written(text, names):
    assert entity_names(text) == names


def test_a_sentence_start_is_a_name_only_if_known():
    assert entity_names("Wanda approves it.") == ()
    assert entity_names("Wanda approves it.", known=("Wanda",)) == ("Wanda",)
