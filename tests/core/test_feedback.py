"""Which recalled memories an output used, and how an offset fades."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import Effects, RecalledText, Use

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


def memory(number: int, text: str, tokens: int = 10) -> RecalledText:
    return RecalledText(UUID(int=number), text, tokens)


MEMORIES = (
    memory(1, "The staging cluster runs in Frankfurt."),
    memory(2, "Backups of the order service run at 02:00."),
    memory(3, "Anna is allergic to peanuts.", tokens=200),
)


def test_used_ignored_and_ignored_at_a_price():
    judged = feedback.judge("Staging is hosted in Frankfurt, so latency is low.", MEMORIES, query="Where is it?")

    assert [entry.use for entry in judged] == [Use.USED, Use.IGNORED, Use.IGNORED_DEAR]
    assert [Effects().of(entry.use) for entry in judged] == [0.1, -0.05, -0.1]


def test_nothing_is_dear_where_all_cost_the_same():
    judged = feedback.judge("You are welcome.", [memory(1, "Anna likes tea."), memory(2, "Tom likes rum.")])

    assert [entry.use for entry in judged] == [Use.IGNORED, Use.IGNORED]


def test_repeating_the_question_is_no_use():
    judged = feedback.judge(
        "I do not know about the staging cluster.", MEMORIES[:1], query="Where is the staging cluster?"
    )

    assert judged[0].use is Use.IGNORED


def test_a_word_that_all_memories_share_counts_less():
    dogs = (memory(1, "Anna's dog sleeps upstairs."), memory(2, "Anna's dog eats rice."))
    judged = feedback.judge("The dog of Anna gets rice.", dogs)

    assert [entry.use for entry in judged] == [Use.IGNORED, Use.USED]


@pytest.mark.parametrize(
    ("held", "written"),
    [
        ("Backups run at 02:00.", "They start at 2 am."),
        ("Exports hold 100,000 rows.", "At most 100000."),
        ("The freeze starts on 12 December.", "It begins on the 12th."),
        ("School begins at 08:15.", "At 8:15."),
    ],
)
def test_a_number_is_the_same_however_it_is_written(held, written):
    query = "When, and how many do backups, exports, school and the freeze start, begin, hold?"
    same, other = (feedback.judge(text, [memory(1, held)], query=query)[0] for text in (written, "At 7 or 3333."))

    assert (same.use, other.use) == (Use.USED, Use.IGNORED)


def test_a_value_among_many_that_the_memory_does_not_hold_is_a_coincidence():
    judged = feedback.judge(
        "Athens, Lisbon, Valletta, Nicosia and Seville rarely see frost in January or February.",
        [memory(1, "Mara lives in a small flat in Lisbon with her sister.")],
        query="Which cities are warm in winter?",
    )

    assert judged[0].use is Use.IGNORED


def test_a_memory_without_words_of_its_own_is_ignored():
    assert feedback.judge("tea", (memory(1, "it is"),))[0].use is Use.IGNORED
    assert feedback.judge("", MEMORIES)[0].use is Use.IGNORED
    assert feedback.judge("tea", ()) == ()


def test_an_offset_halves_with_each_half_life_and_never_grows():
    def left(days):
        return feedback.left_of(0.2, since=NOW, now=NOW + timedelta(days=days), half_life_days=30)

    assert [left(days) for days in (-5, 0, 30, 60, 1_000_000)] == [0.2, 0.2, 0.1, 0.05, 0.0]
    assert feedback.left_of(0.2, since=None, now=NOW, half_life_days=30) == 0.0


@given(st.lists(st.floats(-1, 1), max_size=20))
def test_no_row_of_effects_leads_past_the_bound(deltas):
    offset = 0.0
    for delta in deltas:
        offset = feedback.moved(offset, delta, bound=0.3)

    assert -0.3 <= offset <= 0.3


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=4), st.text(max_size=40))
def test_every_memory_is_judged_once_in_order(output, texts, query):
    recalled = [memory(number, text) for number, text in enumerate(texts)]
    judged = feedback.judge(output, recalled, query=query)

    assert [entry.id for entry in judged] == [entry.id for entry in recalled]
    assert all(0 <= entry.likelihood <= 1 for entry in judged)
    assert all(0 <= seen.share <= 1.000001 for seen in feedback.evidence(output, texts, query=query))


@given(st.lists(st.sampled_from(["tea", "rum", "2", "14:00", "Anna"]), min_size=1, max_size=6))
def test_a_memory_said_word_for_word_and_no_more_is_used_when_it_says_enough(words):
    text = " ".join(words)
    seen, nothing = (feedback.evidence(output, [text])[0] for output in (text, "Hello"))

    assert (seen.share, seen.density) == pytest.approx((1.0, 1.0))
    assert seen.likelihood > nothing.likelihood


@pytest.mark.parametrize(
    ("query", "other", "again"),
    [
        ("Who approves releases?", "who APPROVES a release", True),
        ("Who approves releases?", "Please, quickly: who approves all of the releases this week?", True),
        ("When does the passport of Mara expire?", "Mara's passport, when does it expire?", True),
        ("Who approves releases?", "Who approves budgets?", False),
        ("When does the passport of Mara expire?", "Where is the passport of Mara kept?", False),
        ("Mara", "When does the passport of Mara expire?", False),
        ("Mara", "mara?", True),
        ("", "", True),
        ("", "Who approves releases?", False),
    ],
)
def test_a_question_in_other_words_is_the_same(query, other, again):
    assert feedback.asks_again(query, other) is feedback.asks_again(other, query) is again
