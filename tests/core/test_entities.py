"""Names by their capitals and by how machines write; a capital at the start of a sentence proves nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.entities import EntityForm, entity_names, find


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Caroline went to New York with Anna and Ben on Friday.", ["Caroline", "New York", "Anna", "Ben"]),
        ("Painting is fun. Sarah's dog Max ate it", ["Sarah", "Max"]),
        ("The Beatles and the University of Texas", ["Beatles", "University of Texas"]),
        ("Use PostgreSQL 18 at /etc/pg/conf", ["PostgreSQL 18", "/etc/pg/conf"]),
        ("Max is a dog. I love Max!", ["Max"]),
        ("NASA hired me in May", ["NASA"]),
        ("Sarah Connor called. Met Anna in Rome", ["Sarah Connor", "Anna", "Rome"]),
        ("We follow ADR-12 in src/app/main.py", ["ADR-12", "src/app/main.py"]),
        ("see https://x.org/a?b=1.", ["https://x.org/a?b=1"]),
        ("Ask @anna about #python, mail a.b@c.io", ["@anna", "#python", "a.b@c.io"]),
    ],
)
def test_names_are_found_in_order(text, names):
    assert list(entity_names(text, known={"Caroline"})) == names


@pytest.mark.parametrize(
    "text",
    ["Painting's a fun way to relax.", "Yesterday I ran. Nothing happened on Monday in June.", "I'm OK. Wow, great!"],
)
def test_ordinary_capitals_are_no_names(text):
    assert entity_names(text) == ()


def test_a_name_says_how_it_is_written_and_where():
    found = find("mail #ops about PROJ-12")

    assert [(entity.name, entity.form, entity.start) for entity in found] == [
        ("#ops", EntityForm.HASHTAG, 5),
        ("PROJ-12", EntityForm.REFERENCE, 16),
    ]


@given(st.text(max_size=80))
def test_every_name_stands_in_the_text_and_occurs_once(text):
    found = find(text)

    assert all(text[entity.start :].startswith(entity.name) for entity in found)
    assert len({entity.name.casefold() for entity in found}) == len(found)
