"""What machines write: entries, and the prose beside them."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text import structure
from memory_platform.text.structure import Entry, taken_apart

NOT_LETTERS = re.compile(r"[\W_]+")


def entries(text: str) -> list[str]:
    return [entry.text for entry in taken_apart(text).entries]


def test_values_of_json_are_named_by_their_keys():
    text = '{"status": "ok", "node": {"name": "db-1", "cpus": 4, "tags": ["eu", "ssd"]}, "error": null}'

    assert entries(text) == ["status: ok", "node db-1: cpus 4", "node db-1: tags eu, ssd"]
    assert taken_apart(text).prose.strip() == ""


def test_json_lines_are_read_one_by_one():
    assert entries('{"host": "a"}\n{"host": "b"}\n') == ["host: a", "host: b"]


def test_keys_and_values_are_entries():
    assert taken_apart("region: eu-west-1\nreplicas=3\n  - owner:  Anna Berg \n").entries == (
        Entry("region: eu-west-1", "region: eu-west-1"),
        Entry("replicas: 3", "replicas=3"),
        Entry("owner: Anna Berg", "- owner:  Anna Berg"),
    )


def test_cells_of_a_table_are_named_by_its_header():
    table = "| name | city |\n|------|------|\n| Anna | Rome |\n| Ben | Oslo |"

    assert entries(table) == ["Anna: city Rome", "Ben: city Oslo"]


def test_columns_without_a_header_stay_side_by_side():
    assert entries("web    1/1   Running\ndb     0/1   Pending") == ["web 1/1 Running", "db 0/1 Pending"]


@pytest.mark.parametrize(
    "text",
    [
        "See [1] for the details. We moved to Postgres in May.",
        "We moved {really} to Postgres.",
        "One thing: we moved.",
        "We moved to Postgres.\nAnna wants Redis.\nowner: Ben",
        "",
    ],
)
def test_prose_is_no_structure(text):
    assert taken_apart(text) == structure.Structured(text)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ('The lookup says {"ok": true} and so we moved on.', "The lookup says and so we moved on."),
        ("$ kubectl get pods\nname: web\nAll pods are healthy\nready: 1", "All pods are healthy"),
        ("name: Anna\n```\nx: 1\n```\ncity: Rome", ""),
    ],
)
def test_prose_beside_what_a_machine_wrote_stays(text, prose):
    found = taken_apart(text)

    assert " ".join(found.prose.split()) == prose
    assert len(found.prose) == len(text)


def test_code_is_blanked_and_all_else_keeps_its_place():
    assert structure.blanked("Run\n```sh\nmake\n```\nnow") == "Run\n\n    \n    \n   \nnow"
    assert structure.blanked("Run ```make") == "Run \n      "


def test_what_is_beyond_the_first_entries_is_left():
    found = taken_apart("\n".join(f"key{n}: {n}" for n in range(30)))

    assert len(found.entries) == structure.MOST_ENTRIES
    assert found.left.splitlines() == [f"key{n}: {n}" for n in range(8, 30)]


def test_what_is_too_long_for_an_entry_is_left():
    found = taken_apart(json.dumps({"body": "word " * 60, "n": 1}))

    assert [entry.text for entry in found.entries] == ["n: 1"]
    assert found.left == "body: " + ("word " * 60).strip()


def test_escapes_of_json_spell_nothing_that_cannot_be_stored():
    assert entries('{"a\\u0000": "x\\ud800y\\u202e\\nz"}') == ["a: x y z"]


def test_deep_nesting_is_no_reason_to_fail():
    text = '{"a": ' * 90 + '"x"' + "}" * 90

    assert entries(text) == ["a a a a a a: x"]
    assert taken_apart("[" * 5000).entries == ()


words = st.sampled_from(["Anna", "a b", "déf-1", "", " x\ny "])
leaves = st.booleans() | st.integers(-9, 9) | words
keys = st.sampled_from(["key", "is ok", "k"])
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)


def leaves_of(value: object) -> list[object]:
    if isinstance(value, (dict, list)):
        return [leaf for inner in (value.values() if isinstance(value, dict) else value) for leaf in leaves_of(inner)]
    return [value]


@given(st.dictionaries(keys, values, min_size=1))
def test_every_value_of_json_is_an_entry_or_left(value):
    found = taken_apart(json.dumps(value))
    said = [f"{entry.lead_in}: {entry.text}" for entry in found.entries] + found.left.splitlines()

    for leaf in leaves_of(value):
        text = " ".join((leaf if isinstance(leaf, str) else json.dumps(leaf)).split())
        assert any(text in one for one in said) or not text


lines = st.sampled_from(["key: value", "a | b | c", "n = 3", "x\ty", "We moved to Rome.", "", "  - k: v", "one  two"])


@given(st.lists(lines, max_size=40).map("\n".join) | st.text('ab:=| \n\t.{}[]"1`$', max_size=80))
def test_every_letter_is_in_the_prose_or_in_an_entry(text):
    found = taken_apart(text)
    assert len(found.prose) == len(text)
    assert all(mine in {" ", "\n", own} for mine, own in zip(found.prose, text, strict=True))
    if "```" in text or "$ " in text or "{" in text or "[" in text:
        return
    said = "".join(entry.text for entry in found.entries) + found.left
    blanked = [word for line in _blanked(text, found.prose) for word in NOT_LETTERS.split(line)]
    assert all(word in said for word in blanked)


def _blanked(text: str, prose: str) -> list[str]:
    pairs = zip(text.split("\n"), prose.split("\n"), strict=True)
    return [line for line, kept in pairs if line != kept]


@given(st.lists(lines, max_size=8).map("\n".join))
def test_a_quote_is_a_stretch_of_its_text(text):
    assert all(entry.quote in text for entry in taken_apart(text).entries)
