"""The packed model scores as the package it comes from does."""

import py3langid
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text import language_model

TEXTS = (
    "I moved to Lisbon in February, and I like the light there.",
    "Ich wohne seit gestern in Berlin. ICH MAG ES SEHR.",
    "Mañana salimos a las ocho; ¿traes tú el café?",
    "Это по-русски, а это нет.",
    "ΑΥΤΟ ΕΙΝΑΙ ΕΛΛΗΝΙΚΑ",
    "日本語の文章です。今日は雨が降っています。",
    "Ovo je srpski, a ово је исто српски.",
    "SELECT * FROM users WHERE id = 4711;",
    "e\u0301te\u0301 comme hiver",
    "half a surrogate \ud800 and words of English",
)


@pytest.mark.parametrize("text", TEXTS)
def test_each_language_scores_as_in_the_package(text: str) -> None:
    _same(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300))
def test_so_it_does_for_any_text(text: str) -> None:
    _same(text)


def test_the_likeliest_is_the_language_of_each() -> None:
    told = [language_model.scores(text) for text in TEXTS[:6]]

    assert [max(scores, key=scores.__getitem__) for scores in told] == ["en", "de", "es", "ru", "el", "ja"]


@pytest.mark.parametrize("text", ["", "7", "x", "👏"])
def test_where_nothing_tells_none_is_likelier(text: str) -> None:
    assert set(language_model.scores(text).values()) == {0.0}


def _same(text: str) -> None:
    wanted = {
        code: score for code, score in py3langid.rank(text) if len(code) == 2 or code == language_model.NO_LANGUAGE
    }
    tells = len(set(wanted.values())) > 1
    expected = pytest.approx(wanted, rel=1e-3, abs=0.05) if tells else dict.fromkeys(wanted, 0.0)
    assert language_model.scores(text) == expected
