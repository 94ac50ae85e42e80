"""Lines of a block that are quoted, as the block writes them and as an assistant frames them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.consolidation.authority import Voice
from memory_platform.model import Role, TrustTag, Unit
from memory_platform.retrieval.context import ContextMemory, line
from memory_platform.text.cleaning import inline
from memory_platform.text.quoting import quoted

MUNICH = "I live in Munich."
LINE = f"~ {MUNICH} (confidence: 0.9; age: 12d; other) [superseded]"


@given(
    st.text(st.characters(exclude_characters="~"), min_size=1).filter(lambda text: text.strip(" \t>*•-\"'“”`") == text),
    st.sampled_from(Role),
    st.lists(st.sampled_from(TrustTag), max_size=3, unique=True),
)
def test_every_line_of_a_block_is_known_again(text, role, tags):
    memory = ContextMemory(text, Unit.ITEM, 3, 0.7, "work", tags=tuple(tags), voice=Voice(role))

    (found,) = quoted(line(memory))
    assert found.text == inline(text).lstrip(" \t>*•-\"'“”`").strip()
    assert (found.start, found.end) == (0, len(line(memory)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINE, [MUNICH]),
        (f"My memory says:\n> {LINE}\nIs that so?", [MUNICH]),
        (f"- {LINE.removeprefix('~ ')}", [MUNICH]),
        (f"I know this: {LINE} and {LINE}", [MUNICH, MUNICH]),
        ("~ assistant: It is. (age: 3d; episode)", ["assistant: It is."]),
        ("The bridge (age: 90 years) is closed.", []),
        ("We are sure (confidence: 0.9).", []),
        (MUNICH, []),
    ],
)
def test_quoted_lines_are_told_from_other_words(text, expected):
    assert [one.text for one in quoted(text)] == expected
