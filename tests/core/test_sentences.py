"""Where sentences end, in text of several languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Weiterhin am 21. März um 19 Uhr. Danke", ["Weiterhin am 21. März um 19 Uhr.", "Danke"]),
        ("Vom 8. bis 11. Mai in Triest", ["Vom 8. bis 11. Mai in Triest"]),
        ("Das war Raum 204. Mai war schön", ["Das war Raum 204.", "Mai war schön"]),
        ("I was in room 12. Mark left", ["I was in room 12.", "Mark left"]),
    ],
)
def test_a_german_day_does_not_end_its_sentence(text, expected):
    assert [one.text for one in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. No left. e.g. at 5 p.m. today", ["Dr. No left. e.g. at 5 p.m. today"]),
        ("It costs 3.50. See a.b/c.py now!", ["It costs 3.50.", "See a.b/c.py now!"]),
        ('She said "I quit. Now." and left. Bye', ['She said "I quit. Now." and left.', "Bye"]),
        ("“Never. Ever.” she said. Ok", ["“Never. Ever.” she said.", "Ok"]),
        ('An open " stays open. Here. ' + "X" * 300 + '"', ['An open " stays open.', "Here.", "X" * 300 + '"']),
        ("one\n\n  two\n", ["one", "two"]),
        ("Nice :) See you", ["Nice :)", "See you"]),
        ("Wait... what?! no", ["Wait... what?!", "no"]),
        ("It is approx.", ["It is approx."]),
        ("我住在上海。你住在哪里？好！", ["我住在上海。", "你住在哪里？", "好！"]),
        ("「来る。たぶん。」と言った。はい", ["「来る。たぶん。」と言った。", "はい"]),
        ("أسكن في القاهرة. أين تسكن؟ حسنا", ["أسكن في القاهرة.", "أين تسكن؟", "حسنا"]),
        ("मैं दिल्ली में रहता हूँ। तुम कहाँ रहते हो?", ["मैं दिल्ली में रहता हूँ।", "तुम कहाँ रहते हो?"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_stop(text, expected):
    assert [one.text for one in sentences(text)] == expected


@given(st.text(max_size=200) | st.text('aB .!?"“”\n:)。？」「؟', max_size=60))
def test_sentences_are_stretches_of_the_text_and_lose_nothing(text):
    done = 0
    for span in sentences(text):
        assert text[span.start : span.start + len(span.text)] == span.text == span.text.strip()
        assert not text[done : span.start].strip()
        done = span.start + len(span.text)
    assert not text[done:].strip()
