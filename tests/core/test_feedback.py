"""Which recalled memories an output used."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.lifecycle import feedback
from memory_platform.lifecycle.feedback import RecalledText, Use


def memory(number: int, text: str, tokens: int = 10) -> RecalledText:
    return RecalledText(UUID(int=number), text, tokens)


MEMORIES = (
    memory(1, "The staging cluster runs in Frankfurt."),
    memory(2, "Backups of the order service run at 02:00."),
    memory(3, "Anna is allergic to peanuts.", tokens=200),
)


def test_used_ignored_and_ignored_at_a_price():
    judged = feedback.judge("Staging is hosted in Frankfurt, so latency is low.", MEMORIES, query="Where is it?")

    assert [(entry.use, entry.delta) for entry in judged] == [
        (Use.USED, 0.1),
        (Use.IGNORED, -0.05),
        (Use.IGNORED_EXPENSIVE, -0.1),
    ]


def test_repeating_the_question_is_no_use():
    judged = feedback.judge(
        "I do not know about the staging cluster.", MEMORIES[:1], query="Where is the staging cluster?"
    )

    assert judged[0].use is Use.IGNORED


def test_a_term_that_all_memories_share_counts_less():
    dogs = (memory(1, "Anna's dog sleeps upstairs."), memory(2, "Anna's dog eats rice."))
    judged = feedback.judge("The dog of Anna gets rice.", dogs)

    assert [entry.use for entry in judged] == [Use.IGNORED, Use.USED]


def test_numbers_count():
    judged = feedback.judge("They run at 02:00.", (memory(1, "Backups run at 02:00."),), query="When do backups run?")
    other = feedback.judge("They run at 03:15.", (memory(1, "Backups run at 02:00."),), query="When do backups run?")

    assert (judged[0].overlap, other[0].overlap) == (1.0, 0.0)


def test_a_memory_without_terms_of_its_own_is_ignored():
    assert feedback.judge("tea", (memory(1, "it is"),))[0].overlap == 0.0


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=4), st.text(max_size=40))
def test_every_memory_is_judged_once_in_order(output, texts, query):
    recalled = [memory(number, text) for number, text in enumerate(texts)]
    judged = feedback.judge(output, recalled, query=query)

    assert [entry.id for entry in judged] == [entry.id for entry in recalled]
    assert all(0 <= entry.overlap <= 1.000001 for entry in judged)
