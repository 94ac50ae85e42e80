"""What a reader that remembers adds to what every reader promises."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from memory_platform.adapters.remembering_reader import RememberingReader
from memory_platform.adapters.spacy_reader import SpacyReader
from memory_platform.text.parse import Parse


class Counting(SpacyReader):
    """Notes what it was asked to read."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked: list[str] = []

    @override
    def read(self, texts: Sequence[str], *, language: str | None = None) -> tuple[Parse, ...]:
        self.asked += texts
        return super().read(texts, language=language)


def test_a_text_is_read_once():
    counting = Counting()
    reader = RememberingReader(counting)

    first = reader.read(["I live in Oslo.", "Ok.", "I live in Oslo."])
    again = reader.read(["Ok.", "I live in Oslo."], language="en")

    assert counting.asked == ["I live in Oslo.", "Ok."]
    assert again == (first[1], first[0])


def test_a_short_text_is_read_in_the_language_of_each_talk():
    counting = Counting()
    reader = RememberingReader(counting)

    assert [reader.read(["Ok."], language=code)[0].language for code in ("de", "fr", "de")] == ["de", "fr", "de"]
    assert counting.asked == ["Ok.", "Ok."]


def test_what_was_asked_for_longest_ago_is_forgotten_first():
    counting = Counting()
    reader = RememberingReader(counting, most_characters=8)
    reader.read(["aaa"])
    reader.read(["bbb"])
    reader.read(["aaa"])
    reader.read(["ccc"])
    counting.asked.clear()

    reader.read(["aaa", "ccc"])
    assert counting.asked == []
    reader.read(["bbb"])
    assert counting.asked == ["bbb"]


def test_a_text_longer_than_all_it_may_remember_is_read_all_the_same():
    counting = Counting()
    reader = RememberingReader(counting, most_characters=3)

    assert [reader.read(["too long"])[0].text for _ in range(2)] == ["too long"] * 2
    assert counting.asked == ["too long"] * 2


@given(st.lists(st.lists(st.text(max_size=6), max_size=4), max_size=6))
def test_it_answers_as_the_reader_it_asks(batches):
    plain, reader = SpacyReader({}), RememberingReader(SpacyReader({}), most_characters=10)

    assert [reader.read(texts) for texts in batches] == [plain.read(texts) for texts in batches]
